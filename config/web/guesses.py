"""Wrong passwords and codes are counted for the account that they are tried on, whoever tries, from any address.

Wrong passwords slow an account down: after ten within an hour the next one is looked at a second later, the one after
it two seconds later, and so on up to a minute. Nobody is locked out for long:

- A browser in which the person has signed in before is counted apart, by a signed cookie. So is one in which they have
  just used a link for a new password. What strangers try takes nothing from either.
- Another browser waits a minute at most for its turn, unless somebody else takes it. Then a link helps.

Codes of the second step are ten in five minutes for everybody together: who tries them knows the password, which its
owner can change. Keys cannot be guessed and are not counted. A name that no account has is counted like one.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.internal.stagekit import unstash_login
from allauth.account.internal.userkit import get_user_by_username
from allauth.account.signals import password_reset, user_logged_in
from django.conf import settings
from django.core import signing
from django.db.models import Q
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import override

from annotation.models import User

COOKIE = "known_accounts"
_SALT = "config.web.guesses"
_REMEMBERED_FOR = timedelta(days=180)
_MOST_ACCOUNTS = 10
"""The accounts that one browser is known for; in a lab several people share one."""
TOLD_EVERY = timedelta(days=1)
"""The owner is told of an attack once, and again where it goes on for so long."""
_CODES = {"mfa_authenticate", "mfa_reauthenticate"}


@dataclass(frozen=True)
class Guess:
    """A try of a password or a code: the limit that it is counted against, and for which account."""

    limit: str
    who: str
    user: User | None
    by_stranger: bool

    def tell_owner(self) -> None:
        """Let the owner know that strangers try, once an attack: by mail, and on the page of sign-ins."""
        if not self.by_stranger:
            return
        column, now = f"{self.limit}s_guessed_at", timezone.now()
        lately = Q(**{f"{column}__gt": now - TOLD_EVERY})
        # Asked for no account too: the answer takes as long.
        if not User.objects.filter(pk=self.user.pk if self.user else 0).exclude(lately).update(**{column: now}):
            return
        with override(getattr(self.user, "language", "") or settings.LANGUAGE_CODE):  # not the stranger's
            get_adapter().send_notification_mail(f"account/email/{self.limit}s_guessed", self.user)


def guess_of(request: HttpRequest, view_name: str) -> Guess | None:
    """Return which guess a form with a proof makes.

    Returns None if it makes none that an account's owner should hear of: a link, a key, a form without a sign-in.
    """
    if view_name in _CODES:
        login = None if request.user.is_authenticated else unstash_login(request, peek=True)
        user: Any = request.user if request.user.is_authenticated else login and login.user
        return Guess("code", f"account:{user.pk}", user, by_stranger=True) if user and "code" in request.POST else None
    if view_name == "account_login":
        name = request.POST.get("login", "").strip().replace("\x00", "")[:150]
        return _password(request, get_user_by_username(name), name)
    return _password(request, request.user, "") if request.user.is_authenticated else None


def _password(request: HttpRequest, user: Any, name: str) -> Guess:
    known = _known(request).get(str(user.public_id)) if user else None
    digest = hashlib.sha256(name.casefold().encode()).hexdigest()
    who = f"account:{user.pk}" if user else f"name:{digest}"
    return Guess("password", f"{who}:{known}" if known else who, user, by_stranger=not known)


def _known(request: HttpRequest) -> dict[str, str]:
    """Return the accounts that this browser is known for, by their public ids: a random word for each."""
    try:
        known = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=_REMEMBERED_FOR)
    except signing.BadSignature:
        return {}
    return known if isinstance(known, dict) else {}


def remember_browser(request: HttpRequest, response: HttpResponseBase) -> None:
    """Let the browser keep that the person who has just signed in here, or used a link, is known in it."""
    user: User | None = getattr(request, "shown_to_be", None)
    if user is None:
        return
    known = _known(request)
    word = known.pop(str(user.public_id), None) or secrets.token_urlsafe(9)
    kept = dict([*known.items(), (str(user.public_id), word)][-_MOST_ACCOUNTS:])
    response.set_cookie(
        COOKIE,
        signing.dumps(kept, salt=_SALT),
        max_age=_REMEMBERED_FOR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


@receiver([user_logged_in, password_reset])
def _has_shown_who(request: HttpRequest, user: User, **_: Any) -> None:
    request.shown_to_be = user  # type: ignore[attr-defined]  # ours, read when the response is there
