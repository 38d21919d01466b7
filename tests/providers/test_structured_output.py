"""Strict reading of model text (threats L01-L06, L08)."""

import html
import json
import time
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, Field, ValidationInfo

from providers.refusals import declines_to_write
from providers.structured_output import (
    InvalidAnswer,
    ReadAnswer,
    correction_prompt,
    invalid_label,
    is_refusal,
    read_answer,
    read_only_value,
)


class Prior(BaseModel):
    """The form of these tests."""

    category: Literal["0", "1"]
    explanation: str
    confidence: float = Field(ge=0, le=1)


GOOD = '{"category": "1", "explanation": "names a {group}", "confidence": 0.5}'
VALUE = Prior(category="1", explanation="names a {group}", confidence=0.5)


def test_bare_json_is_read_as_it_is():
    assert read_answer(f" \n{GOOD}\n", Prior) == ReadAnswer(VALUE, GOOD, repaired=False)


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"Here you are:\n```json\n{GOOD}\n```\nAnything else?",
        f"Sure! {GOOD} I hope this helps.",
        f"As [1] says, {GOOD}",
        f'<think>Maybe {{"category": "0"}}?</think>{GOOD}',
        f"{GOOD}\n{GOOD}",
        GOOD.replace("0.5}", "0.5,}"),
        GOOD.replace('"1"', "'1'").replace('"category"', "category"),
        GOOD[:-1],
        GOOD.replace("category", "Category").replace("confidence", "CONFIDENCE "),
    ],
    ids=[
        *("fence", "bare fence", "fence in prose", "prose", "footnote", "thinking", "twice", "comma", "quotes", "open"),
        "names in capitals",
    ],
)
def test_json_with_something_around_it_or_a_slip_is_read_and_flagged(text: str):
    found = read_answer(text, Prior)
    assert isinstance(found, ReadAnswer)
    assert (found.value, found.repaired) == (VALUE, True)


@pytest.mark.parametrize(
    "text",
    [
        "I would call this harmless.",
        "",
        f"[{GOOD}, {GOOD}]",
        f"[[{GOOD}, 1]]",
        f"{GOOD} or rather {GOOD.replace(':', ': ').replace('0.5', '0.6')}",
        GOOD.replace("0.5", "1.7"),
        GOOD.replace("0.5", '"high"'),
        GOOD.replace("0.5", "NaN"),
        GOOD.replace("0.5", "1e999"),
        GOOD.replace(', "confidence": 0.5', ""),
        GOOD.replace('"category": "1"', '"category": "0", "category": "1"'),
        "[" * 50_000,
        "{" * 50_000,
        '{"a":' * 2_000,
        "[1, 2]",
        '"1"',
        "1" * 6_000,
        f"{GOOD}{' ' * 100_000}",
    ],
    ids=[
        "prose",
        "nothing",
        "array of two",
        "array in an array",
        "two values",
        "above its range",
        "word for number",
        "NaN",
        "infinite",
        "missing",
        "key twice",
        "brackets",
        "braces",
        "nested",
        "numbers",
        "string",
        "long number",
        "long text",
    ],
)
def test_anything_else_is_wrong_and_never_clipped_or_guessed(text: str):
    began = time.thread_time()
    found = read_answer(text, Prior)
    assert isinstance(found, InvalidAnswer)
    assert found.code == "invalid_output"
    assert found.error
    assert time.thread_time() - began < 2


@pytest.mark.parametrize("label", ["very hateful", "Hass", "I", " 1", "NotHate"])
def test_a_label_outside_the_closed_set_is_an_invalid_label(label: str):
    found = read_answer(GOOD.replace('"1"', f'"{label}"'), Prior)
    assert isinstance(found, InvalidAnswer)
    assert found.code == "invalid_label"


def test_a_label_that_a_shape_turns_down_itself_is_an_invalid_label():
    def known(code: str, info: ValidationInfo) -> str:
        allowed = (info.context or {})["codes"]
        if code not in allowed:
            raise invalid_label(code, allowed)
        return code

    class Free(BaseModel):
        category: Annotated[str, AfterValidator(known)]

    assert isinstance(read_answer('{"category": "sexist"}', Free, {"codes": ["sexist"]}), ReadAnswer)
    found = read_answer('{"category": "sexy"}', Free, {"codes": ["sexist", "racist"]})
    assert found == InvalidAnswer("invalid_label", "category: sexy is none of the labels: sexist, racist")


CHANNEL = "<|channel|>commentary to=functions.answer <|constrain|>json<|message|>"


def as_tags(tag: str) -> str:
    return "\n".join(tag.format(name=name, value=value) for name, value in json.loads(GOOD).items())


@pytest.mark.parametrize("again", ["0.5", "0.6"])
def test_a_field_that_a_call_in_tags_names_twice_has_one_value(again: str):
    text = as_tags("<parameter={name}>{value}</parameter>") + f"<parameter=confidence>{again}</parameter>"
    assert isinstance(read_answer(text, Prior), ReadAnswer) is (again == "0.5")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        json.dumps(json.dumps(GOOD)),
        f'{{"answer": {GOOD}}}',
        f'{{"response": {{"answer": {GOOD}}}}}',
        f'{{"name": "answer", "arguments": {json.dumps(GOOD)}}}',
        f'<tool_call>\n{{"name": "answer", "arguments": {GOOD}}}\n</tool_call>',
        f'{{"type": "function", "function": {{"name": "answer", "arguments": {json.dumps(GOOD)}}}}}',
        f'{{"type": "object", "properties": {GOOD}, "required": ["category"]}}',
        f'[TOOL_CALLS][{{"name": "answer", "arguments": {GOOD}}}]',
        f"[TOOL_CALLS]answer[ARGS]{GOOD}",
        f'<|python_tag|>{{"name": "answer", "parameters": {GOOD}}}<|eom_id|>',
        f"<function=answer>{GOOD}</function>",
        f'<|START_ACTION|>[{{"tool_call_id": "0", "tool_name": "answer", "parameters": {GOOD}}}]<|END_ACTION|>',
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>answer<｜tool▁sep｜>{GOOD}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        f"<|channel|>analysis<|message|>{{}}<|end|><|start|>assistant{CHANNEL}{GOOD}<|call|>",
        "<tool_call>\n<function=answer>\n" + as_tags("<parameter={name}>\n{value}\n</parameter>") + "\n</function>",
        '<invoke name="answer">' + as_tags('<parameter name="{name}">{value}</parameter>') + "</invoke>",
        "<tool_call>answer\n" + as_tags("<arg_key>{name}</arg_key>\n<arg_value>{value}</arg_value>") + "</tool_call>",
        f"<pre>{html.escape(GOOD)}</pre>",
    ],
)
def test_a_value_in_a_usual_wrapping_is_read(text: str):
    found = read_answer(text, Prior)
    assert isinstance(found, ReadAnswer)
    assert found.value == VALUE


@pytest.mark.parametrize(
    "text",
    [
        f'{{"draft": {GOOD}}}',
        f'{{"answer": {GOOD}, "note": "no, this is wrong"}}',
        f'{{"answer": {GOOD}, "result": {GOOD}}}',
        f'{{"answer": [{GOOD}]}}',
        f'{{"answer": {{"draft": {GOOD}}}}}',
        f'{{"answer": {GOOD}}}\n{{"answer": {GOOD.replace("0.5", "0.6")}}}',
        json.dumps(f"It is {GOOD}"),
    ],
)
def test_a_value_under_another_name_or_beside_another_is_none(text: str):
    assert isinstance(read_answer(text, Prior), InvalidAnswer)


values = st.fixed_dictionaries(
    {"category": st.sampled_from("01"), "explanation": st.text(max_size=20).map(lambda text: text.replace("\0", ""))}
).map(lambda part: json.dumps(part | {"confidence": 0.5}))
wrappings = st.sampled_from(
    ["{}", "```json\n{}\n```", "So: {} That is it.", '{{"answer": {}}}', "<think>{{}}</think>{}"]
)


@given(values, values, wrappings, wrappings)
def test_two_values_that_differ_are_never_one_answer(first: str, second: str, before: str, after: str):
    found = read_answer(f"{before.format(first)}\n{after.format(second)}", Prior)
    if isinstance(found, ReadAnswer):
        assert found.value == Prior.model_validate_json(first) == Prior.model_validate_json(second)


@given(values, wrappings)
def test_a_value_is_read_as_it_is_in_every_wrapping(value: str, wrapping: str):
    found = read_answer(wrapping.format(value), Prior)
    assert isinstance(found, ReadAnswer)
    assert found.value == Prior.model_validate_json(value)


@pytest.mark.parametrize("text", [f" {GOOD}\n", json.dumps(GOOD)])
def test_a_text_that_is_one_value_is_read_as_such(text: str):
    assert read_only_value(text, Prior) == VALUE


@pytest.mark.parametrize("text", [f"It is {GOOD}", f"{GOOD}\n{GOOD}", GOOD[:-1], "", "1", f"```json\n{GOOD}\n```"])
def test_a_text_with_anything_else_is_none(text: str):
    assert read_only_value(text, Prior) is None


def test_extra_keys_are_ignored():
    assert isinstance(read_answer(GOOD[:-1] + ', "mood": "grey"}', Prior), ReadAnswer)


def test_one_fitting_value_among_others_counts():
    found = read_answer(f'The post says {{"label": "x"}}. My answer: {GOOD}', Prior)
    assert isinstance(found, ReadAnswer)
    assert found.raw == GOOD


def test_what_is_said_back_to_the_model_names_the_fault():
    found = read_answer(GOOD.replace("0.5", "1.7"), Prior)
    assert isinstance(found, InvalidAnswer)
    assert "confidence: Input should be less than or equal to 1" in correction_prompt(found.error)


@pytest.mark.parametrize(
    "text",
    [
        "I can't help with that.",
        "I’m sorry, but I can’t assist with that request.",
        "Sorry, I cannot label this.",
        "Unfortunately, I am unable to judge this post.",
        "As an AI language model, I cannot evaluate this.",
        "**I won't** do that",
        "I don't feel comfortable with this.",
        "This content violates our policies and I won't engage with it.",
        "很抱歉，我无法协助处理该内容。",
        "我不能提供帮助",
        "죄송하지만 도와드릴 수 없습니다.",
    ],
)
def test_a_refusal_in_prose_is_known(text: str):
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"I can't be sure, but: {GOOD}",
        "This post says: I can't stand them.",
        "I think the author is sorry.",
        "The speaker cannot help it.",
        "This post attacks our policies on migration. I cannot see satire in it.",
        "This content violates the policies of the site.",
        "",
        "我认为这是无害的",
    ],
)
def test_an_answer_is_no_refusal(text: str):
    assert not is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "I can't help with that.",
        "I’m sorry, but I can’t assist with that request.",
        "Sorry, I cannot write a reply to this.",
        "Unfortunately, I am unable to generate this kind of content.",
        "As an AI language model, I cannot evaluate this.",
        "**I won't** do that",
        "I cannot comply with this request.",
        "I'm not comfortable writing this.",
        "I don't feel comfortable responding to this prompt.",
        "This request violates our policies.",
        "很抱歉，我无法协助处理该内容。",
        "我不能提供帮助",
        "죄송하지만 도와드릴 수 없습니다.",
        "죄송합니다. 이 요청은 처리할 수 없습니다.",
        "I can't help you with this",
        "I'm unable to provide a response to that.",
        "<think>hm</think>I'm sorry, I can't help with that.",
        "I apologize, but I cannot create content like that.",
        "I'm sorry, but I'm unable to help with this.",
        "Thanks, but writing this is outside of what I do.",
        "답글을 만들어 드릴 수 없습니다.",
        "이런 글은 쓰지 않습니다.",
        "我写不了这样的回复。",
        "拒绝请求：安全原因",
    ],
)
def test_what_says_that_it_does_not_write_is_no_reply(text: str):
    assert declines_to_write(text)


@pytest.mark.parametrize(
    "text",
    [
        "We cannot let words like these stand.",
        "I can't believe that we still say this about our neighbours.",
        "I'm sorry, but I can't agree: nobody was planted here first.",
        "I can't help but wonder who taught you that.",
        "We cannot do this to each other.",
        "We won't be silent about this.",
        "I am not able to see what the roses have to do with it.",
        "I won't accept that people are called weeds.",
        "Sorry, but we cannot call people weeds.",
        "I cannot write off a whole street because of one gardener.",
        "我们不能这样说别人。",
        "抱歉，我不能同意：没有人是杂草。",
        "我不能接受这种说法。",
        "죄송하지만 동의할 수 없습니다.",
        "이런 말을 두고 볼 수 없습니다.",
        "We cannot help everybody, but we can be kind.",
        "I don't feel comfortable when people are called weeds.",
        "I can't help feeling sad about this.",
        "Unfortunately, we cannot undo these words.",
        "I won't answer hate with hate.",
        "As an aid worker would say, people are no plants.",
        "This content of yours hurts people.",
        "We won't do that here: people are no weeds.",
        "We would rather listen than shout.",
        "증오에는 답하지 않겠습니다.",
        "저는 이웃을 그렇게 부르지 않겠습니다.",
        "이런 말을 받아들일 수 없습니다.",
        "我们不会用仇恨回应仇恨。",
        "谁也不会因为出生地而变成杂草。",
    ],
)
def test_a_reply_that_says_what_we_cannot_accept_is_no_refusal(text: str):
    assert not declines_to_write(text)
