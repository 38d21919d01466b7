"""Where a person is signed in: noted with the sign-in and then every five minutes, shown to them alone, and ended.

The rest of the site reads no row of it. What is kept ends with the session itself.
"""

import logging
import time
from datetime import timedelta
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from django.contrib.auth import SESSION_KEY, user_logged_in
from django.contrib.sessions.models import Session
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from annotation.domain.accounts.sign_ins import browser_of, place_of
from annotation.models import OpenSession, User

log = logging.getLogger(__name__)

_NOTED_EVERY = timedelta(minutes=5)
_noted: dict[str, float] = {}
"""When this process last noted each session, so that not every request asks the database."""


def note_use(request: HttpRequest) -> None:
    """Note that somebody uses a session, unless this process did lately; nothing is read where nobody is signed in."""
    key, now = request.session.session_key, time.monotonic()
    if not key or now - _noted.get(key, -1e9) < _NOTED_EVERY.total_seconds():
        return
    user_key = request.session.get(SESSION_KEY)
    if user_key is None:
        return
    try:
        with transaction.atomic():
            _store(request, key, user_key)
    except DatabaseError as fault:  # a full disk: who only reads is served all the same
        log.warning("the use of a session is not noted: %s", type(fault).__name__)
    if len(_noted) > 10_000:
        _noted.clear()
    _noted[key] = now


def _store(request: HttpRequest, key: str, user_key: str) -> None:
    now = timezone.now()
    facts = {
        "browser": browser_of(request.META.get("HTTP_USER_AGENT", "")),
        "place": place_of(request.META.get("REMOTE_ADDR", "")),
        "used_at": now,
    }
    own = OpenSession.objects.filter(pk=key)
    if own.filter(used_at__gt=now - _NOTED_EVERY).exists() or own.update(**facts):
        return
    if Session.objects.filter(pk=key).exists():  # or it has just ended
        row = OpenSession(pk=key, user_id=int(user_key), began_at=now, **facts)
        OpenSession.objects.bulk_create([row], ignore_conflicts=True)


def open_sessions(user: User) -> QuerySet[OpenSession]:
    """Return the person's sessions that have not ended, those used last first."""
    rows = OpenSession.objects.filter(user=user, session__expire_date__gt=timezone.now())
    return rows.order_by("-used_at", "pk")


def end_sessions(user: User, *, but: str = "") -> None:
    """End all sessions of the person but one, by its key; also sign-ins that wait for a second step."""
    Session.objects.filter(open_session__user=user).exclude(pk=but).delete()
    for session in Session.objects.filter(open_session=None).exclude(pk=but).iterator(chunk_size=500):
        if is_of(session.get_decoded(), user):  # half-way sign-ins, and what the version before began
            session.delete()


def forget_ended() -> None:
    """Delete what is left of sessions that have no row any more: the version before ended them."""
    OpenSession.objects.exclude(pk__in=Session.objects.values("pk")).delete()


def is_of(data: dict[str, Any], user: User) -> bool:
    """Return whether the session is the person's, signed in or on the way there."""
    half_way = data.get("account_login")
    keys = {data.get(SESSION_KEY), data.get("account_authentication_methods_user")}
    keys |= {half_way.get("user_pk")} if isinstance(half_way, dict) else set()
    return str(user.pk) in keys


@receiver(user_logged_in)
def _note_sign_in(request: HttpRequest, **_: Any) -> None:
    note_use(request)


@receiver(post_save, sender=User)
def _end_with_the_password(instance: User, created: bool, **_: Any) -> None:
    """End all sessions where a password was set. The one that set it, if any, then gets a new key."""
    if not created and getattr(instance, "_password", None) is not None:
        end_sessions(instance)


@receiver(authenticator_added)
def _end_with_a_second_step(request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    """End the other sessions where a second step was added: they were opened without it."""
    if authenticator.type != Authenticator.Type.RECOVERY_CODES:
        end_sessions(user, but=request.session.session_key or "")
