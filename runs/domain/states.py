"""The states of a run and of a turn, and which reason belongs to which end (design section 7)."""

from collections.abc import Mapping
from enum import StrEnum


class RunState(StrEnum):
    """Where a run is. The row is the queue's truth; nothing else knows better."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        """Whether something is still to come."""
        return self in OPEN


OPEN = (RunState.QUEUED, RunState.RUNNING)


ASIDE = "aside:"
"""How the variant of a run begins whose subject is no item of its project: it is charged to the project, and shown
and settled by whoever started it alone (evaluations)."""


class TurnState(StrEnum):
    """What one step brought."""

    OK = "ok"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    FAILED = "failed"


class Reason(StrEnum):
    """Why a run (or a turn) did not succeed."""

    REFUSED = "refused"
    PROVIDER_BLOCKED = "provider_blocked"
    INVALID_OUTPUT = "invalid_output"
    INVALID_LABEL = "invalid_label"
    TRUNCATED = "truncated"
    EMPTY_OUTPUT = "empty_output"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    PROVIDER_ERROR = "provider_error"
    BAD_REQUEST = "bad_request"
    BUDGET_EXCEEDED = "budget_exceeded"
    WORKER_LOST = "worker_lost"
    USER = "user"
    TARGET_GONE = "target_gone"


REASONS: Mapping[RunState, frozenset[Reason]] = {
    RunState.REFUSED: frozenset({Reason.REFUSED, Reason.PROVIDER_BLOCKED}),
    RunState.UNREADABLE: frozenset(
        {Reason.INVALID_OUTPUT, Reason.INVALID_LABEL, Reason.TRUNCATED, Reason.EMPTY_OUTPUT, Reason.TOO_LARGE}
    ),
    RunState.FAILED: frozenset(
        {Reason.TIMEOUT, Reason.PROVIDER_ERROR, Reason.BAD_REQUEST, Reason.BUDGET_EXCEEDED, Reason.WORKER_LOST}
    ),
    RunState.CANCELLED: frozenset({Reason.USER, Reason.TARGET_GONE}),
}

_STATE = {reason: state for state, reasons in REASONS.items() for reason in reasons}


def state_of(reason: Reason) -> RunState:
    """The end state a reason belongs to."""
    return _STATE[reason]


def reason_of(code: str) -> Reason:
    """The reason a provider's error code stands for; an unknown code is a provider error."""
    try:
        return Reason(code)
    except ValueError:
        return Reason.PROVIDER_ERROR


class Flag(StrEnum):
    """What is worth knowing about a turn beside its value."""

    REPAIRED = "repaired"
    INJECTION_SUSPECTED = "injection_suspected"
    """The material, or the answer, looks like an attempt to steer the model."""
    LED_ASTRAY = "led_astray"
    """The answer repeats a word that only our own instructions hold: people are not shown it as a judgement."""
    POSSIBLY_BILLED_TWICE = "possibly_billed_twice"
    TAKEN_OVER = "taken_over"
    """The turn is another run's, which paid for it; this run goes on from there."""
