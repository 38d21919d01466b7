"""Invitations: a link that lets one person join a project, once, until it expires.

The secret of a link is known to the admin who created it and to the people who get it; the database stores its hash. A
used, revoked or expired invitation, or one whose creator is no longer an admin, gives the same response as an unknown
link.
"""

import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, Role
from annotation.members.join import enrol, make_account
from annotation.models import ROLE_FLAG, Batch, Invitation, Membership, Project, User, record

USUAL_DAYS, MOST_DAYS = 14, 60
"""For how many days an invitation is valid: by default, and at most."""
NOTE_LIMIT = 200


class State(StrEnum):
    """The state of an invitation."""

    OPEN = "open"
    USED = "used"
    REVOKED = "revoked"
    EXPIRED = "expired"


@dataclass(frozen=True)
class Invited:
    """An invitation; `token` is the secret of its link and is not stored.

    `is_new` is False where the same form was sent before: by a double click, or by a page that was loaded again.
    """

    invitation: Invitation
    token: str
    is_new: bool = True


@dataclass(frozen=True)
class Accepted:
    """The person is now a member."""

    member: Membership


@dataclass(frozen=True)
class MemberAlready:
    """The person already has everything that the invitation gives; it stays open for somebody else."""

    member: Membership


@dataclass(frozen=True)
class AccessEnded:
    """The person's membership has ended; only an admin can reopen it. The invitation stays open."""


@dataclass(frozen=True)
class NotOpen:
    """There is no open invitation for this link."""


@short_transaction
def invite(
    admin: Membership,
    roles: Collection[Role],
    *,
    days: int = USUAL_DAYS,
    team: Batch | None = None,
    note: str = "",
    form_key: str = "",
) -> Invited:
    """Create an invitation to the admin's project.

    A form with a key of its own that is sent once more, with the same values, gets the same invitation and link.

    Raises ValueError for no role, a wrong number of days, a team of another project, or a team without the role
    annotator.
    """
    fits = team is None or (team.project_id == admin.project_id and Role.ANNOTATOR in roles)
    if not roles or not 1 <= days <= MOST_DAYS or not fits:
        raise ValueError("an invitation needs a role, 1 to 60 days, and a team of its own project for annotators alone")
    token = secrets.token_urlsafe(32)
    if form_key:
        token = _token_of_form(admin, form_key, sorted(roles), days, team.pk if team else None, note)
        # The lock makes the second of two clicks wait for the first.
        Membership.objects.select_for_update(no_key=True).get(pk=admin.pk)
        if sent_before := _open(token).first():
            return Invited(sent_before, token, is_new=False)
        if Invitation.objects.filter(token_sha256=_hashed(token)).exists():
            token = secrets.token_urlsafe(32)  # that of the form is used up
    invitation = Invitation.objects.create(
        project=admin.project,
        token_sha256=_hashed(token),
        batch=team,
        note=note[:NOTE_LIMIT],
        created_by=admin,
        expires_at=timezone.now() + timedelta(days=days),
        **{ROLE_FLAG[role]: True for role in roles},
    )
    in_team = str(team.public_id) if team else None
    record(
        EventVerb.INVITED,
        project=admin.project,
        actor=admin,
        row=invitation.public_id,
        roles=sorted(roles),
        days=days,
        team=in_team,
    )
    return Invited(invitation, token)


@short_transaction
def revoke(admin: Membership, public_id: UUID) -> bool:
    """Revoke an invitation of the admin's project that nobody accepted. Return False if there is none."""
    rows = Invitation.objects.filter(project=admin.project_id, public_id=public_id, accepted_at=None, revoked_at=None)
    if not rows.update(revoked_at=timezone.now()):
        return False
    record(EventVerb.INVITATION_REVOKED, project=admin.project, actor=admin, row=public_id)
    return True


def find(token: str) -> Invitation | None:
    """Return the open invitation of a link, with its project."""
    return _open(token).select_related("project").first()


@short_transaction
def accept(token: str, user: User) -> Accepted | MemberAlready | AccessEnded | NotOpen:
    """Make the user a member with the roles and team of the invitation, in addition to what they have.

    The invitation is then used.
    """
    invitation = _locked_invitation(token)
    if invitation is None:
        return NotOpen()
    member = Membership.objects.filter(project=invitation.project, user=user).first()
    if member is not None and not member.active:
        return AccessEnded()
    if member is not None and _gives_nothing(invitation, member):
        return MemberAlready(member)
    return _join(invitation, user)


def accept_anew(token: str, username: str, password: str) -> Accepted | NotOpen:
    """Create an account for a person who has none, and make it a member.

    The caller has checked the password against the site's rules.
    Raises BadMember for an invalid or used name.
    """
    return _accept_anew(
        token, username, make_password(password)
    )  # hashing is slow, so it is done before rows are locked


@short_transaction
def _accept_anew(token: str, username: str, hashed: str) -> Accepted | NotOpen:
    invitation = _locked_invitation(token)
    if invitation is None:
        return NotOpen()
    return _join(invitation, make_account(username, hashed))


def state_of(invitation: Invitation, now: datetime) -> State:
    """Return the state of an invitation, which must be loaded with `created_by`."""
    if invitation.accepted_at is not None:
        return State.USED
    if invitation.revoked_at is not None or not invitation.created_by.has(Role.ADMIN):
        return State.REVOKED
    return State.OPEN if invitation.expires_at > now else State.EXPIRED


def invitations_of(project: Project) -> QuerySet[Invitation]:
    """Return all invitations of a project, newest first, with the people who accepted them."""
    return Invitation.objects.filter(project=project).select_related("created_by", "accepted_by", "batch")


def _join(invitation: Invitation, user: User) -> Accepted:
    member, created = enrol(invitation.project, user, *invitation.roles)
    if invitation.batch is not None and invitation.batch.limited:  # else the batch is now open to everybody
        invitation.batch.members.add(member)
        Membership.objects.filter(pk=member.pk).update(idle_until=None)
    Invitation.objects.filter(pk=invitation.pk).update(accepted_by=member, accepted_at=timezone.now())
    record(
        EventVerb.INVITATION_ACCEPTED,
        project=invitation.project,
        actor=member,
        row=invitation.public_id,
        roles=sorted(invitation.roles),
        created=created,
    )
    return Accepted(member)


def _gives_nothing(invitation: Invitation, member: Membership) -> bool:
    batch = invitation.batch
    in_team = batch is None or not batch.limited or batch.members.filter(pk=member.pk).exists()
    return in_team and all(member.has(role) for role in invitation.roles)


def _open(token: str) -> QuerySet[Invitation]:
    return Invitation.objects.filter(
        token_sha256=_hashed(token),
        accepted_at=None,
        revoked_at=None,
        expires_at__gt=timezone.now(),
        created_by__active=True,
        created_by__administers=True,
        created_by__user__is_active=True,
        project__archived_at=None,
        project__delete_after=None,
    )


def _locked_invitation(token: str) -> Invitation | None:
    """Return the open invitation with its row locked, so that only one of two simultaneous requests uses it."""
    rows = _open(token).select_for_update(of=("self",), no_key=True)
    return rows.select_related("project", "batch").first()


def _token_of_form(admin: Membership, form_key: str, *values: object) -> str:
    """Return the secret that a form leads to: whoever knows the form, and not the site's key, cannot guess it."""
    written = json.dumps([str(admin.public_id), form_key, *values])
    return urlsafe_b64encode(salted_hmac("invitation", written, algorithm="sha256").digest()).decode().rstrip("=")


def _hashed(token: str) -> str:
    return sha256(token.encode()).hexdigest()
