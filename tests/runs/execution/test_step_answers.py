"""What a reply means for its step: thoughts are no answer, but an answer may stand in their place."""

from typing import Any

import pytest
from pydantic import BaseModel

from providers.messages import Forbidden, Message, Reply
from runs.domain.states import Flag, Reason, TurnState
from runs.execution.step import PendingStep
from runs.methods.method import Step

pytestmark = pytest.mark.once


class Verdict(BaseModel):
    category: int


def pending(shape: type[BaseModel] | None = Verdict) -> PendingStep:
    return PendingStep.of(Step("judge", "judge", (Message.of("user", "?"),), shape))


def reply(text: str, **more: Any) -> Reply:
    return Reply(text, "m", **more)


def test_prose_is_kept_without_the_thoughts_before_it() -> None:
    answer = pending(None).accept_reply(reply("<think>harmless?</think>\nIt is hateful."))
    assert answer is not None
    assert (answer.value, answer.reply) == ("It is hateful.", "<think>harmless?</think>\nIt is hateful.")


def test_an_answer_in_the_place_of_thoughts_is_read_where_it_stands_alone() -> None:
    step = pending()
    answer = step.accept_reply(reply("", thought=' {"category": 1}\n'))
    assert answer is not None
    assert (answer.state, answer.value, step.flags) == (TurnState.OK, {"category": 1}, [Flag.REPAIRED])


@pytest.mark.parametrize(
    "thought",
    ['Perhaps {"category": 1}?', '{"category": 0}\n{"category": 1}', '{"label": 1}', '{"category": 1', "", "1"],
)
def test_a_draft_in_a_thought_is_never_the_answer(thought: str) -> None:
    step = pending()
    assert step.accept_reply(reply("", thought=thought)) is None
    answer = step.accept_reply(reply("", thought=thought))
    assert answer is not None and answer.reason == Reason.EMPTY_OUTPUT
    assert ("reasoning_content" in answer.detail) == bool(thought)


@pytest.mark.parametrize("text", ['<think>{"category": 1}', '<|channel|>analysis<|message|>{"category": 1}'])
def test_what_ends_in_a_thought_is_empty(text: str) -> None:
    assert pending().accept_reply(reply(text)) is None


def test_a_thought_that_was_cut_is_no_answer() -> None:
    answer = pending().accept_reply(reply("", thought='{"category": 1}', finish="length"))
    assert answer is not None and answer.reason == Reason.TRUNCATED


@pytest.mark.parametrize(("attempts", "retries", "calls"), [(0, 0, 0), (1, 0, 1), (3, 2, 1)])
def test_a_call_that_a_closed_account_met_unsent_is_none_and_no_retry(attempts: int, retries: int, calls: int) -> None:
    fault, step = Forbidden("The key was refused."), pending()
    fault.attempts = attempts
    step.count_next_call()
    step.count_fault(fault)
    assert (step.retries, step.calls, step.unsent_calls) == (retries, calls, 1 - calls)
