"""How a person's tokens for the API begin and end (with the password, with the last membership), and their last use.

A new password also ends the connections to accounts of an organisation: each is a way in without the password.
"""

import logging
import time
from datetime import timedelta
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.db import DatabaseError, transaction
from django.db.models.functions import Now
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils.translation import gettext_noop
from knox.models import AuthToken
from knox.settings import knox_settings

from annotation.domain.one_line import one_line
from annotation.members.accounts.account_notices import tell_owner
from annotation.models import Membership, TokenUse, User

log = logging.getLogger(__name__)

_NOTED_EVERY = timedelta(minutes=5)
_noted: dict[str, tuple[float, str, str]] = {}
"""What this process noted last of each token, so that a program's requests do not all write."""


def make_token(user: User, lifetime: timedelta = knox_settings.TOKEN_TTL, *, replaced: str = "") -> str | None:
    """Make a token and return it: it is kept as a hash, and cannot be shown again.

    The token that begins with `replaced` ends, if the person has one. Returns None, and changes nothing, if the person
    has as many as one may have.
    """
    others = AuthToken.objects.filter(user=user, expiry__gt=Now())
    if replaced:
        others = others.exclude(token_key=replaced)
    with transaction.atomic():
        if others.count() >= knox_settings.TOKEN_LIMIT_PER_USER:
            return None
        if replaced:
            AuthToken.objects.filter(user=user, token_key=replaced).delete()
        _row, token = AuthToken.objects.create(user, lifetime)
    return str(token)


def tell_of_token(user: User, days: int) -> None:
    """Tell the person by mail, if they have an address, that somebody who runs the site made a token for them."""
    tell_owner(
        user,
        gettext_noop("A token for your account"),
        gettext_noop(
            "The people who run this site have made a token that works with your account over the API for %(days)s "
            "days. You can end it under “API tokens”. If you did not ask for it, tell them: %(site)s"
        ),
        days=days,
    )


def end_tokens(user: User) -> int:
    """End all tokens of the person; return how many there were."""
    count: int = AuthToken.objects.filter(user=user).delete()[0]
    return count


def end_tokens_of_leaver(member: Membership) -> None:
    """End the tokens of somebody whose membership has ended, unless they are a member of another project."""
    user = member.user
    if user is not None and not user.is_staff and not Membership.objects.filter(user=user, active=True).exists():
        end_tokens(user)


def note_use(token: AuthToken, address: str, client: str) -> None:
    """Store a token's last use: at most every five minutes, at once for a new address."""
    address, client = address[:45], one_line(client)[:100]
    now = time.monotonic()
    before = _noted.get(token.digest)
    if before and before[1:] == (address, client) and now - before[0] < _NOTED_EVERY.total_seconds():
        return
    try:
        with transaction.atomic():
            if AuthToken.objects.select_for_update(no_key=True).filter(pk=token.pk).exists():  # or it has just ended
                values = {"at": Now(), "address": address, "client": client}
                TokenUse.objects.update_or_create(token=token, defaults=values)
    except DatabaseError as fault:  # a full disk: who only reads is served all the same
        log.warning("the use of a token is not noted: %s", type(fault).__name__)
    if len(_noted) > 10_000:
        _noted.clear()
    _noted[token.digest] = (now, address, client)


@receiver(post_save, sender=User)
def _end_with_the_password(instance: User, created: bool, **_: Any) -> None:
    """End all tokens and connected accounts where a password was set: whoever knew the old one may have made them.

    Django leaves the new password in `_password` until the account is saved; a stored hash that is only made anew
    when somebody signs in does not count.
    """
    if not created and getattr(instance, "_password", None) is not None:
        end_tokens(instance)
        SocialAccount.objects.filter(user=instance).delete()
