"""Access to the pages of a project: every page checks its viewer here."""

from urllib.parse import urlsplit

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from annotation.core import second_factor
from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.models import Membership, Project, User
from runs.sql.compiled_queries import CompiledQuery, slot
from runs.sql.database_clock import seconds_from_now

_MEMBER = CompiledQuery(
    Membership.objects.select_related("project")
    .filter(project__slug=slot("slug"), user=slot("user"), active=True)
    .exclude(project__delete_after__lte=seconds_from_now(0))
)
_OWN = CompiledQuery(
    Membership.objects.select_related("project")
    .filter(project__slug=slot("slug"), user=slot("user"), annotates=True)
    .exclude(project__delete_after__lte=seconds_from_now(0))
)


class PersonRequest(HttpRequest):
    """A request of a signed-in user. All pages have one, except the few that say otherwise."""

    user: User


def membership(user: User | AnonymousUser, slug: str) -> Membership | None:
    """Return the user's active membership in the project, with its `project` loaded.

    Returns None if there is none. From the moment when a deleted project is due for its purge, it has no members.
    """
    return _MEMBER.first(slug=slug, user=user.pk) if user.is_authenticated else None


def member_of(request: HttpRequest, slug: str, *roles: Role) -> Membership:
    """Return the viewer's active membership in the project, with its `project` loaded, in one query.

    Raises Http404 if the project does not exist or is due for its purge, the viewer is no active member, or has none of
    `roles`; all cases give the same response.
    Raises PermissionDenied if the request would change an archived or deleted project, or if the project requires
    two-step sign-in and the viewer has not set it up.
    """
    member = membership(request.user, slug)
    if member is None or (roles and not any(member.has(role) for role in roles)):
        raise Http404
    second_factor.require(member)
    _refuse_if_closed(request, member.project)
    return member


def annotator_past_or_present(request: PersonRequest, slug: str) -> Membership:
    """Return the viewer's membership as an annotator, also one that has ended, with its `project` loaded.

    For what somebody who left may still do: read their own answers, and leave if an admin ended their access.
    Raises Http404 if there is none. Raises PermissionDenied as `member_of` does.
    """
    member = found(_OWN.first(slug=slug, user=request.user.pk))
    second_factor.require(member)
    _refuse_if_closed(request, member.project)
    return member


def _refuse_if_closed(request: HttpRequest, project: Project) -> None:
    if request.method in ("GET", "HEAD", "OPTIONS") or not project.is_closed:
        return
    match = request.resolver_match
    if match is None or not getattr(match.func, "open_when_closed", False):
        raise PermissionDenied(closed_sentence(project))


def figures_viewer(member: Membership) -> Membership:
    """Return the member if they may see figures of the whole project (`Membership.sees_figures`).

    Raises Http404 if they may not.
    """
    if not member.sees_figures:
        raise Http404
    return member


def closed_sentence(project: Project) -> str:
    """Return the message that says why nothing in the project can be changed."""
    if project.delete_after is not None:
        return _("This project is about to be deleted: it can be read until then, and nothing in it changes.")
    return _("This project is archived: it can be read, and nothing in it changes.")


def page_before(request: HttpRequest) -> str:
    """Return the path of the page that sent a form of the page frame. Return "/" if it is not on this site.

    The path comes from the Referer header, so that no page needs to repeat its own URL.
    """
    referrer: str = request.META.get("HTTP_REFERER", "")
    if not url_has_allowed_host_and_scheme(referrer, allowed_hosts={request.get_host()}):
        return "/"
    parts = urlsplit(referrer)
    path = "/" + parts.path.lstrip("/\\")  # a path that begins with two slashes would lead to another site
    return f"{path}?{parts.query}" if parts.query else path
