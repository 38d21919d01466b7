"""How far a run is: its parts, which steps are under way and for how long, how many are left, how long it may take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import TypedDict

from django.utils import timezone

from moderation.methods.debate_method import StepWords
from moderation.methods.registry import METHODS
from runs.domain.states import RunState, TurnState
from runs.models import Run, Turn

LIKE_IT = 20
"""How many earlier runs tell how long the next one takes."""


class RunStep(TypedDict):
    """A step under way: what it does and what it is about, how many steps were taken and are left at most."""

    key: str
    what: str
    about: str
    done: int
    left: int | None


@dataclass(frozen=True)
class RunProgress:
    """The steps under way with their words, the number of steps taken, and the most there can be."""

    keys: Sequence[str]
    steps: Sequence[StepWords]
    done: int
    most: int
    seconds: float = 0.0
    """How long nobody has answered: since the last answer, or since a worker began."""

    @property
    def left(self) -> int:
        """How many steps are left at most."""
        return max(0, self.most - self.done)

    def as_json(self) -> list[RunStep]:
        """Return the steps under way for the API."""
        return [
            {"key": key, "what": step.what, "about": step.about, "done": self.done, "left": self.left}
            for key, step in zip(self.keys, self.steps, strict=True)
        ]


def progress_of(run: Run, turns: Sequence[Turn]) -> RunProgress | None:
    """Return how far the run is. Returns None if no step of it is under way."""
    if run.state != RunState.RUNNING or not run.in_flight:
        return None
    keys = sorted(key for key in run.in_flight if all(turn.key != key for turn in turns))
    words = words_of(run, turns, keys)
    return RunProgress(keys, words, len(turns), most_steps(run), _seconds_of_silence(run, turns)) if keys else None


def _seconds_of_silence(run: Run, turns: Sequence[Turn]) -> float:
    began = [run.not_before, run.started_at or run.not_before, *(turn.created_at for turn in turns[-1:])]
    return max(0.0, (timezone.now() - max(began)).total_seconds())


class StageState(StrEnum):
    """Where a debate stands with one of its parts."""

    DONE = "done"
    CURRENT = "current"
    AHEAD = "ahead"


def stages_of(run: Run, turns: Sequence[Turn]) -> list[tuple[str, StageState]]:
    """Return the parts of a debate without a verdict, and where it stands; empty for others.

    A part is done when all its steps were answered, or when a later part has begun.
    """
    describe = METHODS[run.method].stages
    if describe is None or run.state in (RunState.SUCCEEDED, RunState.CANCELLED):
        return []
    by_key = {turn.key: turn for turn in turns if turn.state == TurnState.OK}
    stages = describe(run, by_key)
    keys = by_key.keys() | run.in_flight.keys()
    begun = [place for place, stage in enumerate(stages) if any(key in keys for key in stage.keys)]
    at = begun[-1] if begun else 0
    if begun and all(key in by_key for key in stages[at].keys):
        at += 1
    states = [StageState.DONE] * at + [StageState.CURRENT] + [StageState.AHEAD] * len(stages)
    return [(stage.name, state) for stage, state in zip(stages, states, strict=False)]


def usual_seconds(run: Run) -> float | None:
    """Return how long a run like this one usually takes: the median of the last ended ones of its method and provider.

    Returns None if there is none in its project, or if they took less than a second.
    """
    ended = Run.objects.filter(project=run.project, method=run.method, state=RunState.SUCCEEDED, provider=run.provider)
    seconds = list(ended.filter(forked_from=None).order_by("-id").values_list("seconds", flat=True)[:LIKE_IT])
    usual = median(seconds) if seconds else 0
    return usual if usual >= 1 else None


def words_of(run: Run, turns: Sequence[Turn], keys: Sequence[str]) -> list[StepWords]:
    """Return what these steps of the run are and what they are about, in English."""
    describe = METHODS[run.method].step_words
    by_key: Mapping[str, Turn] = {turn.key: turn for turn in turns}
    return describe(run, by_key, keys) if describe else [StepWords(key) for key in keys]


def most_steps(run: Run) -> int:
    """Return the most steps of a run with these options."""
    return METHODS[run.method].calls_of(run)
