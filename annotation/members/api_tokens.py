"""When a person's tokens for the API end: with the password, and with the last membership."""

from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver
from knox.models import AuthToken

from annotation.models import Membership, User


def end_tokens(user: User) -> int:
    """End all tokens of the person; return how many there were."""
    count: int = AuthToken.objects.filter(user=user).delete()[0]
    return count


def end_tokens_of_leaver(member: Membership) -> None:
    """End the tokens of somebody whose membership has ended, unless they are a member of another project."""
    user = member.user
    if user is not None and not user.is_staff and not Membership.objects.filter(user=user, active=True).exists():
        end_tokens(user)


@receiver(post_save, sender=User)
def _end_with_the_password(instance: User, created: bool, **_: Any) -> None:
    """End all tokens where a password was set, wherever that was: whoever knew the old one may have made them.

    Django leaves the new password in `_password` until the account is saved; a stored hash that is only made anew
    when somebody signs in does not count.
    """
    if not created and getattr(instance, "_password", None) is not None:
        end_tokens(instance)
