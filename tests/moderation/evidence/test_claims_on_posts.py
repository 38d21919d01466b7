"""An agent checks claims of a reply to an item, and of a pasted text with its reply: by the pages, to the state."""

import html
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership, Project
from annotation.operations.audit_runs import run_problems
from antihateagent_web import Investigator, a_web, act, article, results
from builders import make_labelled_item, make_member, make_project
from generation.counterspeech import replies, request
from generation.counterspeech.claims import claims_of, claims_of_post
from generation.domain.counterspeech.intents import Intent
from generation.models import Exchange, Reply
from markup import compact
from moderation.evidence import edit
from moderation.models import Evidence
from providers import wiring_web
from runs.execution import runner
from runs.models import Run
from token_caller import caller
from wire.pages import PageServer

pytestmark = pytest.mark.django_db(transaction=True)

CLAIM = "Half of the newcomers work in the gardens of the town."
FIRST = "The town counted in May: half of the newcomers work in its gardens, and the others are at school."


@pytest.fixture
def net(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    with PageServer() as engine, PageServer() as outer, PageServer() as inner:
        settings.SEARXNG_URL, settings.MODEL_BACKOFF = f"http://127.0.0.1:{engine.port}", 0
        wiring_web._breaker.cache_clear()
        fetcher = a_web(outer, inner).fetcher(seconds=2.0)
        monkeypatch.setattr(wiring_web, "_fetcher", lambda agent: fetcher)
        engine.pages["/search"] = results("http://a.example/one")
        outer.pages |= {"/one": article(FIRST, "What the town counted")}
        yield SimpleNamespace(engine=engine, outer=outer)


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def author(project: Project) -> Membership:
    return make_member(project, Role.REVIEWER)


@pytest.fixture
def client(author: Membership) -> Client:
    assert author.user is not None
    client = Client()
    client.force_login(author.user)
    return client


def replied(exchange: Exchange, author: Membership) -> Reply:
    reply = replies.begin(exchange, author, Intent.INFORMATIVE)
    return replies.write(reply, author, f"{CLAIM} Come and see.", Intent.INFORMATIVE, reply.version)


def agent(verdict: str, stance: str = "supports") -> Investigator:
    def read(asked: Any) -> Any:
        segment = {"quote": "half of the newcomers work", "stance": stance, "relevance": 3, "bearing": "It says so."}
        return act("ExtractEvidence", segments=[segment] if "half of the newcomers" in str(asked.messages) else [])

    def weigh(asked: Any) -> Any:
        said = {"judgment": verdict, "confidence": 0.9, "effect": "It settles it.", "sufficient": True}
        return act("ReconfirmText", text=asked.context["opening"], **said)

    def judge(asked: Any) -> Any:
        said = {"verdict": verdict, "confidence": 0.9, "rationale": "The town counted them [1]."}
        return act("FinalJudgment", text=asked.context["opening"], **said)

    return Investigator(read=read, weigh=weigh, verdict=judge)


def performed(agent: Investigator) -> Run:
    run = Run.objects.latest("id")
    runner.claim_and_perform(run.pk, lambda role, name: agent)
    run.refresh_from_db()
    assert run.state == "succeeded", run.detail
    return run


def states(claims: Any) -> list[str]:
    return [claim.state.value for claim in claims.stated]


@pytest.mark.parametrize(
    ("verdict", "stance", "state"),
    [("TRUE", "supports", "supported"), ("FALSE", "refutes", "contradicted"), ("OPEN", "supports", "open")],
)
def test_a_claim_checked_from_the_replys_page_gets_the_state_of_the_verdict(
    net: Any, project: Project, author: Membership, client: Client, verdict: str, stance: str, state: str
) -> None:
    people = [make_member(project) for _ in range(3)]
    item = make_labelled_item(project, people, [1, 1, 1], text="All newcomers are weeds.", external_id="post-1")
    close_item(item)
    item = Item.objects.get(pk=item.pk)
    reply = replied(request.open_on_item(item), author)
    client.post(reverse("moderation:evidence-start", args=["garden", item.public_id]), {"claim": CLAIM})
    performed(agent(verdict, stance))
    (claim,) = claims_of(reply).stated
    assert claim.state == state
    assert (claim.card is not None) == (state != "open")


def test_claims_of_a_pasted_post_and_of_its_reply_are_checked_by_the_agent(
    net: Any, project: Project, author: Membership, client: Client
) -> None:
    exchange = request.open_on_text(project, f"{CLAIM} They are weeds.", author)
    reply = replied(exchange, author)
    there = reverse("moderation:text-evidence", args=["garden", exchange.public_id])
    assert "Nobody has looked for evidence" in compact(client.get(there).text)
    started = client.post(f"{there}start/", {"claim": CLAIM}, follow=True)
    assert started.redirect_chain[0][0].startswith(there) and "under way" in compact(started.text)
    model = agent("TRUE")
    run = performed(model)
    assert all(CLAIM in str(asked.messages) for asked in model.asked)
    card = Evidence.objects.get(run=run.public_id)
    assert (card.item, card.project) == (None, project)
    assert states(claims_of(reply)) == ["supported"] and states(claims_of_post(exchange))[0] == "supported"
    page = html.unescape(compact(client.get(there).text))
    assert "The claim is true" in page and "What the town counted" in page
    assert list(run_problems(project)) == []

    again = client.post(f"{there}start/", {"claim": CLAIM}, follow=True)
    assert "An identical run exists" in compact(again.text) and Run.objects.count() == 1
    edit.strike_card(card, "They were not counted.", author)
    assert states(claims_of(reply)) == ["open"]
    client.post(reverse("moderation:evidence-judge", args=["garden", run.public_id]))
    performed(agent("FALSE"))
    assert states(claims_of(reply)) == ["contradicted"]


def test_a_check_of_a_pasted_post_opens_for_people_of_the_desk_and_nobody_else(
    net: Any, project: Project, author: Membership, client: Client
) -> None:
    exchange = request.open_on_text(project, f"{CLAIM} They are weeds.", author)
    there = reverse("moderation:text-evidence", args=["garden", exchange.public_id])
    bad = client.post(f"{there}start/", {"claim": "y" * 501})
    assert bad.status_code == 422 and "y" * 501 in bad.text
    client.post(f"{there}start/", {"claim": CLAIM})
    run = Run.objects.get()
    steps = reverse("moderation:run", args=["garden", run.public_id])
    assert steps in client.get(there).text
    queue = compact(client.get(reverse("moderation:runs", args=["garden"])).text)
    assert "A pasted text" in queue and steps in queue
    for address in (steps, f"{steps}progress/"):
        assert client.get(address).status_code == 200
    performed(agent("TRUE"))
    page = compact(client.get(steps).text)
    assert "They are weeds." in page and there in page and "The town counted them" in page
    admin, annotator = (make_member(project, role) for role in (Role.ADMIN, Role.ANNOTATOR))
    outsider = make_member(make_project("other"), Role.REVIEWER)
    for member, status in ((admin, 200), (annotator, 404), (outsider, 404)):
        assert member.user is not None
        client.force_login(member.user)
        assert client.get(steps).status_code == status
    elsewhere = reverse("moderation:text-evidence", args=["other", exchange.public_id])
    assert client.get(elsewhere).status_code == 404 and client.post(f"{elsewhere}start/").status_code == 404


def test_two_checks_of_a_pasted_post_are_compared(
    net: Any, project: Project, author: Membership, client: Client
) -> None:
    exchange = request.open_on_text(project, f"{CLAIM} They are weeds.", author)
    there = reverse("moderation:text-evidence", args=["garden", exchange.public_id])
    for claim in (CLAIM, "They are weeds."):
        client.post(f"{there}start/", {"claim": claim})
        performed(agent("TRUE"))
    first, second = Run.objects.order_by("id").values_list("public_id", flat=True)
    page = client.get(reverse("moderation:compare", args=["garden"]), {"a": first, "b": second})
    assert page.status_code == 200 and "They are weeds." in compact(page.text)


def test_a_program_has_a_claim_of_a_pasted_post_checked_and_reads_what_came_of_it(
    net: Any, project: Project, author: Membership
) -> None:
    exchange = request.open_on_text(project, f"{CLAIM} They are weeds.", author)
    reviewer, admin, annotator, outsider = map(
        caller,
        (
            author,
            make_member(project, Role.ADMIN),
            make_member(project, Role.ANNOTATOR),
            make_member(make_project("other"), Role.REVIEWER),
        ),
    )
    claims = f"counterspeech/exchanges/{exchange.public_id}/claims/"
    there, asks = f"texts/{exchange.public_id}/evidence/", reviewer("get", claims)[0]["asks"]
    assert asks == CLAIM
    queued = reviewer("post", there, {"claim": asks}, 202)
    assert queued["new"] and reviewer("get", f"runs/{queued['run']}/")["state"] == "queued"
    assert admin("post", there, {"claim": asks}, 202) == {"run": queued["run"], "new": False}
    (row,) = admin("get", "runs/")["results"]
    assert (row["item"], row["state"]) == (None, "queued")
    performed(agent("TRUE"))
    (found,) = admin("get", there)["investigations"]
    assert (found["run"], found["state"], found["outcome"]["holds"]) == (queued["run"], "succeeded", True)
    assert found["cards"][0]["title"] == "What the town counted"
    run = admin("get", f"runs/{queued['run']}/")
    assert run["item"] is None and "The town counted them" in run["reason"] and run["turns"]
    first = reviewer("get", claims)[0]
    assert (first["state"], first["checked_by"]) == ("supported", queued["run"])
    assert reviewer("post", there, {"claim": asks, "options": {"engine": "none"}}, 400)["code"] == "bad_choice"
    assert "claim" in reviewer("post", there, {"claim": "y" * 501}, 400)["fields"]
    for stranger in (annotator, outsider):
        stranger("post", there, {"claim": asks}, 404)
        stranger("get", there, status=404)
        stranger("get", f"runs/{queued['run']}/", status=404)
