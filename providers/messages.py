"""The vendor-neutral form of requests and replies, and the ways a call can fail.

The adapters in `providers/vendors` and the keyword model translate it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from providers.half_characters import whole
from providers.profiles import ModelProfile


@dataclass(frozen=True)
class Text:
    """A piece of text in a message."""

    text: str

    def __post_init__(self) -> None:
        """Replace half characters, as a cut by tokens leaves them: nothing that holds one can be sent."""
        object.__setattr__(self, "text", whole(self.text))


@dataclass(frozen=True)
class Picture:
    """A picture in a message: re-encoded bytes, never a path or a URL."""

    content: bytes = field(repr=False)
    media_type: str = "image/jpeg"


Part = Text | Picture


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, role: Literal["system", "user", "assistant"], text: str) -> "Message":
        """Return a message of text alone."""
        return cls(role, (Text(text),))

    @property
    def text(self) -> str:
        """The text parts, joined by a blank line."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Text))


@dataclass(frozen=True)
class Request:
    """A question to a model. `schema` is the JSON schema of the expected answer, or None for prose.

    `role` is the role that asks (`prior_text`, `judge`, …); the built-in `keyword` model answers by it. With `among`,
    two words, the answer is `{"probability": p}`: how likely the model says the first word next and not the second, by
    the provider's log-probabilities; an adapter without them raises ProviderError `bad_request`. `context` holds values
    for the keyword model, which does not parse prompts (for example the item's text and the categories); other adapters
    ignore it. `profile` says what the model takes; without one an adapter goes by the model's family. `samples` answers
    in prose are wanted at once; a model whose profile does not say that it takes `n` gives one.
    """

    role: str
    messages: tuple[Message, ...]
    schema: dict[str, Any] | None = None
    temperature: float | None = 0.0
    max_tokens: int = 1500
    context: dict[str, Any] = field(default_factory=dict)
    among: tuple[str, str] | None = None
    profile: ModelProfile | None = None
    samples: int = 1

    @property
    def has_pictures(self) -> bool:
        """Whether a message holds a picture."""
        return any(isinstance(part, Picture) for message in self.messages for part in message.parts)

    @property
    def names_json(self) -> bool:
        """Whether a message has the word JSON, without which some servers refuse to be asked for an object."""
        return any("json" in message.text.lower() for message in self.messages)


@dataclass(frozen=True)
class Usage:
    """The tokens of one call; `estimated` if the provider did not report them.

    `thinking_tokens` are those of `output_tokens` that the model spent on thinking, and `cached_tokens` those of
    `input_tokens` that the provider had read shortly before and charges less for.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False
    thinking_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.estimated or other.estimated,
            self.thinking_tokens + other.thinking_tokens,
            self.cached_tokens + other.cached_tokens,
        )


@dataclass(frozen=True)
class Sample:
    """One of several answers to one request. `finish` is as in `Reply`, or "refused" where the model declined it.

    `thought` is as in `Reply`.
    """

    text: str
    finish: str = "stop"
    thought: str = ""


@dataclass(frozen=True)
class Reply:
    """The reply of a model. `finish` is "stop", "length" or another word of the provider's.

    `samples` holds all answers if several were wanted, and is empty otherwise; `text` is the first of them.
    `without` names what the request asked for and the model was not sent, because it does not take it: `temperature`.
    `thought` is what stands with the thoughts where there is no text: some servers put the answer there.
    """

    text: str
    model: str
    usage: Usage = Usage()
    seconds: float = 0.0
    finish: str = "stop"
    attempts: int = 1
    without: tuple[str, ...] = ()
    samples: tuple[Sample, ...] = ()
    thought: str = ""


class ProviderError(Exception):
    """The provider gave no usable reply, and the same request will not succeed later.

    `code` is one of the reasons in design section 7: provider_error, bad_request, timeout, too_large, budget_exceeded.
    """

    code = "provider_error"
    attempts = 1
    """The exchanges that were made before it was raised; 0 where the provider was not asked at all."""
    usage = Usage()
    """The tokens of a harmless request that found out whether this one alone is turned away."""
    is_final = False
    """Whether the server lets this account have no answer of the model until a person acts: nothing waits for that."""

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class BadRequest(ProviderError):
    """The server rejected the request itself.

    `word`, `parameter` and `sentence` are what it says of the fault, each empty if it says nothing; `sent` names the
    parameters that it was sent.
    """

    code = "bad_request"

    def __init__(
        self,
        message: str,
        *,
        word: str = "",
        parameter: str = "",
        sentence: str = "",
        sent: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(message)
        self.word, self.parameter, self.sentence, self.sent = word, parameter, sentence, sent


class ProviderBusy(ProviderError):
    """A passing fault: the same request may succeed later, not before `retry_after` seconds."""

    at: float | None = None
    """When the provider's breaker noted it, by its clock."""

    def __init__(self, message: str, *, code: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after


class ProviderPaused(ProviderError):
    """The provider does not serve this account for now (bad key, no quota, breaker open): tell an admin."""

    code = "provider_paused"
    model = ""
    """The one model that is not served, as `provider:model`; empty where none of the provider's is."""
    is_cause = False
    """Whether this request brought the pause about, and did not merely meet one."""

    def __init__(self, message: str, *, code: str | None = None, retry_after: float = 60.0) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after


class Forbidden(ProviderPaused):
    """The provider does not serve this account until a person acts: its key, its money, its place, one model."""

    is_final = True


class ModelPaused(Forbidden):
    """The provider does not serve this account with one model; it serves others."""

    def __init__(self, message: str, *, model: str, retry_after: float = 60.0) -> None:
        super().__init__(message, retry_after=retry_after)
        self.model = model


class AccessUnclear(Forbidden):
    """The provider turned the request away and did not say why: the account or this request is at fault.

    `sentence` is what it said, without advice.
    """

    def __init__(self, message: str, *, sentence: str, retry_after: float = 60.0) -> None:
        super().__init__(message, retry_after=retry_after)
        self.sentence = sentence


class TooDear(Forbidden):
    """The account cannot pay for so long an answer, but for one of `tokens`."""

    def __init__(self, message: str, tokens: int, *, retry_after: float = 60.0) -> None:
        super().__init__(message, retry_after=retry_after)
        self.tokens = tokens


class TurnedBack(ProviderError):
    """Something in front of the provider, such as a firewall, did not let this request through."""


class WrongAddress(ProviderError):
    """There is no model server at the address of the settings."""

    code = "bad_request"


class Refused(Exception):
    """The model declined (`refused`) or the provider blocked the content (`provider_blocked`): an answer, no fault."""

    attempts = 1
    """The exchanges that were made, this one included."""

    def __init__(self, message: str, *, code: Literal["refused", "provider_blocked"] = "refused") -> None:
        super().__init__(message)
        self.code = code


class Model(Protocol):
    """One call to one model. Adapters and wrappers have the same form."""

    name: str  # "provider:model"
    sees_pictures: bool

    def reply(self, request: Request) -> Reply:
        """Answer the request.

        Raises ProviderError, ProviderBusy, ProviderPaused or Refused.
        """
        ...


Messages = Sequence[Message]
