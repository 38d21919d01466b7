"""One answer for every page and API operation whose project, or whose viewer's membership, ends while it works.

A view fetches the membership first and then reads and writes many rows. When the project is purged in between, any of
these steps may fail, each in a way of its own: a foreign key that leads nowhere, a row or a file that is gone.
"""

import logging

from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from annotation.models import Project
from annotation.pages.access import membership
from config.web.error_pages import is_outage, not_found

log = logging.getLogger(__name__)


class EndedProject(MiddlewareMixin):
    """Gives 404 for a view that failed after its project or the viewer's membership ended; other faults stay faults."""

    def process_exception(self, request: HttpRequest, fault: Exception) -> HttpResponse | None:
        match = request.resolver_match
        slug = match.kwargs.get("slug") if match else None
        if isinstance(fault, Http404):  # says already what the answer is: nothing ended while the view worked
            return None
        if is_outage(fault) or (_may_go_on(request, slug) if slug else not isinstance(fault, Project.DoesNotExist)):
            return None
        log.warning(
            "%s %s failed because its project or membership ended", request.method, request.path, exc_info=fault
        )
        return not_found(request, Http404())


def _may_go_on(request: HttpRequest, slug: str) -> bool:
    """Return whether the viewer is a member of a project of this name.

    Returns True also if the database does not say, so that the fault is seen.
    """
    try:
        return membership(request.user, slug) is not None
    except DatabaseError:
        return True
