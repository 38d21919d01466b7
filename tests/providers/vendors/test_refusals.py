"""Every form in which vendors decline or cut an answer today is known, and no other fault is taken for one."""

from collections.abc import Callable
from typing import Any

import pytest

from providers.messages import Model, ProviderBusy, ProviderError, ProviderPaused, Refused, Request
from wire.server import Behaviour, Exchange, WireServer, status

Connect = Callable[..., Model]

only_openai = pytest.mark.parametrize("vendor", ["openai"], indirect=True)


def ends(finish: str, text: str | None = None, **choice: Any) -> Behaviour:
    """Answer with this finish reason, and further fields beside it."""

    def behave(exchange: Exchange) -> None:
        body = exchange.reply(text, finish=finish)
        (body.get("output") or body)["choices"][0].update(choice)
        exchange.send(200, body)

    return behave


def inner(word: str) -> Behaviour:
    """Answer 400 as Azure does, with the telling word inside."""
    error = {"message": "Bad request.", "code": None, "innererror": {"code": word}}
    return lambda exchange: exchange.send(400, {"error": error, "code": word, "message": "Bad request."})


BLOCKED: dict[str, Behaviour] = {
    "invalid_prompt": status(400, "invalid_prompt", "Your prompt was flagged."),
    "a policy of its own": status(400, "cyber_policy", "This request has been flagged."),
    "in words alone": status(400, "", "This appears to violate our Usage Policy."),
    "content_policy_violation": status(400, "content_policy_violation"),
    "content_filter": status(400, "content_filter"),
    "DataInspectionFailed": status(400, "DataInspectionFailed"),
    "data_inspection_failed": status(400, "data_inspection_failed"),
    "older DashScope": status(400, "invalid_parameter_error", "Input data may contain inappropriate content."),
    "Azure": inner("ResponsibleAIPolicyViolation"),
    "Azure in words": status(400, "", "The prompt triggered the content management policy of this service."),
    "a router": status(403, "403", "This model requires moderation and your input was flagged for hate."),
    "filtered at the end": ends("content_filter"),
    "filtered half way": ends("content_filter", "Half of an"),
    "safety": ends("SAFETY"),
    "prohibited": ends("content_filter: PROHIBITED_CONTENT"),
    "sensitive": ends("sensitive", ""),
}


@pytest.mark.parametrize("behaviour", BLOCKED.values(), ids=BLOCKED.keys())
def test_content_that_a_filter_stopped_is_blocked(
    connect: Connect, question: Request, wire: WireServer, behaviour: Behaviour
):
    wire.queue(behaviour)
    with pytest.raises(Refused) as refused:
        connect().reply(question)
    assert refused.value.code == "provider_blocked"


OPENAI_BLOCKED: dict[str, Behaviour] = {
    "what stands behind a router": ends("stop", "", native_finish_reason="SAFETY"),
    "a filter's verdict": ends("stop", "", content_filter_results={"hate": {"filtered": True, "severity": "high"}}),
    "an error in a good answer": lambda exchange: exchange.send(
        200, {"error": {"message": "blocked", "code": "content_filter"}}
    ),
}


@only_openai
@pytest.mark.parametrize("behaviour", OPENAI_BLOCKED.values(), ids=OPENAI_BLOCKED.keys())
def test_an_empty_answer_with_a_reason_of_safety_is_blocked(
    connect: Connect, question: Request, wire: WireServer, behaviour: Behaviour
):
    wire.queue(behaviour)
    with pytest.raises(Refused) as refused:
        connect().reply(question)
    assert refused.value.code == "provider_blocked"


@pytest.mark.parametrize("finish", ["refusal", "Refused"])
def test_a_model_that_declined_is_a_refusal(connect: Connect, question: Request, wire: WireServer, finish: str):
    wire.queue(ends(finish, ""))
    with pytest.raises(Refused) as refused:
        connect().reply(question)
    assert refused.value.code == "refused"


def test_an_answer_with_words_is_an_answer_whatever_a_rating_says(
    connect: Connect, question: Request, wire: WireServer
):
    rating = {"hate": {"filtered": False, "severity": "medium"}}
    wire.queue(ends("safety", "{}"), ends("stop", "{}", content_filter_results=rating), ends("stop", ""))
    model = connect()
    assert [model.reply(question).text for _ in range(3)] == ["{}", "{}", ""]


FAULTS: dict[str, tuple[Behaviour, type[Exception]]] = {
    "a bad request about policies": (status(400, "bad", "policy_id is unknown"), ProviderError),
    "a busy filter": (status(503, "unavailable", "The safety system is away."), ProviderBusy),
    "no access": (status(403, "AccessDenied", "The policy of this account forbids it."), ProviderPaused),
}


@pytest.mark.parametrize(("behaviour", "fault"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_that_only_sounds_like_it_is_no_refusal(
    connect: Connect, question: Request, wire: WireServer, behaviour: Behaviour, fault: type[Exception]
):
    wire.queue(behaviour)
    with pytest.raises(fault):
        connect().reply(question)


@only_openai
def test_a_fault_inside_a_good_answer_is_a_fault(connect: Connect, question: Request, wire: WireServer):
    wire.queue(lambda exchange: exchange.send(200, {"error": {"message": "upstream is away", "code": 503}}))
    with pytest.raises(ProviderBusy, match="upstream is away"):
        connect().reply(question)


@pytest.mark.parametrize("word", ["length", "MAX_TOKENS", "model_length"])
def test_every_word_for_a_cut_answer_is_one(connect: Connect, question: Request, wire: WireServer, word: str):
    wire.queue(ends(word, "Half of an"))
    assert connect().reply(question).finish == "length"
