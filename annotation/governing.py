"""What admins change about a running project: its settings, and what members may do."""

from typing import Any

from django.db import transaction

from annotation import consent_texts, priors, second_factor
from annotation.domain.pseudonyms import gives_away
from annotation.joining import new_pseudonym
from annotation.models import Membership, Project, record
from runs import spending

_CONSENT = frozenset({"consent_text", "on_withdrawal"})
"""The settings that are part of what people agree to."""


PSEUDONYM_LIMIT = 40
"""Characters of a pseudonym that an admin writes."""


class LastAdmin(ValueError):
    """The change would leave the project without an admin."""


class OwnSecondFactorMissing(ValueError):
    """An admin would shut themselves out: the second step they ask for is not set up on their own account."""


class BadPseudonym(ValueError):
    """A pseudonym that cannot be given: a stable code and a sentence for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


@transaction.atomic
def change_settings(admin: Membership, project: Project, changed: list[str]) -> None:
    """Store the changed fields of `project` (already set on it), and write down which changed.

    A new text of the consent, or of what happens to labels on leaving, makes a new version, and annotators are asked
    for their consent again; what earlier ones agreed to is kept. A budget binds runs under way at once; items that
    waited for priors go on when those are no longer wanted. Raises OwnSecondFactorMissing, and then changes nothing.
    """
    asks_more = "second_factor" in changed and second_factor.binds(admin, project.second_factor)
    if asks_more and not second_factor.is_set_up(admin):
        raise OwnSecondFactorMissing
    if not _CONSENT.isdisjoint(changed):
        before = Project.objects.select_for_update().get(pk=project.pk)
        consent_texts.keep(before)
        project.consent_version = before.consent_version + 1
        consent_texts.keep(project)
    project.save()
    spending.allow(project.public_id, calls=project.call_budget, tokens=project.token_budget)
    if "priors_wanted" in changed and not project.priors_wanted:
        priors.wait_no_longer(project, admin)
    if changed:
        record("change_settings", project=project, actor=admin, changed=sorted(set(changed)))


@transaction.atomic
def change_roles(admin: Membership, member: Membership, roles: dict[str, bool]) -> None:
    """Give and take roles (`annotates`, `reviews`, `administers`). Raises LastAdmin, and then changes nothing."""
    Project.objects.select_for_update().get(pk=member.project_id)  # two admins at once: one after the other
    if not roles["administers"] and not _other_admins(member):
        raise LastAdmin
    before = {name: getattr(member, name) for name in roles}
    Membership.objects.filter(pk=member.pk).update(**roles)
    member.refresh_from_db()
    record(
        "change_roles", project=member.project, actor=admin, row=member.public_id, before=before, after=_plain(roles)
    )


@transaction.atomic
def change_pseudonym(admin: Membership, member: Membership, name: str | None) -> str:
    """Give the member another name towards others, a random one for None, and return it. Raises BadPseudonym.

    What is published keeps the names that stand in it; the old name is written down nowhere.
    """
    Project.objects.select_for_update(no_key=True).get(pk=member.project_id)  # two admins, one name
    chosen = new_pseudonym(member.project) if name is None else name
    others = Membership.objects.filter(project=member.project_id).exclude(pk=member.pk)
    if others.filter(pseudonym__iexact=chosen).exists():
        raise BadPseudonym("pseudonym_taken", "Somebody in this project has this pseudonym already.")
    user = member.user
    if user is not None and gives_away(chosen, (user.username, user.email, user.first_name, user.last_name)):
        raise BadPseudonym("pseudonym_gives_away", "This looks like the person's name or address; choose another.")
    Membership.objects.filter(pk=member.pk).update(pseudonym=chosen)
    record("pseudonym_changed", project=member.project, actor=admin, row=member.public_id)
    return chosen


@transaction.atomic
def change_quota(admin: Membership, member: Membership, quota: int | None) -> None:
    """Bound how many labels the member gives, instead of the project's quota; None: as the project says."""
    Membership.objects.filter(pk=member.pk).update(quota=quota, idle_until=None)
    record("quota_changed", project=member.project, actor=admin, row=member.public_id, quota=quota)


def _other_admins(member: Membership) -> bool:
    others = Membership.objects.filter(project_id=member.project_id, administers=True, active=True)
    return others.exclude(pk=member.pk).exists()


def _plain(roles: dict[str, bool]) -> dict[str, Any]:
    return {name: bool(value) for name, value in roles.items()}
