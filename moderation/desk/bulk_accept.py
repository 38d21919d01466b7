"""Accept what the votes say, for many items at once.

Only items qualify that are disputed for their intent or a challenged prior alone, and whose votes have a strict
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
from moderation.desk.queue import Asked, candidates
from moderation.desk.settings import rules_of

REASONS = (Reason.MISALIGNED, Reason.PRIOR_CHALLENGED)
AT_ONCE = 500


class CountChanged(Exception):
    """There are not as many posts any more as the reviewer confirmed; `now` are there."""

    code = "count_changed"

    def __init__(self, now: int) -> None:
        super().__init__(f"There are {now} now.")
        self.now = now


@dataclass(frozen=True)
class Accepted:
    """How many posts are gold with their votes' category, and how many somebody else was at meanwhile."""

    done: int
    passed_over: int


def acceptable(reviewer: Membership, reason: Reason) -> QuerySet[Item]:
    """The posts that the reviewer may accept at once for this reason, at most 500; a second look is never skipped."""
    wanted = set(rules_of(reviewer.project).second_for)
    found = candidates(reviewer, Asked(reason=reason)).filter(category__isnull=False)
    found = found.exclude(category_source=Source.ADJUDICATED)
    worse = Dispute.objects.filter(item=OuterRef("pk"), settled_at__isnull=True).exclude(
        reason__in=[each for each in REASONS if each not in wanted]
    )
    return found.filter(~Exists(worse)).select_related("category")[:AT_ONCE]


def accept(reviewer: Membership, reason: Reason, rationale: str, count: int) -> Accepted:
    """Decide each of these posts for the category of its majority; challenges are not upheld.

    Each in a transaction of its own: what somebody else is at is passed over. Raises CountChanged.
    """
    items = list(acceptable(reviewer, reason))
    if len(items) != count:
        raise CountChanged(len(items))
    done = 0
    for item in items:
        wanted = decide.Wanted(Ruling.DECIDE, item.version, rationale, uuid4(), item.category, shown={"bulk": True})
        try:
            decide.settle(item, reviewer, wanted)
        except (StaleVersion, Leased, OwnItem, NotAllowed, DecidedBefore):
            continue
        done += 1
    return Accepted(done, len(items) - done)
