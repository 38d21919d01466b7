"""Evidence on an item's page: cards linked from the rationale, struck with a reason, judged again over the rest."""

import html
import io
import re
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pypdf import PdfWriter

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Event, Item, Membership, Project
from antihateagent_web import Investigator, a_web, act, article, quote, results
from builders import make_labelled_item, make_member, make_open_item, make_project
from markup import compact
from moderation.debates import ask_again, start
from moderation.desk.case_view import count_sources
from moderation.evidence import edit
from moderation.methods import local_documents
from moderation.models import Document, Evidence, EvidenceSegment
from providers import wiring_web
from providers.http import reading_process
from runs.execution import runner
from runs.models import Run
from wire.pages import PageServer
from wire.pages import page as as_pdf
from wire.pdf_files import pdf

pytestmark = pytest.mark.django_db(transaction=True)

FIRST = "On several boards people call newcomers weeds, and gardeners say how to get rid of them."
SECOND = "In the garden club of the town, weeds are plants and nothing but plants, say its members."


@pytest.fixture
def net(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    with PageServer() as engine, PageServer() as outer, PageServer() as inner:
        settings.SEARXNG_URL, settings.MODEL_BACKOFF = f"http://127.0.0.1:{engine.port}", 0
        wiring_web._breaker.cache_clear()
        fetcher = a_web(outer, inner).fetcher(seconds=2.0)
        monkeypatch.setattr(wiring_web, "_fetcher", lambda agent: fetcher)
        engine.pages["/search"] = results("http://a.example/one", "http://b.example/two")
        outer.pages |= {"/one": article(FIRST, "Boards"), "/two": article(SECOND, "A club")}
        yield SimpleNamespace(engine=engine, outer=outer)


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    people = [make_member(project) for _ in range(3)]
    made = make_labelled_item(project, people, [1, 2, 0], text="Weeds again.", external_id="post-1")
    close_item(made)
    made.refresh_from_db()
    return made


@pytest.fixture
def reviewer(project: Project) -> Client:
    return client_of(make_member(project, Role.REVIEWER))


@pytest.fixture
def admin(project: Project) -> Client:
    return client_of(make_member(project, Role.ADMIN))


def client_of(member: Membership) -> Client:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def investigated(item: Item, state: str = "succeeded", **answers: Any) -> Run:
    start.start_runs(item.project, Item.objects.filter(pk=item.pk), start.DebateRequest("antihateagent"), ring=False)
    run = Run.objects.latest("id")
    agent = Investigator(read=quote("call newcomers weeds", "nothing but plants"), **answers)
    runner.claim_and_perform(run.pk, lambda role, name: agent)
    run.refresh_from_db()
    assert run.state == state, run.detail
    return run


def shown(client: Client, item: Item) -> str:
    answer = client.get(reverse("moderation:evidence", args=["garden", item.public_id]))
    assert answer.status_code == 200
    return html.unescape(compact(answer.content.decode()))


def test_cards_are_folded_and_linked_from_the_rationale(net: Any, item: Item, reviewer: Client) -> None:
    investigated(item)
    page = shown(reviewer, item)
    assert '<a href="#card-1"' in page
    assert 'id="card-1"' in page and 'id="card-2"' in page
    assert "<details" in page.split('id="card-1"')[0][-60:] and "open" not in page.split('id="card-1"')[1][:5]
    assert "call newcomers weeds" in page and "Boards" in page
    card = Evidence.objects.get(number=1)
    assert card.sha256 in page and card.url in page


def test_a_judgment_whose_reason_concludes_the_opposite_is_marked(net: Any, item: Item, reviewer: Client) -> None:
    run, sentence = investigated(item), "The reason concludes the opposite of the verdict."
    assert sentence not in shown(reviewer, item)
    Run.objects.filter(pk=run.pk).update(outcome={**(run.outcome or {}), "warnings": ["reason_disagrees"]})
    assert sentence in shown(reviewer, item)


def test_the_passage_on_page_60_of_a_pdf_is_found_and_cited_by_its_page(net: Any, item: Item, reviewer: Client) -> None:
    pages = [f"On day {day} the weather in the hills was fair. " * 14 for day in range(80)]
    pages[59] = FIRST
    net.outer.pages["/one"] = as_pdf(pdf(*pages), "application/pdf")
    run = investigated(item)
    card = Evidence.objects.get(url="http://a.example/one")
    assert (card.text.count("\f"), card.segments.get().page) == (79, 60)
    page = shown(reviewer, item)
    assert "relevance 3 of 3 · page 60" in page
    assert "On day 2 " not in page  # a long text is shown around its passages
    turn = run.turns.get(key="weigh.1.1")
    assert "relevance 3 of 3, page 60: " in str(turn.messages)


def test_cards_of_a_claim_say_whether_they_bear_it_out(net: Any, item: Item, reviewer: Client) -> None:
    run = investigated(item)
    assert {"supports hateful", "refutes hateful"} & set(
        re.findall(r'class="chip"> ?([^<]+?) ?<', shown(reviewer, item))
    )
    Run.objects.filter(pk=run.pk).update(options=run.options | {"claim": "Gardeners speak of weeds."})
    page = shown(reviewer, item)
    assert "s hateful" not in page
    assert {"supports it", "contradicts it"} & set(re.findall(r'class="chip"> ?([^<]+?) ?<', page))


def test_an_investigation_that_goes_on_has_its_own_cards_and_fetches_nothing_again(
    net: Any, item: Item, reviewer: Client
) -> None:
    stopped = investigated(item)
    stopped.turns.filter(key="verdict").update(state="unreadable", reason="invalid_output", value=None)
    Run.objects.update(state="unreadable", reason="invalid_output", outcome=None, detail="no JSON")
    stopped.refresh_from_db()
    before = (list(net.engine.log), list(net.outer.log))
    continued = ask_again.retry_run(stopped, item.project, ring=False)
    assert continued is not None
    agent = Investigator(read=quote("call newcomers weeds", "nothing but plants"))
    runner.claim_and_perform(continued.pk, lambda role, name: agent)
    continued.refresh_from_db()
    assert (continued.state, continued.calls, (net.engine.log, net.outer.log)) == ("succeeded", 1, before)
    numbers = [
        list(Evidence.objects.filter(run=run.public_id).order_by("number").values_list("number", flat=True))
        for run in (stopped, continued)
    ]
    assert numbers[0] == numbers[1] == [1, 2]
    page = shown(reviewer, item)
    assert reverse("moderation:run", args=["garden", continued.public_id]) in page
    card = Evidence.objects.get(run=continued.public_id, number=1)
    reviewer.post(reverse("moderation:evidence-strike", args=["garden", card.public_id]), {"reason": "Real weeds."})
    judgment = edit.judge_remaining_evidence(continued, item.project)
    assert (judgment.forked_from, judgment.options["struck"]) == (continued, [1])


def both_pages(reviewer: Client, item: Item, run: Run) -> tuple[str, str]:
    """The Evidence tab of the item, and the page of the run."""
    run_page = reviewer.get(reverse("moderation:run", args=["garden", run.public_id]))
    return shown(reviewer, item), html.unescape(compact(run_page.text))


def test_without_a_usable_query_the_pages_say_that_no_search_was_made(net: Any, item: Item, reviewer: Client) -> None:
    run = investigated(item, "unreadable", queries=lambda request: "Weeds are green.")
    for page in both_pages(reviewer, item, run):
        assert "No search was made: the model gave no usable query." in page
        assert "found no page" not in page and "Nothing was found. <" not in page and "0 results" not in page


def test_a_judgment_by_the_post_alone_made_no_search(net: Any, item: Item, reviewer: Client) -> None:
    reviewer.post(
        reverse("moderation:evidence-start", args=["garden", item.public_id]), {"retrieval": "none", "engine": ""}
    )
    run = Run.objects.get()
    runner.claim_and_perform(run.pk, lambda role, name: Investigator())
    page = shown(reviewer, item)
    assert "No search was made." in page and "found no page" not in page


def test_a_page_that_was_found_but_could_not_be_read_is_named(net: Any, item: Item, reviewer: Client) -> None:
    net.engine.pages["/search"] = results("http://a.example/gone")
    run = investigated(item)
    page, run_page = both_pages(reviewer, item, run)
    assert "1 page could not be read:" in page and "http://a.example/gone" in page
    assert "The page does not exist" in page or "404" in page
    assert "found no page" not in page
    assert "not readable" in run_page and "Nothing was found. <" not in run_page


def test_where_no_search_engine_answered_nobody_says_that_nothing_was_found(
    net: Any, item: Item, reviewer: Client
) -> None:
    net.engine.pages.clear()
    run = investigated(item)
    page, run_page = both_pages(reviewer, item, run)
    assert "No search engine answered." in page and "found no page" not in page
    assert "No search engine answered:" in run_page
    assert "Nothing was found. <" not in run_page and "0 results" not in run_page


def test_a_search_without_results_found_nothing(net: Any, item: Item, reviewer: Client) -> None:
    net.engine.pages["/search"] = results()
    run = investigated(item)
    page, run_page = both_pages(reviewer, item, run)
    assert "The agent found no page about this post." in page
    assert "0 results" in run_page and re.search(r"<p class=.quiet.>Nothing was found\.\s*</p>", run_page)


def test_a_struck_card_stays_with_its_reason_and_the_rest_is_judged_again(
    net: Any, item: Item, reviewer: Client
) -> None:
    run = investigated(item)
    card = Evidence.objects.get(run=run.public_id, number=1)
    address = reverse("moderation:evidence-strike", args=["garden", card.public_id])
    reviewer.post(address, {"reason": "A board of gardeners, about real weeds."})
    card.refresh_from_db()
    assert card.struck_because == "A board of gardeners, about real weeds."
    assert Event.objects.filter(verb="evidence_struck", row=card.public_id).count() == 1
    page = shown(reviewer, item)
    assert "A board of gardeners" in page and "Judge again over the rest" in page

    before = (list(net.engine.log), list(net.outer.log))
    answer = reviewer.post(reverse("moderation:evidence-judge", args=["garden", run.public_id]))
    assert answer.status_code == 302
    # The page is brought up to date until the judgment is there: nobody is to type a reason into that.
    under_way = shown(reviewer, item)
    assert 'hx-trigger="every 3s"' in under_way and 'name="reason"' not in under_way
    fork = Run.objects.latest("id")
    agent = Investigator()
    runner.claim_and_perform(fork.pk, lambda role, name: agent)
    fork.refresh_from_db()
    assert (fork.state, fork.forked_from_id, fork.calls) == ("succeeded", run.pk, 1)
    assert (list(net.engine.log), list(net.outer.log)) == before
    asked = "\n".join(message.text for request in agent.asked for message in request.messages)
    assert "nothing but plants" in asked and "call newcomers weeds" not in asked
    assert fork.outcome is not None and fork.outcome["evidence"] == [2]
    assert fork.outcome["unfounded"]["citations"] == [1]  # it cited the struck card all the same
    assert Evidence.objects.count() == 2
    after = shown(reviewer, item)
    assert "All judgments" in after and "without 1" in after
    assert "Judge again over the rest" not in after


def performed(run: Run, agent: Investigator) -> Run:
    runner.claim_and_perform(run.pk, lambda role, name: agent)
    run.refresh_from_db()
    return run


def resumed(client: Client, run: Run) -> Run:
    client.post(reverse("moderation:run-retry", args=["garden", run.public_id]))
    return Run.objects.latest("id")


def test_a_judgment_that_is_resumed_stays_one_of_its_investigation(net: Any, item: Item, reviewer: Client) -> None:
    run = investigated(item)
    card = Evidence.objects.get(number=1)
    reviewer.post(reverse("moderation:evidence-strike", args=["garden", card.public_id]), {"reason": "Real weeds."})
    reviewer.post(reverse("moderation:evidence-judge", args=["garden", run.public_id]))
    judgments = [performed(Run.objects.latest("id"), Investigator(verdict=lambda request: "Weeds are green."))]
    for verdict in ({"verdict": lambda request: "No."}, {}):
        judgments.insert(0, performed(resumed(reviewer, judgments[0]), Investigator(**verdict)))
    assert [judgment.state for judgment in judgments] == ["succeeded", "unreadable", "unreadable"]
    assert judgments[0].outcome is not None and judgments[0].outcome["evidence"] == [2]
    assert Evidence.objects.count() == 2
    [investigation] = edit.investigations_of(item)
    assert (investigation.run, investigation.struck) == (run, [1])
    assert investigation.judgments == [*judgments, run] and not investigation.is_outdated
    again = edit.judge_remaining_evidence(judgments[0], item.project)
    assert (again.forked_from, again.options["struck"]) == (run, [1])


def test_where_a_new_judgment_comes_to_nothing_the_old_one_is_outdated_and_can_be_renewed(
    net: Any, item: Item, reviewer: Client
) -> None:
    run = investigated(item)
    card = Evidence.objects.get(number=1)
    reviewer.post(reverse("moderation:evidence-strike", args=["garden", card.public_id]), {"reason": "Real weeds."})
    reviewer.post(reverse("moderation:evidence-judge", args=["garden", run.public_id]))
    failed = performed(Run.objects.latest("id"), Investigator(verdict=lambda request: "Weeds are green."))
    [investigation] = edit.investigations_of(item)
    assert (investigation.current, investigation.in_vain, investigation.is_outdated) == (run, failed, True)
    page = shown(reviewer, item)
    assert "The evidence has changed since this judgment" in page and "Judge again over the rest" in page
    assert "The last try to judge again came to no verdict: answer in the wrong form" in page
    reviewer.post(reverse("moderation:evidence-judge", args=["garden", run.public_id]))
    renewed = performed(Run.objects.latest("id"), Investigator())
    [investigation] = edit.investigations_of(item)
    assert (investigation.current, investigation.in_vain, investigation.is_outdated) == (renewed, None, False)
    assert "judge again came to no verdict" not in shown(reviewer, item)


def test_the_desk_counts_a_source_once_in_an_investigation_that_was_stopped_and_judged_again(
    net: Any, item: Item, reviewer: Client
) -> None:
    stopped = investigated(item, "unreadable", verdict=lambda request: "No.")
    run = performed(resumed(reviewer, stopped), Investigator())
    assert Evidence.objects.count() == 4  # both runs have cards of the same two sources
    assert count_sources(item) == 2
    card = Evidence.objects.get(run=run.public_id, number=1)
    reviewer.post(reverse("moderation:evidence-strike", args=["garden", card.public_id]), {"reason": "Real weeds."})
    reviewer.post(reverse("moderation:evidence-judge", args=["garden", run.public_id]))
    judgment = performed(Run.objects.latest("id"), Investigator())
    Evidence.objects.filter(run=stopped.public_id).update(run=judgment.public_id)  # as judgments once stored them
    assert count_sources(item) == 1
    desk = reviewer.get(reverse("moderation:desk-item", args=["garden", item.public_id]))
    assert desk.context["desk"].counts_of_tabs["moderation:evidence"] == 1


def test_resumed_judgments_need_no_query_more(
    net: Any, item: Item, reviewer: Client, django_assert_num_queries: Any
) -> None:
    run = investigated(item)
    with django_assert_num_queries(3):
        edit.investigations_of(item)
    reviewer.post(reverse("moderation:evidence-judge", args=["garden", run.public_id]))
    judgment = performed(Run.objects.latest("id"), Investigator(verdict=lambda request: "No."))
    for _ in range(3):
        judgment = performed(resumed(reviewer, judgment), Investigator(verdict=lambda request: "No."))
    with django_assert_num_queries(3):
        [investigation] = edit.investigations_of(item)
    assert len(investigation.judgments) == 5


def test_without_all_its_cards_a_judgment_is_ungrounded(net: Any, item: Item, reviewer: Client) -> None:
    run = investigated(item)
    for card in Evidence.objects.all():
        reviewer.post(reverse("moderation:evidence-strike", args=["garden", card.public_id]), {"reason": "No."})
    reviewer.post(reverse("moderation:evidence-judge", args=["garden", run.public_id]))
    fork = Run.objects.latest("id")
    runner.claim_and_perform(fork.pk, lambda role, name: Investigator())
    fork.refresh_from_db()
    assert fork.outcome is not None and fork.outcome["ungrounded"] is True


def test_a_card_is_not_struck_without_a_reason_and_can_be_put_back(net: Any, item: Item, reviewer: Client) -> None:
    investigated(item)
    card = Evidence.objects.get(number=1)
    strike = reverse("moderation:evidence-strike", args=["garden", card.public_id])
    for reason in ("", "   ", "x\x00y"):
        answer = reviewer.post(strike, {"reason": reason}, follow=True)
        assert answer.status_code == 200
    card.refresh_from_db()
    assert card.struck_at is None
    reviewer.post(strike, {"reason": "A joke."})
    reviewer.post(reverse("moderation:evidence-restore", args=["garden", card.public_id]))
    card.refresh_from_db()
    assert (card.struck_at, card.struck_because) == (None, "")
    assert set(Event.objects.filter(row=card.public_id).values_list("verb", flat=True)) == {
        "evidence_struck",
        "evidence_restored",
    }


def test_the_steps_are_on_the_runs_page_with_what_they_used(net: Any, item: Item, reviewer: Client) -> None:
    run = investigated(item)
    page = html.unescape(reviewer.get(reverse("moderation:run", args=["garden", run.public_id])).content.decode())
    assert "weeds meaning 1" in page and "a.example" in page
    assert "2 of at most 8" in page  # pages
    assert f"{run.turns.count()} of at most 80" in page  # steps
    assert f'/items/{item.public_id}/evidence/#card-1"' in page


def test_b45_an_address_that_is_no_web_address_is_no_link(item: Item, reviewer: Client) -> None:
    debating_run = Run.objects.create(
        method="antihateagent", project=item.project.public_id, subject=item.public_id, state="succeeded",
        call_limit=1, token_limit=1, seconds_limit=1, outcome={"reason": "[1]", "confidence": 0.5, "hateful": True},
    )  # fmt: skip
    for number, url in enumerate(("javascript:alert(1)", "data:text/html,<b>x</b>", "https://a.example/<b>"), 1):
        card = Evidence.objects.create(
            item=item, run=debating_run.public_id, number=number, url=url, title="<script>x</script>", text="t",
            fetched_at="2026-01-01T00:00:00Z", sha256="0" * 64,
        )  # fmt: skip
        EvidenceSegment.objects.create(
            evidence=card, start=0, end=1, quote="<img src=x>", stance="supports", relevance=1, bearing="<b>"
        )
    raw = reviewer.get(reverse("moderation:evidence", args=["garden", item.public_id])).content.decode()
    assert 'href="javascript' not in raw and 'href="data:' not in raw
    assert 'href="https://a.example/&lt;b&gt;" rel="noopener noreferrer nofollow"' in raw
    assert "<script>x" not in raw and "<img src=x" not in raw


def test_the_agent_is_started_from_the_page(net: Any, item: Item, reviewer: Client) -> None:
    address = reverse("moderation:evidence-start", args=["garden", item.public_id])
    answer = reviewer.post(address, {"engine": "searxng", "reformulations": "1", "pages": "2"})
    run = Run.objects.latest("id")
    assert answer["Location"] == reverse("moderation:run", args=["garden", run.public_id])
    assert (run.options["reformulations"], run.options["pages"]) == (1, 2)
    assert run.model_plan["searcher"] == "searxng:web"


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("queued", "An identical run is already under way: this is it."),
        ("succeeded", "An identical run exists: this is it. For a new one, tick “Run again even if an identical run"),
        ("unreadable", "An identical run stopped without a verdict: this is it. “Ask again from here” resumes it."),
    ],
)
def test_whoever_starts_the_agent_twice_reads_why_nothing_starts_and_what_helps(
    net: Any, item: Item, reviewer: Client, state: str, said: str
) -> None:
    address = reverse("moderation:evidence-start", args=["garden", item.public_id])
    reviewer.post(address, {"engine": "searxng"})
    Run.objects.update(state=state)
    run = Run.objects.get()
    # A run that was cancelled answers nothing, so the older one is shown.
    later = Run.objects.get()
    later.pk, later.public_id, later.state = None, uuid4(), "cancelled"
    later.save()
    answer = reviewer.post(address, {"engine": "searxng"}, follow=True)
    assert answer.redirect_chain[0][0] == reverse("moderation:run", args=["garden", run.public_id])
    page = html.unescape(compact(answer.text))
    assert said in page and "already at work" not in page
    assert bool(re.search(r"Ask again from here\s*</button>", page)) == (state == "unreadable")


def test_a_claim_stands_in_the_form_and_its_judgment_is_about_it(net: Any, item: Item, reviewer: Client) -> None:
    claim = 'Most came in 1998 & "stayed".'
    there = reverse("moderation:evidence", args=["garden", item.public_id])
    page = html.unescape(reviewer.get(there, {"claim": claim}).text)
    assert f"{claim}</textarea>" in page
    assert len(re.search(r"(x+)</textarea>", reviewer.get(there, {"claim": "x" * 9000}).text)[1]) == 500
    address = reverse("moderation:evidence-start", args=["garden", item.public_id])
    long = reviewer.post(address, {"claim": "y" * 501})
    assert long.status_code == 422 and "y" * 501 in long.text and not Run.objects.exists()
    reviewer.post(address, {"claim": claim, "retrieval": "none"})
    run = Run.objects.get()
    assert run.options["claim"] == claim

    def ended(request: Any) -> Any:
        said = {"text": request.context["opening"], "verdict": "FALSE", "confidence": 0.6, "rationale": "Not so."}
        return act("FinalJudgment", **said)

    runner.claim_and_perform(run.pk, lambda role, name: Investigator(verdict=ended))
    page = shown(reviewer, item)
    assert "The claim is false" in page and claim in page and "of a claim" in page
    assert "Not hateful" not in page
    steps = reviewer.get(reverse("moderation:run", args=["garden", run.public_id]))
    assert claim in html.unescape(steps.text) and "The claim is false" in steps.text
    assert "The claim is false" in reviewer.get(reverse("moderation:item-runs", args=["garden", item.public_id])).text


def test_limits_glossary_and_ablations_are_chosen_on_the_page(
    net: Any, project: Project, item: Item, reviewer: Client
) -> None:
    project.glossary_for_models = True
    project.save()
    page = shown(reviewer, item)
    assert re.search(r'<input type="checkbox" name="glossary"[^>]* checked', page)
    for name in ("pages_at_once", "megabytes", "steps", "max_tokens", "max_seconds", "retrieval", "instructions"):
        assert f'name="{name}"' in page
    assert "model_urls" not in page and "in evaluations alone" in page
    address = reverse("moderation:evidence-start", args=["garden", item.public_id])
    chosen = {"steps": "20", "megabytes": "2", "pages_at_once": "1", "max_tokens": "5000", "max_seconds": "60"}
    reviewer.post(address, chosen | {"glossary": "on", "retrieval": "none", "instructions": "short"})
    run = Run.objects.get()
    kept = ("steps", "bytes", "pages_at_once", "glossary", "retrieval", "instructions")
    assert [run.options[name] for name in kept] == [20, 2_000_000, 1, True, "none", "short"]
    assert (run.token_limit, run.seconds_limit) == (5000, 60)
    assert "searcher" not in run.model_plan
    wrong = reviewer.post(address, {"steps": "9", "retrieval": "model_urls"})
    assert wrong.status_code == 422
    assert "greater than or equal to 10" in wrong.text and '<details class="fold" open>' in wrong.text
    assert Run.objects.count() == 1


def test_without_anything_to_search_the_page_says_so(item: Item, reviewer: Client) -> None:
    answer = reviewer.post(reverse("moderation:evidence-start", args=["garden", item.public_id]), {"engine": ""})
    assert answer.status_code == 422
    assert "There is nothing to search" in answer.content.decode()
    assert Run.objects.count() == 0


def test_the_form_says_whether_queries_leave_the_site(item: Item, reviewer: Client, settings: Any) -> None:
    page = shown(reviewer, item)
    assert "There is nothing to search: no search engine is set up" in page and "no query leaves" not in page
    local_documents.add_document(item.project, "a.txt", b"Weeds.", make_member(item.project, Role.ADMIN))
    page = shown(reviewer, item)
    assert "no query leaves the site" in page and "There is nothing to search" not in page
    settings.SEARXNG_URL = "http://search.example"
    page = shown(reviewer, item)
    assert "no query leaves the site" not in page and "Queries taken from the post leave this machine" in page


def test_whoever_may_still_label_sees_no_evidence(project: Project, net: Any) -> None:
    item = make_open_item(project, external_id="open-1")
    both = make_member(project, Role.REVIEWER, Role.ANNOTATOR)
    address = reverse("moderation:evidence", args=["garden", item.public_id])
    assert client_of(both).get(address).status_code == 404


# ── Documents ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["n" * 199 + ".txt", "n" * 400 + ".MD", "folder\\" + "ö" * 300 + ".html"])
def test_a_document_with_a_long_name_keeps_its_kind(project: Project, name: str) -> None:
    row = local_documents.add_document(project, name, b"Weeds are plants.", make_member(project, Role.ADMIN))
    assert len(row.name) == 200 and row.name.endswith(name[name.rindex(".") :])


def test_documents_are_uploaded_read_found_and_removed(project: Project, item: Item, admin: Client) -> None:
    address = reverse("moderation:documents", args=["garden"])
    text = b"# Words of the boards\n\nThey call newcomers weeds."
    answer = admin.post(address, {"file": SimpleUploadedFile("words.md", text)})
    assert answer.status_code == 302
    row = Document.objects.get()
    assert (row.title, row.kind, row.characters) == ("Words of the boards", "markdown", 49)
    assert "Words of the boards" in admin.get(address).content.decode()
    own = reverse("moderation:document", args=["garden", row.public_id])
    assert "They call newcomers weeds." in admin.get(own).content.decode()
    run = investigated(item)  # no web engine is set up here
    assert run.model_plan["searcher"] == "local:documents"
    assert Evidence.objects.get().url == f"document:{row.public_id}/1"
    assert own in shown(admin, item)
    admin.post(reverse("moderation:document-remove", args=["garden", row.public_id]))
    assert local_documents.has_no_documents(project.public_id)
    assert "call newcomers weeds" in shown(admin, item)  # evidence keeps its own copy
    assert own not in shown(admin, item)


def test_a_document_is_removed_after_one_question_that_names_it(project: Project, admin: Client) -> None:
    address = reverse("moderation:documents", args=["garden"])
    admin.post(address, {"file": SimpleUploadedFile("boards.txt", FIRST.encode())})
    page = html.unescape(admin.get(address).content.decode())
    assert 'data-confirm="Remove boards.txt? The agent will no longer find it;' in page


def test_a_pdf_is_read_and_found(project: Project, item: Item, admin: Client) -> None:
    content = pdf("Words of the boards", "They call newcomers weeds, it is said.")
    address = reverse("moderation:documents", args=["garden"])
    assert admin.post(address, {"file": SimpleUploadedFile("boards.pdf", content)}).status_code == 302
    row = Document.objects.get()
    assert (row.title, row.kind) == ("boards.pdf", "pdf")
    own = html.unescape(admin.get(reverse("moderation:document", args=["garden", row.public_id])).text)
    assert "Words of the boards" in own and "They call newcomers weeds, it is said." in own
    found = local_documents.search_documents(project.public_id, '"call newcomers"', 5)["hits"]
    assert [hit["url"].startswith(f"document:{row.public_id}/") for hit in found] == [True]
    investigated(item)
    card = Evidence.objects.get()
    assert card.segments.get().quote == "call newcomers weeds"
    again = admin.post(address, {"file": SimpleUploadedFile("other.pdf", content)})
    assert again.status_code == 422 and "This file has already been uploaded." in again.text


def test_a_pdf_that_is_locked_is_refused_with_one_sentence(admin: Client) -> None:
    writer, locked = PdfWriter(clone_from=io.BytesIO(pdf("secret"))), io.BytesIO()
    writer.encrypt("a passphrase", algorithm="RC4-128")
    writer.write(locked)
    address = reverse("moderation:documents", args=["garden"])
    answer = admin.post(address, {"file": SimpleUploadedFile("a.pdf", locked.getvalue())})
    assert answer.status_code == 422 and "The PDF is locked by a password." in answer.text
    assert Document.objects.count() == 0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.exe", b"MZ", "Upload a text, Markdown, HTML or PDF file"),
        ("a.pdf", b"%PDF-1.4 nothing", "no PDF that can be read"),
        ("a.txt", b"\x89PNG\x00\x00", "no text file"),
        ("a.txt", "글".encode("euc-kr"), "not in UTF-8"),
        ("a.html", b"<p hidden>x</p>", "holds no text"),
        ("a.txt", b"", "empty"),
        ("a.txt", b"  \n ", "holds no text"),
    ],
)
def test_bad_files_are_refused_with_one_sentence(admin: Client, name: str, content: bytes, said: str) -> None:
    answer = admin.post(reverse("moderation:documents", args=["garden"]), {"file": SimpleUploadedFile(name, content)})
    assert answer.status_code == 422
    assert said in html.unescape(answer.content.decode())
    assert Document.objects.count() == 0


@pytest.mark.parametrize("name", ["a.html", "a.pdf"])
def test_a_document_that_must_wait_for_others_keeps_no_thread_of_the_server(
    admin: Client, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(local_documents, "_PATIENCE", 0)
    monkeypatch.setattr(reading_process, "_places", threading.BoundedSemaphore(1))
    address = reverse("moderation:documents", args=["garden"])
    content = b"<p>Weeds grow where nobody wants them." if name == "a.html" else pdf("Weeds.")

    def send() -> Any:
        return admin.post(address, {"file": SimpleUploadedFile(name, content)})

    with reading_process._places:
        answer = send()
        assert (answer.status_code, answer["Retry-After"]) == (503, "30")
        assert "Other documents are being read at the moment." in answer.text
        assert not Document.objects.exists()
    assert send().status_code == 302
    assert Document.objects.get().passages.filter(text__contains="Weeds").exists()
