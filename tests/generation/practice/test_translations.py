"""A translation stands beside a post or a reply that is in another language than the page, marked as a machine's."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from annotation.models import Event, Item, Membership, Project, User
from desk_pages import address, client_of, text_of
from generation.counterspeech import request
from generation.counterspeech.translations import box_of
from generation.domain.counterspeech.languages import english_name, is_foreign
from generation.files import export
from generation.files.training_export import posts_of, training_files
from generation.models import Candidate, Exchange, Exemplar, Reply
from providers.profiles import read_amendments
from reply_builders import approve_reply, draft_reply, make_hateful_item, submit_reply
from runs.execution import runner, worker
from runs.models import Run
from wire.server import WireServer, say, status
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

POST, REPLY = "새로 온 사람들은 모두 잡초다.", "우리는 모두 이웃이고, 함께 삽니다."
RUN, JSON = UUID(int=7), "application/json"
TOLD = "All newcomers are weeds, it says."


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    settings.RUN_BUSY_ROUNDS = 1
    with models_at_a_server(settings, ("translator",), attempts=1) as server:
        yield server


@pytest.fixture
def item(project: Project) -> Item:
    return make_hateful_item(project, POST)


def work() -> None:
    for run in Run.objects.filter(state="queued").order_by("pk"):
        runner.claim_and_perform(run.pk, worker.planned_model)


def translated(words: str = TOLD) -> Any:
    return say(json.dumps({"translation": words}))


def store_candidate(exchange: Exchange, text: str, place: int = 1) -> Candidate:
    return Candidate.objects.create(
        exchange=exchange, run_id=RUN, intent="positive", place=place, rank=place, text=text, prompt_digest="0" * 64
    )


# ── Which texts ───────────────────────────────────────────────────────────────

GERMAN = "Das Unkraut überwuchert die weißen Rosen in unserer Straße, und niemand tut etwas dagegen."
ENGLISH = "The new weeds are choking the white roses on our street, and nobody does anything about it."


@pytest.mark.parametrize(
    ("text", "language", "foreign"),
    [
        (POST, "en", True),
        (POST, "ko", False),
        (POST, "zh-hans", True),
        ("这朵白玫瑰很漂亮", "en", True),
        ("这朵白玫瑰很漂亮", "zh-hans", False),
        ("Эти розы очень красивые", "en", True),
        ("هذه الورود جميلة جدا", "ko", True),
        (GERMAN, "en", True),
        (ENGLISH, "en", False),
        (ENGLISH, "ko", True),
        ("Weeds again.", "ko", True),
        ("Weeds again.", "en", False),
        ("Rosen.", "en", False),  # too short to be told
        ("", "en", False),
        ("🌹 123", "en", False),
    ],
)
def test_a_text_is_in_another_language_only_where_that_is_sure(text: str, language: str, foreign: bool) -> None:
    assert is_foreign(text, language) is foreign


def test_the_languages_of_the_pages_have_names_for_a_model() -> None:
    assert [english_name(code) for code in ("en", "ko")] == ["English", "Korean"]
    assert english_name("zh-hans").startswith("Chinese (Simplified")


# ── The way ───────────────────────────────────────────────────────────────────


def test_a_post_is_translated_beside_its_text_and_marked(wire: WireServer, item: Item, author: Membership) -> None:
    exchange, client = request.open_on_item(item), client_of(author)
    desk, ask = address("item-counterspeech", item.public_id), address("translation", exchange.public_id)
    page = text_of(client.get(desk))
    assert "Translate <kbd" in page and "Calls of models: about 1 at most." in page
    assert client.post(ask, {"of": "post"})["Location"] == desk
    assert "being translated" in text_of(client.get(desk))
    wire.queue(translated(), model="translator")
    work()
    page = text_of(client.get(desk))
    assert POST in page and TOLD in page and "a machine's translation" in page
    assert "translator" in page and "asked for by" in page and "heron" in page and "1 call · " in page
    assert "Translate <kbd" not in page
    (heard,) = wire.heard
    assert "into English" in heard.said("system") and POST in heard.said("user")
    assert [event.facts["method"] for event in Event.objects.filter(verb="runs_started")] == ["translation"]


def test_a_reply_is_translated_on_its_page_for_who_approves(
    wire: WireServer, item: Item, author: Membership, second: Membership
) -> None:
    reply, client = submit_reply(item, author, REPLY), client_of(second)
    submitted = reply.version
    ask = address("translation", reply.exchange.public_id)
    assert client.post(ask, {"of": reply.public_id})["Location"] == address("reply", reply.public_id)
    wire.queue(translated("We are all neighbours."), model="translator")
    work()
    page = text_of(client.get(address("reply", reply.public_id)))
    assert REPLY in page and "We are all neighbours." in page
    reply.refresh_from_db()
    assert (reply.text, reply.version) == (REPLY, submitted)


def test_a_part_of_the_page_is_asked_for_and_polled_by_itself(wire: WireServer, item: Item, author: Membership) -> None:
    exchange, client = request.open_on_item(item), client_of(author)
    ask = address("translation", exchange.public_id)
    part = text_of(client.post(ask, {"of": "post"}, headers={"HX-Request": "true"}))
    assert 'hx-trigger="every 1s"' in part and "<html" not in part
    wire.queue(translated(), model="translator")
    work()
    part = text_of(client.get(ask, {"of": "post"}))
    assert TOLD in part and "hx-trigger" not in part


def test_each_language_of_a_page_has_its_own_translation(wire: WireServer, item: Item, author: Membership) -> None:
    exchange = request.open_on_item(item)
    client, ask = client_of(author), address("translation", exchange.public_id)
    User.objects.filter(pk=author.user_id).update(language="zh-hans")
    wire.queue(translated("新来的人都是杂草。"), model="translator")
    client.post(ask, {"of": "post"})
    work()
    assert "新来的人都是杂草。" in text_of(client.get(ask, {"of": "post"}))
    User.objects.filter(pk=author.user_id).update(language="en")
    assert "新来的人都是杂草。" not in text_of(client.get(ask, {"of": "post"}))
    User.objects.filter(pk=author.user_id).update(language="ko")
    assert "button" not in text_of(client.get(ask, {"of": "post"}))


def test_a_candidate_is_translated_at_the_desk_where_its_language_is_another(
    wire: WireServer, item: Item, author: Membership
) -> None:
    exchange, client = request.open_on_item(item), client_of(author)
    other = store_candidate(exchange, REPLY)
    own = store_candidate(exchange, "We are all neighbours, and live here together.", 2)
    desk = f"{address('item-counterspeech', item.public_id)}?intent=positive"
    page = text_of(client.get(desk))
    assert f'id="translation-{other.public_id}"' in page and f'id="translation-{own.public_id}"' not in page
    wire.queue(translated("We are all neighbours."), model="translator")
    ask = address("translation", exchange.public_id)
    assert client.post(ask, {"of": other.public_id}).status_code == 302
    work()
    assert "We are all neighbours." in text_of(client.get(desk))


def test_a_program_translates_any_text_of_a_post_and_is_told_what_that_takes(
    wire: WireServer, project: Project, item: Item, author: Membership, settings: Any
) -> None:
    settings.MODEL_PRICES, settings.MODEL_PRICE_CURRENCY = {"openai:translator": (1.0, 2.0)}, "EUR"
    exchange, client = request.open_on_item(item), client_of(author)
    candidate = store_candidate(exchange, REPLY)
    home = f"/api/v1/projects/{project.slug}/counterspeech/exchanges/{exchange.public_id}/"
    costs = client.get(f"{home}costs/?intents=positive&candidates=2&mode=list").json()
    once = costs["translate"]
    assert (once["calls"], once["currency"]) == (1, "EUR") and once["cost"] > 0 and costs["candidates"] is None
    assert client.get(f"{home}costs/?candidates=many").status_code == 400

    page = client.get(f"{home}translation/?of={candidate.public_id}&language=en").json()
    assert (page["text"], page["work"]) == (None, None)
    asked = client.post(f"{home}translation/", {"of": str(candidate.public_id), "language": "en"}, JSON)
    assert (asked.status_code, asked.json()["work"]["state"], asked.json()["text"]) == (202, "queued", None)
    wire.queue(translated("We are all neighbours."), model="translator")
    work()
    told = client.get(f"{home}translation/?of={candidate.public_id}&language=en").json()
    assert (told["text"], told["model"], told["asked_by"]) == ("We are all neighbours.", "openai:translator", "heron")
    assert told["work"]["spent"]["calls"] == 1 and told["work"]["spent"]["cost"] > 0
    again = client.post(f"{home}translation/", {"of": str(candidate.public_id), "language": "en"}, JSON)
    assert again.json()["text"] == "We are all neighbours." and len(wire.heard) == 1
    assert client.get(f"{home}translation/?of=nonsense").status_code == 404
    assert client.post(f"{home}translation/", {"language": "tlh"}, JSON).status_code == 400


def test_who_has_it_already_asks_nobody_again_and_other_words_are_another_text(
    wire: WireServer, item: Item, author: Membership
) -> None:
    exchange = request.open_on_item(item)
    reply = draft_reply(item, author, REPLY)
    wire.queue(translated("One."), model="translator")
    first = request.translate(exchange, REPLY, "en", author)
    work()
    again = request.translate(exchange, REPLY, "en", author)
    assert (first.new, again.new, again.run.pk) == (True, False, first.run.pk)
    assert box_of(exchange, reply.text, reply.public_id).words == "One."
    other = box_of(exchange, f"{REPLY} 정말로.", reply.public_id)
    assert (other.words, other.is_offered) == ("", True)


# ── What goes wrong ───────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ([say("I'm sorry, but I can't help with that.")], "The model refused to translate this text."),
        ([translated("I'm sorry, but I can't help with that request.")], "The model refused to translate this text."),
        ([say("Weeds!")] * 3, "The model gave no translation that could be read."),
        ([status(500)], "The text was not translated: "),
    ],
)
def test_a_failure_is_one_sentence_and_can_be_tried_again(
    wire: WireServer, item: Item, author: Membership, answers: list[Any], sentence: str
) -> None:
    exchange, client = request.open_on_item(item), client_of(author)
    ask = address("translation", exchange.public_id)
    wire.queue(*answers, model="translator")
    client.post(ask, {"of": "post"})
    for _try in range(3):  # a provider's fault is tried again later
        Run.objects.update(not_before="2020-01-01T00:00Z")
        work()
    part = text_of(client.get(ask, {"of": "post"}))
    assert sentence in part and "Translate again" in part and "a machine" not in part
    wire.queue(translated(), model="translator")
    client.post(ask, {"of": "post", "again": "1"})
    work()
    assert TOLD in text_of(client.get(ask, {"of": "post"}))


def test_an_answer_that_repeats_our_instructions_is_no_translation(
    wire: WireServer, item: Item, author: Membership
) -> None:
    exchange = request.open_on_item(item)

    def led_astray(heard: Any) -> None:
        code = heard.heard.said("system").rsplit(" ", 1)[1]
        heard.send(200, heard.reply(json.dumps({"translation": f"The code is {code}."})))

    wire.queue(led_astray, model="translator")
    request.translate(exchange, POST, "en", author)
    work()
    box = box_of(exchange, POST)
    assert (box.words, box.why_not) == ("", "The model gave no translation that could be read.")


def test_a_spent_budget_says_so_as_elsewhere(wire: WireServer, item: Item, author: Membership) -> None:
    Project.objects.filter(pk=item.project_id).update(call_budget=0)
    exchange = request.open_on_item(Item.objects.select_related("project").get(pk=item.pk))
    request.translate(exchange, POST, "en", author)
    work()
    assert box_of(exchange, POST).why_not.endswith("The project's budget for model calls is used up.")


@pytest.mark.parametrize(
    ("bindings", "profiles"),
    [
        ({}, {}),
        ({"MODEL_TRANSLATOR": "keyword:cues-1"}, {}),
        ({"MODEL_TRANSLATOR": "lab:gone"}, {}),
        (
            {"MODEL_COUNTERSPEAKER": "openai:coarl", "MODEL_TRANSLATOR": "openai:coarl"},
            {"openai:coarl": {"plain": True}},
        ),
    ],
)
def test_where_no_model_translates_nothing_is_offered_and_a_request_is_refused(
    item: Item, author: Membership, settings: Any, bindings: dict[str, str], profiles: dict[str, Any]
) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_PROFILES = bindings, read_amendments(profiles)
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1" if profiles else ""
    exchange, client = request.open_on_item(item), client_of(author)
    assert "Translate" not in text_of(client.get(address("item-counterspeech", item.public_id)))
    ask = address("translation", exchange.public_id)
    part = client.post(ask, {"of": "post"}, headers={"HX-Request": "true"})
    assert part.status_code == 422 and "No model translates here" in text_of(part)
    assert "No model translates here" in text_of(client.post(ask, {"of": "post"}, follow=True))
    assert not Run.objects.exists()


@pytest.mark.parametrize("of", ["nonsense", "0" * 8 + "-0000-4000-8000-" + "0" * 12])
def test_a_text_that_is_not_of_the_post_is_not_translated(
    wire: WireServer, project: Project, item: Item, author: Membership, of: str
) -> None:
    exchange, client = request.open_on_item(item), client_of(author)
    elsewhere = draft_reply(request.open_on_text(project, "잡초다."), author, REPLY)
    for named in (of, str(elsewhere.public_id)):
        assert client.post(address("translation", exchange.public_id), {"of": named}).status_code == 404


def test_a_draft_is_translated_for_its_author_alone(
    wire: WireServer, item: Item, author: Membership, second: Membership
) -> None:
    draft = draft_reply(item, author, REPLY)
    ask = address("translation", draft.exchange.public_id)
    assert client_of(second).post(ask, {"of": draft.public_id}).status_code == 404


# ── Never a reply ─────────────────────────────────────────────────────────────


def test_a_translation_is_in_no_file_and_guides_nobody(
    wire: WireServer, project: Project, item: Item, author: Membership, second: Membership
) -> None:
    reply = approve_reply(item, author, second, REPLY)
    wire.queue(translated("We are all neighbours."), translated(), model="translator")
    for text in (REPLY, POST):
        request.translate(reply.exchange, text, "en", author)
        work()
    posts = posts_of(project)
    files = "".join(str(rows) for rows in training_files(posts))
    files += "".join(json.dumps(export.reply_row(row), default=str, ensure_ascii=False) for row in Reply.objects.all())
    files += "".join(f"{row.hate} {row.text}" for row in Exemplar.objects.all())
    assert REPLY in files and "neighbours" not in files and TOLD not in files
    assert Reply.objects.count() == 1
