"""What a reviewer decided today: how many posts, with which outcome, and how long that took."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.text import capfirst

from annotation.models import Adjudication, Membership
from annotation.pages.display_names import name_of
from moderation.desk.settings import rules_of
from moderation.models import Proposal


@dataclass(frozen=True)
class Today:
    """A reviewer's decisions of one day by the site's clock. `outcomes` are names with counts, the most frequent first.

    `minutes` are those between the decisions, without breaks longer than `longest_break` minutes.
    """

    decided: int
    outcomes: Sequence[tuple[str, int]]
    minutes: int
    longest_break: int


def today(reviewer: Membership) -> Today:
    """Return what the reviewer decided since midnight; decisions that wait for a second reviewer count too."""
    begin = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    rulings = Adjudication.objects.filter(reviewer=reviewer, created_at__gte=begin).select_related("category")
    counted = list(rulings.order_by("pk"))
    settled = {row.client_key for row in counted}
    mine = Proposal.objects.filter(reviewer=reviewer, created_at__gte=begin).select_related("category").order_by("pk")
    rows: list[Adjudication | Proposal] = [*counted, *(row for row in mine if row.client_key not in settled)]
    names = Counter(str(row.category) if row.category else capfirst(name_of(row.ruling)) for row in rows)
    longest = rules_of(reviewer.project).lease_minutes
    outcomes = sorted(names.items(), key=lambda pair: (-pair[1], pair[0]))
    return Today(len(rows), outcomes, worked_minutes([row.created_at for row in rows], longest), longest)


def worked_minutes(times: Sequence[datetime], longest_break: int) -> int:
    """Return the whole minutes between these times, in any order, without breaks longer than so many minutes."""
    ordered = sorted(times)
    gaps = (after - before for before, after in zip(ordered, ordered[1:], strict=False))
    return sum((gap for gap in gaps if gap <= timedelta(minutes=longest_break)), timedelta()) // timedelta(minutes=1)
