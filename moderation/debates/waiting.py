"""What an open run waits for: an answer of a model, the end of a pause, its next try, or a worker."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypedDict

from django.utils import timezone

from runs.domain.states import RunState
from runs.models import Run
from runs.queue.provider_pauses import PauseInForce, pauses_in_force
from vocabulary.answers import answer


class WaitsFor(StrEnum):
    """The cause of a wait."""

    ANSWER = "answer"
    PAUSE = "pause"
    NEXT_TRY = "next_try"
    WORKER = "worker"


RunWait = TypedDict("RunWait", {"for": WaitsFor, "until": datetime | None, "detail": str | None, "of": list[str]})
RunWait.__doc__ = "What an open run waits for: until when, in the provider's words, and which of its steps."


@dataclass(frozen=True)
class Wait:
    """A wait: its cause, its end if that is known, and the reason that the provider gave.

    `of` names the steps under way, or the paused provider or model.
    """

    cause: WaitsFor
    until: datetime | None = None
    detail: str = ""
    of: Sequence[str] = ()

    def as_json(self) -> RunWait:
        """Return the wait for the API."""
        return answer(RunWait, self, **{"for": self.cause}, until=self.until.isoformat() if self.until else None)


def wait_of(run: Run, pauses: Sequence[PauseInForce] | None = None) -> Wait | None:
    """Return what the run waits for. Returns None for a run that has ended or works without a call under way."""
    if run.state == RunState.RUNNING:
        calls = sorted(key for key, call in run.in_flight.items() if call["calls"])  # the rest is searches and fetches
        return Wait(WaitsFor.ANSWER, of=calls) if calls else None
    if run.state != RunState.QUEUED:
        return None
    now = timezone.now()
    for pause in pauses_in_force() if pauses is None else pauses:
        if pause.until > now and pause.holds(run.model_plan):
            return Wait(WaitsFor.PAUSE, pause.until, pause.detail, [pause.name])
    if next_try(run):
        return Wait(WaitsFor.NEXT_TRY, run.not_before, run.detail)
    return Wait(WaitsFor.WORKER)


def next_try(run: Run) -> datetime | None:
    """Return when a queued run is tried next. Returns None if it is due, or not queued."""
    return run.not_before if run.state == RunState.QUEUED and run.not_before > timezone.now() else None


def seconds_of_work(run: Run) -> float:
    """Return how long workers were at the run; the time in which it waited for its next try does not count."""
    if run.state != RunState.RUNNING or run.started_at is None:
        return run.seconds
    began = max(run.started_at, run.not_before)
    return run.seconds + max(0.0, (timezone.now() - began).total_seconds())
