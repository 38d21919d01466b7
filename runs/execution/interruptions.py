"""Why a worker stops performing a run before its end."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WaitForProvider:
    """The run returns to the queue for `seconds`; with `counted` this counts as a round at a busy provider.

    `unanswered` are the seconds since the last answer, in which the provider brought nothing: they are no work.
    """

    seconds: float
    detail: str
    counted: bool = True
    unanswered: float = 0.0


class WorkerStopping(Exception):
    """This process is about to end: another worker continues the run."""


class TimeLimitReached(Exception):
    """The run has worked for as long as its limit allows."""
