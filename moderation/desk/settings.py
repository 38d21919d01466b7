"""The settings of a project's desk: how long a lease lasts, what two reviewers decide, whether appeals are taken."""

from collections.abc import Sequence
from typing import Any

from annotation.core.transactions import short_transaction
from annotation.domain.choices import Reason
from annotation.models import Membership, Project, record
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.statement import read_lists
from moderation.models import DeskRules

SECOND_LOOK = (
    Reason.NO_MAJORITY,
    Reason.KIND_UNDECIDED,
    Reason.MISALIGNED,
    Reason.PRIOR_CHALLENGED,
    Reason.LOW_QUALITY,
    Reason.MODEL_CONFLICT,
    Reason.APPEAL,
)
"""The reasons for which a project may require two reviewers."""


def rules_of(project: Project) -> DeskRules:
    """Return the project's rules, or the defaults if nobody has set any."""
    return DeskRules.objects.filter(project=project).first() or DeskRules(project=project)


@short_transaction
def set_rules(admin: Membership, lease_minutes: int, second_for: Sequence[Reason], appeals: bool) -> DeskRules:
    """Change the rules of the desk. Leases that exist keep their end."""
    values: dict[str, Any] = {
        "lease_minutes": lease_minutes,
        "second_for": [str(reason) for reason in second_for],
        "appeals": appeals,
    }
    rules, _new = DeskRules.objects.update_or_create(project=admin.project, defaults=values)
    record(ModerationVerb.DESK_RULES, project=admin.project, actor=admin, **values)
    return rules


@short_transaction
def set_value_lists(admin: Membership, content: Any) -> DeskRules:
    """Store the platform's own values for fields of statements; an empty object removes them.

    Raises BadLists.
    """
    lists = read_lists(content)
    rules, _new = DeskRules.objects.update_or_create(project=admin.project, defaults={"value_lists": lists})
    record(ModerationVerb.VALUE_LISTS, project=admin.project, actor=admin, fields=sorted(lists))
    return rules


def copy(first: Project, copied: Project) -> None:
    """Copy the rules to a project that was made from `first`."""
    rules = DeskRules.objects.filter(project=first).first()
    if rules is not None:
        DeskRules.objects.create(
            project=copied,
            lease_minutes=rules.lease_minutes,
            second_for=rules.second_for,
            appeals=rules.appeals,
            value_lists=rules.value_lists,
        )


def wants_second(rules: DeskRules, reasons: Sequence[Reason]) -> bool:
    """Return whether two reviewers have to agree on a post with these open reasons."""
    return not set(rules.second_for).isdisjoint(reasons)
