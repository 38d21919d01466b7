"""Questions about runs: how far a batch is, what it spent, what went wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F, Max, Min, Q, Sum
from django.db.models.functions import Now

from runs import leasing
from runs.domain.states import OPEN, RunState
from runs.models import Account, Run

_WINDOW = 120
"""The rate is that of the last two minutes: it follows a provider that slows down."""


@dataclass(frozen=True)
class Spend:
    """Model calls and tokens, reserved ones included; the limits are None where there are none."""

    calls: int = 0
    tokens: int = 0
    call_limit: int | None = None
    token_limit: int | None = None


@dataclass(frozen=True)
class Progress:
    """How far the runs of a method in a project are. `per_minute` ended lately; `seconds_left` None: not known."""

    counts: Mapping[RunState, int]
    per_minute: float
    seconds_left: float | None

    @property
    def open(self) -> int:
        """Queued or running."""
        return sum(self.counts.get(state, 0) for state in OPEN)

    @property
    def waiting(self) -> int:
        return self.counts.get(RunState.QUEUED, 0)

    @property
    def running(self) -> int:
        return self.counts.get(RunState.RUNNING, 0)


def progress(project: UUID, method: str) -> Progress:
    """How far the project's runs of this method are, and how fast they go."""
    runs = Run.objects.filter(project=project, method=method)
    counts = {
        RunState(state): number
        for state, number in runs.values("state").annotate(number=Count("pk")).values_list("state", "number")
    }
    open_runs = sum(counts.get(state, 0) for state in OPEN)
    lately = runs.filter(finished_at__gte=leasing.in_seconds(-_WINDOW)).exclude(state=RunState.CANCELLED)
    figures = lately.aggregate(number=Count("pk"), first=Min("started_at"), now=Max(Now()))
    if not figures["number"]:
        return Progress(counts, 0.0, None)
    seconds = min(float(_WINDOW), max(1.0, (figures["now"] - figures["first"]).total_seconds()))
    rate = figures["number"] / seconds
    return Progress(counts, 60 * rate, open_runs / rate if open_runs else 0.0)


def spend(project: UUID) -> Spend:
    """What all runs of the project have spent or reserved, and may spend."""
    account = Account.objects.filter(project=project).first()
    if account is None:
        return Spend()
    # Runs at work are charged when they stop (`runs.spending`).
    at_work = Run.objects.filter(project=project, state=RunState.RUNNING).aggregate(
        calls=Sum(F("calls") - F("charged_calls")), tokens=Sum(F("tokens") - F("charged_tokens"))
    )
    return Spend(
        account.calls + (at_work["calls"] or 0),
        account.tokens + (at_work["tokens"] or 0),
        account.call_limit,
        account.token_limit,
    )


def spend_of(project: UUID, method: str) -> Spend:
    """What the project's runs of this method have spent or reserved."""
    sums = Run.objects.filter(project=project, method=method).aggregate(calls=Sum("calls"), tokens=Sum("tokens"))
    return Spend(sums["calls"] or 0, sums["tokens"] or 0)


def wait_until_due(project: UUID, method: str) -> float | None:
    """Seconds until the next open run of the method is due (0: now, or one is at work); None: none is open."""
    runs = Run.objects.filter(project=project, method=method)
    if runs.filter(Q(state=RunState.RUNNING)).exists():
        return 0.0
    figures = runs.filter(state=RunState.QUEUED).aggregate(first=Min("not_before"), now=Max(Now()))
    if figures["first"] is None:
        return None
    return max(0.0, float((figures["first"] - figures["now"]).total_seconds()))
