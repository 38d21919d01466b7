"""Queries about runs: how far a batch is, and what it spent."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F, Max, Min, Q, Sum
from django.db.models.functions import Now

from runs.domain.states import OPEN, RunState
from runs.models import Account, Run
from runs.sql.database_clock import seconds_from_now

_WINDOW = 120
"""Seconds over which the rate is measured: short enough to show that a provider slows down."""


@dataclass(frozen=True)
class RunSpending:
    """Model calls and tokens, including reserved ones; a limit of None is no limit."""

    calls: int = 0
    tokens: int = 0
    call_limit: int | None = None
    token_limit: int | None = None


@dataclass(frozen=True)
class MethodProgress:
    """How far the runs of a method in a project are.

    `per_minute` is the rate at which runs ended lately; `seconds_left` is null where it is not known.
    """

    counts: Mapping[RunState, int]
    per_minute: float
    seconds_left: float | None

    @property
    def open(self) -> int:
        """The number of runs that are queued or running."""
        return sum(self.counts.get(state, 0) for state in OPEN)

    @property
    def waiting(self) -> int:
        return self.counts.get(RunState.QUEUED, 0)

    @property
    def running(self) -> int:
        return self.counts.get(RunState.RUNNING, 0)


def method_progress(project: UUID, method: str) -> MethodProgress:
    """Return how far the project's runs of this method are, and how fast they end."""
    runs = Run.objects.filter(project=project, method=method)
    counts = {
        RunState(state): number
        for state, number in runs.values("state").annotate(number=Count("pk")).values_list("state", "number")
    }
    open_runs = sum(counts.get(state, 0) for state in OPEN)
    ended_lately = runs.filter(finished_at__gte=seconds_from_now(-_WINDOW)).exclude(state=RunState.CANCELLED)
    figures = ended_lately.aggregate(number=Count("pk"), first=Min("started_at"), now=Max(Now()))
    if not figures["number"]:
        return MethodProgress(counts, 0.0, None)
    seconds = min(float(_WINDOW), max(1.0, (figures["now"] - figures["first"]).total_seconds()))
    rate = figures["number"] / seconds
    return MethodProgress(counts, 60 * rate, open_runs / rate if open_runs else 0.0)


def project_spending(project: UUID) -> RunSpending:
    """Return what all runs of the project have spent or reserved, and the project's limits."""
    account = Account.objects.filter(project=project).first()
    if account is None:
        return RunSpending()
    # The account is charged when a run stops (`runs.execution.budget`).
    running = Run.objects.filter(project=project, state=RunState.RUNNING).aggregate(
        calls=Sum(F("calls") - F("charged_calls")), tokens=Sum(F("tokens") - F("charged_tokens"))
    )
    return RunSpending(
        account.calls + (running["calls"] or 0),
        account.tokens + (running["tokens"] or 0),
        account.call_limit,
        account.token_limit,
    )


def method_spending(project: UUID, method: str) -> RunSpending:
    """Return what the project's runs of this method have spent or reserved."""
    sums = Run.objects.filter(project=project, method=method).aggregate(calls=Sum("calls"), tokens=Sum("tokens"))
    return RunSpending(sums["calls"] or 0, sums["tokens"] or 0)


def seconds_until_due(project: UUID, method: str) -> float | None:
    """Return the seconds until the method's next open run is due; 0 if one is due or running.

    Returns None if no run is open.
    """
    runs = Run.objects.filter(project=project, method=method)
    if runs.filter(Q(state=RunState.RUNNING)).exists():
        return 0.0
    figures = runs.filter(state=RunState.QUEUED).aggregate(first=Min("not_before"), now=Max(Now()))
    if figures["first"] is None:
        return None
    return max(0.0, float((figures["first"] - figures["now"]).total_seconds()))
