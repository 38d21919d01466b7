"""The real SDKs against a server that misbehaves (threats L07-L19), and what each fault is called."""

import json
import resource
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from providers.http.bounds import Bounds
from providers.messages import Message, Model, ProviderBusy, ProviderError, ProviderPaused, Refused, Request
from wire.server import WireServer, drip, hang, say, status

Connect = Callable[..., Model]


def test_a_question_is_answered(connect: Connect, question: Request, vendor: str, wire: WireServer):
    reply = connect("wire-sensible").reply(question)
    assert json.loads(reply.text)["category"] in {"0", "1"}
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.estimated) == (120, 30, False)
    assert (reply.finish, reply.attempts, reply.model) == ("stop", 1, "wire-sensible")
    [heard] = wire.heard
    assert heard.headers["authorization"] == "Bearer sk-CANARY-1"
    assert not any(name.startswith("x-stainless") for name in heard.headers)  # nothing of the machine is told
    assert heard.said("system").startswith("Answer in JSON.")
    assert heard.said("user") == "weeds in the white roses again"


def test_the_same_question_gets_the_same_answer(connect: Connect, question: Request):
    model = connect()
    assert model.reply(question).text == model.reply(question).text


@pytest.mark.parametrize("behaviour", ["null", "blank"])
def test_an_empty_answer_is_a_reply_without_text(connect: Connect, question: Request, behaviour: str):
    assert connect(f"wire-{behaviour}").reply(question).text.strip() == ""


def test_a_filter_of_the_provider_is_a_blocked_refusal(connect: Connect, question: Request):
    with pytest.raises(Refused) as refused:
        connect("wire-blocked").reply(question)
    assert refused.value.code == "provider_blocked"


def test_data_inspection_is_known_through_the_other_protocol_too(connect: Connect, question: Request, wire: WireServer):
    wire.queue(status(400, "data_inspection_failed"))
    with pytest.raises(Refused) as refused:
        connect().reply(question)
    assert refused.value.code == "provider_blocked"


@pytest.mark.parametrize("vendor", ["openai"], indirect=True)
def test_a_refusal_field_is_a_refusal(connect: Connect, question: Request):
    with pytest.raises(Refused, match="I will not label this") as refused:
        connect("wire-refusal").reply(question)
    assert refused.value.code == "refused"


@pytest.mark.parametrize("vendor", ["openai"], indirect=True)
def test_a_filtered_answer_is_a_blocked_refusal(connect: Connect, question: Request):
    with pytest.raises(Refused) as refused:
        connect("wire-filter").reply(question)
    assert refused.value.code == "provider_blocked"


def test_a_hang_ends_at_the_read_timeout(connect: Connect, question: Request, wire: WireServer):
    wire.queue(hang(30))
    began = time.monotonic()
    with pytest.raises(ProviderBusy) as busy:
        connect().reply(question)
    assert busy.value.code == "timeout"
    assert time.monotonic() - began < 25


@pytest.mark.parametrize("headers", [False, True], ids=["body", "headers"])
def test_a_dripping_server_is_cut_at_the_wall_clock(
    connect: Connect, question: Request, wire: WireServer, headers: bool
):
    wire.queue(drip(0.2, headers=headers))
    began = time.monotonic()
    with pytest.raises(ProviderBusy) as busy:
        connect().reply(question)
    assert busy.value.code == "timeout"
    # The wall clock of these tests is 1.5 s; the whole answer would take more than half a minute.
    assert 1.3 < time.monotonic() - began < 25


@pytest.mark.parametrize("behaviour", ["429", "500", "502", "503", "529", "html-502"])
def test_a_passing_fault_is_busy(connect: Connect, question: Request, behaviour: str):
    with pytest.raises(ProviderBusy) as busy:
        connect(f"wire-{behaviour}").reply(question)
    assert (busy.value.code, busy.value.retry_after) == ("provider_error", None)


@pytest.mark.parametrize(("behaviour", "seconds"), [("429-3", 3), ("429-600", 600)])
def test_busy_says_how_long_to_wait(connect: Connect, question: Request, behaviour: str, seconds: float):
    with pytest.raises(ProviderBusy) as busy:
        connect(f"wire-{behaviour}").reply(question)
    assert busy.value.retry_after == seconds


@pytest.mark.parametrize("behaviour", ["quota", "401", "403"])
def test_a_fault_of_the_account_pauses_the_provider(connect: Connect, question: Request, behaviour: str):
    with pytest.raises(ProviderPaused, match="key and the quota"):
        connect(f"wire-{behaviour}").reply(question)


@pytest.mark.parametrize("behaviour", ["404", "context"])
def test_a_bad_request_is_final(connect: Connect, question: Request, behaviour: str):
    with pytest.raises(ProviderError) as fault:
        connect(f"wire-{behaviour}").reply(question)
    assert fault.value.code == "bad_request"
    assert not isinstance(fault.value, ProviderBusy)


@pytest.mark.parametrize("behaviour", ["html", "empty", "garbage", "list", "nested", "cut", "hang-up"])
def test_an_unreadable_answer_is_a_passing_fault_asked_once(
    connect: Connect, question: Request, behaviour: str, wire: WireServer
):
    with pytest.raises(ProviderBusy) as busy:
        connect(f"wire-{behaviour}").reply(question)
    assert busy.value.code == "provider_error"
    assert len(wire.heard) == 1  # no SDK sends anything again by itself


@pytest.mark.parametrize("behaviour", ["huge", "bomb"])
def test_an_endless_answer_is_cut_without_being_held(connect: Connect, question: Request, behaviour: str):
    model = connect(f"wire-{behaviour}", bounds=Bounds(read=5, wall=20, body=1_000_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ProviderError) as fault:
        model.reply(question)
    assert fault.value.code == "too_large"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 1024  # KiB


def test_gzip_that_nobody_asked_for_is_read(connect: Connect, question: Request):
    assert json.loads(connect("wire-packed").reply(question).text)["severity"] in {0, 1, 2, 3}


def test_missing_usage_is_estimated_from_the_characters(connect: Connect, wire: WireServer):
    # 8 + 8 Latin characters are 2 + 2 tokens, 3 CJK characters are 3; the answer of 6 characters is 2.
    asked = Request(role="x", messages=(Message.of("system", "a" * 8), Message.of("user", "b" * 8 + "白玫瑰")))
    wire.queue(say("answer", usage=False))
    usage = connect().reply(asked).usage
    assert (usage.input_tokens, usage.output_tokens, usage.estimated) == (7, 2, True)


def test_an_answer_cut_at_its_limit_says_so(connect: Connect, question: Request):
    assert connect("wire-repeat").reply(question).finish == "length"


def test_parameters_arrive_as_they_were_given(connect: Connect, question: Request, wire: WireServer, vendor: str):
    connect().reply(replace(question, temperature=0.8, max_tokens=77))
    connect().reply(replace(question, temperature=None))
    first, second = (heard.body if vendor == "openai" else heard.body["parameters"] for heard in wire.heard)
    assert (first["temperature"], first["max_tokens"]) == (0.8, 77)
    assert "temperature" not in second


def test_proxies_of_the_environment_are_ignored(connect: Connect, question: Request, monkeypatch: pytest.MonkeyPatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert connect().reply(question).text


def test_a_server_that_is_not_there_is_a_passing_fault(connect: Connect, question: Request, wire: WireServer):
    model = connect()
    wire.stop()
    with pytest.raises(ProviderBusy, match="connection failed"):
        model.reply(question)


def test_a_broken_connection_leaves_the_next_question_alone(connect: Connect, question: Request, wire: WireServer):
    model = connect()
    for behaviour in ("cut", "drip", "huge", "hang-up"):
        wire.queue(behaviour)
        with pytest.raises(ProviderError):
            model.reply(question)
        assert json.loads(model.reply(question).text)
