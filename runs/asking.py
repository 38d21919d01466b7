"""One step on its way to an answer: what is asked next, and what becomes of each reply. Pure; nothing is sent here.

Threats L01-L08, L21, L22: a wrong shape is asked again with the error, as often as the step allows (twice, where it
says nothing); an answer that was cut is asked once more with double room; an empty one once more as it was.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from providers import reading, tokens
from providers.messages import Message, Reply, Request, Usage
from runs.calls import Call
from runs.domain.states import Flag, Reason, RunState, TurnState, state_of
from runs.method import Step


@dataclass(frozen=True)
class Answer:
    """What a step came to, ready to be saved as a turn."""

    state: TurnState
    value: Any = None
    reply: str = ""
    reason: Reason | None = None
    detail: str = ""


def ended(reason: Reason, detail: str, reply: str = "") -> Answer:
    """The answer of a step that came to nothing usable, for this reason."""
    return Answer(_TURN[state_of(reason)], reply=reply, reason=reason, detail=detail[:500])


_TURN = {
    RunState.REFUSED: TurnState.REFUSED,
    RunState.UNREADABLE: TurnState.UNREADABLE,
    RunState.FAILED: TurnState.FAILED,
}


@dataclass
class Asking:
    """The conversation about one step: counts what it cost, keeps what was turned down."""

    step: Step
    request: Request
    calls: int = 0
    reserved: int = 0
    retries: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0
    model: str = ""
    charged: bool = False
    """Whether the project's account was charged for the calls as they were made, because something limits it."""
    lost_calls: int = 0
    lost_tokens: int = 0
    rejected: list[dict[str, str]] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    _wrong: int = 0
    _cut: bool = False
    _empty: bool = False

    @classmethod
    def about(cls, step: Step) -> "Asking":
        """The beginning of the conversation."""
        request = Request(
            role=step.role,
            messages=step.messages,
            schema=_schema(step.shape) if step.shape else None,
            temperature=step.temperature,
            max_tokens=step.max_tokens,
            context=dict(step.context),
            among=step.among,
        )
        return cls(step, request, flags=[Flag.INJECTION_SUSPECTED] if step.suspect else [])

    @property
    def used(self) -> int:
        """The tokens of all replies so far."""
        return self.usage.input_tokens + self.usage.output_tokens

    def after_loss(self, call: Call) -> None:
        """Go on after a worker that was lost with this step under way: what it reserved may have been billed."""
        self.lost_calls, self.lost_tokens = call["calls"], call["tokens"]

    def under_way(self) -> Call:
        """What the run's row notes while a call of this step is under way."""
        return {"calls": self.lost_calls + self.calls, "tokens": self.lost_tokens + self.reserved}

    def next_call(self) -> int:
        """Count the call that is about to be made; answers the most tokens it may use."""
        if self.step.spends:
            most = self.step.spends[1]
        else:
            usage = tokens.most(self.request)
            most = usage.input_tokens + usage.output_tokens
        self.calls += 1
        self.reserved += most
        return most

    def spent(self) -> None:
        """Count what the step's work asked of a provider, which does not say how many tokens that were."""
        if self.step.spends:
            self.model, most = self.step.spends
            self.usage = Usage(most, 0, estimated=True)

    def declined(self, attempts: int) -> None:
        """Count a call that ended in a refusal, whose usage the provider does not state."""
        self.retries += attempts - 1
        prompt = tokens.prompt_tokens(self.request)
        self.usage = Usage(self.usage.input_tokens + prompt, self.usage.output_tokens, estimated=True)

    def hear(self, reply: Reply) -> Answer | None:
        """Take a reply in; None means that `request` now holds a further question."""
        self._count(reply)
        if self.step.canary and self.step.canary in reply.text:
            self._flag(Flag.INJECTION_SUSPECTED)
            self._flag(Flag.LED_ASTRAY)
        if not reply.text.strip():
            return self._heard_nothing()
        if reply.finish == "length":
            return self._heard_half(reply)
        if reading.declines(reply.text):
            return ended(Reason.REFUSED, "The model declined to answer.", reply.text)
        if self.step.shape is None:
            return Answer(TurnState.OK, reply.text, reply.text)
        read = reading.read(reply.text, self.step.shape)
        if isinstance(read, reading.Readable):
            if read.repaired:
                self._flag(Flag.REPAIRED)
            return Answer(TurnState.OK, read.value.model_dump(mode="json"), reply.text)
        return self._heard_wrong(reply, read)

    def _heard_nothing(self) -> Answer | None:
        if self._empty:
            return ended(Reason.EMPTY_OUTPUT, "The model answered nothing, twice.")
        self._empty = True
        self.rejected.append({"reply": "", "error": Reason.EMPTY_OUTPUT})
        return None

    def _heard_half(self, reply: Reply) -> Answer | None:
        if self._cut:
            return ended(Reason.TRUNCATED, f"Cut after {self.request.max_tokens} tokens.", reply.text)
        self._cut = True
        self.rejected.append({"reply": reply.text, "error": Reason.TRUNCATED})
        self.request = replace(self.request, max_tokens=2 * self.request.max_tokens)
        return None

    def _heard_wrong(self, reply: Reply, wrong: reading.Wrong) -> Answer | None:
        if self._wrong == self.step.reasks:
            return ended(Reason(wrong.code), wrong.error, reply.text)
        self._wrong += 1
        self.rejected.append({"reply": reply.text, "error": wrong.error})
        self.request = replace(
            self.request,
            messages=(
                *self.step.messages,
                Message.of("assistant", reply.text),
                Message.of("user", reading.again(wrong.error)),
            ),
        )
        return None

    def _count(self, reply: Reply) -> None:
        self.model = reply.model
        self.retries += reply.attempts - 1
        self.seconds += reply.seconds
        self.usage = Usage(
            self.usage.input_tokens + reply.usage.input_tokens,
            self.usage.output_tokens + reply.usage.output_tokens,
            self.usage.estimated or reply.usage.estimated,
        )

    def _flag(self, flag: Flag) -> None:
        if flag not in self.flags:
            self.flags.append(flag)


@lru_cache(maxsize=256)
def _schema(shape: type[BaseModel]) -> dict[str, Any]:
    return shape.model_json_schema()
