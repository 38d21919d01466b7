"""Ready items go to labelling, each once, with their seats."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

import builders
from annotation.assignment import claim
from annotation.assignment.outcomes import HeldSeat, NothingLeft, NotOpen
from annotation.batches import open_items
from annotation.domain.choices import BatchState, Stage
from annotation.models import Event, Item, Membership, Project, Seat

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project(seats=3)


def stages(project: Project) -> dict[str, str]:
    return dict(Item.objects.filter(project=project).values_list("external_id", "stage"))


def test_a_ready_item_gets_its_seats_and_goes_to_labelling(project):
    item = builders.make_item(project, stage=Stage.READY)
    assert open_items.open_items(project) == open_items.OpenedItems(1, 0, 0)
    item.refresh_from_db()
    assert (item.stage, item.taken, item.version) == (Stage.LABELLING, 0, 2)
    seats = Seat.objects.filter(item=item).order_by("number")
    assert [(seat.number, seat.seats, seat.round, seat.annotator) for seat in seats] == [
        (1, 3, 1, None),
        (2, 3, 1, None),
        (3, 3, 1, None),
    ]
    assert len({seat.public_id for seat in seats}) == 3
    assert isinstance(claim.claim(builders.make_member(project)), HeldSeat)


def test_each_item_gets_as_many_seats_as_it_asks_for(project):
    wide = builders.make_item(project, stage=Stage.READY, seats=5)
    narrow = builders.make_item(project, stage=Stage.READY, seats=2)
    open_items.open_items(project)
    assert (wide.seat_rows.count(), narrow.seat_rows.count()) == (5, 2)


def test_an_item_without_its_picture_stays_ready(project):
    builders.make_item(project, stage=Stage.READY, external_id="blind", picture_missing=True)
    builders.make_item(project, stage=Stage.READY, external_id="whole")
    assert open_items.open_items(project) == open_items.OpenedItems(1, 1, 0)
    assert stages(project) == {"blind": Stage.READY, "whole": Stage.LABELLING}


def test_imported_items_are_opened_only_where_no_priors_are_wanted(project):
    builders.make_item(project, external_id="a")
    Project.objects.update(priors_wanted=True)
    project.refresh_from_db()
    assert open_items.open_items(project) == open_items.OpenedItems(0, 0, 1)
    Project.objects.update(priors_wanted=False)
    project.refresh_from_db()
    assert open_items.open_items(project) == open_items.OpenedItems(1, 0, 0)
    assert stages(project) == {"a": Stage.LABELLING}


def test_opening_writes_an_item_once_whatever_it_was_before(project, monkeypatch):
    monkeypatch.setattr(open_items, "AT_FIRST", 1)
    monkeypatch.setattr(open_items, "AT_ONCE", 2)
    project.batch_rows.create(name="hedges", state=BatchState.WAITING)
    for number in range(6):
        builders.make_item(project, external_id=str(number), batch="hedges", queue=None)
    builders.make_item(project, external_id="blind", batch="hedges", queue=None, picture_missing=True)
    with CaptureQueriesContext(connection) as queries:
        open_items.open_items(project)
    opened = Item.objects.filter(project=project, stage=Stage.LABELLING)
    assert set(opened.values_list("queue", "version")) == {(0, 2)} and opened.count() == 6
    blind = Item.objects.get(project=project, external_id="blind")
    assert (blind.stage, blind.queue) == (Stage.READY, 0)
    changes = [query["sql"] for query in queries if query["sql"].startswith('UPDATE "annotation_item"')]
    assert len(changes) == 4 + 2  # one for each part that was opened, and two for what could not be opened


def test_one_batch_is_opened_and_the_others_wait(project):
    builders.make_item(project, stage=Stage.READY, external_id="p", batch="pilot")
    builders.make_item(project, stage=Stage.READY, external_id="m", batch="main")
    assert open_items.open_items(project, batch="pilot").opened == 1
    assert stages(project) == {"p": Stage.LABELLING, "m": Stage.READY}
    assert open_items.openable_batches(project) == [
        open_items.OpenableBatch("main", ready=1, missing_pictures=0, waiting_for_priors=0, open=0),
        open_items.OpenableBatch("pilot", ready=0, missing_pictures=0, waiting_for_priors=0, open=1),
    ]


def test_opening_twice_opens_once(project):
    builders.make_item(project, stage=Stage.READY)
    open_items.open_items(project)
    assert open_items.open_items(project).opened == 0
    assert Seat.objects.count() == 3


@pytest.mark.parametrize("stage", [Stage.LABELLING, Stage.DISPUTED, Stage.GOLD, Stage.EXCLUDED])
def test_what_is_under_way_or_over_is_left_alone(project, stage):
    builders.make_item(project, stage=stage)
    assert open_items.open_items(project).opened == 0
    assert not Seat.objects.exists()


def test_foreign_items_are_left_alone(project):
    other = builders.make_project()
    builders.make_item(other, stage=Stage.READY, external_id="x")
    open_items.open_items(project)
    assert stages(other) == {"x": Stage.READY}


def test_a_part_may_be_opened_now_and_the_rest_later(project):
    for _ in range(5):
        builders.make_item(project, stage=Stage.READY)
    assert open_items.open_items(project, at_most=2).opened == 2
    assert open_items.open_items(project).opened == 3


def test_opening_is_written_down_and_wakes_who_had_nothing(project):
    member = builders.make_member(project)
    assert isinstance(claim.claim(member), NothingLeft)
    builders.make_item(project, stage=Stage.READY)
    admin = builders.make_member(project)
    open_items.open_items(project, admin)
    event = Event.objects.get(verb="opened")
    assert event.actor == admin and event.facts == {"items": 1, "batch": None}
    assert isinstance(claim.claim(member), HeldSeat)


def test_a_closed_project_hands_nothing_out_until_it_is_opened(project):
    builders.make_open_item(project)
    member = builders.make_member(project)
    assert open_items.set_project_open(project, None, is_open=False)
    assert not open_items.set_project_open(project, None, is_open=False)
    assert isinstance(claim.claim(member), NotOpen)
    assert open_items.set_project_open(project, None, is_open=True)
    assert isinstance(claim.claim(Membership.objects.get(pk=member.pk)), HeldSeat)
    assert list(Event.objects.order_by("pk").values_list("verb", flat=True)) == ["project_closed", "project_opened"]
