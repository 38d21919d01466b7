"""What a method is: a pure object that says what comes next, and two functions that load and store.

The app that owns a method registers it in its `apps.py`; `runs` asks, saves and asks again until `Finish`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from django.utils.module_loading import import_string
from pydantic import BaseModel

from providers.messages import Message
from runs.domain.states import Reason, RunState, TurnState

if TYPE_CHECKING:
    from runs.models import Run


class StepKind(StrEnum):
    """What a step does."""

    ASK = "ask"
    SEARCH = "search"
    FETCH = "fetch"
    READ = "read"


@dataclass(frozen=True)
class Step:
    """One question. `key` is stable: a run that is taken up again is not asked it a second time.

    `shape` is the wanted answer (None: prose); its validators may raise
    `providers.reading.invalid_label` to say that a category does not exist. `context` is for the built-in keyword
    model. `prompt_digest` names the template, not the filled text. An `optional` step may be refused or unreadable
    without ending the run; the method then finds the turn's state. `canary` is a word that only our own instructions
    hold: an answer that repeats it was led astray. `suspect` says that the material itself looks like an attempt.

    A step of another kind than `ask` has `work` instead of messages: a function that leaves the machine or takes its
    time, performed on a thread without a database. What it returns is JSON and becomes the turn's value; it may raise
    what a model may. It costs no call and no token, unless it `spends`: then it makes one call to the provider that is
    named, of so many tokens at most, which is reserved before it.

    `among`: two words whose probabilities are wanted instead of an answer (see `providers.messages.Request`).

    `reasks`: how often a wrong shape is asked again. `at_home`: the `work` asks the site's own rows; it is done in the
    run's thread, which alone touches the database.
    """

    key: str
    role: str
    messages: tuple[Message, ...] = ()
    shape: type[BaseModel] | None = None
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


@dataclass(frozen=True)
class SavedTurn:
    """A turn as a method sees it: what was answered, never how often it had to be asked."""

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
    """What was answered is of no use to the method: the run ends for this reason, and a person looks."""

    reason: Reason
    detail: str


@dataclass(frozen=True)
class Outcome:
    """How a run ended. `value` is the method's own outcome where it succeeded, else empty."""

    state: RunState
    reason: Reason | None = None
    detail: str = ""
    value: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Limits:
    """What one run may use: questions, tokens, and seconds of work (waiting in the queue not counted)."""

    calls: int = 60
    tokens: int = 60_000
    seconds: int = 3600


class Method(Protocol):
    """The three parts of a method, and its name and limits."""

    name: str
    limits: Limits

    def case(self, run: "Run") -> Any | None:
        """Load the values the method decides on; None if the subject or its project is gone."""
        ...

    def still_wanted(self, run: "Run") -> bool:
        """Whether the subject is still there; asked between turns."""
        ...

    def next_steps(self, case: Any, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Say what comes next. Pure: the same case and turns always give the same answer."""
        ...

    def settle(self, run: "Run", outcome: Outcome) -> bool:
        """Store the outcome, in the transaction that ends the run; False if the subject is gone.

        Called once for every end but `cancelled`.
        """
        ...


class UnknownMethodError(LookupError):
    """A run names a method that no installed app registered."""


_paths: dict[str, str] = {}


def register(name: str, path: str) -> None:
    """Make a method known under its name by the path of its class; called from `ready()` of the app that owns it."""
    _paths[name] = path


def method_named(name: str) -> Method:
    """The method registered under this name. Raises UnknownMethodError."""
    if name not in _paths:
        raise UnknownMethodError(f"No installed app knows the method {name!r}.")
    return _made(_paths[name])


@cache
def _made(path: str) -> Method:
    made: Method = import_string(path)()
    return made
