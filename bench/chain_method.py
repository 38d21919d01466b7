"""A method of eight questions in a row, as deep as a debate, for `bench/runs.py`; its worker loads it with -I."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from django.db.models import Max, Min
from pydantic import BaseModel

from providers.messages import Message
from runs.control import start
from runs.methods import method
from runs.methods.method import Finish, Limits, Outcome, SavedTurn, Step
from runs.models import Run

NAME = "chain"
TURNS = 8
POST = "A remark about weeds and roses in a garden, and then some more words to fill a usual post. " * 10


class Opinion(BaseModel):
    """The form of each answer."""

    explanation: str
    severity: int


class Chain:
    """Asks one question after the other; each question contains the last answer."""

    name = NAME
    limits = Limits()

    def case(self, run: Run) -> str:
        return str(run.subject)

    def still_wanted(self, run: Run) -> bool:
        return Run.objects.filter(pk=run.pk).exists()

    def next_steps(self, case: str, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        if len(turns) == TURNS:
            return Finish({"turns": TURNS})
        last_reply = turns[f"turn.{len(turns) - 1}"].reply if turns else "nothing yet"
        messages = (Message.of("system", POST), Message.of("user", f"{case} {len(turns)}: {last_reply}"))
        return [Step(f"turn.{len(turns)}", "prior_text", messages, shape=Opinion)]

    def settle(self, run: Run, outcome: Outcome) -> bool:
        return True


method.register_method(NAME, "bench.chain_method.Chain")


def queue(count: int, *, alone: bool = False) -> None:
    """Enqueue this many runs and notify the workers; with `alone`, delete all earlier runs first."""
    if alone:
        Run.objects.all().delete()
    project, plan = uuid4(), {"prior_text": "openai:wire-sensible"}
    start.queue_runs(start.RunRequest(NAME, project, uuid4(), plan) for _ in range(count))


def figures(name: str) -> dict[str, Any]:
    """Return how many runs succeeded or are open, and the seconds from the first creation to the last end."""
    runs = Run.objects.filter(method=name)
    ends = runs.aggregate(begin=Min("created_at"), end=Max("finished_at"))
    left = runs.filter(state__in=["queued", "running"]).count()
    seconds = (ends["end"] - ends["begin"]).total_seconds() if ends["end"] else None
    return {"left": left, "done": runs.filter(state="succeeded").count(), "seconds": seconds}
