"""How a project's desk works: how long a post is kept for a reviewer, what two decide, whether appeals come in."""

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
"""The reasons for which a project may ask for two reviewers."""


def rules_of(project: Project) -> DeskRules:
    """The project's rules; the defaults where nobody set any."""
    return DeskRules.objects.filter(project=project).first() or DeskRules(project=project)


@short_transaction
def set_rules(admin: Membership, lease_minutes: int, second_for: Sequence[Reason], appeals: bool) -> DeskRules:
    """Change the rules of the desk; posts in front of somebody keep the time they have."""
    values: dict[str, Any] = {
        "lease_minutes": lease_minutes,
        "second_for": [str(each) for each in second_for],
        "appeals": appeals,
    }
    rules, _new = DeskRules.objects.update_or_create(project=admin.project, defaults=values)
    record(ModerationVerb.DESK_RULES, project=admin.project, actor=admin, **values)
    return rules


@short_transaction
def set_value_lists(admin: Membership, given: Any) -> DeskRules:
    """Keep the platform's own values for fields of statements; an empty object takes them out. Raises BadLists."""
    lists = read_lists(given)
    rules, _new = DeskRules.objects.update_or_create(project=admin.project, defaults={"value_lists": lists})
    record(ModerationVerb.VALUE_LISTS, project=admin.project, actor=admin, fields=sorted(lists))
    return rules


def copy(first: Project, made: Project) -> None:
    """Give a project made like another the same rules."""
    rules = DeskRules.objects.filter(project=first).first()
    if rules is not None:
        DeskRules.objects.create(
            project=made,
            lease_minutes=rules.lease_minutes,
            second_for=rules.second_for,
            appeals=rules.appeals,
            value_lists=rules.value_lists,
        )


def wants_second(rules: DeskRules, reasons: Sequence[Reason]) -> bool:
    """Whether two reviewers have to agree on a post with these open reasons."""
    return not set(rules.second_for).isdisjoint(reasons)
