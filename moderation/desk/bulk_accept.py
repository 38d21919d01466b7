"""Decide many items at once as their votes say.

Items qualify if the intent or a challenged prior is the only reason of the dispute, and their votes have a strict
majority.
"""

from dataclasses import dataclass
from uuid import uuid4

from django.db.models import Exists, OuterRef, QuerySet

from annotation.domain.choices import Reason, Source
from annotation.models import Dispute, Item, Membership, Ruling
from annotation.review.adjudicate import NotAllowed, OwnItem, StaleVersion
from moderation.desk import decide
from moderation.desk.appeals import DecidedBefore
from moderation.desk.leases import Leased
from moderation.desk.queue import QueueFilters, candidates
from moderation.desk.set_aside import KeptForAnother
from moderation.desk.settings import rules_of

REASONS = (Reason.MISALIGNED, Reason.PRIOR_CHALLENGED)
AT_ONCE = 500


class CountChanged(Exception):
    """The number of posts is not the one that the reviewer confirmed; `now` is the present number."""

    code = "count_changed"

    def __init__(self, now: int) -> None:
        super().__init__(f"There are {now} now.")
        self.now = now


@dataclass(frozen=True)
class Accepted:
    """The number of posts that are now gold with their votes' category, and of posts that were skipped."""

    done: int
    passed_over: int


def acceptable(reviewer: Membership, reason: Reason) -> QuerySet[Item]:
    """Return the posts that the reviewer may accept at once for this reason, at most 500.

    Posts that need two reviewers are left out.
    """
    two_reviewers = set(rules_of(reviewer.project).second_for)
    items = candidates(reviewer, QueueFilters(reason=reason)).filter(category__isnull=False)
    items = items.exclude(category_source=Source.ADJUDICATED)
    worse = Dispute.objects.filter(item=OuterRef("pk"), settled_at__isnull=True).exclude(
        reason__in=[allowed for allowed in REASONS if allowed not in two_reviewers]
    )
    return items.filter(~Exists(worse)).select_related("category")[:AT_ONCE]


def accept(reviewer: Membership, reason: Reason, rationale: str, count: int) -> Accepted:
    """Decide each of these posts for the category of its majority, without upholding challenges. Return the counts.

    Each decision has its own transaction; a post that somebody else works on is skipped.

    Raises CountChanged.
    """
    items = list(acceptable(reviewer, reason))
    if len(items) != count:
        raise CountChanged(len(items))
    accepted = 0
    for item in items:
        chosen = (item.category, tuple(item.categories))
        ruling_request = decide.RulingRequest(
            Ruling.DECIDE, item.version, rationale, uuid4(), *chosen, shown={"bulk": True}
        )
        try:
            decide.settle(item, reviewer, ruling_request)
        except (StaleVersion, Leased, KeptForAnother, OwnItem, NotAllowed, DecidedBefore, decide.CategoryWanted):
            continue
        accepted += 1
    return Accepted(accepted, len(items) - accepted)
