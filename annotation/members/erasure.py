"""Erasure of a person: the account is emptied; their work stays under their pseudonyms (threats T15, T23).

Labels, decisions and events refer to memberships, and memberships to the account. The account's row stays, because
append-only rows refer to it, but it contains nothing: no name, no address, no way to sign in. Data that only the person
used is deleted: sessions, tokens, second factors, opt-outs, check-ins, saved searches, admins' notes about them. Free
text written by people (notes and answers of labels, names of files) is not searched.
"""

import logging
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db.models import Model, Q
from knox.models import AuthToken

from annotation.assignment.annotator_state import lock_member
from annotation.assignment.release_seats import free_seats_of_member
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb
from annotation.members.accounts.open_sessions import is_of
from annotation.members.join import ERASED
from annotation.members.roles import has_other_admin
from annotation.models import (
    Batch,
    CheckIn,
    Event,
    Invitation,
    Mail,
    Membership,
    OpenSession,
    OptOut,
    Project,
    SavedSearch,
    Skip,
    User,
    record,
)

log = logging.getLogger(__name__)

_OF_THE_ACCOUNT: tuple[type[Model], ...] = (EmailAddress, SocialAccount, Authenticator, AuthToken)
"""Models of other apps whose rows belong to an account and are deleted with it."""


class CannotErase(Exception):
    """The account cannot be erased yet; the message says what must be done first."""

    def __init__(self, code: str, sentence: str, projects: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.projects = tuple(projects)
        """The names of the projects that would have no admin."""


@dataclass(frozen=True)
class Erased:
    """The result: the new name of the account's row, and the number of ended memberships."""

    username: str
    memberships: int


@short_transaction
def erase(user: User, by: Membership | None = None) -> Erased:
    """Empty the account and end its memberships; labels, counts and pseudonyms stay.

    `by` is the admin who erases it; None: the person themselves, or a command.
    Raises CannotErase.
    """
    members = Membership.objects.select_related("project").filter(user=user).order_by("project_id")
    # The same lock as in change_roles; without the key, so that people who label can write their events meanwhile.
    list(Project.objects.select_for_update(no_key=True).filter(memberships__user=user).order_by("pk"))
    user = User.objects.select_for_update(of=("self",)).get(pk=user.pk)
    _refuse_the_last(user)
    ended = [_end(member, by) for member in members]
    _forget_what_was_theirs(user)
    names = {word.casefold() for word in (user.username, user.email) if word}
    _end_sessions(user, names)
    _empty(user)
    log.info("An account was erased; %d memberships ended", len(ended))
    return Erased(user.username, len(ended))


def may_erase(admin: Membership, user: User) -> bool:
    """Return whether an admin may erase a person.

    Site admins may. Others may if all of the person's projects are theirs, and the person did something in one of them
    or never signed in: an account that somebody uses elsewhere, and that was only added by its name, is not theirs.
    """
    if admin.user is not None and admin.user.is_superuser:
        return True
    if user.is_staff or user.is_superuser:
        return False
    administered = Membership.objects.filter(user=admin.user_id, administers=True, active=True)
    ours = Q(project__in=administered.values("project"))
    if Membership.objects.filter(user=user).exclude(ours).exists():
        return False
    return user.last_login is None or Event.objects.filter(ours, actor__user=user).exists()


def _refuse_the_last(user: User) -> None:
    """Raise CannotErase if a project, or the site, would have no admin."""
    without_admin = []
    for member in Membership.objects.filter(user=user, administers=True, active=True).select_related("project"):
        if not has_other_admin(member):
            without_admin.append(member.project.name)
    if without_admin:
        sentence = f"Make somebody else admin first: {', '.join(without_admin)} would be left without one."
        raise CannotErase("last_admin", sentence, without_admin)
    site = User.objects.filter(is_superuser=True, is_active=True)
    if user.is_superuser and user.is_active and not site.exclude(pk=user.pk).exists():
        raise CannotErase("last_site_admin", "Make somebody else site admin first: the site would be left without one.")


def _end(member: Membership, by: Membership | None) -> Membership:
    lock_member(member)  # so that they take no further seat until this is stored
    free_seats_of_member(member, by)
    own = {"severe_a_day": None, "minutes_a_day": None}
    Membership.objects.filter(pk=member.pk).update(active=False, idle_until=None, **own)
    record(EventVerb.ERASED, project=member.project, actor=by, row=member.public_id)
    return member


def _forget_what_was_theirs(user: User) -> None:
    for private in (OptOut, CheckIn, SavedSearch):
        private.objects.filter(member__user=user).delete()
    Batch.members.through.objects.filter(membership__user=user).delete()
    Skip.objects.filter(annotator__user=user).exclude(reason="").update(reason="")
    Invitation.objects.filter(Q(accepted_by__user=user) | Q(created_by__user=user)).update(note="")
    Mail.objects.filter(user=user).delete()
    OpenSession.objects.filter(user=user).delete()
    _forget_in_the_log(user)
    for model in _OF_THE_ACCOUNT:
        model._default_manager.filter(user=user).delete()


def _forget_in_the_log(user: User) -> None:
    """Empty the entries of the site administration's log about the account and its rows."""
    about = Q(object_id=str(user.pk), content_type=ContentType.objects.get_for_model(User))
    for model in _OF_THE_ACCOUNT:
        keys = [str(key) for key in model._default_manager.filter(user=user).values_list("pk", flat=True)]
        about |= Q(object_id__in=keys, content_type=ContentType.objects.get_for_model(model))
    if user.email:
        about |= Q(object_repr__icontains=user.email) | Q(change_message__icontains=user.email)
    LogEntry.objects.filter(about).update(object_repr="erased", change_message="")


def _end_sessions(user: User, names: set[str]) -> None:
    """Remove every session of the person, also unfinished sign-ins, and sessions that contain their name."""
    for session in Session.objects.all().iterator(chunk_size=500):
        data = session.get_decoded()
        if is_of(data, user) or any(word.casefold() in names for word in _words(data)):
            session.delete()


def _words(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _words(part)
    elif isinstance(value, list):
        for part in value:
            yield from _words(part)


def _empty(user: User) -> None:
    """Reset the row to default values, with a random name that marks it as erased."""
    fresh = User()
    for field in User._meta.concrete_fields:
        if not field.primary_key and field.name != "date_joined":
            setattr(user, field.attname, getattr(fresh, field.attname))
    user.username = f"{ERASED}{secrets.token_hex(6)}"
    user.public_id = uuid4()
    user.is_active = user.is_staff = user.is_superuser = False
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
