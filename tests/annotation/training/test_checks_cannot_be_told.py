"""An annotator who looks at their history again and again cannot tell checks from other posts, nor can who counts."""

import json
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

import builders
from annotation.assignment import claim, outcomes
from annotation.assignment.make_seats import make_all_check_seats
from annotation.batches.open_items import open_items
from annotation.domain.answer import Answer
from annotation.domain.choices import Role, Stage
from annotation.domain.priors.arms import draws_check
from annotation.labelling import submit
from annotation.members.join import enrol
from annotation.members.personal_data import data_of
from annotation.models import Item, Label, Membership, Project, Seat
from annotation.training.control_items import KnownAnswerKey, mark_control_item, set_control_item_active
from check_hunt import Hunt, begin_hunt, told

pytestmark = pytest.mark.django_db

# ── What the history tells ────────────────────────────────────────────────────


@pytest.fixture(autouse=True)
def _checks_come_as_on_any_day(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(seed: str, member: UUID, _day: object, number: int, percent: int) -> bool:
        return draws_check(seed, member, "a day", number, percent)

    monkeypatch.setattr(claim, "draws_check", draw)


def played(way: str, seed: int, **fields: Any) -> Hunt:
    """Play a campaign to its end; the observer looks at their history after every few labels."""
    hunt = begin_hunt(seed, **fields)
    if way == "the observer first":
        hunt.work(hunt.observer, 400, every=6)
    elif way == "the observer last":
        hunt.work_together(hunt.others, 300, every=6)
        hunt.work(hunt.observer, 400, every=6)
    else:
        hunt.work_together([hunt.observer, *hunt.others], 10_000, every=6)
    hunt.work_together(hunt.others, 10_000, every=6)
    hunt.look()
    return hunt


def never(hunt: Hunt) -> Iterator[dict[UUID, bool]]:
    checks = hunt.checks()
    for look in hunt.looks:
        yield {post: post in checks or is_open for post, is_open in look.items()}


def with_the_post_before(hunt: Hunt) -> Iterator[dict[UUID, bool]]:
    checks, before = hunt.checks(), {}
    for place, post in enumerate(hunt.posts):
        if post in checks:
            before[post] = next((p for p in reversed(hunt.posts[:place]) if p not in checks), hunt.posts[0])
    for look in hunt.looks:
        yield {post: look[before.get(post, post)] for post in look}


def at_a_fixed_time(hunt: Hunt) -> Iterator[dict[UUID, bool]]:
    checks, age = hunt.checks(), dict.fromkeys(hunt.posts, 0)
    for look in hunt.looks:
        for post in look:
            age[post] += 1
        yield {post: age[post] < 20 if post in checks else is_open for post, is_open in look.items()}


LEAKS: tuple[Callable[[Hunt], Iterator[dict[UUID, bool]]], ...] = (never, with_the_post_before, at_a_fixed_time)


@pytest.mark.once
def test_nothing_that_an_observer_sees_tells_checks_from_posts() -> None:  # L26
    """Two hundred posts; the others are three quarters through, then at the end. Rules that tell checks are found."""
    hunt = begin_hunt(5, checks=26, check_percent=13)
    hunt.work(hunt.observer, 400, every=6)
    hunt.work_together(hunt.others, 300, every=6)
    checks = hunt.checks()
    assert len(hunt.posts) > 190 and len(checks) >= 20
    assert told([hunt]) == []
    page_and_api_say_what_was_seen(hunt, checks)
    hunt.work_together(hunt.others, 10_000, every=6)
    hunt.look()
    assert not any(hunt.looks[-1].values())
    assert told([hunt]) == []
    for leak in LEAKS:
        assert told([hunt], list(leak(hunt))), leak.__name__


def page_and_api_say_what_was_seen(hunt: Hunt, checks: set[UUID]) -> None:
    hunt.look()
    seen, browser, slug = hunt.looks.pop(), Client(), hunt.project.slug
    browser.force_login(hunt.observer.user)
    labels = {seat.public_id: str(seat.label.public_id) for seat in Seat.objects.exclude(label=None)}
    shown = "".join(browser.get(f"/p/{slug}/history/?page={page}").content.decode() for page in range(1, 10))
    assert {post for post in seen if labels[post] in shown} == {post for post, is_open in seen.items() if is_open}
    assert set(seen.values()) == {True, False}
    for post in [*checks, *hunt.posts[:15]]:
        body = {"key": str(uuid4()), "category": 1}
        address = f"/api/v1/projects/{slug}/labels/{labels[post]}/"
        status = browser.put(address, json.dumps(body), content_type="application/json").status_code
        assert status == (200 if seen[post] else 409)


LATENESS = 0.1
"""Where one is far ahead of few others, checks close a little later than posts, and so where more of them close."""
CAMPAIGNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("the observer first", {}),
    ("the observer last", {}),
    ("all at once", {"order": "depth"}),
    ("the observer first", {"people": 8}),
    ("all at once", {"seats": 2, "people": 2}),
    ("the observer last", {"seats": 2, "people": 2}),
)
"""Not held: two people with two seats of whom one is far ahead. There checks still close late (docs/threats.md, L26)."""


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize(("way", "fields"), CAMPAIGNS, ids=str)
def test_no_way_of_playing_tells_checks_from_posts(way: str, fields: dict[str, Any]) -> None:
    hunts = [played(way, seed, checks=40, **fields) for seed in (21, 22)]
    assert told(hunts, allowed=LATENESS) == []


# ── What a verb does ──────────────────────────────────────────────────────────


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden", check_percent=50, severe_in_row=0)


def a_post(project: Project, kind: str) -> None:
    """Make the next post of anybody an ordinary one or a check."""
    item = builders.make_item(project, "A post about a garden.")
    mark_control_item(item, None, KnownAnswerKey(builders.category(project, 1))) if kind == "check" else None
    if kind == "post":
        Item.objects.filter(pk=item.pk).update(stage=Stage.READY)
        open_items(project)


def statements(act: Callable[[], Any]) -> list[str]:
    """Return the statements of the act without their values."""
    with CaptureQueriesContext(connection) as captured:
        act()
    return [
        re.sub(r"'[^']*'(::\w+)?|\b\d+\b|\b(s\d+_x\d+|_django_curs_\w+)|(?<== )(NULL|true|false)", "?", query["sql"])
        for query in captured.captured_queries
    ]


def test_a_verb_takes_the_same_statements_for_both(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of each is labelled before, both are made ahead; then each verb is done at one of each."""
    told_by: dict[str, list[list[str]]] = {}
    for kind in ("post", "check", "post", "check"):
        monkeypatch.setattr(claim, "_is_check_due", lambda request, kind=kind: kind == "check")
        for last in (False, True):
            ann = builders.make_member(project)
            browser = Client()
            browser.force_login(ann.user)
            others = [builders.make_member(project), builders.make_member(project)] if last else []
            labelled_before(project, ann, others)
            for made in ("post", "check") * 3:
                next_post(project, made, others)
            for name, act in verbs(ann, browser):
                told_by.setdefault(f"{name}, {last}", []).append(statements(act))
            Item.objects.filter(project=project).update(picture_missing=True)
    for name, ways in told_by.items():
        _warm, _warm_check, of_post, of_check = ways
        assert of_post == of_check, name


def labelled_before(project: Project, ann: Membership, others: list[Membership]) -> None:
    """Let the annotator label a post that waits for others, or one that closes at once where these have labelled it."""
    item = builders.make_open_item(project, "Before.")
    seats = list(item.seat_rows.order_by("number"))
    for seat, member in zip(seats, others, strict=False):
        builders.make_label(seat, member, 1)
    Seat.objects.filter(pk=seats[2].pk).update(annotator=ann, expires_at="2100-01-01T00:00Z")
    assert isinstance(submit.submit_label(ann, seats[2].public_id, uuid4(), Answer(category=1)), outcomes.Stored)


def next_post(project: Project, kind: str, others: list[Membership]) -> None:
    """Make an item; if it is an ordinary post these have labelled it."""
    a_post(project, kind)
    item = Item.objects.latest("pk")
    for seat, member in zip(item.seat_rows.order_by("number"), others if kind == "post" else (), strict=False):
        builders.make_label(seat, member, 1)


def verbs(ann: Membership, browser: Client) -> Iterator[tuple[str, Callable[[], Any]]]:
    seat: Seat
    label: Label

    def take() -> None:
        nonlocal seat
        outcome = claim.claim(ann)
        assert isinstance(outcome, outcomes.HeldSeat), outcome
        seat = outcome.seat

    def answer() -> None:
        nonlocal label
        stored = submit.submit_label(ann, seat.public_id, uuid4(), Answer(category=1))
        assert isinstance(stored, outcomes.Stored)
        label = stored.label

    yield "next", take
    yield "page", lambda: browser.get("/p/garden/label/")
    yield "API next", lambda: browser.post("/api/v1/projects/garden/next/")
    yield "lease", lambda: submit.renew_lease(ann, seat.public_id)
    yield "label", answer
    yield "change", lambda: submit.correct_label(ann, label.public_id, uuid4(), Answer(category=0))
    yield "page of a change", lambda: browser.get(f"/p/garden/label/own/{label.public_id}/")
    yield "undo", lambda: submit.take_back_label(ann, label.public_id)
    yield "label again", answer
    yield "history", lambda: browser.get("/p/garden/history/")
    yield "own data", lambda: data_of(ann.user)
    yield "API labels", lambda: browser.get("/api/v1/projects/garden/labels/")
    yield "next after", take
    yield "skip", lambda: submit.skip_seat(ann, seat.public_id)
    yield "next to report", take
    yield "report", lambda: submit.report_seat(ann, seat.public_id)


# ── Seats and own data ────────────────────────────────────────────────────────


def test_seats_of_checks_are_made_before_anybody_comes(project: Project) -> None:
    Project.objects.update(check_percent=100)
    item = builders.make_item(project)
    mark_control_item(item, None, KnownAnswerKey(builders.category(project, 1)))
    assert item.seat_rows.count() == 2
    for _ in range(3):
        enrol(project, builders.make_user(), Role.ANNOTATOR)
    assert item.seat_rows.count() == 5 and set(item.seat_rows.values_list("annotator", flat=True)) == {None}
    for _ in range(3):
        builders.make_member(project)
    assert make_all_check_seats() == 3 and make_all_check_seats() == 0
    set_control_item_active(item, None, active=False)
    builders.make_member(project)
    assert make_all_check_seats() == 0
    assert sorted(item.seat_rows.values_list("number", flat=True)) == list(range(1, 9))


def test_more_people_than_seats_still_answer_a_check(project: Project) -> None:
    Project.objects.update(check_percent=100)
    item = builders.make_item(project)
    mark_control_item(item, None, KnownAnswerKey(builders.category(project, 1)))
    for _ in range(6):
        member = builders.make_member(project)
        outcome = claim.claim(member)
        assert isinstance(outcome, outcomes.HeldSeat) and outcome.seat.item == item


def test_ones_own_data_tells_no_key_no_arm_and_no_order_of_making(project: Project) -> None:  # L32
    Project.objects.update(check_percent=100)
    ann = builders.make_member(project)
    for kind in ("check", "post", "check"):
        a_post(project, kind)
    for _ in range(3):
        outcome = claim.claim(ann)
        assert isinstance(outcome, outcomes.HeldSeat)
        submit.submit_label(ann, outcome.seat.public_id, uuid4(), Answer(category=1))
    data = data_of(ann.user)
    assert [row["item"] for row in data["seats"]] == [row["item"] for row in data["labels"]]
    assert {row["prior_arm"] for row in data["labels"]} == {None}
    assert {row["priors_shown"] for row in data["labels"]} == {0}
    assert not re.search(r"T\d\d:\d\d:\d\d\.", json.dumps(data, default=str))
    Project.objects.update(archived_at="2026-01-01T00:00Z")
    assert {row["prior_arm"] for row in data_of(ann.user)["labels"]} == {"shown"}


def test_checks_of_a_running_campaign_get_a_post_to_follow_and_seats(project: Project) -> None:
    Project.objects.update(check_percent=100)
    ann = builders.make_member(project)
    labelled_before(project, ann, [])
    a_post(project, "check")
    outcome = claim.claim(ann)
    assert isinstance(outcome, outcomes.HeldSeat) and outcome.seat.item.stage == Stage.KNOWN
    submit.submit_label(ann, outcome.seat.public_id, uuid4(), Answer(category=1))
    Seat.objects.update(closes_with=None)
    Seat.objects.filter(item__stage=Stage.KNOWN, annotator=None).delete()
    migration = import_module("annotation.migrations.0022_running_checks_close_like_posts")
    migration.follow(apps, SimpleNamespace(connection=connection))
    migration.make_seats(apps, SimpleNamespace(connection=connection))
    before = Seat.objects.get(annotator=ann, item__stage=Stage.LABELLING)
    assert Seat.objects.get(annotator=ann, item__stage=Stage.KNOWN).closes_with == before.pk
    assert Seat.objects.filter(item__stage=Stage.KNOWN, annotator=None).count() == 2
