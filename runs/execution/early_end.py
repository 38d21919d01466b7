"""What a run keeps back so that it can end with what it has when one of its limits comes near.

This is for methods that can end early (`runs.methods.method.EndsEarly`). Before each round the steps that still fit are
chosen; once none fits, a turn with `LIMIT_KEY` is saved, and the method goes straight to its end. The turn makes the
end part of the log: whoever resumes, replays or forks the run comes to the same end.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from providers import tokens
from providers.messages import Request
from runs.methods.method import LIMIT_KEY, Step, StepKind
from runs.models import Run

BUDGET = "budget"
"""The name of the limits of a project and of the site."""
_TRIES = 2
"""The calls that are kept back: the closing step's own, and one more if its answer has the wrong form."""
_MOST_SECONDS, _SHARE_OF_TIME = 90.0, 0.25


@dataclass(frozen=True)
class Kept:
    """Calls and tokens that are kept back for the end of a run."""

    calls: int = 0
    tokens: int = 0


NOTHING_KEPT = Kept()


@dataclass(frozen=True)
class Room:
    """What a run may still use, and whose limit that is: the run's own, or that of a budget."""

    calls: float
    tokens: float
    limit_of_calls: str = "calls"
    limit_of_tokens: str = "tokens"

    def within(self, calls: float, tokens: float) -> "Room":
        """Return the room within a budget that has so many calls and tokens left."""
        return Room(
            min(self.calls, calls),
            min(self.tokens, tokens),
            BUDGET if calls < self.calls else self.limit_of_calls,
            BUDGET if tokens < self.tokens else self.limit_of_tokens,
        )

    def nearest_limit(self, kept: Kept) -> str:
        """Return the name of the limit that leaves no room beside what is kept."""
        return self.limit_of_calls if self.calls <= kept.calls else self.limit_of_tokens


def kept_for(closing: Request) -> Kept:
    """Return what is kept back for the closing step."""
    return Kept(_TRIES, _TRIES * _most(closing))


def kept_seconds(limit: int) -> float:
    """Return the seconds of work that are kept back of a run's limit."""
    return min(_MOST_SECONDS, _SHARE_OF_TIME * limit)


def fitting_steps(
    steps: Sequence[Step], request_of: Callable[[Step], Request], room: Room, kept: Kept
) -> tuple[list[Step], Kept]:
    """Return the first of these steps that fit into the room beside what is kept, and what is kept beside them.

    The answers of the steps become part of what the closing step is asked, so more is kept for it with each.
    """
    calls, used, grown = 0, 0, kept
    fitting = []
    for step in steps:
        if step.kind is StepKind.ASK or step.spends:
            calls += 1
            used += step.spends[1] if step.spends else _most(request_of(step))
            grown = Kept(grown.calls, grown.tokens + _TRIES * step.max_tokens)
            if calls + grown.calls > room.calls or used + grown.tokens > room.tokens:
                break
        elif room.calls <= grown.calls or room.tokens <= grown.tokens:
            break  # what it brings could not be read
        fitting.append(step)
        kept = grown
    return fitting, kept


def limit_step(run: Run, limit: str) -> Step:
    """Return the step whose turn says that this limit of the run is near."""
    detail = {
        "calls": f"Calls that this run may make: {run.call_limit:,}.",
        "tokens": f"Tokens that this run may use: {run.token_limit:,}.",
        "seconds": f"Seconds that this run may work: {run.seconds_limit:,}.",
    }.get(limit, "The budget of the project, or that of the site for today, is nearly used up.")
    return Step(LIMIT_KEY, "", kind=StepKind.READ, work=partial(dict, limit=limit, detail=detail), at_home=True)


def _most(request: Request) -> int:
    usage = tokens.most_usage(request)
    return usage.input_tokens + usage.output_tokens
