"""An annotator who looks at their history again and again cannot tell checks from other posts, nor can who counts.

Nothing is estimated here: what is seen of a post is compared with what its annotator's own clock says.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib import import_module
from itertools import takewhile
from math import sqrt
from random import Random
from statistics import mean
from time import perf_counter
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import builders
from annotation.assignment import claim, outcomes
from annotation.assignment.make_seats import make_all_check_seats
from annotation.assignment.seat_lookup import can_change_label
from annotation.batches.open_items import open_items
from annotation.consensus.close import close_full_items
from annotation.domain.answer import CHANGE_TIME, Answer
from annotation.domain.choices import Role, Stage
from annotation.domain.priors.arms import draws_check
from annotation.labelling import submit
from annotation.members.join import enrol
from annotation.members.personal_data import data_of
from annotation.models import Item, Label, Membership, Project, Seat
from annotation.operations.audit import audit
from annotation.training.control_items import KnownAnswerKey, mark_control_item, set_control_item_active
from annotation.training.results import own_totals
from never_counted import forget_statistics

pytestmark = pytest.mark.django_db
STEP = timedelta(minutes=1)
"""The time that every label takes its annotator."""

# ── What a whole campaign shows ───────────────────────────────────────────────


@dataclass
class Played:
    """A campaign with checks mixed in. Time passes by moving the times of all answers back."""

    project: Project
    observer: Membership
    others: Sequence[Membership]
    passed: timedelta = timedelta()
    answered: dict[UUID, datetime] = field(default_factory=dict)
    """The observer's seats in the order of their answers, and when they answered."""

    def label(self, member: Membership) -> bool:
        """Let the member label one post. Return False if there is none for them."""
        outcome = claim.claim(member)
        if not isinstance(outcome, outcomes.HeldSeat):
            return False
        stored = submit.submit_label(member, outcome.seat.public_id, uuid4(), Answer(category=1))
        assert isinstance(stored, outcomes.Stored)
        assert (stored.closed, stored.undo_until) == (False, None)
        if member == self.observer:
            self.answered[outcome.seat.public_id] = stored.label.created_at + self.passed
        return True

    def wait(self, time: timedelta = STEP) -> None:
        self.passed += time
        for name in ("final_at", "filled_at"):
            Seat.objects.exclude(**{name: None}).update(**{name: F(name) - time})

    def own_clock(self, now: datetime) -> dict[UUID, bool]:
        """Return for each seat whether its answer can be changed, from the observer's own clock alone."""
        return {seat: now + self.passed - at < CHANGE_TIME for seat, at in self.answered.items()}

    def wait_between_ends(self) -> None:
        """Let time pass until no answer becomes final within the next minute."""
        while any(
            timedelta() < at + CHANGE_TIME - self.passed - timezone.now() < STEP for at in self.answered.values()
        ):
            self.wait(STEP / 6)

    def look(self, now: datetime) -> dict[UUID, bool]:
        seats = Seat.objects.filter(annotator=self.observer, label__isnull=False).select_related("item")
        return {seat.public_id: can_change_label(seat, now) for seat in seats}

    def checks(self) -> set[UUID]:
        return set(self.seats().filter(item__stage=Stage.KNOWN).values_list("public_id", flat=True))

    def seats(self) -> Any:
        return Seat.objects.filter(annotator=self.observer, label__isnull=False)


def begin(posts: int, checks: int, people: int, **fields: Any) -> Played:
    settings = {"check_percent": 15, "severe_in_row": 0, "seats": 3, "influence_seed": "a seed"}
    project = builders.make_project("garden", **(settings | fields))
    chance = Random(7)
    members = [builders.make_member(project, public_id=UUID(int=chance.getrandbits(128))) for _ in range(people)]
    items = [builders.make_item(project, f"Post {number}.") for number in range(posts + checks)]
    known = set(chance.sample([item.pk for item in items], checks))
    for item in items:
        if item.pk in known:
            mark_control_item(item, None, KnownAnswerKey(builders.category(project, 1)))
    Item.objects.exclude(pk__in=known).update(stage=Stage.READY, seats=project.seats)
    open_items(project)
    return Played(project, members[0], members[1:])


def observer_first(played: Played) -> Iterator[Membership]:
    yield from [played.observer] * 400
    yield from list(played.others) * 400


def observer_last(played: Played) -> Iterator[Membership]:
    yield from list(played.others) * 400
    yield from [played.observer] * 400


def all_at_once(played: Played) -> Iterator[Membership]:
    yield from [played.observer, *played.others] * 400


CAMPAIGNS = (
    pytest.param(observer_last, {"posts": 170, "checks": 45, "people": 3}, id="200 posts, the observer last"),
    pytest.param(observer_first, {"posts": 40, "checks": 20, "people": 3}, id="the observer far ahead"),
    pytest.param(observer_first, {"posts": 40, "checks": 20, "people": 2, "seats": 2}, id="two people, one far ahead"),
    pytest.param(observer_last, {"posts": 20, "checks": 10, "people": 2, "seats": 2}, id="two people, one far behind"),
    pytest.param(all_at_once, {"posts": 40, "checks": 20, "people": 4, "order": "depth"}, id="all at once"),
    pytest.param(all_at_once, {"posts": 6, "checks": 6, "people": 3, "check_percent": 50}, id="hardly any posts"),
)


@pytest.mark.once
@pytest.mark.parametrize(("order", "fields"), CAMPAIGNS)
def test_what_is_seen_of_a_post_follows_from_ones_own_clock(order: Any, fields: dict[str, Any]) -> None:  # L26
    played = begin(**fields)
    gone: set[Membership] = set()
    for member in order(played):
        if member not in gone and not played.label(member):
            gone.add(member)
            continue
        if member in gone:
            continue
        played.wait()
        if member == played.observer and len(played.answered) % 5 == 0:
            close_full_items()
            now = timezone.now()
            assert played.look(now) == played.own_clock(now)
    ordinary = set(played.answered) - played.checks()
    assert played.checks() and ordinary
    played.wait(CHANGE_TIME + 2 * STEP)
    now = timezone.now()
    assert played.look(now) == played.own_clock(now) == dict.fromkeys(played.answered, False)
    close_full_items()
    assert not Item.objects.filter(stage=Stage.LABELLING).exists()
    assert played.look(now) == played.own_clock(now)
    assert own_totals(played.observer) == (0, 0)  # figures about checks come with the next day
    dealt_by_draws_alone(played)
    assert audit(played.project) == []


def dealt_by_draws_alone(played: Played) -> None:
    """A post is a check if the draw for its number says so: neither what came before nor what is left counts."""
    day, percent = timezone.localdate(), played.project.check_percent
    member, checks = played.observer.public_id, played.checks()
    dealt = [seat in checks for seat in played.answered]
    last_post = max(place for place, is_check in enumerate(dealt) if not is_check)
    drawn = [draws_check(played.project.influence_seed, member, day, number, percent) for number in range(last_post)]
    used_up = [place for place, is_check in enumerate(dealt) if is_check][-1] if len(checks) == _in_use() else last_post
    assert dealt[: min(last_post, used_up)] == drawn[: min(last_post, used_up)]


def _in_use() -> int:
    return Item.objects.filter(stage=Stage.KNOWN).count()


@pytest.mark.once
def test_page_and_api_say_the_same_as_ones_own_clock() -> None:  # L26
    played, browser = begin(30, 20, 3, check_percent=40), Client()
    browser.force_login(played.observer.user)
    while all(tuple(map(played.label, (*played.others, played.observer)))):  # everybody labels, whoever comes first
        played.wait(2 * STEP)
        close_full_items()
    played.wait_between_ends()
    labels = {seat.public_id: str(seat.label.public_id) for seat in played.seats()}
    shown = "".join(browser.get(f"/p/garden/history/?page={page}").content.decode() for page in (1, 2))
    clock = played.own_clock(timezone.now())
    assert set(clock.values()) == {True, False}
    assert {seat: labels[seat] in shown for seat in clock} == clock
    newest_first = sorted(played.seats(), key=lambda seat: seat.filled_at, reverse=True)
    times = [f"until {timezone.localtime(seat.final_at):%H:%M}" for seat in newest_first if clock[seat.public_id]]
    assert re.findall(r"until \d\d:\d\d", shown) == times
    for seat, is_open in clock.items():
        body, address = {"key": str(uuid4()), "category": 0}, f"/api/v1/projects/garden/labels/{labels[seat]}/"
        answer = browser.put(address, json.dumps(body), content_type="application/json")
        assert answer.status_code == (200 if is_open else 409)
    assert {is_open for seat, is_open in clock.items() if seat in played.checks()} == {True, False}


@pytest.mark.parametrize("kind", ["post", "check"])
def test_a_change_starts_no_new_time(kind: str) -> None:
    played = begin(1, 1, 2, check_percent=100 if kind == "check" else 1, influence_seed="one", seats=2)
    assert played.label(played.observer)
    assert bool(played.checks()) is (kind == "check")
    [seat] = played.seats()
    label, final_at = seat.label.public_id, seat.final_at
    assert isinstance(correct(played.observer, label), outcomes.Stored)
    assert isinstance(submit.take_back_label(played.observer, label), outcomes.TakenBack)
    answer = submit.submit_label(played.observer, seat.public_id, uuid4(), Answer(category=1))
    assert isinstance(answer, outcomes.Stored)
    seat.refresh_from_db()
    assert seat.final_at == final_at
    assert seat.final_at - CHANGE_TIME <= seat.filled_at
    Seat.objects.filter(pk=seat.pk).update(final_at=timezone.now() - timedelta(seconds=1))
    assert isinstance(correct(played.observer, answer.label.public_id), outcomes.ItemClosed)
    assert isinstance(submit.take_back_label(played.observer, answer.label.public_id), outcomes.TooLate)


def correct(member: Membership, label: UUID) -> Any:
    return submit.correct_label(member, label, uuid4(), Answer(category=0))


@pytest.mark.parametrize("kind", ["post", "check"])
def test_checks_that_are_turned_off_leave_the_rule(project: Project, kind: str) -> None:
    """Who holds a check when an admin turns them off answers it as they would a post."""
    Project.objects.update(check_percent=100, had_checks=True)
    ann = builders.make_member(project)
    a_post(project, "check" if kind == "check" else "post")
    outcome = claim.claim(ann)
    assert isinstance(outcome, outcomes.HeldSeat)
    Project.objects.update(check_percent=0)
    submit.submit_label(ann, outcome.seat.public_id, uuid4(), Answer(category=1))
    seat = Seat.objects.get(annotator=ann)
    assert seat.item.stage == (Stage.KNOWN if kind == "check" else Stage.LABELLING)
    assert seat.final_at - seat.filled_at == CHANGE_TIME


def test_an_answer_of_before_checks_were_mixed_in_can_be_changed_until_its_post_closes() -> None:
    played, browser = begin(3, 3, 1, check_percent=0, seats=2), Client()
    browser.force_login(played.observer.user)
    assert isinstance(outcome := claim.claim(played.observer), outcomes.HeldSeat)
    submit.submit_label(played.observer, outcome.seat.public_id, uuid4(), Answer(category=1))
    Project.objects.update(check_percent=100)
    assert played.label(played.observer)
    played.wait(CHANGE_TIME + STEP)
    [before, after] = played.seats().order_by("filled_at")
    assert (before.final_at, after.item.stage) == (None, Stage.KNOWN)
    shown = browser.get("/p/garden/history/").content.decode()
    assert str(before.label.public_id) in shown and str(after.label.public_id) not in shown
    assert "until " not in shown.partition("</h1>")[2].partition("<table")[2]
    Item.objects.filter(pk=before.item_id).update(stage=Stage.GOLD)
    assert str(before.label.public_id) not in browser.get("/p/garden/history/").content.decode()


def test_after_nothing_left_no_check_comes_alone(project: Project) -> None:
    Project.objects.update(check_percent=100)
    ann = builders.make_member(project)
    Project.objects.update(check_percent=0)
    assert isinstance(claim.claim(ann), outcomes.NothingLeft)
    Project.objects.update(check_percent=100)
    a_post(project, "check")
    Membership.objects.update(idle_until=timezone.now() - STEP)
    assert isinstance(claim.claim(ann), outcomes.NothingLeft)
    a_post(project, "post")
    outcome = claim.claim(ann)
    assert isinstance(outcome, outcomes.HeldSeat) and outcome.seat.item.stage == Stage.KNOWN


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
    """Both are made ahead; then each verb is done at one of each, also where the label is the last one of its post."""
    told_by: dict[str, list[list[str]]] = {}
    for kind in ("post", "check", "post", "check"):
        monkeypatch.setattr(claim, "_is_check_due", lambda request, kind=kind: kind == "check")
        for last in (False, True):
            ann = builders.make_member(project)
            browser = Client()
            browser.force_login(ann.user)
            others = [builders.make_member(project), builders.make_member(project)] if last else []
            for made in ("post", "check") * 3:
                next_post(project, made, others)
            for name, act in verbs(ann, browser):
                told_by.setdefault(name, []).append(statements(act))
            Item.objects.filter(project=project).update(picture_missing=True)
    for name, ways in told_by.items():
        _warm, _warm_last, _warm_check, _warm_check_last, of_post, of_last, of_check, of_check_last = ways
        assert of_post == of_last == of_check == of_check_last, name


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

    def let_time_pass() -> None:
        Seat.objects.filter(annotator=ann).update(final_at=timezone.now() - timedelta(seconds=1))

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
    yield "time", let_time_pass
    yield "late change", lambda: submit.correct_label(ann, label.public_id, uuid4(), Answer(category=1))
    yield "late undo", lambda: submit.take_back_label(ann, label.public_id)
    yield "history of what is final", lambda: browser.get("/p/garden/history/")
    yield "next after", take
    yield "skip", lambda: submit.skip_seat(ann, seat.public_id)
    yield "next to report", take
    yield "report", lambda: submit.report_seat(ann, seat.public_id)


def rows_touched() -> dict[str, tuple[int, ...]]:
    """Return how many rows of each table this transaction has read, inserted, changed and deleted on PostgreSQL."""
    columns = "seq_tup_read + COALESCE(idx_tup_fetch, 0), n_tup_ins, n_tup_upd, n_tup_del"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT relname, {columns} FROM pg_stat_xact_user_tables WHERE relname LIKE 'annotation_%'")
        return {table: counts for table, *counts in cursor.fetchall()}


def touched_by(act: Callable[[], Any]) -> dict[str, list[int]]:
    before = rows_touched()
    act()
    after = rows_touched()
    counts = {table: [new - old for new, old in zip(after[table], before[table], strict=True)] for table in after}
    return {table: rows for table, rows in counts.items() if any(rows)}


ANSWERING = ("lease", "label", "change", "undo", "label again", "late change", "late undo")


def test_an_answer_reads_and_changes_as_many_rows_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others have answered checks and posts. From the same state either comes, and is answered.

    The tables were never counted: who finds the item of a seat by way of all items reads fewer for a check.
    """
    if connection.vendor != "postgresql":
        pytest.skip("SQLite counts no rows of a transaction; the suite on PostgreSQL runs this")
    forget_statistics()
    played, browser = begin(60, 9, 12, check_percent=50), Client()
    browser.force_login(played.observer.user)
    for member in [*played.others, played.observer]:
        for _ in range(4):
            assert played.label(member)
    monkeypatch.setattr(connection.connection, "prepare_threshold", 0)  # otherwise the first plans are others
    touched: dict[bool, dict[str, dict[str, list[int]]]] = {}
    for check in (False, True, False, True):
        monkeypatch.setattr(claim, "_is_check_due", lambda request, check=check: check)
        with transaction.atomic():
            done = takewhile(lambda verb: verb[0] != "next after", verbs(played.observer, browser))
            touched[check] = {name: touched_by(act) for name, act in done}
            transaction.set_rollback(True)
    for name in ANSWERING:
        assert touched[False][name] == touched[True][name], name


@dataclass(frozen=True)
class Timed:
    """What one post of a campaign took, in seconds by steps."""

    is_check: bool
    steps: dict[str, float]


def timed(played: Played, browser: Client) -> Iterator[Timed]:
    """Let the observer label all that there is."""
    member = played.observer
    while isinstance(outcome := (next_post := Watch(lambda: claim.claim(member))).result, outcomes.HeldSeat):
        seat = outcome.seat
        page = Watch(lambda: browser.get("/p/garden/label/"))
        answer = Watch(lambda seat=seat: submit.submit_label(member, seat.public_id, uuid4(), Answer(category=1)))
        assert page.result.status_code == 200 and isinstance(answer.result, outcomes.Stored)
        steps = {"next": next_post.seconds, "page": page.seconds, "label": answer.seconds}
        yield Timed(Item.objects.get(pk=seat.item_id).stage == Stage.KNOWN, steps)


class Watch:
    """The result of an act and how long it took."""

    def __init__(self, act: Callable[[], Any]) -> None:
        began = perf_counter()
        self.result, self.seconds = act(), perf_counter() - began


def slower(posts: Sequence[Timed], step: str) -> int:
    """Return 1 or -1 if the checks take longer or less than the others beyond the 99 % interval of chance, else 0."""
    checks, others = ([post.steps[step] for post in posts if post.is_check is kind] for kind in (True, False))
    area = mean((check > other) + (check == other) / 2 for check in checks for other in others)
    half = 2.576 * sqrt((len(checks) + len(others) + 1) / (12 * len(checks) * len(others)))
    return 0 if abs(area - 0.5) <= half else 1 if area > 0.5 else -1


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_no_step_takes_another_time_for_a_check() -> None:
    """What is out of the interval of chance in the same direction in both halves of a campaign is no chance."""
    played, browser = begin(480, 240, 1, check_percent=35, seats=2), Client()
    browser.force_login(played.observer.user)
    posts = list(timed(played, browser))[20:]
    assert len([post for post in posts if post.is_check]) > 200
    last = max(place for place, post in enumerate(posts) if post.is_check)
    halves = posts[: last // 2], posts[last // 2 : last + 1]
    told = {step: tuple(slower(half, step) for half in halves) for step in posts[0].steps}
    assert not {step: signs for step, signs in told.items() if signs in {(1, 1), (-1, -1)}}


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
    assert {seat.public_id.version for seat in item.seat_rows.all()} == {4}


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


def test_checks_of_a_running_campaign_get_seats(project: Project) -> None:
    a_post(project, "check")
    Seat.objects.filter(item__stage=Stage.KNOWN, annotator=None).delete()
    migration = import_module("annotation.migrations.0022_running_checks_close_like_posts")
    migration.make_seats(apps, SimpleNamespace(connection=connection))
    assert Seat.objects.filter(item__stage=Stage.KNOWN, annotator=None).count() == 2


def test_answers_of_a_running_campaign_are_final_after_their_time(project: Project) -> None:
    ann, other = builders.make_member(project), builders.make_project("other")
    for kind in ("check", "post"):
        a_post(project, kind)
    for seat in Seat.objects.filter(number=1):
        builders.make_label(seat, ann, 1)
    without = builders.make_label(builders.make_open_item(other).seat_rows.first(), builders.make_member(other), 1)
    migration = import_module("annotation.migrations.0029_answers_are_final_after_a_time")
    migration.set_final(apps, None)
    for seat in Seat.objects.filter(annotator=ann):
        assert seat.final_at - seat.filled_at == CHANGE_TIME
    assert Seat.objects.get(label=without).final_at is None
    assert Project.objects.get(had_checks=True) == project
