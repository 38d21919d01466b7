"""Whether a project asks for a second step at sign-in, and whether somebody has one."""

from allauth.mfa.models import Authenticator
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.choices import SecondFactor
from annotation.models import Membership, User


class SecondFactorNeeded(PermissionDenied):
    """The project asks its members for a second step at sign-in, and this member has none."""

    code = "second_factor_needed"

    def __init__(self) -> None:
        super().__init__(_("This project asks for two-step sign-in. Switch it on for your account first."))


def binds(member: Membership, policy: SecondFactor | str) -> bool:
    """Whether a policy asks this member for a second step."""
    if policy == SecondFactor.STAFF:
        return member.reviews or member.administers
    return policy == SecondFactor.EVERYONE


def is_set_up(member: Membership) -> bool:
    """Whether the member's account has an authenticator app or a security key; recovery codes alone do not count."""
    return _steps().filter(user=member.user_id).exists()


def lets_in(user: User) -> Q:
    """Which of the user's memberships no policy keeps shut, as a condition for a query over memberships."""
    staff = Q(project__second_factor=SecondFactor.STAFF) & (Q(reviews=True) | Q(administers=True))
    bound = Q(project__second_factor=SecondFactor.EVERYONE) | staff
    return ~bound | Q(Exists(_steps().filter(user=user.pk)))


def require(member: Membership) -> None:
    """Raise SecondFactorNeeded where the project binds this member, who has none; a query for those alone."""
    if binds(member, member.project.second_factor) and not is_set_up(member):
        raise SecondFactorNeeded


def _steps() -> QuerySet[Authenticator]:
    rows: QuerySet[Authenticator] = Authenticator.objects.exclude(type=Authenticator.Type.RECOVERY_CODES)
    return rows
