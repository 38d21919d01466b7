"""How far a run is: which steps are under way, what each is about, how many were taken and how many are left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderation.methods.debate_method import StepWords
from moderation.methods.registry import METHODS
from runs.domain.states import RunState
from runs.models import Run, Turn


@dataclass(frozen=True)
class RunProgress:
    """The steps under way with their words, the number of steps taken, and the most there can be, if that is known."""

    keys: Sequence[str]
    steps: Sequence[StepWords]
    done: int
    most: int | None

    @property
    def left(self) -> int | None:
        """How many steps are left at most. Returns None if that is not known."""
        return None if self.most is None else max(0, self.most - self.done)

    def as_json(self) -> list[dict[str, Any]]:
        """Return the steps under way for the API."""
        figures = {"done": self.done, "left": self.left}
        words = zip(self.keys, self.steps, strict=True)
        return [{"key": key, "what": step.what, "about": step.about} | figures for key, step in words]


def progress_of(run: Run, turns: Sequence[Turn]) -> RunProgress | None:
    """Return how far the run is. Returns None if no step of it is under way."""
    if run.state != RunState.RUNNING or not run.in_flight:
        return None
    keys = sorted(key for key in run.in_flight if all(turn.key != key for turn in turns))
    return RunProgress(keys, words_of(run, turns, keys), len(turns), most_steps(run)) if keys else None


def words_of(run: Run, turns: Sequence[Turn], keys: Sequence[str]) -> list[StepWords]:
    """Return what these steps of the run are and what they are about, in English."""
    describe = METHODS[run.method].step_words
    by_key: Mapping[str, Turn] = {turn.key: turn for turn in turns}
    return describe(run, by_key, keys) if describe else [StepWords(key) for key in keys]


def most_steps(run: Run) -> int | None:
    """Return the most steps of a run with these options. Returns None if that is not known."""
    steps = run.options.get("steps")
    return int(steps) if steps else METHODS[run.method].most_calls(run)
