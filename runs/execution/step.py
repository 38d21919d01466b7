"""The state of one step until it has an answer: what to ask next, and what each reply means. Pure; sends nothing.

Threats L01-L08, L21, L22: a reply of the wrong shape is asked again together with the error, as often as the step
allows (twice by default); a reply that is cut, or empty because thinking took all its tokens, with twice the tokens as
often as `most_tokens` allows; an empty reply once more unchanged.
"""

import json
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from providers import structured_output, tokens
from providers.messages import Message, ProviderError, Reply, Request, Sample, Usage
from providers.profiles import Fact
from providers.prompt_fencing import fence
from providers.thoughts import without_thoughts
from runs.domain.states import Flag, Reason, RunState, TurnState, state_of
from runs.methods.method import Step
from runs.queue.call_sql import CallUnderWay


@dataclass(frozen=True)
class StepAnswer:
    """The result of a step, ready to be saved as a turn."""

    state: TurnState
    value: Any = None
    reply: str = ""
    reason: Reason | None = None
    detail: str = ""


def unusable_answer(reason: Reason, detail: str, reply: str = "") -> StepAnswer:
    """Return the answer of a step that brought nothing usable, for this reason."""
    return StepAnswer(_TURN_STATE[state_of(reason)], reply=reply, reason=reason, detail=detail[:500])


_TURN_STATE = {
    RunState.REFUSED: TurnState.REFUSED,
    RunState.UNREADABLE: TurnState.UNREADABLE,
    RunState.FAILED: TurnState.FAILED,
}


@dataclass
class PendingStep:
    """A step that has no answer yet: its next request, what it has cost, and the replies that were rejected.

    `most_tokens` is the most that an answer may be allowed after one that was cut.
    """

    step: Step
    request: Request
    most_tokens: int = 0
    calls: int = 0
    reserved: int = 0
    retries: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0
    model: str = ""
    charged: bool = False
    """Whether the project's account was charged with each call, because it or the site has a limit."""
    unsent_calls: int = 0
    """The calls that were counted on the run and never sent: they are taken back with the turn."""
    lost_calls: int = 0
    lost_tokens: int = 0
    rejected: list[dict[str, str]] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    _invalid_replies: int = 0
    _was_cut: bool = False
    _was_empty: bool = False
    _was_repetitive: bool = False

    @classmethod
    def of(cls, step: Step, *, thinking_tokens: int = 0, most_tokens: int = 0) -> "PendingStep":
        """Return the state of a step before its first call, with room for what the model thinks."""
        request = Request(
            role=step.role,
            messages=step.messages,
            schema=_schema(step.shape) if step.shape else None,
            temperature=step.temperature,
            max_tokens=step.max_tokens + thinking_tokens,
            context=dict(step.context),
            among=step.among,
            samples=step.samples,
        )
        return cls(step, request, most_tokens, flags=[Flag.INJECTION_SUSPECTED] if step.suspect else [])

    @property
    def habits(self) -> frozenset[Fact]:
        """Why the model was asked more than once, as what would be learnt of it if it became a habit."""
        is_wordy = self._was_cut and not self.usage.thinking_tokens  # that a model thinks is learnt elsewhere
        reasons = {Fact.REMINDED: self._invalid_replies > 0, Fact.WORDY: is_wordy}
        return frozenset(fact for fact, is_reason in reasons.items() if is_reason)

    @property
    def used(self) -> int:
        """The tokens of all replies so far."""
        return self.usage.input_tokens + self.usage.output_tokens

    @property
    def is_paid(self) -> bool:
        """Whether a call of this step is paid for: a model's, or work that says what it spends."""
        return self.step.work is None or bool(self.step.spends)

    def resume_after_loss(self, call: CallUnderWay) -> None:
        """Continue after a worker was lost during this step: what it had reserved may have been billed."""
        self.lost_calls, self.lost_tokens = call["calls"], call["tokens"]

    def call_under_way(self) -> CallUnderWay:
        """Return what the run's row records while a call of this step is under way."""
        return {"calls": self.lost_calls + self.calls, "tokens": self.lost_tokens + self.reserved}

    def count_next_call(self) -> int:
        """Count the call that is about to be made. Return the most tokens it may use."""
        if self.step.spends:
            most = self.step.spends[1]
        else:
            usage = tokens.most_usage(self.request)
            most = usage.input_tokens + usage.output_tokens
        self.calls += 1
        self.reserved += most
        return most

    def count_spending(self) -> None:
        """Count the call that the step's work made to a provider, which does not report its tokens."""
        if self.step.spends:
            self.model, most = self.step.spends
            self.usage = Usage(most, 0, estimated=True)

    def count_fault(self, fault: ProviderError) -> None:
        """Count a call that ended in a fault. One that was not sent (a closed account) has no attempt: it is none."""
        if self.is_paid and fault.attempts == 0:
            self.calls -= 1
            self.unsent_calls += 1
        if self.is_paid:
            self.retries += max(fault.attempts - 1, 0)
            self.usage += fault.usage

    def count_refusal(self, attempts: int) -> None:
        """Count a call that ended in a refusal, for which the provider reports no usage."""
        self.retries += attempts - 1
        prompt = tokens.prompt_tokens(self.request)
        self.usage = replace(self.usage, input_tokens=self.usage.input_tokens + prompt, estimated=True)

    def accept_reply(self, reply: Reply) -> StepAnswer | None:
        """Read a reply and return the answer.

        Returns None if `request` now holds another question to ask.
        """
        self._add_usage(reply)
        if self.step.canary and self.step.canary in reply.text:
            self._add_flag(Flag.INJECTION_SUSPECTED)
            self._add_flag(Flag.LED_ASTRAY)
        if reply.without:
            self._add_flag(Flag.WITHOUT_TEMPERATURE)
        if self.step.samples > 1:
            return self._read_samples(reply)
        if reply.finish == "length":
            return self._retry_truncated(reply)
        said = without_thoughts(reply.text)
        if not said.strip():
            return self._read_thought(reply) or self._retry_empty(reply)
        if self._declines(said):
            return self._refused(reply)
        if self.step.shape is None:
            return StepAnswer(TurnState.OK, storable(said), reply.text)
        return self._read_value(reply, self.step.shape)

    def _read_value(self, reply: Reply, shape: type[BaseModel]) -> StepAnswer | None:
        """Return the value of the shape that stands in a reply, or None if it is to be asked again."""
        read = structured_output.read_answer(reply.text, shape)
        if isinstance(read, structured_output.InvalidAnswer):
            return (
                self._refused(reply) if structured_output.only_refuses(reply.text) else self._retry_invalid(reply, read)
            )
        if structured_output.is_refused(read.value):
            return self._refused(reply)
        if read.repaired:
            self._add_flag(Flag.REPAIRED)
        return StepAnswer(TurnState.OK, read.value.model_dump(mode="json"), reply.text)

    def _refused(self, reply: Reply) -> StepAnswer:
        return unusable_answer(Reason.REFUSED, _DECLINED, reply.text or reply.thought)

    def _read_samples(self, reply: Reply) -> StepAnswer:
        """Return all answers of one exchange. Those of no use are not asked for again here: the method may do that."""
        samples = reply.samples or (Sample(reply.text, reply.finish),)
        said = [replace(sample, text=without_thoughts(sample.text)) for sample in samples]
        value = [{"text": storable(sample.text), "reason": self._fault_of(sample)} for sample in said]
        texts = json.dumps([sample.text for sample in samples], ensure_ascii=False)
        if all(sample["reason"] == Reason.REFUSED for sample in value):
            return unusable_answer(Reason.REFUSED, _DECLINED, texts)
        return StepAnswer(TurnState.OK, value, texts)

    def _declines(self, text: str) -> bool:
        return (self.step.declines or structured_output.is_refusal)(text)

    def _fault_of(self, sample: Sample) -> str:
        if sample.finish == "refused" or self._declines(sample.text):
            return Reason.REFUSED
        if sample.finish == "length":
            return Reason.TRUNCATED
        return "" if sample.text.strip() else Reason.EMPTY_OUTPUT

    def _read_thought(self, reply: Reply) -> StepAnswer | None:
        """Return the answer that a server put in the place of thoughts: one value of the form, and nothing else.

        Returns None for anything else: a draft in a thought is no answer.
        """
        read = structured_output.read_only_value(reply.thought, self.step.shape) if self.step.shape else None
        if read is None:
            return None
        if structured_output.is_refused(read):
            return self._refused(reply)
        self._add_flag(Flag.REPAIRED)
        return StepAnswer(TurnState.OK, read.model_dump(mode="json"), reply.thought)

    def _retry_empty(self, reply: Reply) -> StepAnswer | None:
        if self._was_empty:
            only_thought = reply.thought.strip() or reply.text.strip()
            return unusable_answer(Reason.EMPTY_OUTPUT, _ONLY_THOUGHT if only_thought else _NOTHING, reply.text)
        self._was_empty = True
        self.rejected.append({"reply": "", "error": Reason.EMPTY_OUTPUT})
        return None

    def _retry_truncated(self, reply: Reply) -> StepAnswer | None:
        """Ask with twice the tokens; a text that only repeats itself gets more once, since it would fill any room."""
        tried = self.request.max_tokens
        if tried >= self.most_tokens or (self._was_repetitive and _repeats_itself(reply.text)):
            return unusable_answer(Reason.TRUNCATED, f"Cut after {tried} tokens.", reply.text)
        self._was_cut = True
        self._was_repetitive = _repeats_itself(reply.text)
        self.rejected.append({"reply": reply.text, "error": Reason.TRUNCATED})
        self.request = replace(self.request, max_tokens=min(2 * tried, self.most_tokens))
        return None

    def _retry_invalid(self, reply: Reply, wrong: structured_output.InvalidAnswer) -> StepAnswer | None:
        if self._invalid_replies == self.step.reasks:
            return unusable_answer(Reason(wrong.code), wrong.error, reply.text)
        self._invalid_replies += 1
        self.rejected.append({"reply": reply.text, "error": wrong.error})
        self.request = replace(
            self.request,
            messages=(
                *self.step.messages,
                Message.of("assistant", reply.text),
                Message.of("user", structured_output.correction_prompt(self._fenced(wrong.error))),
            ),
        )
        return None

    def _fenced(self, error: str) -> str:
        """Return the error, fenced where the step has a nonce: it may repeat words of the answer, and so of a post."""
        return fence(error, self.step.canary, name="fault").text if self.step.canary else error

    def _add_usage(self, reply: Reply) -> None:
        self.model = reply.model
        self.retries += reply.attempts - 1
        self.seconds += reply.seconds
        self.usage += reply.usage

    def _add_flag(self, flag: Flag) -> None:
        if flag not in self.flags:
            self.flags.append(flag)


_DECLINED = "The model declined to answer."
_NOTHING = "The model answered nothing, twice."
_ONLY_THOUGHT = (
    "The model only thought, twice: what it said stands where its server puts thoughts (reasoning_content). "
    "Switch off its thinking, or its server's parser of thoughts."
)
_TAIL = 80
_REPEATED = 6


def _repeats_itself(text: str) -> bool:
    """Return whether the end of the text stands in it again and again."""
    return len(text) > _TAIL * _REPEATED and text.count(text[-_TAIL:]) >= _REPEATED


def storable(text: str) -> str:
    """Replace what PostgreSQL refuses: NUL and lone surrogates."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=256)
def _schema(shape: type[BaseModel]) -> dict[str, Any]:
    return shape.model_json_schema()
