"""A method of runs for tests: its rounds say what is asked, what it stores is kept in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from pydantic import BaseModel

from providers.messages import Message, Model
from runs.control import start
from runs.execution import runner
from runs.methods.method import Finish, Limits, Outcome, SavedTurn, Step
from runs.models import Run


class Said(BaseModel):
    """The shape of every answer."""

    word: str


def step(key: str, **fields: Any) -> Step:
    """A question with this key."""
    return Step(key=key, role="speaker", messages=(Message.of("user", f"Say {key}."),), shape=Said, **fields)


@dataclass
class Rounds:
    """Asks the steps of each round at the same time, and finishes with every word that was said."""

    rounds: Sequence[Sequence[Step]] = ()
    limits: Limits = field(default_factory=Limits)
    name: str = "rounds"
    gone: bool = False
    stored: list[Outcome] = field(default_factory=list)

    def case(self, run: Run) -> Any | None:
        return None if self.gone else {"subject": run.subject}

    def still_wanted(self, run: Run) -> bool:
        return not self.gone

    def next_steps(self, case: Any, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        for steps in self.rounds:
            if left := [each for each in steps if each.key not in turns]:
                return left
        return Finish({key: turn.value and turn.value["word"] for key, turn in turns.items()})

    def settle(self, run: Run, outcome: Outcome) -> bool:
        if not self.gone:
            self.stored.append(outcome)
        return not self.gone


def queued(project: UUID | None = None, **fields: Any) -> Run:
    """A queued run of the method that nobody was rung for."""
    wanted = start.RunRequest("rounds", project or uuid4(), uuid4(), {"speaker": "scripted:lines"})
    run = start.build_run(wanted)
    for name, value in fields.items():
        setattr(run, name, value)
    run.save()
    run.refresh_from_db()
    return run


def perform(run: Run, model: Model) -> Run:
    """Perform the run with this model; answers its row as it then is."""
    runner.claim_and_perform(run.pk, lambda role, name: model)
    run.refresh_from_db()
    return run


def word(said: str) -> str:
    """A readable answer."""
    return f'{{"word": "{said}"}}'
