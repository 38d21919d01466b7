"""Why a worker stops performing a run before its end."""

import random
from dataclasses import dataclass

from providers.messages import ProviderBusy, ProviderError, ProviderPaused

_FIRST_WAIT = 30.0
_LONGEST_WAIT = 600.0


@dataclass(frozen=True)
class WaitForProvider:
    """The run returns to the queue for `seconds`; with `counted` this counts as a round at a busy provider.

    With `is_cause` the run brought a pause about: it goes behind the others. `unanswered` are the seconds since the
    last answer, in which the provider brought nothing: they are no work.
    """

    seconds: float
    detail: str
    counted: bool = True
    is_cause: bool = False
    unanswered: float = 0.0


def wait_after(fault: ProviderError, waits: int, *, is_cause: bool = False) -> WaitForProvider:
    """Return how long a run waits after a fault: as long as the provider says, else twice as long each time."""
    if isinstance(fault, ProviderPaused):
        return WaitForProvider(fault.retry_after, str(fault), counted=False, is_cause=is_cause)
    retry_after = fault.retry_after if isinstance(fault, ProviderBusy) else None
    backoff = min(_LONGEST_WAIT, _FIRST_WAIT * 2**waits) * random.uniform(0.5, 1.0)
    return WaitForProvider(backoff if retry_after is None else retry_after, str(fault))


class WorkerStopping(Exception):
    """This process is about to end: another worker continues the run."""


class TimeLimitReached(Exception):
    """The run has worked for as long as its limit allows."""
