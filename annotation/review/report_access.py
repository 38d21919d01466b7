"""Who may answer the reports of a project: its admins, and the site's admins, members or not."""

from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from annotation.core import second_factor
from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.models import Membership, Project, User
from annotation.pages.access import membership
from runs.sql.database_clock import seconds_from_now


def answering_member(user: User | AnonymousUser, slug: str) -> tuple[Project, Membership | None]:
    """Return the project and the person's membership in it; None for a site admin who is no member.

    Raises Http404 for everybody else, and for a project that is due for its purge.
    Raises PermissionDenied if the project asks for two-step sign-in that the member has not set up.
    """
    member = membership(user, slug)
    if member is not None and (member.has(Role.ADMIN) or (isinstance(user, User) and user.is_staff)):
        second_factor.require(member)
        return member.project, member
    if not isinstance(user, User) or not user.is_staff:
        raise Http404
    project = found(Project.objects.exclude(delete_after__lte=seconds_from_now(0)).filter(slug=slug).first())
    return project, None
