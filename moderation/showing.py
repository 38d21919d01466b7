"""Runs as people read them: who spoke when, what stands against what, what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import QuerySet, Sum
from django.utils import timezone

from annotation.models import Category, Item, Project
from moderation import showing_predict
from moderation.domain import court
from moderation.domain.investigation.actions import InvestigationOptions
from moderation.domain.investigation.walk import Walk, walk
from moderation.investigating import Piece, cited
from moderation.methods import antihateagent, arcade, predict
from moderation.showing_predict import ShownDebate
from runs.domain.states import ASIDE, OPEN
from runs.models import Run, Turn

METHODS = ("antihateagent", "arcade", "baseline", "explain", "predict")


@dataclass(frozen=True)
class Pair:
    """A cue, and the rebuttal to it if there is one."""

    cue: Mapping[str, Any]
    rebuttal: Mapping[str, Any] | None
    answered: bool
    """Whether the defence has spoken in this round: only then is a cue without a rebuttal conceded."""


@dataclass(frozen=True)
class Round:
    """One round of the courtroom."""

    number: int
    prosecution: Turn | None
    defence: Turn | None
    pairs: Sequence[Pair]

    @property
    def rebuttals(self) -> int:
        """How many cues the defence answered."""
        return sum(pair.rebuttal is not None for pair in self.pairs)


@dataclass(frozen=True)
class Shown:
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
    def gate(self) -> Turn | None:
        """The gatekeeper's turn."""
        return next((turn for turn in self.turns if turn.key == "gate"), None)

    @property
    def judge(self) -> Turn | None:
        """The judge's turn."""
        return next((turn for turn in self.turns if turn.key == "judge"), None)

    @property
    def rounds(self) -> list[Round]:
        """The rounds that have begun."""
        by_key = {turn.key: turn for turn in self.turns}
        found = []
        for number in range(1, court.MOST_ROUNDS + 1):
            said, answered = by_key.get(f"prosecutor.{number}"), by_key.get(f"defender.{number}")
            if said is None:
                break
            found.append(Round(number, said, answered, _pairs(said, answered)))
        return found

    @cached_property
    def walk(self) -> Walk | None:
        """Where an investigation stands; None for other methods."""
        if self.run.method != antihateagent.NAME:
            return None
        options = InvestigationOptions.model_validate(self.run.options)
        return walk({turn.key: turn for turn in self.turns}, options)

    @property
    def rationale(self) -> Sequence[Piece]:
        """The reason of an investigation's verdict, citations apart."""
        return cited(self.outcome.get("reason", ""))

    @property
    def debate(self) -> ShownDebate:
        """The run as a debate of perspectives; of use for PREDICT alone."""
        return ShownDebate.of(self.run, self.turns)

    @property
    def used_no_language_model(self) -> bool:
        """Whether the built-in baseline spoke: every page it touched says so."""
        return any(name.startswith("keyword:") for name in self.run.model_plan.values())

    @property
    def led_astray(self) -> bool:
        """Whether a turn repeats a word that only our instructions hold: it is not shown as a judgement."""
        return any("led_astray" in turn.flags for turn in self.turns)


def runs_of(project: Project) -> QuerySet[Run]:
    """The project's runs of these methods on its items, newest first."""
    held = Run.objects.filter(project=project.public_id, method__in=METHODS)
    return held.exclude(variant__startswith=ASIDE).order_by("-id")


def open_runs(project: Project) -> QuerySet[Run]:
    """Those of them that wait or are under way, and that nobody has cancelled yet."""
    return runs_of(project).filter(state__in=OPEN, cancel_requested=False)


def shown(run: Run, categories: Sequence[Category]) -> Shown:
    """The run with its turns."""
    return _shown(run, list(run.turns.order_by("id")), categories)


def shown_all(runs: Sequence[Run], categories: Sequence[Category]) -> list[Shown]:
    """These runs with their turns, in two queries."""
    turns: dict[int, list[Turn]] = {run.pk: [] for run in runs}
    for turn in Turn.objects.filter(run__in=turns).order_by("id"):
        turns[turn.run_id].append(turn)
    return [_shown(run, turns[run.pk], categories) for run in runs]


def _shown(run: Run, turns: list[Turn], categories: Sequence[Category]) -> Shown:
    code = (run.outcome or {}).get("category")
    return Shown(
        run=run,
        turns=turns,
        category=next((each for each in categories if each.code == code), None),
        tokens=sum(turn.input_tokens + turn.output_tokens for turn in turns),
        seconds=_seconds(run),
    )


def _seconds(run: Run) -> float:
    if run.started_at is None:
        return 0.0
    return max(0.0, ((run.finished_at or timezone.now()) - run.started_at).total_seconds())


def _pairs(said: Turn, answered: Turn | None) -> list[Pair]:
    rebuttals = {row["id"]: row for row in ((answered.value or {}).get("rebuttals", ()) if answered else ())}
    cues = (said.value or {}).get("cues", ())
    return [Pair(cue, rebuttals.get(cue["id"]), answered is not None) for cue in cues]


def items_by_id(runs: Sequence[Run]) -> dict[UUID, Item]:
    """The items of these runs by public id, in one query."""
    rows = Item.objects.filter(public_id__in={run.subject for run in runs})
    return {item.public_id: item for item in rows}


def spent(project: Project) -> Mapping[str, int]:
    """Calls and tokens of the project's debates."""
    sums = runs_of(project).aggregate(calls=Sum("calls"), tokens=Sum("tokens"))
    return {name: value or 0 for name, value in sums.items()}


def most_calls(run: Run) -> int | None:
    """The calls that a debate takes at most with these options; None for the methods of one question."""
    if run.method == predict.NAME:
        return showing_predict.most_calls(run)
    if run.method != arcade.NAME:
        return None
    return 2 * int(run.options.get("rounds", 3)) + (2 if run.options.get("track") != "deep" else 1)
