"""An admin's changes to a member: roles, pseudonym, quota."""

from typing import Any

from django.db import transaction

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
    """Set roles (`annotates`, `reviews`, `administers`). Raises LastAdmin, and then changes nothing."""
    Project.objects.select_for_update().get(
        pk=member.project_id
    )  # the lock lets two admins change roles one after the other
    if not roles["administers"] and not _other_admins(member):
        raise LastAdmin
    before = {name: getattr(member, name) for name in roles}
    Membership.objects.filter(pk=member.pk).update(**roles)
    member.refresh_from_db()
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


def _other_admins(member: Membership) -> bool:
    others = Membership.objects.filter(project_id=member.project_id, administers=True, active=True)
    return others.exclude(pk=member.pk).exists()


def _plain(roles: dict[str, bool]) -> dict[str, Any]:
    return {name: bool(value) for name, value in roles.items()}
