"""Erasing a person: the account is emptied, what they did stays under their pseudonyms (threats T15, T23).

Labels, decisions and events point to memberships, memberships to the account. The account's row stays, because rows
that may never go point to it, but it says nothing any more: no name, no address, no way to sign in. What only the
person had use for goes: sessions, tokens, second steps, opt-outs, check-ins, saved searches, what admins noted about
them. Not looked through: what people wrote in free text (notes of labels, names of files).
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

from annotation.assignment.release_seats import free_seats_of_member
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb
from annotation.members.join import ERASED
from annotation.models import (
    Batch,
    CheckIn,
    Invitation,
    Membership,
    OptOut,
    Project,
    SavedSearch,
    Skip,
    User,
    record,
)

log = logging.getLogger(__name__)

_OF_THE_ACCOUNT: tuple[type[Model], ...] = (EmailAddress, SocialAccount, Authenticator, AuthToken)
"""Rows of other apps that belong to an account and go with it."""


class CannotErase(Exception):
    """The account cannot be erased yet; one sentence says what has to happen first."""

    def __init__(self, code: str, sentence: str, projects: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.projects = tuple(projects)
        """The names of the projects that would be left without an admin."""


@dataclass(frozen=True)
class Erased:
    """What is left of an account: the name its row has now, and how many memberships ended with it."""

    username: str
    memberships: int


@short_transaction
def erase(user: User, by: Membership | None = None) -> Erased:
    """Empty the account and end its memberships; labels, counts and pseudonyms stay as they are.

    `by` is the admin who did it; None: the person themselves, or a command. Raises CannotErase.
    """
    members = Membership.objects.select_related("project").filter(user=user).order_by("project_id")
    list(Project.objects.select_for_update().filter(memberships__user=user).order_by("pk"))  # as change_roles does
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
    """Whether an admin may erase somebody: all of the person's projects are in their hands, or the site is."""
    if admin.user is not None and admin.user.is_superuser:
        return True
    if user.is_staff or user.is_superuser:
        return False
    mine = Membership.objects.filter(user=admin.user_id, administers=True, active=True)
    return not Membership.objects.filter(user=user).exclude(project__in=mine.values("project")).exists()


def _refuse_the_last(user: User) -> None:
    """Raise CannotErase where a project, or the site, would be left without an admin."""
    alone = []
    for member in Membership.objects.filter(user=user, administers=True, active=True).select_related("project"):
        others = Membership.objects.filter(project=member.project, administers=True, active=True, user__is_active=True)
        if not others.exclude(pk=member.pk).exists():
            alone.append(member.project.name)
    if alone:
        sentence = f"Make somebody else admin first: {', '.join(alone)} would be left without one."
        raise CannotErase("last_admin", sentence, alone)
    site = User.objects.filter(is_superuser=True, is_active=True)
    if user.is_superuser and user.is_active and not site.exclude(pk=user.pk).exists():
        raise CannotErase("last_site_admin", "Make somebody else site admin first: the site would be left without one.")


def _end(member: Membership, by: Membership | None) -> Membership:
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
    _forget_in_the_log(user)
    for model in _OF_THE_ACCOUNT:
        model._default_manager.filter(user=user).delete()


def _forget_in_the_log(user: User) -> None:
    """Empty what the site administration's log says about the account and what belongs to it."""
    about = Q(object_id=str(user.pk), content_type=ContentType.objects.get_for_model(User))
    for model in _OF_THE_ACCOUNT:
        keys = [str(key) for key in model._default_manager.filter(user=user).values_list("pk", flat=True)]
        about |= Q(object_id__in=keys, content_type=ContentType.objects.get_for_model(model))
    if user.email:
        about |= Q(object_repr__icontains=user.email) | Q(change_message__icontains=user.email)
    LogEntry.objects.filter(about).update(object_repr="erased", change_message="")


def _end_sessions(user: User, names: set[str]) -> None:
    """Remove every session that is the person's, half-way sign-ins too, or that names them."""
    whose = {str(user.pk)}
    for session in Session.objects.all().iterator(chunk_size=500):
        data = session.get_decoded()
        half_way = data.get("account_login")
        keys = {data.get("_auth_user_id"), data.get("account_authentication_methods_user")}
        keys |= {half_way.get("user_pk")} if isinstance(half_way, dict) else set()
        if whose & keys or any(word.casefold() in names for word in _words(data)):
            session.delete()


def _words(value: Any) -> Iterator[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _words(part)
    elif isinstance(value, list):
        for part in value:
            yield from _words(part)


def _empty(user: User) -> None:
    """Leave nothing in the row but that there was somebody."""
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
