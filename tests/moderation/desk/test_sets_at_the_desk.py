"""The desk of a project whose answers may name several categories: hints, reviewers' figures, reasons, refusals."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Choose, Reason, Role
from annotation.models import Event, Item, Membership, Project, Ruling
from annotation.projects.design import change_design, design_of
from markup import compact
from moderation.desk import blind_opinions, decide, reviewer_statistics, triage
from moderation.desk.case_view import Desk
from moderation.desk.decide import Decided, Proposed, RulingRequest
from moderation.desk.settings import set_rules
from moderation.domain.triage import HitRate, Said, Side, differ
from moderation.models import Score
from runs.models import Run

pytestmark = pytest.mark.django_db

HINT = {"side": "model", "verdict": [4, True], "people": [1, True], "score": 0.8}


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden", choose=Choose.SEVERAL)


@pytest.fixture
def heron(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER, pseudonym="Heron")


@pytest.fixture
def wren(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER, pseudonym="Wren")


def client_of(member: Membership) -> Client:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def voted(project: Project, *votes: Sequence[int], **fields: Any) -> Item:
    """An item whose labels name these categories, closed. Votes that agree are disputed for another intent."""
    fields.setdefault("intended", builders.category(project, 5))
    item = builders.make_open_item(project, seats=len(votes), **fields)
    for seat, codes in zip(item.seat_rows.order_by("number"), votes, strict=True):
        several = list(codes) if len(codes) > 1 else []
        builders.make_label(seat, builders.make_member(project), codes[0], categories=several)
    close_item(item)
    item.refresh_from_db()
    return item


def asked_for(item: Item, *codes: int, **more: Any) -> RulingRequest:
    lead, several = builders.category(item.project, codes[0]), codes if len(codes) > 1 else ()
    return RulingRequest(Ruling.DECIDE, item.version, "Plain.", uuid4(), lead, several, **more)


def ruled(item: Item, reviewer: Membership, *codes: int, **more: Any) -> Decided | Proposed:
    result = decide.settle(item, reviewer, asked_for(item, *codes, **more))
    item.refresh_from_db()
    return result


def ran(item: Item, code: int | None, hateful: bool | None = True, method: str = "arcade") -> Run:
    return Run.objects.create(
        method=method, project=item.project.public_id, subject=item.public_id, state="succeeded",
        outcome={"category": code, "hateful": hateful}, finished_at=item.created_at,
        call_limit=1, token_limit=1, seconds_limit=1,
    )  # fmt: skip


def scored(item: Item, run: Run, value: float) -> Score:
    return Score.objects.create(
        project=item.project, item=item, source="run", about_run=run.public_id, method=run.method, explanation="So.",
        text=item.text, rule="paper", threshold=0.3, estimator="given", state="scored", score=value,
        prediction=True, htc=1, qf=4 * value - 3, tgi=1, cc=1,
    )  # fmt: skip


class TestHints:
    def test_a_verdict_contradicts_people_if_it_is_none_of_their_categories(self, project: Project) -> None:
        item = voted(project, (1, 4), (1, 4))
        scored(item, ran(item, 4), 0.9)
        assert triage.pointer(item) is None
        scored(item, ran(item, 2), 0.9)
        hint = triage.pointer(item)
        assert hint is not None
        assert (hint.side, hint.people.codes) == (Side.MODEL, {1, 4})
        assert hint.facts["people"] == [1, True] and hint.facts["people_categories"] == [1, 4]

    def test_sets_contradict_each_other_if_they_share_nothing(self) -> None:
        both, harmless = Said.of((1, 4), True), Said.of((0,), False)
        assert [differ(both, Said(code, True)) for code in (1, 2, 4)] == [False, True, False]
        assert differ(both, harmless) and not differ(both, Said(None, True))

    @pytest.mark.parametrize(
        ("people", "several", "decided", "hits"),
        [
            ([1, True], [], (2, 4), 1),  # the verdict, 4, is among the categories of the decision
            ([1, True], [], (1, 2), 0),
            ([1, True], [1, 4], (4, 5), 0),  # nobody is contradicted
            ([0, False], [], (2, 4), 1),
        ],
    )
    def test_a_hint_was_right_if_the_decision_has_what_its_side_said(
        self, project: Project, heron: Membership, people: Any, several: Any, decided: Any, hits: int
    ) -> None:
        hint = HINT | {"people": people} | ({"people_categories": several} if several else {})
        ruled(voted(project, (1,), (2,)), heron, *decided, shown={"hint": hint})
        rates, _decisions = triage.hit_rates(project)
        assert rates[Side.MODEL] == HitRate(hits, 1)


class TestFiguresOfReviewers:
    def test_a_verdict_agrees_if_it_is_among_the_categories_of_the_decision(
        self, project: Project, heron: Membership
    ) -> None:
        item = voted(project, (1,), (2,))
        ran(item, 4)
        ran(item, 3, method="predict")
        ran(item, None, True, method="baseline")
        ruled(item, heron, 1, 4)
        methods = reviewer_statistics.figures(project).methods
        assert {name: (table.all.hits, table.all.of) for name, table in methods.items()} == {
            "arcade": (1, 1), "predict": (0, 1), "baseline": (1, 1),
        }  # fmt: skip

    def test_agreement_with_votes_compares_whole_sets(self, project: Project, heron: Membership) -> None:
        ruled(voted(project, (1, 4), (1, 4)), heron, 1)
        ruled(voted(project, (1, 4), (1, 4)), heron, 1, 4)
        found = reviewer_statistics.figures(project)
        assert (found.votes.all.hits, found.votes.all.of) == (1, 2)
        assert (found.people[0].with_votes.hits, found.people[0].with_votes.of) == (1, 2)

    def test_a_decision_is_overturned_by_one_for_more_categories(
        self, project: Project, heron: Membership, wren: Membership
    ) -> None:
        item = voted(project, (1,), (2,))
        ruled(item, heron, 1)
        ruled(item, wren, 1, 4)
        overturned = {row.pseudonym: row.overturned for row in reviewer_statistics.figures(project).people}
        assert (overturned["Heron"].hits, overturned["Heron"].of) == (1, 1)
        assert (overturned["Wren"].hits, overturned["Wren"].of) == (0, 1)

    def test_two_reviewers_are_alike_if_they_name_the_same_set(
        self, project: Project, heron: Membership, wren: Membership
    ) -> None:
        set_rules(builders.make_member(project, Role.ADMIN), 15, [Reason.NO_MAJORITY, Reason.KIND_UNDECIDED], True)
        for first, second in (((1,), (1, 4)), ((1, 4), (1, 4))):
            item = voted(project, (1,), (2,))
            ruled(item, heron, *first)
            assert isinstance(ruled(item, wren, *second), Decided) == (first == second)
        found = reviewer_statistics.figures(project)
        assert (found.pairs, found.alike) == (2, 1)
        # Observed 1/2. One rating of 1, three of both: expected 1/16 + 9/16. (1/2 - 10/16) / (6/16) = -1/3.
        assert found.between.value == pytest.approx(-1 / 3)

    def test_a_view_that_is_among_the_categories_of_the_decision_did_not_change(
        self, project: Project, heron: Membership
    ) -> None:
        for view, decided in ((4, (1, 4)), (2, (1, 4))):
            item = voted(project, (1,), (2,))
            ran(item, 4)
            blind_opinions.record_opinion(item, heron, builders.category(project, view))
            ruled(item, heron, *decided)
        persuaded = reviewer_statistics.figures(project).persuaded
        assert (persuaded.opinions, persuaded.changed, persuaded.towards, persuaded.away) == (2, 1, 1, 0)

    def test_events_of_before_name_the_first_category_and_are_read(self, project: Project, heron: Membership) -> None:
        ruled(voted(project, (1, 4), (1, 4)), heron, 1, 4)
        event = Event.objects.get(verb="decide")
        assert (event.facts["categories"], event.facts["before_categories"]) == ([1, 4], [1, 4])
        facts = {name: value for name, value in event.facts.items() if not name.endswith("categories")}
        other = voted(project, (1, 4), (1, 4))
        Event.objects.create(project=project, actor=heron, item=other, verb="decide", row=event.row, facts=facts)
        found = reviewer_statistics.figures(project)
        # Of the older one the votes are known as 1 alone; its ruling still names all categories.
        assert (found.votes.all.hits, found.votes.all.of) == (1, 2)


class TestPages:
    def test_a_retired_category_keeps_a_mark_that_can_be_read(self, project: Project, heron: Membership) -> None:
        item = voted(project, (1, 4), (2,))
        design = design_of(project)
        left = tuple(category for category in design.categories if category.code != 4)
        change_design(project, replace(design, categories=left), admin=builders.make_member(project, Role.ADMIN))
        name = builders.category(project, 4).name
        client = client_of(heron)
        queue = compact(client.get("/p/garden/desk/").text)
        page = compact(client.get(f"/p/garden/desk/{item.public_id}/").text)
        assert re.search(rf'<b class="cat-4 is-retired" title="{name}" ?>4</b>', queue)
        assert re.search(rf'<span class="category cat-4 is-retired"><b ?>4</b> <bdi>{name}</bdi>', page)
        for shown in (queue, page):
            assert not re.search(r"<b[^>]*> ?</b>", shown)
        runs = {"a": ran(item, 4).public_id, "b": ran(item, 2).public_id}
        assert f"4 {name}" in compact(client.get(reverse("moderation:compare", args=["garden"]), runs).text)

    def test_the_reason_names_all_intended_categories(self, project: Project, heron: Membership) -> None:
        racist = builders.category(project, 1)
        item = voted(project, (1, 4), (1, 4), intended=racist, intended_categories=[1, 2])
        [why] = Desk(heron, item).why
        assert why.sentence == "Meant as 1 Racist, 2 Sexist, read differently."

    def test_who_comes_second_reads_all_categories_of_the_first_decision(
        self, project: Project, heron: Membership, wren: Membership
    ) -> None:
        item = voted(project, (1,), (2,))
        version = item.version
        ruled(item, wren, 1, 4)
        client = client_of(heron)
        late = {"ruling": "decide", "categories": ["2"], "rationale": "So.", "version": version, "key": str(uuid4())}
        page = client.post(f"/p/garden/desk/{item.public_id}/", late)
        assert page.status_code == 409
        notice = compact(page.text).split("Somebody else was faster")[1].split("</p>")[0]
        assert "Racist" in notice and builders.category(project, 4).name in notice
        body = {"ruling": "decide", "categories": [2], "rationale": "So.", "version": version, "key": str(uuid4())}
        address = f"/api/v1/projects/garden/disputes/{item.public_id}/decision/"
        last = client.post(address, body, content_type="application/json").json()["last"]
        assert (last["category"], last["categories"]) == (1, [1, 4])
