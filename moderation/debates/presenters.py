"""Runs as pages show them: turns, verdict, category, cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet, Sum

from annotation.analytics.declared_figures import FigureTable
from annotation.models import Category, Item, Project
from moderation.debates.ask_again import is_open_to_judges
from moderation.debates.disagreement import DISAGREEMENT
from moderation.debates.progress import RunProgress, StageState, progress_of, stages_of, usual_seconds
from moderation.debates.suspected import suspected_places
from moderation.debates.trouble import trouble_of
from moderation.debates.waiting import Wait, seconds_of_work, wait_of
from moderation.methods.built_in_baseline import answered_alone, answered_roles
from moderation.methods.debate_method import DebateMethod
from moderation.methods.prompt_choice import prompt_set_line
from moderation.methods.registry import METHODS
from runs.control import fork
from runs.domain.states import ASIDE, OPEN, Flag
from runs.models import Run, Turn
from runs.spending.cost import run_cost, run_saving


@dataclass(frozen=True)
class ShownRun:
    """A run with all values that its page needs."""

    run: Run
    turns: Sequence[Turn]
    category: Category | None
    tokens: int
    cached_tokens: int
    saved: Decimal | None
    seconds: float

    @property
    def outcome(self) -> Mapping[str, Any]:
        """The stored verdict; empty if there is none yet."""
        return self.run.outcome or {}

    @property
    def currency(self) -> str:
        """The currency of what was saved."""
        return str(settings.MODEL_PRICE_CURRENCY)

    @property
    def is_open(self) -> bool:
        """Whether the run waits or is under way."""
        return self.run.state in ("queued", "running")

    @property
    def method(self) -> DebateMethod:
        """The declaration of the run's method."""
        return METHODS[self.run.method]

    @cached_property
    def details(self) -> Any:
        """The run as its method presents it; None for methods with one question."""
        present = self.method.details
        return present(self.run, self.turns) if present else None

    @property
    def disagreement(self) -> FigureTable:
        """The figures of the disagreement inside the debate; no row for methods without one."""
        return DISAGREEMENT.table(self.outcome)

    @property
    def prompts(self) -> str:
        """Title and version of the prompt set; empty for runs from before there were sets."""
        return prompt_set_line(self.run.options)

    @property
    def used_no_language_model(self) -> bool:
        """Whether the built-in baseline alone answered; pages with its results say so."""
        return answered_alone(self.run.model_plan)

    @property
    def built_in_roles(self) -> list[str]:
        """The roles that the built-in baseline answered."""
        return answered_roles(self.run.model_plan)

    @property
    def has_stopped(self) -> bool:
        """Whether the run ended at an answer that could not be used, so that it can be asked for again."""
        return self.run.state in fork.STOPPED

    @property
    def goes_on(self) -> bool:
        """Whether the run goes on where another one stopped."""
        return fork.goes_on(self.run)

    @property
    def may_be_judged(self) -> bool:
        """Whether a judge was asked, so that another one may be."""
        return is_open_to_judges(self.run)

    @cached_property
    def wait(self) -> Wait | None:
        """What the run waits for, if it does."""
        return wait_of(self.run)

    @cached_property
    def progress(self) -> RunProgress | None:
        """The steps under way, if there are any and the method has words for them."""
        return progress_of(self.run, self.turns) if self.method.step_words else None

    @cached_property
    def stages(self) -> list[tuple[str, StageState]]:
        """The parts of a debate that has no verdict yet, and where it stands."""
        return stages_of(self.run, self.turns)

    @cached_property
    def cost(self) -> Decimal | None:
        """What the answers cost so far. None if no price is known."""
        return run_cost(self.run, self.turns)

    @cached_property
    def usual_seconds(self) -> float | None:
        """How long such a run usually takes; asked for open runs only."""
        return usual_seconds(self.run)

    @cached_property
    def trouble(self) -> str:
        """What is wrong and what to do, in a sentence; "" if nothing is."""
        silent = self.progress if self.method.step_words else progress_of(self.run, self.turns)
        return trouble_of(self.run, self.turns, self.wait, silent)

    @property
    def led_astray(self) -> bool:
        """Whether a turn repeats a secret word of our instructions; it is then not shown as a judgement."""
        return any(Flag.LED_ASTRAY in turn.flags for turn in self.turns)

    @cached_property
    def orders(self) -> list[str]:
        """Where something stands that looks like an order to the models, which the verdict may follow."""
        return suspected_places(self.run, self.turns)


@dataclass(frozen=True)
class RunLine:
    """A run in the list of a post's runs: enough to tell it from the others."""

    run: Run
    category: Category | None
    led_astray: bool
    is_current: bool = False

    @property
    def outcome(self) -> Mapping[str, Any]:
        """The stored verdict; empty if there is none, or none that may be shown as one."""
        return {} if self.led_astray else self.run.outcome or {}

    @property
    def is_open(self) -> bool:
        """Whether the run waits or is under way."""
        return self.run.state in OPEN

    @property
    def models(self) -> str:
        """The models that it asks, each once, without their providers."""
        names = [name.partition(":")[2] or name for name in self.run.model_plan.values() if name]
        return ", ".join(dict.fromkeys(names))

    @property
    def goes_on(self) -> bool:
        """Whether the run goes on where another one stopped."""
        return fork.goes_on(self.run)


def run_lines(project: Project, subject: UUID, categories: Sequence[Category], most: int) -> list[RunLine]:
    """Return the newest runs about a post, newest first, with two queries."""
    runs = list(debate_runs(project).filter(subject=subject).select_related("forked_from")[:most])
    flagged = Turn.objects.filter(run__in=runs).exclude(flags=[]).values_list("run_id", "flags")
    astray = {run_id for run_id, flags in flagged if Flag.LED_ASTRAY in flags}
    return [RunLine(run, _category_of(run, categories), run.pk in astray) for run in runs]


def with_current(lines: Sequence[RunLine], run: Run) -> list[RunLine]:
    """Return the lines, with the one of this run marked."""
    return [replace(line, is_current=line.run.pk == run.pk) for line in lines]


def debate_runs(project: Project) -> QuerySet[Run]:
    """Return the project's runs of these methods on its items, newest first."""
    runs = Run.objects.filter(project=project.public_id, method__in=list(METHODS))
    return runs.exclude(variant__startswith=ASIDE).order_by("-id")


def open_debate_runs(project: Project) -> QuerySet[Run]:
    """Return those of these runs that wait or are under way and are not cancelled."""
    return debate_runs(project).filter(state__in=OPEN, cancel_requested=False)


def shown_run(run: Run, categories: Sequence[Category]) -> ShownRun:
    """Return the run with its turns."""
    return _shown(run, list(run.turns.order_by("id")), categories)


def shown_runs(runs: Sequence[Run], categories: Sequence[Category]) -> list[ShownRun]:
    """Return these runs with their turns, with one query for all turns."""
    turns: dict[int, list[Turn]] = {run.pk: [] for run in runs}
    for turn in Turn.objects.filter(run__in=turns).order_by("id"):
        turns[turn.run_id].append(turn)
    return [_shown(run, turns[run.pk], categories) for run in runs]


def _shown(run: Run, turns: list[Turn], categories: Sequence[Category]) -> ShownRun:
    return ShownRun(
        run=run,
        turns=turns,
        category=_category_of(run, categories),
        tokens=sum(turn.input_tokens + turn.output_tokens for turn in turns),
        cached_tokens=sum(turn.cached_tokens for turn in turns),
        saved=run_saving(run, turns),
        seconds=seconds_of_work(run),
    )


def _category_of(run: Run, categories: Sequence[Category]) -> Category | None:
    code = (run.outcome or {}).get("category")
    return next((category for category in categories if category.code == code), None)


def items_of_runs(runs: Sequence[Run]) -> dict[UUID, Item]:
    """Return the items of these runs by public id, in one query."""
    rows = Item.objects.filter(public_id__in={run.subject for run in runs})
    return {item.public_id: item for item in rows}


def project_spending(project: Project) -> Mapping[str, int]:
    """Return calls and tokens of the project's debates."""
    sums = debate_runs(project).aggregate(calls=Sum("calls"), tokens=Sum("tokens"))
    return {name: value or 0 for name, value in sums.items()}
