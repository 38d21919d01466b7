"""The states of a run and of a turn, and the reasons that belong to each end (design section 7)."""

from collections.abc import Mapping
from enum import StrEnum

from vocabulary.display_names import NamedEnum, pgettext


class RunState(NamedEnum):
    """The state of a run. The run's row is the only source of truth."""

    QUEUED = "queued", pgettext("stored word", "queued")
    RUNNING = "running", pgettext("stored word", "running")
    SUCCEEDED = "succeeded", pgettext("stored word", "succeeded")
    REFUSED = "refused", pgettext("stored word", "refused")
    UNREADABLE = "unreadable", pgettext("stored word", "unusable answer")
    FAILED = "failed", pgettext("stored word", "failed")
    CANCELLED = "cancelled", pgettext("stored word", "cancelled")

    @property
    def is_open(self) -> bool:
        """Whether the run is queued or running."""
        return self in OPEN


OPEN = (RunState.QUEUED, RunState.RUNNING)


ASIDE = "aside:"
"""Prefix of a run's variant if its subject is no item of its project (evaluations).

Such a run is charged to the project; only the part that started it shows and settles it.
"""


class TurnState(NamedEnum):
    """The result of one step."""

    OK = "ok", pgettext("stored word", "answered")
    REFUSED = "refused", pgettext("stored word", "refused")
    UNREADABLE = "unreadable", pgettext("stored word", "unusable answer")
    FAILED = "failed", pgettext("stored word", "failed")


class Reason(NamedEnum):
    """Why a run or a turn did not succeed."""

    REFUSED = "refused", pgettext("stored word", "refused")
    PROVIDER_BLOCKED = "provider_blocked", pgettext("stored word", "provider blocked")
    INVALID_OUTPUT = "invalid_output", pgettext("stored word", "answer in the wrong form")
    INVALID_LABEL = "invalid_label", pgettext("stored word", "unknown category")
    TRUNCATED = "truncated", pgettext("stored word", "answer cut off")
    EMPTY_OUTPUT = "empty_output", pgettext("stored word", "empty answer")
    TOO_LARGE = "too_large", pgettext("stored word", "too large")
    TIMEOUT = "timeout", pgettext("stored word", "no answer in time")
    PROVIDER_ERROR = "provider_error", pgettext("stored word", "error at the provider")
    BAD_REQUEST = "bad_request", pgettext("stored word", "request not accepted")
    BUDGET_EXCEEDED = "budget_exceeded", pgettext("stored word", "budget used up")
    WORKER_LOST = "worker_lost", pgettext("stored word", "worker lost")
    USER = "user", pgettext("stored word", "cancelled by a person")
    TARGET_GONE = "target_gone", pgettext("stored word", "item deleted")


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
    """Return the end state that a reason belongs to."""
    return _STATE[reason]


def reason_of(code: str) -> Reason:
    """Return the reason for a provider's error code; an unknown code is a provider error."""
    try:
        return Reason(code)
    except ValueError:
        return Reason.PROVIDER_ERROR


class Flag(StrEnum):
    """What readers of a turn should know besides its value."""

    REPAIRED = "repaired"
    INJECTION_SUSPECTED = "injection_suspected"
    """The material or the answer looks like an attempt to steer the model."""
    LED_ASTRAY = "led_astray"
    """The answer repeats a word that only our instructions contain: it is not shown as a judgement."""
    POSSIBLY_BILLED_TWICE = "possibly_billed_twice"
    TAKEN_OVER = "taken_over"
    """The turn was copied from another run, which paid for it."""
    WITHOUT_TEMPERATURE = "without_temperature"
    """The step has a temperature and the model takes none: it was asked with its own."""
