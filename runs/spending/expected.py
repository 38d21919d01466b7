"""What is known before runs start: the size of earlier calls, and what a project's budget leaves."""

from uuid import UUID

from django.db.models import Avg, Count

from runs.domain.expected_cost import CallSize
from runs.models import Account, Turn

_RECENT = 1000
"""The number of newest calls of a role whose mean size is taken."""
_FEWEST = 5
"""Fewer calls than this say nothing about the next ones."""


def call_sizes(method: str) -> dict[str, CallSize]:
    """Return role → mean tokens of the newest calls of the method, where there are enough of them."""
    newest = (
        Turn.objects.filter(run__method=method, calls=1, output_tokens__gt=0).order_by("-id").values("pk")[:_RECENT]
    )
    rows = Turn.objects.filter(pk__in=list(newest.values_list("pk", flat=True))).values("role")
    means = rows.annotate(count=Count("pk"), given=Avg("input_tokens"), taken=Avg("output_tokens")).order_by()
    return {row["role"]: CallSize(row["given"], row["taken"]) for row in means if row["count"] >= _FEWEST}


def calls_left(project: UUID, budget: int | None) -> int | None:
    """Return the calls that the budget of a project leaves. Returns None if it has none."""
    if budget is None:
        return None
    calls = Account.objects.filter(project=project).values_list("calls", flat=True).first() or 0
    return max(0, budget - calls)
