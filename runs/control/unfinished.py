"""What a command that waited for its runs has to say at its end: which of them are not done, and why."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from runs.domain.states import RunState
from runs.models import Run
from runs.queue.provider_pauses import PauseInForce, pauses_in_force

DONE = (RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE)
"""A refusal and an unusable answer are answers: nobody asks again unless a person says so."""
_NAMED = 20
"""So many runs are named one by one."""


def not_done(runs: Iterable[Run]) -> list[Run]:
    """Return the last run of each question that has no answer: it waits, failed or was cancelled."""
    last = {(run.subject, run.variant, run.repeat): run for run in sorted(runs, key=lambda run: run.pk)}
    return [run for run in last.values() if run.state not in DONE]


def sentences(runs: Sequence[Run], names: Mapping[UUID, str]) -> Iterator[str]:
    """Yield what to say of runs that are not done: the pauses in force, each run with its cause, and the counts."""
    pauses = pauses_in_force() if runs else []
    yield from (pause.sentence for pause in pauses)
    for run in runs[:_NAMED]:
        yield f"{names.get(run.subject, run.public_id)}  {run.state}: {_why(run, pauses)}"
    if len(runs) > _NAMED:
        yield f"and {len(runs) - _NAMED:,} more."
    counts = {state: sum(run.state == state for run in runs) for state in RunState}
    shown = ", ".join(f"{count:,} {state}" for state, count in counts.items() if count)
    if runs:
        yield f"Not done: {shown}. The same command goes on with what waits; --retry-failed asks the others again."


def say_pauses() -> Iterator[str]:
    """Yield the pauses in force, for commands whose figures say what is left."""
    yield from (pause.sentence for pause in pauses_in_force())


def _why(run: Run, pauses: Sequence[PauseInForce]) -> str:
    held = next((pause.name for pause in pauses if run.state == RunState.QUEUED and pause.holds(run.model_plan)), "")
    if held:
        return f"{held} is paused"
    return run.detail or (f"{run.reason}" if run.reason else "not asked yet")
