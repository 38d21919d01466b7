"""The interface of a method: a pure object that says what comes next, and functions that load and store.

The app that owns a method registers it in its `apps.py`. `runs` asks the method for steps, saves the answers, and
repeats until it returns `Finish`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from django.utils.module_loading import import_string

from providers.messages import Message
from runs.domain.states import Reason, RunState, TurnState
from vocabulary.registration import complete

if TYPE_CHECKING:
    from pydantic import BaseModel

    from runs.models import Run


class StepKind(StrEnum):
    """What a step does."""

    ASK = "ask"
    SEARCH = "search"
    FETCH = "fetch"
    READ = "read"


@dataclass(frozen=True)
class Step:
    """One question to a model, or one search, fetch or reading. `key` is stable: a resumed run does not ask it again.

    `shape` is the expected answer (None: prose); its validators may raise `providers.structured_output.invalid_label`
    for a category that does not exist. `context` is for the built-in keyword model. `prompt_digest` identifies the
    template, not the filled text. An `optional` step may be refused or unreadable without ending the run; the method
    then sees the turn's state. `canary` is a word that only our instructions contain: an answer that repeats it was led
    astray. `suspect` says that the material itself looks like an attempt to steer the model.

    A step of another kind than `ask` has `work` instead of messages: a function that leaves the machine or takes long.
    It runs on a thread without a database, returns JSON that becomes the turn's value, and may raise what a model may.
    It costs no call and no token unless it `spends`: then it makes one call to the named provider, of at most that many
    tokens, which are reserved before it.

    `among`: two words whose probabilities are asked for instead of an answer (see `providers.messages.Request`).

    `samples`: how many answers in prose are wanted in one call. The value is then a list of `{"text", "reason"}`: all
    that the model gave, perhaps fewer, each with the reason why it is of no use, or "". `declines` tells a refusal in
    prose from an answer; without it `providers.structured_output.is_refusal` does.

    `reasks`: how often a wrong shape is asked again. `at_home`: the `work` reads the site's own rows and therefore runs
    in the run's thread, the only one that uses the database.
    """

    key: str
    role: str
    messages: tuple[Message, ...] = ()
    shape: "type[BaseModel] | None" = None
    kind: StepKind = StepKind.ASK
    temperature: float | None = 0.0
    max_tokens: int = 1500
    prompt_digest: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    optional: bool = False
    canary: str = ""
    suspect: bool = False
    work: Callable[[], Any] | None = None
    reasks: int = 2
    at_home: bool = False
    spends: tuple[str, int] | None = None
    among: tuple[str, str] | None = None
    samples: int = 1
    declines: Callable[[str], bool] | None = None


@dataclass(frozen=True)
class SavedTurn:
    """A turn as a method sees it: the answer, but not how many attempts it took."""

    key: str
    state: TurnState
    value: Any
    reply: str
    model: str
    prompt_digest: str
    flags: tuple[str, ...] = ()
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Finish:
    """The method has all it needs; `value` is JSON and becomes the run's outcome."""

    value: Mapping[str, Any]


@dataclass(frozen=True)
class GiveUp:
    """The answers are of no use to the method: the run ends for this reason and a person looks at it.

    `step` is the key of the answer that is of no use; empty: those of the last round. A run that goes on asks it again,
    and what came after it.
    """

    reason: Reason
    detail: str
    step: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a run ended. `value` is the method's outcome if it succeeded, else empty."""

    state: RunState
    reason: Reason | None = None
    detail: str = ""
    value: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Limits:
    """What one run may use: calls, tokens, and seconds of work (time in the queue does not count)."""

    calls: int = 60
    tokens: int = 60_000
    seconds: int = 3600


class Method(Protocol):
    """A method: its name, its limits, and how to load, decide and store."""

    name: str
    limits: Limits

    def case(self, run: "Run") -> Any | None:
        """Load the values that the method decides on.

        Returns None if the subject or its project is gone.
        """
        ...

    def still_wanted(self, run: "Run") -> bool:
        """Return whether the subject still exists; called between turns."""
        ...

    def next_steps(self, case: Any, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Return what comes next. Pure: the same case and turns always give the same result."""
        ...

    def settle(self, run: "Run", outcome: Outcome) -> bool:
        """Store the outcome in the transaction that ends the run. Return False if the subject is gone.

        Called once for every end except `cancelled`.
        """
        ...


LIMIT_KEY = "limit"
"""The key of the turn that is saved when a limit of the run comes near: `{"limit", "detail"}`."""


@runtime_checkable
class EndsEarly(Protocol):
    """A method that can end with what it has. After a turn with `LIMIT_KEY` its next steps lead straight to its end."""

    def closing_step(self, case: Any, turns: Mapping[str, SavedTurn]) -> Step | None:
        """Return the step with which the run could end now; the runner keeps back what it may cost.

        Returns None if that step has been asked, or nothing more is to be kept back. Pure, like `next_steps`.
        """
        ...


class UnknownMethodError(LookupError):
    """A run names a method that no installed app registered."""


_paths: dict[str, str] = {}


def register_method(name: str, path: str) -> None:
    """Register a method by its name and the path of its class; called from `ready()` of the app that owns it."""
    _paths[name] = path


def method_named(name: str) -> Method:
    """Return the method registered under this name.

    Raises UnknownMethodError if there is none.
    """
    complete()
    if name not in _paths:
        raise UnknownMethodError(f"No installed app knows the method {name!r}.")
    return _instance(_paths[name])


@cache
def _instance(path: str) -> Method:
    method: Method = import_string(path)()
    return method
