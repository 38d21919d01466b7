"""Streams of DashScope, with a picture (the multimodal interface) and without: put together, cut, and with a fault."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.http.streams import whole_answer
from providers.messages import (
    BadRequest,
    Message,
    Model,
    Picture,
    ProviderBusy,
    Refused,
    Request,
    Text,
)
from providers.vendors import dashscope
from wire.server import DASHSCOPE_PICTURE_PATH, DASHSCOPE_TEXT_PATH, Behaviour, WireServer

ANSWER = json.dumps({"category": 1, "reason": "잡초 weeds 杂草"}, ensure_ascii=False)
PIECES = [ANSWER[at : at + 4] for at in range(0, len(ANSWER), 4)]
PLAIN = Request("prior_text", (Message.of("user", "weeds"),))
SEEN = Request("prior_image", (Message("user", (Text("weeds"), Picture(b"\x89PNG", "image/png"))),))

Content = str | list[dict[str, str]]


def parted(text: str) -> Content:
    """A text as the multimodal interface sends it: parts, none for nothing."""
    return [{"text": text}] if text else []


def plain(text: str) -> Content:
    return text


def result(content: Content, finish: str = "null", **message: Any) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    return {
        "output": {"choices": [choice]},
        "usage": {"input_tokens": 7, "output_tokens": 3, "image_tokens": 2},
        "request_id": "r",
    }


def fault(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "message": message, "request_id": "r"}


def sent(*bodies: dict[str, Any]) -> bytes:
    """Events as DashScope writes them: with the status of each as a comment."""
    lines = []
    for at, body in enumerate(bodies, start=1):
        kind, code = ("result", 200) if "output" in body else ("error", 400)
        lines.append(f"id:{at}\nevent:{kind}\n:HTTP_STATUS/{code}\ndata:{json.dumps(body, ensure_ascii=False)}\n\n")
    return "".join(lines).encode()


def stream(*bodies: dict[str, Any]) -> Behaviour:
    return lambda exchange: exchange.send_bytes(200, sent(*bodies), {"Content-Type": "text/event-stream;charset=UTF-8"})


@pytest.fixture
def model(wire: WireServer) -> Model:
    return dashscope.connect(dashscope.Endpoint("sk-CANARY-1", wire.dashscope_url)).model("some-model")


BOTH = pytest.mark.parametrize(
    ("request_", "content", "path"),
    [(PLAIN, plain, DASHSCOPE_TEXT_PATH), (SEEN, parted, DASHSCOPE_PICTURE_PATH)],
    ids=["text", "picture"],
)


@BOTH
def test_what_is_new_in_each_event_is_put_together(
    model: Model, wire: WireServer, request_: Request, content: Any, path: str
) -> None:
    wire.queue(stream(*[result(content(piece)) for piece in PIECES], result(content(""), "stop")))
    reply = model.reply(request_)
    assert (reply.text, reply.finish, reply.usage.input_tokens) == (ANSWER, "stop", 7)
    assert wire.heard[0].path.endswith(path)


@BOTH
def test_of_events_that_say_all_so_far_the_last_counts(
    model: Model, wire: WireServer, request_: Request, content: Any, path: str
) -> None:
    so_far = [ANSWER[:end] for end in range(4, len(ANSWER), 4)]
    wire.queue(stream(*[result(content(text)) for text in so_far], result(content(ANSWER), "stop")))
    assert model.reply(request_).text == ANSWER


@BOTH
def test_thoughts_before_an_answer_are_none_of_it(
    model: Model, wire: WireServer, request_: Request, content: Any, path: str
) -> None:
    thoughts = [result(content(""), reasoning_content=piece) for piece in ("It may ", "be ", "harmless.")]
    wire.queue(stream(*thoughts, *[result(content(piece)) for piece in PIECES], result(content(""), "stop")))
    reply = model.reply(request_)
    assert (reply.text, reply.thought) == (ANSWER, "")


@BOTH
def test_an_answer_among_the_thoughts_alone_is_told_apart(
    model: Model, wire: WireServer, request_: Request, content: Any, path: str
) -> None:
    wire.queue(stream(*[result(content(""), reasoning_content=piece) for piece in PIECES], result(content(""), "stop")))
    reply = model.reply(request_)
    assert (reply.text, reply.thought) == ("", ANSWER)


@BOTH
def test_a_stream_without_its_end_is_no_answer(
    model: Model, wire: WireServer, request_: Request, content: Any, path: str
) -> None:
    wire.queue(stream(*[result(content(piece)) for piece in PIECES]))
    with pytest.raises(ProviderBusy):
        model.reply(request_)


@BOTH
@pytest.mark.parametrize("begun", [False, True], ids=["at once", "in the middle"])
@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        ("Throttling.RateQuota", "Requests rate limit exceeded, please try again later.", ProviderBusy),
        ("InternalError.Timeout", "An internal timeout error has occurred.", ProviderBusy),
        ("DataInspectionFailed", "Output data may contain inappropriate content.", Refused),
        ("InvalidParameter", "The image length and width do not meet the model restrictions.", BadRequest),
    ],
)
def test_a_fault_in_a_stream_is_told_as_what_it_is(
    model: Model,
    wire: WireServer,
    request_: Request,
    content: Any,
    path: str,
    begun: bool,
    code: str,
    message: str,
    kind: type[Exception],
) -> None:
    wire.queue(stream(*[result(content(piece)) for piece in PIECES[:3] if begun], fault(code, message)))
    with pytest.raises(kind, match=message[:20]):
        model.reply(request_)


@given(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=12), st.booleans())
def test_however_a_text_is_cut_into_events_it_is_put_together(pieces: list[str], is_parted: bool) -> None:
    content = parted if is_parted else plain
    whole = whole_answer(sent(*[result(content(piece)) for piece in pieces], result(content(""), "stop")))
    assert whole["output"]["choices"][0]["message"]["content"] == "".join(pieces)
