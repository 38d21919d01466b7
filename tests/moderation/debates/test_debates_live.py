"""A debate as it is followed live: its parts, who thinks, how long it takes, and a sentence for each trouble."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Project
from builders import make_labelled_item, make_member, make_project
from markup import compact
from moderation.debates import start as debate_start
from moderation.debates.progress import stages_of, usual_seconds
from runs.execution import runner, worker
from runs.models import Pause, Run, Turn
from runs.spending.cost import run_cost
from wire.server import WireServer, say
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

CUE = {
    "id": "c1",
    "cue_type": "Metaphor",
    "target_group": "new neighbours",
    "claim": "“weeds” stands for them",
    "hate_type": 5,
    "justification": "nothing else is pulled out",
}


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    with models_at_a_server(settings, ("gatekeeper", "prosecutor", "defender", "judge")) as server:
        yield server


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    people = [make_member(project) for _ in range(3)]
    made = make_labelled_item(project, people, [1, 2, 0], text="Weeds in the white roses again.")
    close_item(made)
    made.refresh_from_db()
    return made


@pytest.fixture
def reviewer(project: Project) -> Client:
    member = make_member(project, Role.REVIEWER)
    client = Client()
    assert member.user is not None
    client.force_login(member.user)
    return client


def started(project: Project, **options: Any) -> Run:
    """A queued run of ARCADE on the post."""
    wish = debate_start.DebateRequest("arcade", options, again=True)
    debate_start.start_runs(project, Item.objects.all(), wish, ring=False)
    return Run.objects.latest("id")


def work(run: Run) -> None:
    runner.claim_and_perform(run.pk, worker.planned_model)
    run.refresh_from_db()


def page_of(run: Run, client: Client) -> str:
    return compact(client.get(reverse("moderation:run", args=["garden", run.public_id])).content.decode())


def opened(wire: WireServer) -> None:
    """The gatekeeper finds nothing, the prosecutor a cue."""
    wire.queue(say('{"cues": []}'), model="gatekeeper")
    wire.queue(say(json.dumps({"cues": [CUE]})), model="prosecutor")


@pytest.mark.parametrize(
    ("faults", "state", "sentence"),
    [
        (["refusal"], "refused", "defender (defender) declined to answer. Ask again from here, or start with another"),
        (["blocked"], "refused", "The provider blocked the question to defender (defender). Start with a model of"),
        (["prose"] * 6, "unreadable", "defender (defender) gave an answer that cannot be used. Ask again from here"),
        (["garbage"] * 6, "failed", "The provider of defender (defender) failed. Press Resume when it works; nothing"),
        (["context"] * 2, "failed", "The provider did not accept the question to defender (defender). Start with"),
    ],
)
def test_a_model_that_misbehaves_is_told_in_one_sentence_with_what_to_do(
    wire: WireServer, project: Project, item: Item, reviewer: Client, faults: list[str], state: str, sentence: str
) -> None:
    opened(wire)
    wire.queue(*faults, model="defender")
    run = started(project)
    work(run)
    page = page_of(run, reviewer)
    assert run.state == state, run.detail
    assert sentence in page
    assert '<li class="is-done">Gate</li>' in page and '<li aria-current="step">Round 1</li>' in page


def test_a_throttled_provider_is_named_with_its_next_try_and_that_nothing_is_lost(
    wire: WireServer, project: Project, item: Item, reviewer: Client
) -> None:
    opened(wire)
    wire.queue("429-600", "429-600", "429-600", model="defender")
    run = started(project)
    work(run)
    page = page_of(run, reviewer)
    assert run.state == "queued"
    assert re.search(r"[Nn]ext try at \d\d:\d\d:\d\d", page) and "429" in page
    assert "Nothing is lost: it resumes by itself." in page and "cancel it and start with another model" in page
    assert '<li aria-current="step">Round 1</li>' in page and Turn.objects.filter(run=run).count() == 2
    Pause.objects.all().delete()


def test_between_two_rounds_the_page_says_who_thinks_since_when_and_how_far_the_debate_is(
    project: Project, item: Item, reviewer: Client, settings: Any
) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, ["keyword:cues-1"]
    settings.MODEL_PRICES, settings.MODEL_PRICE_CURRENCY = {"keyword:cues-1": (Decimal(2), Decimal(10))}, "USD"
    run = started(project, track="deep", rounds=2)
    values = {"prosecutor.1": {"cues": [CUE]}, "defender.1": {"rebuttals": [{"id": "c1", "rebuttal": "a garden"}]}}
    for key, value in values.items():
        role = key.partition(".")[0]
        Turn.objects.create(run=run, key=key, role=role, kind="ask", value=value, input_tokens=1000, output_tokens=500)
    now = timezone.now()
    Turn.objects.update(created_at=now - timedelta(seconds=20))
    busy = {"prosecutor.2": {"calls": 1, "tokens": 9}}
    Run.objects.update(
        state="running", in_flight=busy, calls=3, started_at=now - timedelta(seconds=60),
        not_before=now - timedelta(seconds=60),
    )  # fmt: skip
    run.refresh_from_db()
    assert stages_of(run, list(run.turns.all())) == [("Round 1", "done"), ("Round 2", "current"), ("Verdict", "ahead")]
    page = page_of(run, reviewer)
    assert "The prosecutor is thinking" in page and re.search(r"2[0-3] s since the last answer", page)
    assert "3 of at most 5 calls" in page and "3 left at most" in page
    assert "is asked again by itself" not in page
    Turn.objects.update(created_at=now - timedelta(seconds=settings.MODEL_WALL_SECONDS + 5))
    Run.objects.update(
        started_at=now - timedelta(seconds=settings.MODEL_WALL_SECONDS + 9),
        not_before=now - timedelta(seconds=settings.MODEL_WALL_SECONDS + 9),
    )
    assert re.search(r"No answer for 6\d seconds. It is asked again by itself; or cancel", page_of(run, reviewer))


def test_the_expected_time_is_the_median_of_ended_runs_of_the_same_method_and_provider(
    project: Project, item: Item, reviewer: Client, settings: Any
) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, ["keyword:cues-1"]
    run = started(project)
    assert usual_seconds(run) is None and "of about" not in page_of(run, reviewer)
    for seconds, change in (
        (10, {}),
        (40, {}),
        (31, {}),
        (900, {"provider": "other"}),
        (900, {"state": "failed"}),
        (900, {"forked_from": run}),
    ):
        fields = {"state": "succeeded", "provider": run.provider, "seconds": seconds, **change}
        Run.objects.create(
            method="arcade", project=run.project, subject=run.subject, variant=f"{seconds}{change}", call_limit=1,
            token_limit=1, seconds_limit=1, **fields,
        )  # fmt: skip
    assert usual_seconds(run) == 31
    assert "0 s of about 31 s" in page_of(run, reviewer)
    minute_ago = timezone.now() - timedelta(seconds=60)
    Run.objects.filter(pk=run.pk).update(state="running", started_at=minute_ago, not_before=minute_ago)
    page = page_of(run, reviewer)
    assert re.search(r"6\d s", page) and "of about" not in page


def test_a_run_that_was_asked_again_is_not_said_to_stay_below_its_most_calls(
    project: Project, item: Item, reviewer: Client, settings: Any
) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, ["keyword:cues-1"]
    run = started(project)
    for calls, words in ((8, "8 of at most 8 calls"), (9, "9 calls")):
        Run.objects.filter(pk=run.pk).update(state="running", started_at=timezone.now(), calls=calls)
        assert words in page_of(run, reviewer)
    assert "of at most" not in page_of(run, reviewer)


def test_the_cost_of_a_run_is_told_whole_or_not_at_all(settings: Any) -> None:
    settings.MODEL_PRICES = {"openai:big": (Decimal(2), Decimal(10))}
    run = Run(model_plan={"judge": "openai:big", "defender": "openai:small", "gatekeeper": "keyword:cues-1"})
    own = Turn(role="judge", input_tokens=1_000_000, output_tokens=100_000)
    copied = Turn(role="defender", flags=["taken_over"])
    free = Turn(role="gatekeeper", input_tokens=1_000_000)
    assert run_cost(run, [own, copied, free]) == Decimal(3)  # a million at 2, a tenth of a million at 10
    unpriced = Turn(role="defender", input_tokens=1_000_000)
    assert run_cost(run, [own, unpriced]) is None


def test_runs_of_a_post_are_told_apart_by_method_models_verdict_and_time_and_none_needs_a_query(
    project: Project,
    item: Item,
    reviewer: Client,
    settings: Any,
    django_assert_num_queries: Callable[..., Any],
    django_assert_max_num_queries: Callable[..., Any],
) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, ["keyword:cues-1"]
    desk = reverse("moderation:desk-item", args=["garden", item.public_id])
    for _ in range(2):
        work(started(project))
    reviewer.get(desk)
    with django_assert_max_num_queries(55) as few:
        reviewer.get(desk)
    last = started(project, rounds=1)
    for _ in range(6):
        work(started(project))
    Run.objects.filter(pk=last.pk).update(model_plan={"judge": "openai:big-judge"})
    # One is open: how long such runs take is asked once. It has no verdict, so no reading of orders is looked up.
    with django_assert_num_queries(len(few)):
        page = compact(reviewer.get(desk).content.decode())
    rows = page.split('id="runs-of-post"')[1].split("</nav>")[0].split("<li>")[1:]
    assert len(rows) == 9
    (current,) = [row for row in rows if "aria-current" in row]
    assert "queued" in current and "big-judge" in current  # what is under way is shown first
    assert all("ARCADE" in row and re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", row) for row in rows)
    assert sum("NotHate" in row for row in rows) == 8
    assert "Use as a draft of the rationale" not in page  # the shown run has no verdict yet


def test_verdicts_are_folded_at_the_desk_until_the_reviewer_has_given_their_own_view(
    project: Project, item: Item, reviewer: Client, settings: Any
) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, ["keyword:cues-1"]
    work(started(project))
    desk = reverse("moderation:desk-item", args=["garden", item.public_id])

    def beside() -> str:
        return compact(reviewer.get(desk).content.decode()).split('id="help"')[1]

    folded = beside().split('<details class="fold" data-beside>')[1]
    assert folded.index('id="run"') < folded.index("Start a method")
    assert "Show the debates" in folded.split("</summary>")[0]
    reviewer.post(reverse("moderation:desk-opinion", args=["garden", item.public_id]), {"category": "1"})
    assert '<details class="fold" data-beside>' not in beside() and 'id="run"' in beside()
