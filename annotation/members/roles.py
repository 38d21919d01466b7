"""An admin's changes to a member: roles, pseudonym, quota."""

from typing import Any

from django.db import transaction

from annotation.assignment.annotator_state import lock_member
from annotation.assignment.make_seats import make_check_seats
from annotation.assignment.release_seats import free_seats_of_member
from annotation.domain.choices import EventVerb
from annotation.domain.pseudonyms import gives_away
from annotation.models import Figures, Membership, Project, record
from annotation.projects.pseudonyms import new_pseudonym

PSEUDONYM_LIMIT = 40
"""The maximum length of a pseudonym that an admin writes, in characters."""


class LastAdmin(ValueError):
    """The change would leave the project without an admin."""


class BadPseudonym(ValueError):
    """A pseudonym that cannot be used: a stable code and a message for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


@transaction.atomic
def change_roles(admin: Membership, member: Membership, roles: dict[str, bool]) -> None:
    """Set roles (`annotates`, `reviews`, `administers`); who annotates no more holds no seat.

    Raises LastAdmin, and then changes nothing.
    """
    if not roles["administers"]:
        keep_an_admin(member)
    before = {name: getattr(member, name) for name in roles}
    lock_member(member)
    Membership.objects.filter(pk=member.pk).update(**roles)
    member.refresh_from_db()
    if not member.annotates:
        free_seats_of_member(member, admin)
    make_check_seats(member.project)
    record(
        EventVerb.CHANGE_ROLES,
        project=member.project,
        actor=admin,
        row=member.public_id,
        before=before,
        after=_plain(roles),
    )


@transaction.atomic
def change_pseudonym(admin: Membership, member: Membership, name: str | None) -> str:
    """Give the member another pseudonym, a random one for None, and return it.

    Published releases keep the old pseudonym; it is not recorded.
    Raises BadPseudonym.
    """
    Project.objects.select_for_update(no_key=True).get(
        pk=member.project_id
    )  # two admins may choose one name at the same time
    chosen = new_pseudonym(member.project) if name is None else name
    others = Membership.objects.filter(project=member.project_id).exclude(pk=member.pk)
    if others.filter(pseudonym__iexact=chosen).exists():
        raise BadPseudonym("pseudonym_taken", "Somebody in this project has this pseudonym already.")
    user = member.user
    if user is not None and gives_away(chosen, (user.username, user.email, user.first_name, user.last_name)):
        raise BadPseudonym("pseudonym_gives_away", "This looks like the person's name or address; choose another.")
    Membership.objects.filter(pk=member.pk).update(pseudonym=chosen)
    Figures.objects.filter(project=member.project_id).delete()  # they name people by the old one
    record(EventVerb.PSEUDONYM_CHANGED, project=member.project, actor=admin, row=member.public_id)
    return chosen


@transaction.atomic
def change_quota(admin: Membership, member: Membership, quota: int | None) -> None:
    """Set the member's own quota of labels; None: the project's quota applies."""
    Membership.objects.filter(pk=member.pk).update(quota=quota, idle_until=None)
    record(EventVerb.QUOTA_CHANGED, project=member.project, actor=admin, row=member.public_id, quota=quota)


def keep_an_admin(member: Membership) -> None:
    """Raise LastAdmin if the member is the only person who can administer the project.

    Call it within a transaction, before the member's row is locked. It locks an admin's project, so that of admins who
    leave at the same moment the last one stays; people who label do not wait for that lock.
    """
    if Membership.objects.filter(pk=member.pk, administers=True, active=True).exists():
        Project.objects.select_for_update(no_key=True).get(pk=member.project_id)
        if not has_other_admin(member):
            raise LastAdmin


def has_other_admin(member: Membership) -> bool:
    """Return whether somebody else who can sign in administers the member's project."""
    admins = Membership.objects.filter(project=member.project_id, administers=True, active=True, user__is_active=True)
    return admins.exclude(pk=member.pk).exists()


def _plain(roles: dict[str, bool]) -> dict[str, Any]:
    return {name: bool(value) for name, value in roles.items()}
