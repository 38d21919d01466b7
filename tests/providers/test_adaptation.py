"""Models are asked in the way they take, and what their servers reject is learnt, over real HTTP and the real SDKs."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from providers import wiring
from providers.conversation_forms import REMINDER
from providers.learnt_facts import LearntFacts
from providers.messages import Message, Part, Picture, ProviderBusy, ProviderError, Refused, Reply, Request, Text
from providers.profiles import Fact, Lesson, read_amendments
from wire import families
from wire.server import Behaviour, Heard, WireServer, say, status

ROLE = "prior_text"
Ask = Callable[..., Reply]


@pytest.fixture(autouse=True)
def facts(monkeypatch: pytest.MonkeyPatch) -> LearntFacts:
    """What is learnt in one test, unknown to all others."""
    made = LearntFacts()
    monkeypatch.setattr(wiring, "site_facts", made)
    return made


@pytest.fixture
def ask(settings: Any, wire: WireServer, vendor: str, question: Request) -> Iterator[Ask]:
    """Asks the vendor's model of this name as the site does; behaviours of the server are given before."""
    settings.OPENAI_API_KEY = settings.DASHSCOPE_API_KEY = "sk-CANARY-1"
    settings.OPENAI_BASE_URL, settings.DASHSCOPE_HTTP_BASE_URL = wire.openai_url, wire.dashscope_url
    settings.MODEL_ALLOWED, settings.MODEL_BACKOFF, settings.MODEL_ATTEMPTS = ["*:*"], 0, 2

    def make(name: str = "some-model", asked: Request = question, **changes: Any) -> Reply:
        return wiring.model_for(ROLE, {ROLE: f"{vendor}:{name}"}).reply(replace(asked, **changes))

    yield make


only_openai = pytest.mark.parametrize("vendor", ["openai"], indirect=True)
only_dashscope = pytest.mark.parametrize("vendor", ["dashscope"], indirect=True)


def sent(heard: Heard) -> dict[str, Any]:
    """The parameters of a request, without those that every request has."""
    body = heard.body.get("parameters") or heard.body
    return {name: value for name, value in body.items() if name not in ("model", "messages", "input", "result_format")}


# ── Known families ────────────────────────────────────────────────────────────


@only_openai
@pytest.mark.parametrize("name", ["gpt-5", "gpt-5-mini-2025-08-07", "openai/gpt-5", "o3", "o4-mini"])
def test_a_reasoning_model_is_asked_at_once_as_it_wants_it(ask: Ask, wire: WireServer, name: str):
    wire.always(families.gpt5)
    reply = ask(name)
    [heard] = wire.heard
    assert sent(heard).keys() == {"max_completion_tokens", "response_format"}
    assert (reply.attempts, reply.without, reply.usage.thinking_tokens) == (1, ("temperature",), 200)


@only_openai
def test_other_models_of_the_protocol_are_sent_all_that_is_asked(ask: Ask, wire: WireServer):
    assert ask("llama-3.1-8b").without == ()
    assert sent(wire.heard[0]).keys() == {"temperature", "max_tokens", "response_format"}


# ── Learning ──────────────────────────────────────────────────────────────────


@only_openai
def test_what_an_unknown_model_rejects_is_dropped_once_each_and_remembered(
    ask: Ask, wire: WireServer, facts: LearntFacts
):
    wire.always(families.gpt5)
    first = ask("house-model")
    assert [sorted(sent(heard)) for heard in wire.heard] == [
        ["max_tokens", "response_format", "temperature"],
        ["max_completion_tokens", "response_format", "temperature"],
        ["max_completion_tokens", "response_format"],
    ]
    assert (first.attempts, first.without) == (3, ("temperature",))
    assert ask("house-model").attempts == 1
    assert len(wire.heard) == 4
    assert facts.about("openai:house-model") == (
        Lesson(Fact.LIMIT_NAME, "max_completion_tokens"),
        Lesson(Fact.REJECTS, "temperature"),
        Lesson(Fact.THINKS),
    )
    assert facts.about("openai:other") == ()


@only_openai
def test_the_server_s_sentence_is_kept_with_what_it_taught(ask: Ask, wire: WireServer, facts: LearntFacts):
    wire.always(families.gpt5)
    ask("house-model", max_tokens=3000)
    sentences = {fact.lesson.fact: fact.sentence for fact in facts.take_new()}
    assert "Only 1 is supported" in sentences[Fact.REJECTS]
    assert facts.take_new() == []


@only_openai
def test_a_schema_steps_down_to_an_object(ask: Ask, wire: WireServer, facts: LearntFacts):
    wire.always(families.without_schema)
    assert ask().attempts == 2
    assert [heard.body["response_format"]["type"] for heard in wire.heard] == ["json_schema", "json_object"]
    assert facts.about("openai:some-model") == (Lesson(Fact.JSON, "object"),)


@only_openai
def test_an_object_steps_down_to_plain_text(ask: Ask, wire: WireServer, facts: LearntFacts):
    wire.always(families.text_only)
    assert ask().attempts == 3
    assert "response_format" not in wire.heard[-1].body
    assert facts.about("openai:some-model") == (Lesson(Fact.JSON, "off"),)
    assert ask().attempts == 1


@only_openai
def test_without_the_word_json_in_the_prompt_no_object_is_asked_for(ask: Ask, wire: WireServer):
    wire.always(families.without_schema)
    ask(messages=(Message.of("user", "white roses"),))
    assert "response_format" not in wire.heard[-1].body


@only_dashscope
def test_dashscope_s_json_mode_is_dropped_where_it_is_refused(ask: Ask, wire: WireServer, facts: LearntFacts):
    sentence = "Json mode response is not supported when enable_thinking is true"
    wire.queue(status(400, "InvalidParameter", sentence))
    assert ask("qwen-plus").attempts == 2
    assert ["response_format" in sent(heard) for heard in wire.heard] == [True, False]
    assert facts.about("dashscope:qwen-plus") == (Lesson(Fact.JSON, "off"),)


@pytest.mark.parametrize("word", ["temperature"])
def test_a_validator_s_sentence_is_understood_by_both_protocols(ask: Ask, wire: WireServer, word: str):
    wire.always(families.strict("max_tokens", "response_format", "result_format"))
    assert ask().attempts == 2
    assert word not in sent(wire.heard[-1])


def test_thinking_that_must_be_off_is_switched_off(ask: Ask, wire: WireServer):
    wire.always(families.hybrid_qwen)
    assert ask("qwen3-8b").attempts == 2
    assert sent(wire.heard[-1])["enable_thinking"] is False
    assert ask("qwen3-8b").attempts == 1


@pytest.mark.parametrize(
    "sentence",
    [
        lambda most, wanted: f"Range of max_tokens should be [1, {most}]",
        lambda most, wanted: (
            f"max_tokens is too large: {wanted}. This model supports at most {most} completion tokens, "
            f"whereas you provided {wanted}."
        ),
    ],
    ids=["range", "at most"],
)
def test_a_limit_above_the_model_s_own_is_lowered_to_it(
    ask: Ask, wire: WireServer, sentence: Callable[[int, int], str]
):
    wire.always(families.limited(4096, sentence))
    ask(max_tokens=9000)
    ask(max_tokens=8000)
    ask(max_tokens=300)
    assert [sent(heard)["max_tokens"] for heard in wire.heard] == [9000, 4096, 4096, 300]


def test_a_temperature_of_nothing_is_raised_where_the_server_wants_more(ask: Ask, wire: WireServer):
    wire.queue(status(422, "validation", "`temperature` must be strictly positive"))
    assert ask().without == ()
    assert [sent(heard)["temperature"] for heard in wire.heard] == [0, 0.01]


def answering(body: Any, status: int = 400) -> Behaviour:
    """Answer once with this body."""
    return lambda exchange: exchange.send(status, body)


SPELLINGS: dict[str, tuple[Any, Lesson]] = {
    "a router that names no parameter": (
        {
            "error": {
                "message": "UnsupportedParamsError: openai does not support parameters: ['temperature'], for model=x.",
                "type": "None",
                "param": "None",
                "code": "400",
            }
        },
        Lesson(Fact.REJECTS, "temperature"),
    ),
    "a list": (
        [{"error": {"code": 400, "message": 'Invalid payload. Unknown name "max_tokens": Cannot find field.'}}],
        Lesson(Fact.LIMIT_NAME, "max_completion_tokens"),
    ),
    "a sentence": (
        {"error": "'response_format.type' must be 'text'"},
        Lesson(Fact.JSON, "object"),
    ),
    "a fault without a frame": (
        {"object": "error", "message": "temperature: Extra inputs are not permitted", "param": None, "code": 400},
        Lesson(Fact.REJECTS, "temperature"),
    ),
    "a validator's list": (
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "temperature"], "msg": "not permitted"}]},
        Lesson(Fact.REJECTS, "temperature"),
    ),
    "a validator's list inside": (
        {"message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "max_tokens"], "input": 800}]}},
        Lesson(Fact.LIMIT_NAME, "max_completion_tokens"),
    ),
    "a form that is unavailable": (
        {"error": {"message": "This response_format type is unavailable now", "code": "invalid_request_error"}},
        Lesson(Fact.JSON, "object"),
    ),
    "the values that are allowed": (
        {"error": {"message": "'response_format.type' : value is not one of the allowed values ['text']"}},
        Lesson(Fact.JSON, "object"),
    ),
    "a form in two words": (
        {"error": {"message": "This model does not support response format `json_schema`"}},
        Lesson(Fact.JSON, "object"),
    ),
    "the words of a server behind a router": (
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {"raw": '{"error": {"message": "temperature is not supported", "param": "temperature"}}'},
            }
        },
        Lesson(Fact.REJECTS, "temperature"),
    ),
    "a cause inside": (
        {"error": {"message": "模型服务调用失败", "code": 400, "cause": "Unsupported value: 'temperature'"}},
        Lesson(Fact.REJECTS, "temperature"),
    ),
    "thinking in two words": (
        {"error": {"message": "enable thinking can not be support when `stream=False`."}},
        Lesson(Fact.MUST_NOT_THINK),
    ),
    "a stream only": (
        {"error": {"message": "This model only support stream mode, please enable the stream parameter to access it."}},
        Lesson(Fact.STREAMS),
    ),
    "a stream of what is new": (
        {"error": {"message": "<400> The model only supports incremental_output set to True."}},
        Lesson(Fact.STREAMS),
    ),
    "no system role": (
        {"object": "error", "message": "System role not supported", "type": "BadRequestError", "code": 400},
        Lesson(Fact.NO_SYSTEM),
    ),
    "no developer": (
        [{"error": {"code": 400, "message": "Developer instruction is not enabled for models/gemma-3-27b-it"}}],
        Lesson(Fact.NO_SYSTEM),
    ),
    "roles in turn": (
        {"message": "Conversation roles must alternate user/assistant/user/assistant/...", "code": 400},
        Lesson(Fact.NO_SYSTEM),
    ),
    "a grammar": (
        {"error": {"code": 400, "message": "Failed to initialize samplers: failed to parse grammar"}},
        Lesson(Fact.JSON, "object"),
    ),
    "a grammar of xgrammar": (
        {"object": "error", "message": "Failed to compile grammar: unsupported keyword minLength", "code": 400},
        Lesson(Fact.JSON, "object"),
    ),
    "a list of faults": (
        [
            {
                "error": {
                    "code": 400,
                    "message": 'Invalid JSON payload received. Unknown name "additionalProperties" at '
                    "'generation_config.response_schema': Cannot find field.",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
        Lesson(Fact.JSON, "object"),
    ),
    "a name inside the schema": (
        {"error": {"message": 'Invalid JSON payload received. Unknown name "const": Cannot find field.'}},
        Lesson(Fact.JSON, "object"),
    ),
    "a name beside the schema": (
        [{"error": {"message": 'Invalid JSON payload received. Unknown name "temperature": Cannot find field.'}}],
        Lesson(Fact.REJECTS, "temperature"),
    ),
    "the path of a schema": (
        {"error": {"message": "Invalid schema", "param": "text.format.schema", "code": "invalid_json_schema"}},
        Lesson(Fact.JSON, "object"),
    ),
    "the name of another protocol": (
        {"type": "error", "error": {"message": "output_format: Extra inputs are not permitted"}},
        Lesson(Fact.JSON, "object"),
    ),
    "a list that says little": (
        [{"error": {"code": 400, "message": "Request contains an invalid argument.", "status": "INVALID_ARGUMENT"}}],
        Lesson(Fact.JSON, "object"),
    ),
    "a schema that could not be compiled": (
        {"object": "error", "message": 'Failed to compile json schema: {"type"', "code": 400},
        Lesson(Fact.JSON, "object"),
    ),
    "JSON that failed": (
        {"error": {"message": "Failed to generate JSON. Please adjust your prompt.", "code": "json_validate_failed"}},
        Lesson(Fact.JSON, "object"),
    ),
    "a status with words, in Korean": (
        {"status": {"code": "40000", "message": "response_format 파라미터는 지원하지 않습니다."}},
        Lesson(Fact.JSON, "object"),
    ),
    "in Chinese": (
        {"error": {"code": "1210", "message": "API 调用参数有误,请检查文档:不支持 response_format 参数"}},
        Lesson(Fact.JSON, "object"),
    ),
    "a parameter of yesterday": (
        {"error": {"message": "`temperature` is deprecated for this model."}},
        Lesson(Fact.REJECTS, "temperature"),
    ),
    "a parameter, in Korean": (
        {"error": {"message": "temperature 값은 지원되지 않습니다"}},
        Lesson(Fact.REJECTS, "temperature"),
    ),
    "a parameter, in Chinese": ({"error": {"message": "不支持 temperature 参数"}}, Lesson(Fact.REJECTS, "temperature")),
    "only streams": (
        {"error": {"message": "Only streaming responses are supported by this model. Set stream=true."}},
        Lesson(Fact.STREAMS),
    ),
    "what does not stream": (
        {"error": {"message": "Non-streaming requests are not supported for this model."}},
        Lesson(Fact.STREAMS),
    ),
    "the parameter of streams": (
        {"error": {"message": "Unsupported value: 'stream' does not support false.", "param": "stream"}},
        Lesson(Fact.STREAMS),
    ),
    "only streams, in Chinese": ({"error": {"message": "该模型仅支持流式调用"}}, Lesson(Fact.STREAMS)),
    "only streams, in Korean": (
        {"error": {"message": "이 모델은 스트리밍 방식만 지원합니다."}},
        Lesson(Fact.STREAMS),
    ),
    "no system messages": (
        {"message": "This model doesn't support system messages. Try again without a system message."},
        Lesson(Fact.NO_SYSTEM),
    ),
    "a validator's list of roles": (
        {"detail": [{"loc": ["body", "messages", 0, "role"], "msg": "Input should be 'user' or 'assistant'"}]},
        Lesson(Fact.NO_SYSTEM),
    ),
    "who begins": (
        {"error": {"message": "First message must be from user"}},
        Lesson(Fact.NO_SYSTEM),
    ),
    "no system role, in Chinese": ({"error": {"message": "该模型不支持 system 角色"}}, Lesson(Fact.NO_SYSTEM)),
    "no system role, in Korean": (
        {"error": {"message": "system 역할은 지원되지 않습니다."}},
        Lesson(Fact.NO_SYSTEM),
    ),
    "in two sentences": (
        {"error": {"message": "Unsupported value. The setting is temperature."}},
        Lesson(Fact.REJECTS, "temperature"),
    ),
}


@only_openai
@pytest.mark.parametrize(("body", "lesson"), SPELLINGS.values(), ids=SPELLINGS.keys())
def test_servers_say_it_in_many_forms(ask: Ask, wire: WireServer, facts: LearntFacts, body: Any, lesson: Lesson):
    wire.queue(answering(body))
    assert ask().attempts == 2
    assert facts.about("openai:some-model") == (lesson,)


@only_openai
@pytest.mark.parametrize("body", [[], None, "", 7, {"error": None}, {"error": []}, [[]]])
def test_a_fault_that_says_nothing_is_final(ask: Ask, wire: WireServer, body: Any):
    wire.queue(answering(body))
    with pytest.raises(ProviderError, match="openai answered 400"):
        ask()


SERVER_FAULTS = {
    "a grammar": ("failed to parse grammar", Lesson(Fact.JSON, "object")),
    "a grammar that was not made": ("llama runner: failed to create grammar", Lesson(Fact.JSON, "object")),
    "a format": ('invalid format: "object"; expected "json" or a valid JSON Schema', Lesson(Fact.JSON, "object")),
    "words for a format": ("failed to load model vocabulary required for format", Lesson(Fact.JSON, "object")),
    "no system role": ("System role not supported", Lesson(Fact.NO_SYSTEM)),
    "roles in turn": ("Conversation roles must alternate user/assistant", Lesson(Fact.NO_SYSTEM)),
}


@only_openai
@pytest.mark.parametrize(("sentence", "lesson"), SERVER_FAULTS.values(), ids=SERVER_FAULTS.keys())
def test_some_servers_say_it_as_a_fault_of_their_own(
    ask: Ask, wire: WireServer, facts: LearntFacts, sentence: str, lesson: Lesson
):
    wire.queue(status(500, "server_error", sentence))
    assert ask().attempts == 2
    assert facts.about("openai:some-model") == (lesson,)


@pytest.mark.parametrize("parts", [(Text("weeds"),), (Text("weeds"), Picture(b"\x89PNG", "image/png"))], ids=len)
def test_a_model_that_only_streams_is_asked_so_from_then_on(
    ask: Ask, wire: WireServer, facts: LearntFacts, vendor: str, question: Request, parts: tuple[Part, ...]
):
    asked = replace(question, messages=(question.messages[0], Message("user", parts)))
    wire.always(families.streams_only)
    first, second = ask(asked=asked), ask(asked=asked)
    assert (first.attempts, second.attempts, first.text) == (2, 1, second.text)
    assert json.loads(first.text) and first.usage.input_tokens == 120
    assert Lesson(Fact.STREAMS) in facts.about(f"{vendor}:some-model")


def test_without_a_system_role_the_instructions_begin_the_question(ask: Ask, wire: WireServer):
    wire.always(families.no_system)
    assert (ask().attempts, ask().attempts) == (2, 1)
    heard = wire.heard[-1]
    assert [message["role"] for message in heard.messages] == ["user"]
    assert heard.said().index("Answer in JSON.") < heard.said().index("weeds in the white roses")


def test_who_is_asked_twice_each_time_is_reminded_from_then_on(
    ask: Ask, wire: WireServer, facts: LearntFacts, vendor: str
):
    name = f"{vendor}:some-model"
    for reasons in ({Fact.REMINDED}, set(), {Fact.REMINDED, Fact.WORDY}):
        facts.note_answer(name, ROLE, reasons)
    ask()
    facts.note_answer(name, ROLE, {Fact.REMINDED})
    ask()
    ask(schema=None)
    assert [REMINDER in heard.said() for heard in wire.heard] == [False, True, False]
    assert facts.about(name) == (Lesson(Fact.REMINDED),)


# ── What is not learnt ────────────────────────────────────────────────────────


def rejecting(parameter: str | None, sentence: str) -> Behaviour:
    """Always answer 400."""
    return lambda exchange: families.reject(exchange, "bad", sentence, parameter)


def test_a_parameter_is_dropped_once_and_then_the_fault_is_final(ask: Ask, wire: WireServer, facts: LearntFacts):
    wire.always(rejecting("temperature", "temperature is not supported"))
    with pytest.raises(ProviderError, match="comes from") as fault:
        ask()
    assert (fault.value.code, fault.value.attempts, len(wire.heard)) == ("bad_request", 2, 2)
    assert list(facts.take_new()) == []  # dropping it did not help, so nothing was learnt


@pytest.mark.parametrize(
    "sentence",
    [
        "This model's maximum context length is 8192 tokens; max_tokens is too large.",
        "max_tokens should be lower: the request exceeds the context window of 8192 tokens.",
        "The request could not be understood.",
        "Invalid JSON body",
        "",
    ],
)
def test_other_faults_are_final_at_once(ask: Ask, wire: WireServer, sentence: str):
    wire.always(rejecting(None, sentence))
    with pytest.raises(ProviderError):
        ask()
    assert len(wire.heard) == 1


def test_a_sentence_that_quotes_the_post_teaches_nothing(ask: Ask, wire: WireServer, facts: LearntFacts):
    post = "The parameter temperature is not supported with this model, they said."
    wire.queue(rejecting(None, f"Invalid content: {post}"))
    with pytest.raises(ProviderError):
        ask(messages=(Message.of("user", post),))
    assert (len(wire.heard), list(facts.take_new())) == (1, [])


def test_a_sentence_that_quotes_the_post_is_not_kept(ask: Ask, wire: WireServer, facts: LearntFacts):
    post = "Weeds in the white roses again."
    wire.queue(rejecting("temperature", f"temperature is not supported. Request: {post}"))
    ask(messages=(Message.of("user", post),))
    (fact,) = facts.take_new()
    assert (fact.lesson, fact.sentence) == (Lesson(Fact.REJECTS, "temperature"), "")


def test_a_long_hostile_sentence_is_read_quickly(ask: Ask, wire: WireServer):
    wire.always(rejecting(None, "temperature unsupported " * 20_000))
    with pytest.raises(ProviderError):
        ask()
    assert len(wire.heard) == 2


@only_openai
def test_pictures_are_never_left_out_silently(ask: Ask, wire: WireServer, facts: LearntFacts):
    wire.always(families.text_only)
    pictured = (Message("user", (Text("What is this, in JSON?"), Picture(b"\x89PNG", "image/png"))),)
    with pytest.raises(ProviderError, match="not a multimodal model"):
        ask(messages=pictured)
    assert facts.about("openai:some-model") == (Lesson(Fact.NO_PICTURES),)
    assert len(wire.heard) == 1


def test_pictures_are_not_sent_where_the_operator_says_that_the_model_takes_none(
    ask: Ask, wire: WireServer, vendor: str, settings: Any
):
    settings.MODEL_PROFILES = read_amendments({f"{vendor}:some-*": {"pictures": False}})
    pictured = (Message("user", (Text("What is this, in JSON?"), Picture(b"\x89PNG", "image/png"))),)
    with pytest.raises(ProviderError, match="MODEL_PROFILES says .*:some-model takes no pictures") as fault:
        ask(messages=pictured)
    assert (fault.value.code, fault.value.attempts, wire.heard) == ("bad_request", 0, [])
    assert ask().attempts == 1


@only_openai
def test_a_picture_refused_as_the_server_s_own_fault_is_refused_for_good(
    ask: Ask, wire: WireServer, facts: LearntFacts
):
    wire.always(families.llama_cpp)
    pictured = (Message("user", (Text("What is this, in JSON?"), Picture(b"\x89PNG", "image/png"))),)
    with pytest.raises(ProviderError, match="answered 500 server_error: image input is not supported") as fault:
        ask(messages=pictured)
    assert (fault.value.code, len(wire.heard)) == ("bad_request", 1)
    assert facts.about("openai:some-model") == (Lesson(Fact.NO_PICTURES),)


@only_openai
def test_a_form_that_a_server_s_own_validator_rejects_with_status_500_steps_down(
    ask: Ask, wire: WireServer, facts: LearntFacts
):
    wire.always(families.llama_cpp_python)
    assert ask().attempts == 2
    assert ask().attempts == 1
    kinds = [heard.body["response_format"]["type"] for heard in wire.heard]
    assert kinds == ["json_schema", "json_object", "json_object"]
    assert facts.about("openai:some-model") == (Lesson(Fact.JSON, "object"),)


@only_openai
def test_a_prompt_that_is_too_long_is_told_with_both_sizes_and_teaches_nothing(
    ask: Ask, wire: WireServer, facts: LearntFacts
):
    wire.always(families.llama_cpp)
    said = r"400 exceed_context_size_error: request \(10001 tokens\) exceeds .* \(8192 tokens\)"
    with pytest.raises(ProviderError, match=said) as fault:
        ask(messages=(Message.of("user", "weeds " * 3333 + "JSON"),))
    assert (fault.value.code, len(wire.heard), facts.about("openai:some-model")) == ("bad_request", 1, ())


@only_openai
def test_probabilities_are_never_left_out(ask: Ask, wire: WireServer):
    wire.always(rejecting("logprobs", "logprobs are not supported with reasoning models"))
    with pytest.raises(ProviderError, match="logprobs"):
        ask(schema=None, among=("yes", "no"))
    assert len(wire.heard) == 1


@only_openai
def test_busy_after_a_lesson_counts_every_call(ask: Ask, wire: WireServer):
    wire.queue(rejecting("temperature", "not supported"), "503", rejecting("temperature", "not supported"))
    assert ask().attempts == 4
    wire.queue(*["503"] * 2)
    with pytest.raises(ProviderError) as fault:
        ask()
    assert fault.value.attempts == 2


@only_openai
def test_a_refusal_after_a_lesson_is_a_refusal_and_the_lesson_stays(ask: Ask, wire: WireServer, facts: LearntFacts):
    wire.queue(rejecting("temperature", "not supported"), "blocked")
    with pytest.raises(Refused) as refused:
        ask()
    assert refused.value.attempts == 2
    assert facts.about("openai:some-model") == (Lesson(Fact.REJECTS, "temperature"),)


# ── Settings ──────────────────────────────────────────────────────────────────


@only_openai
def test_an_operator_s_word_counts_more_than_the_family(ask: Ask, wire: WireServer, settings: Any):
    amendment = {"temperature": True, "limit_name": "max_tokens", "json": "object", "effort": "low"}
    settings.MODEL_PROFILES = (("openai:gpt-5*", {**amendment, "send": (("seed", 7),)}),)
    ask("gpt-5")
    assert sent(wire.heard[0]) == {
        "temperature": 0.0,
        "max_tokens": 1500,
        "response_format": {"type": "json_object"},
        "reasoning_effort": "low",
        "seed": 7,
    }


@only_openai
def test_further_parameters_are_dropped_too_where_they_are_rejected(ask: Ask, wire: WireServer, settings: Any):
    settings.MODEL_PROFILES = (("openai:*", {"send": (("seed", 7), ("top_k", 4)), "effort": "low"}),)
    wire.always(families.strict("temperature", "max_tokens", "response_format", "seed"))
    assert ask().attempts == 3
    assert sent(wire.heard[-1]).keys() == {"temperature", "max_tokens", "response_format", "seed"}


def test_a_model_that_thinks_may_be_silent_for_longer(ask: Ask, wire: WireServer, settings: Any):
    settings.MODEL_READ_SECONDS = settings.MODEL_WALL_SECONDS = settings.MODEL_ATTEMPTS = 1
    wire.delay(1.6)
    assert ask("gpt-5").text
    with pytest.raises(ProviderError) as fault:
        ask("gpt-4o")
    assert fault.value.code == "timeout"
    settings.MODEL_THINKING_SECONDS = 1
    with pytest.raises(ProviderError) as fault:
        ask("gpt-5")
    assert fault.value.code == "timeout"


def test_thinking_in_the_text_is_noticed(ask: Ask, wire: WireServer, facts: LearntFacts, vendor: str):
    wire.queue(say("<think>Roses are white.</think>{}"))
    ask()
    assert facts.about(f"{vendor}:some-model") == (Lesson(Fact.THINKS),)


def test_a_server_that_is_away_teaches_nothing(ask: Ask, wire: WireServer, facts: LearntFacts):
    wire.always(status(503, "unavailable", "temperature is not supported"))
    with pytest.raises((ProviderBusy, ProviderError)):
        ask()
    assert list(facts.take_new()) == []
