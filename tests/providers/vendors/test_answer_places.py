"""Wherever a server puts its model's answer, and however it sends it, the text is the same."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.answer_places import said_in, text_of
from providers.http.streams import CutStream, whole_answer
from providers.messages import Model, ProviderBusy, Request
from wire.server import Behaviour, Exchange, WireServer

Connect = Callable[..., Model]
VALUE = {"category": 1, "hateful": True, "reason": "It is hateful."}
ANSWER = json.dumps(VALUE)

PLACES: dict[str, dict[str, Any]] = {
    "a text": {"content": ANSWER},
    "parts": {"content": [{"type": "text", "text": ANSWER[:9]}, {"type": "output_text", "text": ANSWER[9:]}]},
    "parts without a kind": {"content": [{"text": ANSWER}]},
    "Mistral's thoughts before it": {
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": "{}"}]},
            {"type": "text", "text": ANSWER},
        ]
    },
    "an object": {"content": VALUE},
    "an object that is a part": {"content": {"type": "text", "text": ANSWER}},
    "a call": {"content": None, "tool_calls": [{"id": "1", "function": {"name": "answer", "arguments": ANSWER}}]},
    "a call with an object": {"content": "", "tool_calls": [{"function": {"name": "answer", "arguments": VALUE}}]},
    "a call without its function": {"content": "", "tool_calls": [{"name": "answer", "parameters": VALUE}]},
    "parts with more beside": {
        "content": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "{}"}]},
            {"type": "output_text", "text": ANSWER, "annotations": [], "logprobs": [], "citations": None},
        ]
    },
    "a part whose text is an object": {"content": [{"type": "text", "text": {"value": ANSWER, "annotations": []}}]},
    "a part of JSON": {"content": [{"type": "json", "json": VALUE}]},
    "a part that is a call": {"content": [{"type": "tool_use", "id": "1", "name": "answer", "input": VALUE}]},
    "Gemini's own content": {"content": {"role": "model", "parts": [{"text": ANSWER}]}},
    "a value beside an empty content": {"content": None, "parsed": VALUE},
    "an old call": {"content": None, "function_call": {"name": "answer", "arguments": ANSWER}},
}


def with_message(message: dict[str, Any]) -> Behaviour:
    def behave(exchange: Exchange) -> None:
        body = exchange.reply("")
        (body.get("output") or body)["choices"][0]["message"] = {"role": "assistant", **message}
        exchange.send(200, body)

    return behave


@pytest.mark.parametrize("message", PLACES.values(), ids=PLACES.keys())
def test_an_answer_is_found_in_its_place(
    connect: Connect, question: Request, wire: WireServer, message: dict[str, Any]
) -> None:
    wire.queue(with_message(message))
    assert json.loads(connect().reply(question).text) == VALUE


def test_an_answer_of_the_old_protocols_is_found(
    connect: Connect, question: Request, wire: WireServer, vendor: str
) -> None:
    old = {"choices": [{"index": 0, "text": ANSWER, "finish_reason": "stop"}]}
    own = {"output": {"text": ANSWER, "finish_reason": "stop"}}
    wire.queue(lambda exchange: exchange.send(200, old if vendor == "openai" else own))
    reply = connect().reply(question)
    assert (reply.text, reply.finish) == (ANSWER, "stop")


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_what_stands_with_the_thoughts_is_told_apart(
    connect: Connect, question: Request, wire: WireServer, name: str
) -> None:
    wire.queue(with_message({"content": "", name: ANSWER}), with_message({"content": "said", name: ANSWER}))
    model = connect()
    empty, full = model.reply(question), model.reply(question)
    assert (empty.text, empty.thought) == ("", ANSWER)
    assert (full.text, full.thought) == ("said", "")


@pytest.mark.parametrize("choice", [{"delta": {"content": ANSWER}}, {"message": ANSWER}, {"text": ANSWER}])
def test_an_answer_beside_its_usual_place_is_found(choice: dict[str, Any]) -> None:
    assert said_in(choice).text == ANSWER


def test_thoughts_in_details_are_told_apart() -> None:
    details = [{"type": "reasoning.text", "text": ANSWER, "format": "unknown", "index": 0}]
    assert said_in({"message": {"content": "", "reasoning_details": details}}) == ("", ANSWER, "")


def test_words_before_a_call_and_two_calls_are_all_kept() -> None:
    first, second = ({"function": {"arguments": f'{{"category": {code}}}'}} for code in (0, 1))
    said = said_in({"message": {"content": "I call it.", "tool_calls": [first, second]}})
    assert said.text == 'I call it.\n{"category": 0}\n{"category": 1}'


@pytest.mark.parametrize("odd", [None, 3, [], {}, [3, None], {"type": "image"}])
def test_what_is_no_text_is_none(odd: Any) -> None:
    assert text_of(odd) == ""


# ── Streams ───────────────────────────────────────────────────────────────────


def events(*bodies: Any, done: bool = True) -> bytes:
    said = [body if isinstance(body, str) else json.dumps(body, ensure_ascii=False) for body in bodies]
    return "".join(f"data: {one}\n\n" for one in [*said, *(["[DONE]"] if done else [])]).encode()


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def piece(text: str, finish: str = "null", **more: Any) -> dict[str, Any]:
    choice = {"finish_reason": finish, "message": {"role": "assistant", "content": text}}
    return {"output": {"choices": [choice]}, "usage": {"input_tokens": 7, "output_tokens": 3}, **more}


OPENAI = events(
    chunk(role="assistant", content=""),
    chunk(reasoning_content="{}"),
    *[chunk(content=ANSWER[at : at + 7]) for at in range(0, len(ANSWER), 7)],
    chunk("stop"),
    {"model": "m", "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}},
)
NEW_ONLY = events(*[piece(letter) for letter in ANSWER], piece("", "stop"), done=False)
ALL_SO_FAR = events(*[piece(ANSWER[:end]) for end in range(5, len(ANSWER), 5)], piece(ANSWER, "stop"), done=False)
TEXTS = events({"output": {"text": ANSWER, "finish_reason": "stop"}}, done=False)
STREAMS = {"openai": [OPENAI], "dashscope": [NEW_ONLY, ALL_SO_FAR, TEXTS]}


def streamed(content: bytes, kind: str = "text/event-stream") -> Behaviour:
    return lambda exchange: exchange.send_bytes(200, content, {"Content-Type": kind})


@pytest.mark.parametrize("kind", ["text/event-stream", "application/json"])
def test_a_stream_that_nobody_asked_for_is_read(
    connect: Connect, question: Request, wire: WireServer, vendor: str, kind: str
) -> None:
    wire.queue(*(streamed(content, kind) for content in STREAMS[vendor]))
    model = connect()
    for _ in STREAMS[vendor]:
        reply = model.reply(question)
        assert (reply.text, reply.finish) == (ANSWER, "stop")
    if vendor == "openai":
        assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 3)


@pytest.mark.parametrize("vendor", ["openai"], indirect=True)
def test_a_call_in_a_stream_is_put_together(connect: Connect, question: Request, wire: WireServer) -> None:
    calls = [{"index": 0, "function": {"arguments": ANSWER[at : at + 9]}} for at in range(0, len(ANSWER), 9)]
    wire.queue(streamed(events(*[chunk(tool_calls=[call]) for call in calls], chunk("tool_calls"))))
    assert connect().reply(question).text == ANSWER


def test_a_stream_that_stops_is_no_answer(connect: Connect, question: Request, wire: WireServer, vendor: str) -> None:
    half = (
        events(chunk(content='{"category": 1}'), done=False) if vendor == "openai" else events(piece("{}"), done=False)
    )
    wire.queue(streamed(half))
    with pytest.raises(ProviderBusy, match="stopped before its end"):
        connect().reply(question)


def test_a_fault_in_a_stream_is_told_in_its_words(connect: Connect, question: Request, wire: WireServer) -> None:
    wire.queue(streamed(events({"error": {"message": "engine is overloaded", "code": 503}})))
    with pytest.raises(ProviderBusy, match="engine is overloaded"):
        connect().reply(question)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60), st.integers(1, 9))
def test_however_a_text_is_cut_into_deltas_it_is_put_together(text: str, size: int) -> None:
    cut = [chunk(content=text[at : at + size]) for at in range(0, len(text), size)]
    assert whole_answer(events(*cut, chunk("stop")))["choices"][0]["message"]["content"] == text
    with pytest.raises(CutStream):
        whole_answer(events(*cut, done=False))
