"""Where checks are mixed in, an item closes once all its labels are final: once, from the last answers."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

import builders
from annotation.assignment.outcomes import ItemClosed, Stored
from annotation.consensus import close
from annotation.consensus.close import close_full_items
from annotation.domain.answer import Answer
from annotation.domain.choices import EventVerb, Role, Stage
from annotation.labelling import submit
from annotation.models import Event, Item, Project, Seat
from annotation.operations.audit import audit
from concurrency import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden", check_percent=20)


def full_item(project: Project, final_in: timedelta | None) -> Item:
    """Make an item whose labels are final from then on; None: labels of before checks were mixed in."""
    people = [builders.make_member(project) for _ in range(3)]
    item = builders.make_labelled_item(project, people, (1, 1, 0))
    final_at = None if final_in is None else timezone.now() + final_in
    Seat.objects.filter(item=item, number=2).update(final_at=final_at)
    return item


def item_problems(project: Project) -> list[str]:
    """Return what the audit finds at items; the labels of this file were made without their events."""
    return [line for line in audit(project) if line.startswith("Item ")]


@pytest.mark.parametrize(
    ("final_in", "closed"),
    [
        (None, 1),
        (timedelta(minutes=29), 0),
        (timedelta(seconds=-30), 0),  # a change that began in time may be on its way
        (timedelta(seconds=-90), 1),
    ],
)
def test_an_item_closes_once_all_its_labels_are_final(project: Project, final_in: Any, closed: int) -> None:
    item = full_item(project, final_in)
    assert close.count_waiting_items(project) == 1 - closed
    assert (close.close_item(item) is not None) is bool(closed)
    assert item_problems(project) == []
    Item.objects.update(stage=Stage.LABELLING, category_source=None)
    assert close_full_items() == closed


def test_in_a_project_that_is_closed_no_label_can_be_changed(project: Project) -> None:
    full_item(project, timedelta(minutes=29))
    Project.objects.update(archived_at=timezone.now())
    assert close.count_waiting_items(project) == 0
    assert close_full_items() == 1


def test_batches_dashboard_and_api_say_how_many_wait(project: Project) -> None:
    full_item(project, timedelta(minutes=29))
    full_item(project, timedelta(minutes=-29))
    browser = Client()
    browser.force_login(builders.make_member(project, Role.ADMIN).user)
    for page in ("/p/garden/batches/", "/p/garden/dashboard/"):
        shown = browser.get(page).content.decode()
        assert "1 item has all its labels. It closes once its annotators can no longer change them" in shown
    assert browser.get("/api/v1/projects/garden/batches/").json()["waiting"] == 1
    Seat.objects.update(final_at=timezone.now() - timedelta(minutes=2))
    assert "has all its labels" not in browser.get("/p/garden/dashboard/").content.decode()
    assert browser.get("/api/v1/projects/garden/batches/").json()["waiting"] == 0


def test_the_last_label_closes_nothing_in_its_request(project: Project) -> None:
    people = [builders.make_member(project) for _ in range(3)]
    item = builders.make_open_item(project)
    for seat, member in zip(item.seat_rows.order_by("number"), people, strict=True):
        Seat.objects.filter(pk=seat.pk).update(annotator=member, expires_at="2100-01-01T00:00Z")
        stored = submit.submit_label(member, seat.public_id, uuid4(), Answer(category=1))
        assert isinstance(stored, Stored) and not stored.closed and stored.undo_until is None
    item.refresh_from_db()
    assert item.stage == Stage.LABELLING
    assert close_full_items() == 0


def test_many_items_close_a_few_at_a_time(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(close, "_AT_ONCE", 2)
    for _ in range(5):
        full_item(project, timedelta(minutes=-2))
    assert close_full_items() == 5


def test_an_item_that_fails_stops_no_other_and_closes_the_next_time(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = full_item(project, timedelta(minutes=-2)), full_item(project, timedelta(minutes=-2))
    move = close.move_locked_item

    def killed(item: Item, *values: Any, **fields: Any) -> None:
        if item.pk == first.pk:
            raise RuntimeError("killed")
        move(item, *values, **fields)

    monkeypatch.setattr(close, "move_locked_item", killed)
    with pytest.raises(RuntimeError, match="killed"):
        close_full_items()
    assert dict(Item.objects.values_list("pk", "stage")) == {first.pk: Stage.LABELLING, second.pk: Stage.GOLD}
    monkeypatch.setattr(close, "move_locked_item", move)
    assert close_full_items() == 1
    assert Event.objects.filter(verb=EventVerb.CLOSED).count() == 2
    assert item_problems(project) == []


@pytest.mark.django_db(transaction=True)
def test_two_sweepers_at_once_close_each_item_once(project: Project) -> None:
    items = [full_item(project, timedelta(minutes=-2)) for _ in range(6)]
    assert sum(at_once([close_full_items] * 4)) == 6
    for item in items:
        assert Event.objects.filter(item=item, verb=EventVerb.CLOSED).count() == 1
    assert item_problems(project) == []


@pytest.mark.django_db(transaction=True)
def test_a_change_of_the_last_moment_counts_or_is_refused(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The change saw the clock in time and was slow; the item closes at that very moment."""
    monkeypatch.setattr(submit, "can_change_label", lambda seat, now: seat.item.stage == Stage.LABELLING)
    outcomes = []
    for _ in range(8):
        item = full_item(project, timedelta(minutes=-2))
        seat = item.seat_rows.get(number=3)
        change = [lambda seat=seat: submit.correct_label(seat.annotator, seat.label.public_id, uuid4(), Answer(1))]
        outcome, _closed = at_once([*change, close_full_items])
        outcomes.append(type(outcome))
        close_full_items()
        item.refresh_from_db()
        seat.refresh_from_db()
        assert item.stage == Stage.GOLD
        assert seat.label.category.code == (1 if isinstance(outcome, Stored) else 0)
        assert Event.objects.filter(item=item, verb=EventVerb.CLOSED).count() == 1
    assert set(outcomes) <= {Stored, ItemClosed}
    assert item_problems(project) == []  # the consensus of each item is that of its last labels
