"""A run method for tests: a test sets its rounds of questions, and its outcomes are kept in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import BaseModel

from providers.messages import Message, Model
from runs.control import start
from runs.execution import runner
from runs.methods import method as methods
from runs.methods.method import Finish, Limits, Outcome, SavedTurn, Step
from runs.models import Run


class Said(BaseModel):
    """The schema of every answer."""

    word: str


def step(key: str, **fields: Any) -> Step:
    """Return a question with this key."""
    return Step(key=key, role="speaker", messages=(Message.of("user", f"Say {key}."),), shape=Said, **fields)


@dataclass
class Rounds:
    """A method that asks the steps of a round at the same time and finishes with all words of the answers."""

    rounds: Sequence[Sequence[Step]] = ()
    limits: Limits = field(default_factory=Limits)
    name: str = "rounds"
    gone: bool = False
    unreadable: bool = False
    stored: list[Outcome] = field(default_factory=list)

    def case(self, run: Run) -> Any | None:
        if self.unreadable:
            raise FileNotFoundError("pictures/a.png")
        return None if self.gone else {"subject": run.subject}

    def still_wanted(self, run: Run) -> bool:
        return not self.gone

    def next_steps(self, case: Any, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        for steps in self.rounds:
            if unasked := [question for question in steps if question.key not in turns]:
                return unasked
        return Finish({key: turn.value and turn.value["word"] for key, turn in turns.items()})

    def settle(self, run: Run, outcome: Outcome) -> bool:
        if not self.gone:
            self.stored.append(outcome)
        return not self.gone


def register(rounds: Rounds, monkeypatch: pytest.MonkeyPatch) -> Rounds:
    """Register the method as `rounds` for the time of a test, and return it."""
    original = methods._instance
    monkeypatch.setitem(methods._paths, "rounds", "rounds")
    monkeypatch.setattr(methods, "_instance", lambda path: rounds if path == "rounds" else original(path))
    return rounds


def queued(project: UUID | None = None, **fields: Any) -> Run:
    """Create a queued run of the method without enqueuing a task."""
    request = start.RunRequest("rounds", project or uuid4(), uuid4(), {"speaker": "scripted:lines"})
    run = start.build_run(request)
    for name, value in fields.items():
        setattr(run, name, value)
    run.save()
    run.refresh_from_db()
    return run


def perform(run: Run, model: Model) -> Run:
    """Perform the run with this model. Return its updated row."""
    runner.claim_and_perform(run.pk, lambda role, name: model)
    run.refresh_from_db()
    return run


def word(said: str) -> str:
    """Return a readable answer."""
    return f'{{"word": "{said}"}}'
