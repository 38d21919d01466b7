"""What the models' work takes is said before it starts and after it; the limits of spending hold here as elsewhere."""

from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from annotation.models import Item, Membership, Project
from builders import make_item, make_picture
from counterspeech_models import Desk, desk_on_the_wire
from desk_pages import address, client_of, text_of
from generation.counterspeech import costs, request
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import CounterRequest
from generation.domain.counterspeech.writers import WriterMode
from providers.profiles import read_amendments
from reply_builders import draft_reply
from runs.execution import runner, worker
from runs.models import Run, Turn
from wire.server import WireServer

pytestmark = pytest.mark.django_db(transaction=True)

BUDGET = "The project's budget for model calls is used up."


@pytest.fixture
def wire(settings: Any) -> Iterator[tuple[WireServer, Desk]]:
    with desk_on_the_wire(settings) as both:
        yield both


def work() -> None:
    for run in Run.objects.filter(state="queued").order_by("pk"):
        runner.claim_and_perform(run.pk, worker.planned_model)


def calls(expected: costs.Expected | None) -> int:
    assert expected is not None
    return expected.spending.calls


@pytest.mark.parametrize(
    ("intents", "candidates", "mode", "most"),
    [
        (tuple(Intent), 5, None, 4 + 4 * 5 * 4),
        ((Intent.POSITIVE,), 1, WriterMode.LIST, 1 + 4),
        ((Intent.POSITIVE, Intent.DENOUNCING), 3, WriterMode.PLAIN, 2 * 3 + 2 * 3 * 4),
    ],
)
def test_the_calls_of_candidates_are_those_of_the_writer_and_of_four_critics_each(
    wire: tuple[WireServer, Desk], item: Item, intents: Any, candidates: int, mode: WriterMode | None, most: int
) -> None:
    wish = CounterRequest(intents=intents, candidates=candidates, mode=mode)
    assert calls(costs.of_candidates(request.open_on_item(item), wish)) == most


def test_a_writer_that_gives_all_at_once_is_asked_once_for_an_intent(
    wire: tuple[WireServer, Desk], item: Item, settings: Any
) -> None:
    settings.MODEL_PROFILES = read_amendments({"openai:writer": {"plain": True, "n": True}})
    wish = CounterRequest(intents=(Intent.POSITIVE,), candidates=3)
    assert calls(costs.of_candidates(request.open_on_item(item), wish)) == 1 + 3 * 4


def test_a_picture_that_nobody_described_is_one_call_more(wire: tuple[WireServer, Desk], project: Project) -> None:
    item = make_item(project, "Weeds.", picture=make_picture(project))
    assert calls(costs.of_explanations(project, item)) == 8
    assert calls(costs.of_explanations(project, item, "A garden.")) == 7
    assert calls(costs.of_explanations(project, None)) == 7
    assert calls(costs.of_scores(project)) == 4


def test_what_was_said_before_holds_after(wire: tuple[WireServer, Desk], item: Item) -> None:
    exchange = request.open_on_item(item)
    explained, wish = request.explain(exchange), CounterRequest(intents=(Intent.POSITIVE,), candidates=1)
    expected = calls(costs.of_candidates(exchange, wish))
    written = request.write(exchange, options={"intents": ["positive"], "candidates": 1})
    work()
    for asked in (explained, written):
        asked.run.refresh_from_db()
    assert (explained.run.calls, written.run.calls) == (7, expected)


def test_where_no_model_can_be_asked_nothing_is_said(project: Project, settings: Any) -> None:
    settings.MODEL_BINDINGS = {"MODEL_COUNTERSPEAKER": "openai:gone"}
    assert costs.of_explanations(project, None) is None


def test_the_pages_say_calls_before_a_start_and_money_where_prices_are_known(
    wire: tuple[WireServer, Desk], item: Item, author: Membership, settings: Any
) -> None:
    client, page = client_of(author), address("item-counterspeech", item.public_id)
    begin = text_of(client.get(page))
    assert "Calls of models: about 7 at most." in begin and "Cost:" not in begin and "no price" not in begin
    settings.MODEL_PRICES = {"openai:writer": (1.0, 10.0)}
    assert "Cost: about 0.0385 USD." in text_of(client.get(page))  # 7 calls of 1,500 tokens in and 400 out
    draft_reply(item, author, "Be kind.")
    desk = text_of(client.get(page))
    assert "Calls of models: about 84 at most. The site knows no price of openai:critic." in desk
    assert "Calls of models: about 4 at most." in desk  # of critics that read the draft


def test_the_line_follows_the_form(wire: tuple[WireServer, Desk], item: Item, author: Membership) -> None:
    exchange, client = request.open_on_item(item), client_of(author)
    cost = address("candidates-cost", exchange.public_id)
    chosen = {"intents": ["positive"], "candidates": 2, "tone": "calm", "length": "short", "shots": 0, "mode": "list"}
    assert "about 9 at most" in text_of(client.get(cost, chosen))
    assert "about 84 at most" in text_of(client.get(cost, {"candidates": "many"}))
    assert not Run.objects.exists()


def test_the_pages_say_what_the_models_took(
    wire: tuple[WireServer, Desk], item: Item, author: Membership, settings: Any
) -> None:
    exchange, client = request.open_on_item(item), client_of(author)
    page = address("item-counterspeech", item.public_id)
    request.explain(exchange)
    work()
    explained = Run.objects.get()
    assert f"The models' last work here took: 7 calls · {explained.tokens:,} tokens" in text_of(client.get(page))
    settings.MODEL_PRICES = {"openai:writer": (1000.0, 1000.0)}
    tokens = sum(turn.input_tokens + turn.output_tokens for turn in Turn.objects.filter(run=explained).order_by("id"))
    assert f"tokens · {tokens / 1000:.4f} USD" in text_of(client.get(page)).replace(",", "")
    request.write(exchange, options={"intents": ["positive"], "candidates": 1})
    work()
    assert "took: 5 calls · " in text_of(client.get(page + "?intent=positive"))


def test_a_budget_that_is_too_small_is_said_before_and_after_in_the_words_of_debates(
    wire: tuple[WireServer, Desk], project: Project, item: Item, author: Membership
) -> None:
    Project.objects.filter(pk=project.pk).update(call_budget=3)
    client, page = client_of(author), address("item-counterspeech", item.public_id)
    assert "budget leaves 3 calls: the models may stop before their end." in text_of(client.get(page))
    client.post(page)
    work()
    run = Run.objects.get()
    assert (run.state, run.reason, run.detail, run.calls) == ("failed", "budget_exceeded", BUDGET, 3)
    told = unescape(text_of(client.get(page)))
    assert BUDGET in told and "The project's budget leaves 0 calls" in told
