"""Faults inside an answer with status 200, wrong addresses and broken connections: each is told as what it is."""

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from providers.http.bounds import Bounds
from providers.http.broken_connections import why_unreachable
from providers.learnt_facts import site_facts
from providers.messages import Message, Model, ProviderBusy, ProviderError, Request, Text, WrongAddress
from providers.profiles import Fact, Lesson
from providers.vendors import openai
from wire.certificates import certified
from wire.server import Behaviour, Exchange, WireServer, sensible

Connect = Callable[..., Model]
QUICK = Bounds(connect=2, read=1, wall=1.5)


def answers(body: Any, status: int = 200) -> Behaviour:
    return lambda exchange: exchange.send(status, body)


def chosen(**choice: Any) -> Behaviour:
    """A good answer but for fields of its choice."""

    def behave(exchange: Exchange) -> None:
        body = exchange.reply("")
        (body.get("output") or body)["choices"][0].update(choice)
        exchange.send(200, body)

    return behave


def changed(**fields: Any) -> Behaviour:
    """A good answer but for fields of its body, in whichever form."""
    return lambda exchange: exchange.send(200, {**exchange.reply("x"), **fields})


PASSING: dict[str, tuple[Behaviour, str]] = {
    "a sentence": (answers({"error": "model is loading"}), "model is loading"),
    "a choice": (
        chosen(finish_reason="error", error={"code": 502, "message": "Upstream idle timeout exceeded"}),
        "Upstream idle timeout exceeded",
    ),
    "a code": (answers({"code": "Throttling.RateQuota", "message": "Too many requests"}), "Throttling.RateQuota"),
    "a detail": (answers({"detail": "busy, try again later"}), "busy, try again later"),
    "msg": (answers({"msg": "系统繁忙，请稍后再试"}), "系统繁忙"),
}
FINAL: dict[str, tuple[Behaviour, str]] = {
    "no choices": (changed(choices=[], output={"choices": []}), "without an answer"),
    "null": (changed(choices=None, output={"choices": None}), "without an answer"),
    "nothing": (answers({}), "without an answer"),
    "a model": (answers({"code": 20012, "message": "Model does not exist. Please check it."}), "does not exist"),
    "an error": (answers({"error": {"message": "kernel 7 is gone", "type": "x"}}), "kernel 7 is gone"),
    "a choice": (chosen(finish_reason="error", error={"message": "no such tensor"}), "no such tensor"),
}


@pytest.mark.parametrize(("behaviour", "sentence"), PASSING.values(), ids=PASSING.keys())
def test_a_passing_fault_in_a_success_is_one(
    connect: Connect, question: Request, wire: WireServer, behaviour: Behaviour, sentence: str
) -> None:
    wire.queue(behaviour)
    with pytest.raises(ProviderBusy, match=sentence):
        connect().reply(question)


@pytest.mark.parametrize(("behaviour", "sentence"), FINAL.values(), ids=FINAL.keys())
def test_any_other_fault_in_a_success_is_final_and_in_its_own_words(
    connect: Connect, question: Request, wire: WireServer, behaviour: Behaviour, sentence: str
) -> None:
    wire.queue(behaviour)
    with pytest.raises(ProviderError, match=sentence) as fault:
        connect().reply(question)
    assert not isinstance(fault.value, ProviderBusy)


def test_half_of_an_emoji_is_replaced_in_answers_and_in_prompts(
    connect: Connect, question: Request, wire: WireServer
) -> None:
    wire.queue(lambda exchange: exchange.send(200, exchange.reply("cut \ud83d here, whole \U0001f600")))
    model = connect()
    text = model.reply(question).text
    assert text == "cut \ufffd here, whole \U0001f600"
    again = Request("x", (Message("user", (Text(f"{text} and \ude00"),)),))
    assert json.loads(model.reply(again).text)
    assert wire.heard[1].said() == "cut \ufffd here, whole \U0001f600 and \ufffd"


# ── Addresses ─────────────────────────────────────────────────────────────────


def only_below_v1(exchange: Exchange) -> None:
    if exchange.heard.path.startswith("/v1/"):
        sensible(exchange)
    else:
        exchange.send_bytes(404, b"404 page not found", {"Content-Type": "text/plain"})


def test_an_address_without_v1_is_tried_once_with_it_and_stays_there(
    question: Request, wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    wire.always(only_below_v1)
    model = openai.connect(openai.Endpoint("sk-1", f"http://127.0.0.1:{wire.port}/", QUICK), provider="lab").model("m")
    for _ in range(2):
        assert json.loads(model.reply(question).text)
    assert [heard.path for heard in wire.heard] == ["/chat/completions", "/v1/chat/completions", "/v1/chat/completions"]
    assert f"lab answers at http://127.0.0.1:{wire.port}/v1: set MODEL_SERVERS to it" in caplog.text
    assert site_facts.about("lab:m") == (Lesson(Fact.ROOT, "/v1"),)


def test_where_no_model_server_is_the_address_is_named_and_not_the_model(
    connect: Connect, question: Request, wire: WireServer, vendor: str
) -> None:
    wire.always(answers({"detail": "Not Found"}, 404))
    setting = {"openai": "OPENAI_BASE_URL", "dashscope": "DASHSCOPE_HTTP_BASE_URL"}[vendor]
    with pytest.raises(WrongAddress, match=rf"No model server answers at http://127.0.0.1:{wire.port}/.*{setting}"):
        connect("m").reply(question)
    assert len(wire.heard) == 1  # it ends with /v1 already


def test_a_redirect_is_final_and_its_target_named(connect: Connect, question: Request, wire: WireServer) -> None:
    with pytest.raises(WrongAddress, match=r"redirect \(302\) to http://127.0.0.1:9/elsewhere"):
        connect("wire-redirect").reply(question)
    assert len(wire.heard) == 1


# ── Connections ───────────────────────────────────────────────────────────────


def test_a_port_without_tls_and_one_where_nobody_listens_are_told_apart(question: Request, wire: WireServer) -> None:
    assert "does not speak TLS there" in fault_at(f"https://127.0.0.1:{wire.port}/v1", question)
    assert "refused it" in fault_at("http://[::1]:9/v1", question)


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        (socket.gaierror(-2, "Name or service not known"), "no server of the name in https://h.example"),
        (socket.gaierror(-3, "Temporary failure in name resolution"), "the name server did not answer"),
        (ConnectionRefusedError(111, "refused"), "refused it"),
        (ConnectionResetError(104, "reset"), "broke it off before the answer was whole"),
        (OSError(113, "No route to host"), "no way from this machine"),
        (ssl.SSLError(1, "[SSL: TLSV1_ALERT] alert"), "agreed on no TLS"),
        (RuntimeError("?"), "ended it without a whole answer"),
    ],
)
def test_a_broken_connection_is_told_by_its_first_cause(cause: BaseException, sentence: str) -> None:
    try:
        raise OSError("the library's own wrapping") from cause
    except OSError as fault:
        assert sentence in why_unreachable(fault, "https://h.example")


@pytest.fixture
def with_own_certificate(tmp_path: Path) -> Iterator[str]:
    """A server whose certificate nobody trusts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    context, _trusting = certified(tmp_path, "localhost")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"https://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def test_a_certificate_that_is_not_trusted_names_the_variable(question: Request, with_own_certificate: str) -> None:
    told = fault_at(with_own_certificate, question)
    assert "certificate" in told and "SSL_CERT_FILE" in told


def test_a_wrong_header_of_packing_is_named(connect: Connect, question: Request, wire: WireServer) -> None:
    wire.queue(lambda exchange: exchange.send(200, exchange.reply("{}"), {"Content-Encoding": "gzip"}))
    with pytest.raises(ProviderBusy, match="not packed as its header Content-Encoding says"):
        connect().reply(question)


def fault_at(address: str, question: Request) -> str:
    model = openai.connect(openai.Endpoint("sk-1", address, QUICK), provider="lab").model("m")
    with pytest.raises(ProviderBusy) as fault:
        model.reply(question)
    return str(fault.value)
