"""The account that somebody names to a command."""

from django.core.management.base import CommandError

from annotation.models import User


def open_account(username: str) -> User:
    """Return the account. Raises CommandError if there is none of this name, or if it is closed."""
    user = User.objects.filter(username__iexact=username).first()
    if user is None:
        raise CommandError("There is no account of this name.")
    if not user.is_active:
        raise CommandError(f"The account {user.username} is closed; a site admin can open it.")
    return user
