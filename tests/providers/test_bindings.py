from collections.abc import Callable

import pytest

from providers import bindings, wiring
from providers.keyword.model import KeywordModel
from providers.roles import ModelRole
from providers.servers import ModelServer

TEXT, IMAGE = ModelRole.PRIOR_TEXT, ModelRole.PRIOR_IMAGE
Configure = Callable[..., None]


def names(*roles: ModelRole) -> list[str]:
    return [binding.name for binding in map(bindings.bind_role, roles)]


def problems(*roles: ModelRole) -> list[str]:
    return [binding.problem for binding in map(bindings.bind_role, roles)]


def test_without_any_key_the_baseline_answers(configure: Configure):
    configure()
    assert names(TEXT, IMAGE) == [KeywordModel().name] * 2
    assert problems(TEXT, IMAGE) == ["", ""]
    assert isinstance(wiring.model_for("prior_text"), KeywordModel)


def test_with_a_dashscope_key_alone_its_defaults_answer(configure: Configure):
    configure(DASHSCOPE_API_KEY="k")
    assert names(TEXT, IMAGE) == ["dashscope:qwen-plus", "dashscope:qwen3-vl-plus"]
    assert problems(TEXT, IMAGE) == ["", ""]


def test_with_an_openai_key_alone_the_missing_setting_is_named(configure: Configure):
    configure(OPENAI_API_KEY="k")
    assert names(TEXT, IMAGE) == [KeywordModel().name] * 2
    text, image = problems(TEXT, IMAGE)
    assert "set MODEL_TEXT to openai:" in text
    assert "set MODEL_VISION to openai:" in image


def test_pictures_do_not_go_to_a_vendor_that_nobody_chose(configure: Configure):
    configure(DASHSCOPE_API_KEY="k", OPENAI_API_KEY="k", MODEL_TEXT="openai:some")
    assert names(TEXT, IMAGE) == ["openai:some", KeywordModel().name]
    assert "MODEL_VISION" in problems(IMAGE)[0]


def test_a_role_comes_before_its_family(configure: Configure):
    configure(OPENAI_API_KEY="k", MODEL_TEXT="openai:a", MODEL_VISION="openai:b", MODEL_PRIOR_TEXT="openai:c:free")
    text, image = bindings.bind_role(TEXT), bindings.bind_role(IMAGE)
    assert (text.name, text.model, text.setting) == ("openai:c:free", "c:free", "MODEL_PRIOR_TEXT")
    assert (image.name, image.setting) == ("openai:b", "MODEL_VISION")


def test_a_role_that_is_shown_pictures_falls_back_to_the_model_that_sees(configure: Configure):
    configure(OPENAI_API_KEY="k", MODEL_TEXT="openai:text-only", MODEL_VISION="openai:sees")
    for role in ModelRole:
        if role.is_optional:
            continue
        assert names(role) == ["openai:sees" if role.is_shown_pictures else "openai:text-only"]
    assert ModelRole.JUDGE.is_shown_pictures and not ModelRole.DEBATE_JUDGE.is_shown_pictures


def test_an_optional_role_has_no_model_until_one_is_named_for_it(configure: Configure):
    configure(OPENAI_API_KEY="k", DASHSCOPE_API_KEY="k", MODEL_TEXT="openai:text-only")
    unbound = bindings.bind_role(ModelRole.READER)
    assert (unbound.name, unbound.problem, unbound.is_language_model) == ("", "", False)
    assert unbound.why == "MODEL_READER is not set: nobody is asked"
    with pytest.raises(bindings.NotConfigured, match="MODEL_READER must look like"):
        wiring.model_for("reader")
    assert names(ModelRole.READER) == [""]
    configure(OPENAI_API_KEY="k", MODEL_TEXT="openai:text-only", MODEL_READER="openai:reads")
    assert names(ModelRole.READER) == ["openai:reads"]
    chosen = bindings.bind_role(ModelRole.READER, {"reader": "openai:text-only"})
    assert (chosen.name, chosen.problem) == ("openai:text-only", "")


def test_the_built_in_baseline_answers_no_optional_role(configure: Configure):
    configure(MODEL_READER="keyword:cues-1")
    assert "answers no optional role" in problems(ModelRole.READER)[0]
    configure()
    assert "answers no optional role" in bindings.bind_role(ModelRole.READER, {"reader": "keyword:cues-1"}).problem


@pytest.mark.parametrize("said", [("voter",), ("voter", "voter of a jury")])
def test_a_role_that_does_not_say_what_it_is_shown_cannot_be_declared(said: tuple[str, ...]):
    with pytest.raises(TypeError, match="voter: say WORDS or PICTURES"):
        ModelRole.__new_member__(ModelRole, *said)


def test_the_gatekeeper_defaults_to_the_prosecutor(configure: Configure):
    configure(OPENAI_API_KEY="k", MODEL_VISION="openai:a", MODEL_PROSECUTOR="openai:b")
    assert names(ModelRole.GATEKEEPER, ModelRole.JUDGE) == ["openai:b", "openai:a"]


@pytest.mark.parametrize(
    ("bound", "sentence"),
    [
        ("dashscope:qwen-plus", "DASHSCOPE_API_KEY is not set"),
        ("openai:some", "neither OPENAI_API_KEY nor OPENAI_BASE_URL is set"),
        ("anthropic:some", "must look like provider:model"),
        ("openai:", "must look like provider:model"),
        ("gpt", "must look like provider:model"),
    ],
)
def test_a_binding_that_cannot_work_is_a_problem_with_a_sentence(configure: Configure, bound: str, sentence: str):
    configure(MODEL_TEXT=bound)
    assert sentence in problems(TEXT)[0]
    with pytest.raises(bindings.NotConfigured, match=sentence) as fault:
        wiring.model_for("prior_text")
    assert fault.value.code == "bad_request"


def test_a_local_server_needs_no_key(configure: Configure):
    configure(OPENAI_BASE_URL="http://127.0.0.1:9/v1", MODEL_TEXT="openai:some")
    assert problems(TEXT) == [""]


@pytest.mark.parametrize("chosen", ["openai:a", "openai:small-7b", "keyword:cues-1"])
def test_a_project_may_choose_what_the_list_allows(configure: Configure, chosen: str):
    configure(OPENAI_API_KEY="k", MODEL_TEXT="openai:a", MODEL_ALLOWED=["openai:small-*"])
    assert wiring.model_for("prior_text", {"prior_text": chosen}).name == chosen


@pytest.mark.parametrize("chosen", ["openai:large", "dashscope:qwen-plus", "http://evil.example/v1"])
def test_a_project_may_not_choose_anything_else(configure: Configure, chosen: str):
    configure(OPENAI_API_KEY="k", MODEL_TEXT="openai:a", MODEL_ALLOWED=["openai:small-*"])
    with pytest.raises(bindings.NotConfigured, match="MODEL_ALLOWED"):
        wiring.model_for("prior_text", {"prior_text": chosen})


def test_a_page_can_say_what_may_be_chosen(configure: Configure):
    configure(OPENAI_API_KEY="k", MODEL_TEXT="openai:a", MODEL_ALLOWED=["openai:small-*", "openai:b"])
    assert bindings.allowed_models() == [KeywordModel().name, "openai:a", "openai:b", "openai:small-*"]


def test_a_server_of_dashscope_s_protocol_without_a_key_is_a_problem(configure: Configure):
    far = ModelServer("far", "dashscope", "https://models.example.org/api/v1")
    configure(MODEL_SERVERS={"far": far}, MODEL_TEXT="far:qwen-plus")
    assert "MODEL_SERVERS gives that server no key" in problems(TEXT)[0]


def test_with_a_named_server_alone_the_missing_setting_is_named(configure: Configure):
    configure(MODEL_SERVERS={"lab": ModelServer("lab", "openai", "http://127.0.0.1:9/v1")})
    assert "set MODEL_TEXT to lab:NAME" in problems(TEXT)[0]
