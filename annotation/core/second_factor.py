"""Two-step sign-in: whether a project requires it, and whether a member has set it up."""

from allauth.mfa.models import Authenticator
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.choices import SecondFactor
from annotation.models import Membership, User


class SecondFactorNeeded(PermissionDenied):
    """The project requires two-step sign-in of its members, and this member has not set it up."""

    code = "second_factor_needed"

    def __init__(self) -> None:
        super().__init__(_("This project asks for two-step sign-in. Switch it on for your account first."))


def binds(member: Membership, policy: SecondFactor | str) -> bool:
    """Return whether a policy requires two-step sign-in of this member."""
    if policy == SecondFactor.STAFF:
        return member.reviews or member.administers
    return policy == SecondFactor.EVERYONE


def is_set_up(member: Membership) -> bool:
    """Return whether the account has an authenticator app or a security key; recovery codes alone do not count."""
    return _steps().filter(user=member.user_id).exists()


def lets_in(user: User) -> Q:
    """Return a condition for the memberships that the user may use under their projects' policies."""
    staff = Q(project__second_factor=SecondFactor.STAFF) & (Q(reviews=True) | Q(administers=True))
    bound = Q(project__second_factor=SecondFactor.EVERYONE) | staff
    return ~bound | Q(Exists(_steps().filter(user=user.pk)))


def require(member: Membership) -> None:
    """Raise SecondFactorNeeded if the project requires two-step sign-in of this member, who has not set it up.

    Only members under such a policy cost a query.
    """
    if binds(member, member.project.second_factor) and not is_set_up(member):
        raise SecondFactorNeeded


def _steps() -> QuerySet[Authenticator]:
    rows: QuerySet[Authenticator] = Authenticator.objects.exclude(type=Authenticator.Type.RECOVERY_CODES)
    return rows
