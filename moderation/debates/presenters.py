"""Runs as pages show them: turns, verdict, category, cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import QuerySet, Sum
from django.utils import timezone

from annotation.models import Category, Item, Project
from moderation.methods.debate_method import DebateMethod
from moderation.methods.registry import METHODS
from runs.domain.states import ASIDE, OPEN
from runs.models import Run, Turn


@dataclass(frozen=True)
class ShownRun:
    """A run with everything its page needs."""

    run: Run
    turns: Sequence[Turn]
    category: Category | None
    tokens: int
    seconds: float

    @property
    def outcome(self) -> Mapping[str, Any]:
        """The verdict as stored; empty while there is none."""
        return self.run.outcome or {}

    @property
    def is_open(self) -> bool:
        """Whether something is still to come."""
        return self.run.state in ("queued", "running")

    @property
    def method(self) -> DebateMethod:
        """What the run's method declares about itself."""
        return METHODS[self.run.method]

    @cached_property
    def details(self) -> Any:
        """The run as its method presents it; None for methods of one question."""
        present = self.method.details
        return present(self.run, self.turns) if present else None

    @property
    def used_no_language_model(self) -> bool:
        """Whether the built-in baseline spoke: every page it touched says so."""
        return any(name.startswith("keyword:") for name in self.run.model_plan.values())

    @property
    def led_astray(self) -> bool:
        """Whether a turn repeats a word that only our instructions hold: it is not shown as a judgement."""
        return any("led_astray" in turn.flags for turn in self.turns)


def debate_runs(project: Project) -> QuerySet[Run]:
    """Return the project's runs of these methods on its items, newest first."""
    runs = Run.objects.filter(project=project.public_id, method__in=list(METHODS))
    return runs.exclude(variant__startswith=ASIDE).order_by("-id")


def open_debate_runs(project: Project) -> QuerySet[Run]:
    """Those of them that wait or are under way, and that nobody has cancelled yet."""
    return debate_runs(project).filter(state__in=OPEN, cancel_requested=False)


def shown_run(run: Run, categories: Sequence[Category]) -> ShownRun:
    """Return the run with its turns."""
    return _shown(run, list(run.turns.order_by("id")), categories)


def shown_runs(runs: Sequence[Run], categories: Sequence[Category]) -> list[ShownRun]:
    """Return these runs with their turns, in two queries."""
    turns: dict[int, list[Turn]] = {run.pk: [] for run in runs}
    for turn in Turn.objects.filter(run__in=turns).order_by("id"):
        turns[turn.run_id].append(turn)
    return [_shown(run, turns[run.pk], categories) for run in runs]


def _shown(run: Run, turns: list[Turn], categories: Sequence[Category]) -> ShownRun:
    code = (run.outcome or {}).get("category")
    return ShownRun(
        run=run,
        turns=turns,
        category=next((category for category in categories if category.code == code), None),
        tokens=sum(turn.input_tokens + turn.output_tokens for turn in turns),
        seconds=_seconds(run),
    )


def _seconds(run: Run) -> float:
    if run.started_at is None:
        return 0.0
    return max(0.0, ((run.finished_at or timezone.now()) - run.started_at).total_seconds())


def items_of_runs(runs: Sequence[Run]) -> dict[UUID, Item]:
    """Return the items of these runs by public id, in one query."""
    rows = Item.objects.filter(public_id__in={run.subject for run in runs})
    return {item.public_id: item for item in rows}


def project_spending(project: Project) -> Mapping[str, int]:
    """Return calls and tokens of the project's debates."""
    sums = debate_runs(project).aggregate(calls=Sum("calls"), tokens=Sum("tokens"))
    return {name: value or 0 for name, value in sums.items()}
