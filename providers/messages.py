"""The one normal form that goes to a model and comes back, and the ways it can fail.

No vendor's words here; the adapters (`openai_chat`, `dashscope_chat`, `keyword`, `scripted`) translate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True)
class Text:
    """A piece of text in a message."""

    text: str


@dataclass(frozen=True)
class Picture:
    """A picture in a message: re-encoded bytes, never a path or an address."""

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
        """A message of text alone."""
        return cls(role, (Text(text),))

    @property
    def text(self) -> str:
        """The text parts, joined by a blank line."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Text))


@dataclass(frozen=True)
class Request:
    """What is asked of a model. `schema` is a JSON schema of the wanted answer, or None for prose.

    `role` is the asking role (`prior_text`, `judge`, …); the built-in `keyword` model answers by it.
    With `among`, two words, the answer is `{"probability": p}`: how likely the first word is to be said next, not the
    second, by the provider's own log-probabilities; an adapter that cannot say raises ProviderError `bad_request`.
    `context` are values the keyword model may read instead of parsing our own prompt (for example the
    item's text and the categories); adapters of real models ignore it.
    """

    role: str
    messages: tuple[Message, ...]
    schema: dict[str, Any] | None = None
    temperature: float | None = 0.0
    max_tokens: int = 1500
    context: dict[str, Any] = field(default_factory=dict)
    among: tuple[str, str] | None = None


@dataclass(frozen=True)
class Usage:
    """Tokens of one call; `estimated` when the provider did not say."""

    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True)
class Reply:
    """What a model answered. `finish` is "stop", "length" or another word of the provider's."""

    text: str
    model: str
    usage: Usage = Usage()
    seconds: float = 0.0
    finish: str = "stop"
    attempts: int = 1


class ProviderError(Exception):
    """The provider gave no usable reply; asking again with the same request will not help.

    `code` is one of design section 7's reasons: provider_error, bad_request, timeout, too_large, budget_exceeded.
    """

    code = "provider_error"
    attempts = 1
    """The exchanges that were made before it was raised; 0 where the provider was not asked at all."""

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class ProviderBusy(ProviderError):
    """A passing fault: the same request may succeed later, not before `retry_after` seconds."""

    at: float | None = None
    """When the provider's breaker noted it, by its clock."""

    def __init__(self, message: str, *, code: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after


class ProviderPaused(ProviderError):
    """The provider will not serve this account for now (bad key, no quota, breaker open): wait and tell an admin."""

    code = "provider_paused"

    def __init__(self, message: str, *, code: str | None = None, retry_after: float = 60.0) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after


class Refused(Exception):
    """The model declined (`refused`), or the provider blocked the content (`provider_blocked`): an answer, no fault."""

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
        """Answer the request; raises ProviderError, ProviderBusy, ProviderPaused or Refused."""
        ...


Messages = Sequence[Message]
