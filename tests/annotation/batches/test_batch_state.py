"""Which batches are handed out, to whom: rows and queues agree, whatever happens at once."""

from contextlib import suppress
from io import BytesIO

import pytest

import builders
from annotation.assignment import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.batches import open_items
from annotation.batches import state as batch_state
from annotation.domain.choices import BatchState, Stage
from annotation.imports import run
from annotation.imports.options import ImportOptions
from annotation.models import Batch, Event, Item, Membership, Project
from annotation.operations import sweep
from concurrency import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project(seats=2)


def batch(project: Project, name: str, state: BatchState = BatchState.OPEN, **fields: object) -> Batch:
    return Batch.objects.create(project=project, name=name, state=state, **fields)


def queues(project: Project) -> dict[str, int | None]:
    return dict(Item.objects.filter(project=project).values_list("external_id", "queue"))


def handed_to(member: Membership) -> str | None:
    """The item the person gets now."""
    outcome = claim.claim(Membership.objects.get(pk=member.pk))
    return outcome.seat.item.external_id if isinstance(outcome, HeldSeat) else None


def test_a_paused_batch_is_handed_to_nobody_and_again_when_it_is_resumed(project):
    member = builders.make_member(project)
    row = batch(project, "b")
    builders.make_open_item(project, batch="b", external_id="x")
    batch_state.pause_batch(row, None)
    assert queues(project) == {"x": None}
    assert handed_to(member) is None
    batch_state.resume_batch(row, None)
    assert queues(project) == {"x": 0}
    assert handed_to(member) == "x"  # although they were told that nothing was left


def test_a_seat_held_when_the_batch_pauses_may_still_be_filled(project):
    member = builders.make_member(project)
    row = batch(project, "b")
    builders.make_open_item(project, batch="b", external_id="x")
    assert handed_to(member) == "x"
    batch_state.pause_batch(row, None)
    assert handed_to(member) == "x"


def test_a_limited_batch_is_handed_to_its_members_alone(project):
    inside, outside = builders.make_member(project), builders.make_member(project)
    row = batch(project, "b")
    builders.make_open_item(project, batch="b", external_id="x")
    batch_state.limit_batch(row, None, [inside])
    assert queues(project) == {"x": row.pk}
    assert (handed_to(outside), handed_to(inside)) == (None, "x")
    batch_state.unlimit_batch(row, None)
    assert queues(project) == {"x": 0} and not row.members.exists()
    assert handed_to(outside) == "x"


def test_only_active_annotators_of_the_project_can_be_members(project):
    row = batch(project, "b")
    stranger = builders.make_member(builders.make_project())
    gone = builders.make_member(project, active=False)
    for person in (stranger, gone):
        with pytest.raises(batch_state.NotAnAnnotator):
            batch_state.limit_batch(row, None, [person])
    row.refresh_from_db()
    assert not row.limited and not row.members.exists()


def test_while_the_pilot_is_not_closed_the_others_wait(project):
    pilot, main = batch(project, "pilot"), batch(project, "main")
    for name in ("pilot", "main", ""):
        builders.make_open_item(project, batch=name, external_id=name or "nameless")
    batch_state.set_pilot(pilot, None, pilot=True)
    assert queues(project) == {"pilot": 0, "main": None, "nameless": None}
    batch_state.pause_batch(pilot, None)
    assert queues(project) == {"pilot": None, "main": None, "nameless": None}
    batch_state.close_batch(pilot, None)
    assert queues(project) == {"pilot": None, "main": 0, "nameless": 0}
    batch_state.resume_batch(pilot, None)
    batch_state.set_pilot(main, None, pilot=True)
    assert list(Batch.objects.filter(pilot=True)) == [main]
    assert queues(project) == {"pilot": None, "main": 0, "nameless": None}


def test_the_priority_of_a_batch_is_that_of_its_items(project):
    row = batch(project, "b")
    builders.make_item(project, batch="b", external_id="x")
    other = builders.make_item(project, batch="c")
    assert batch_state.set_priority(row, None, 5) == 1
    assert batch_state.set_priority(row, None, 5) == 0
    assert Item.objects.get(external_id="x").priority == 5
    other.refresh_from_db()
    assert other.priority == 0


def test_items_of_every_stage_follow_their_batch_so_that_one_reopened_is_in_the_right_queue(project):
    row = batch(project, "b")
    for stage in (Stage.READY, Stage.LABELLING, Stage.GOLD):
        builders.make_item(project, batch="b", stage=stage, external_id=stage)
    batch_state.pause_batch(row, None)
    assert set(queues(project).values()) == {None}


def test_an_act_on_a_batch_that_is_not_so_is_refused_and_changes_nothing(project):
    row = batch(project, "b", BatchState.WAITING)
    for act in (batch_state.pause_batch, batch_state.resume_batch):
        with pytest.raises(batch_state.WrongBatchState):
            act(row, None)
    batch_state.close_batch(row, None)
    with pytest.raises(batch_state.WrongBatchState):
        batch_state.close_batch(row, None)
    assert Event.objects.filter(verb__startswith="batch_").count() == 1


def test_opening_a_batch_hands_it_out_whatever_it_was_and_opening_all_leaves_paused_ones(project):
    for name, state in (("a", BatchState.WAITING), ("b", BatchState.PAUSED), ("c", BatchState.CLOSED)):
        batch(project, name, state)
        builders.make_item(project, batch=name, external_id=name, stage=Stage.READY)
    batch_state.update_item_queues(project)
    assert open_items.open_items(project).opened == 2
    assert dict(Batch.objects.values_list("name", "state")) == {"a": "open", "b": "paused", "c": "closed"}
    assert dict(Item.objects.values_list("external_id", "stage")) == {"a": "labelling", "b": "labelling", "c": "ready"}
    assert queues(project) == {"a": 0, "b": None, "c": None}
    assert open_items.open_items(project, batch="c").opened == 1
    assert queues(project)["c"] == 0


def imported(project: Project, *rows: str) -> None:
    lines = "".join(f'{{"id": "{name}", "text": "A hedge.", "batch": "{name}"}}\n' for name in rows)
    report = run.import_file(project, BytesIO(lines.encode()), ImportOptions())
    assert report.stored, report.errors


def test_batches_named_in_an_import_wait_until_they_are_opened(project):
    imported(project, "a", "b")
    assert dict(Batch.objects.values_list("name", "state")) == {"a": "waiting", "b": "waiting"}
    assert queues(project) == {"a": None, "b": None}
    open_items.open_items(project, batch="a")
    assert queues(project) == {"a": 0, "b": None}


def test_where_the_project_says_so_what_is_imported_is_handed_out_at_once(project):
    Project.objects.update(new_batches=BatchState.OPEN)
    project.refresh_from_db()
    batch(project, "b", BatchState.PAUSED)
    imported(project, "a", "b")
    assert dict(Item.objects.values_list("external_id", "stage")) == {"a": "labelling", "b": "ready"}
    assert queues(project) == {"a": 0, "b": None}


def test_a_name_that_items_carried_before_it_got_a_row_stays_open(project):
    builders.make_open_item(project, batch="old")
    batch_state.ensure_batches(project, ["old", "new"])
    assert dict(Batch.objects.values_list("name", "state")) == {"old": "open", "new": "waiting"}


def test_items_moved_to_another_batch_get_its_queue(project):
    row = batch(project, "paused", BatchState.PAUSED)
    item = builders.make_open_item(project)
    Item.objects.update(batch=row.name)
    assert batch_state.update_item_queues(project, [item.pk]) == 1
    assert batch_state.update_item_queues(project, [item.pk]) == 0
    item.refresh_from_db()
    assert item.queue is None


def test_the_sweeper_settles_what_a_dead_process_left(project):
    batch(project, "b", BatchState.PAUSED)
    builders.make_open_item(project, batch="b", external_id="x")
    Project.objects.update(queues_settled=False)
    assert sweep.sweep()["queues_settled"] == 1
    assert queues(project) == {"x": None}
    assert sweep.sweep()["queues_settled"] == 0


def test_foreign_items_of_the_same_name_are_left_alone(project):
    other = builders.make_project()
    foreign = builders.make_open_item(other, batch="b")
    row = batch(project, "b")
    builders.make_open_item(project, batch="b")
    batch_state.pause_batch(row, None)
    batch_state.set_priority(row, None, 3)
    foreign.refresh_from_db()
    assert (foreign.queue, foreign.priority) == (0, 0)


@pytest.mark.django_db(transaction=True)
def test_whatever_is_done_at_once_the_queues_agree_with_the_batches_afterwards(project, monkeypatch):
    monkeypatch.setattr(batch_state, "AT_ONCE", 4)
    people = [builders.make_member(project) for _ in range(2)]
    rows = [batch(project, f"b{number}") for number in range(3)]
    for number in range(24):
        builders.make_item(project, batch=f"b{number % 3}", stage=Stage.READY)

    def quietly(act, *args, **more):
        def done() -> None:
            with suppress(batch_state.WrongBatchState):
                act(*args, **more)

        return done

    first, second, third = rows
    for _ in range(3):
        at_once(
            [
                quietly(batch_state.pause_batch, first, None),
                quietly(batch_state.resume_batch, first, None),
                quietly(batch_state.limit_batch, second, None, people),
                quietly(batch_state.unlimit_batch, second, None),
                quietly(batch_state.set_pilot, third, None, pilot=True),
                quietly(batch_state.set_pilot, first, None, pilot=True),
                quietly(batch_state.set_pilot, first, None, pilot=False),
                quietly(open_items.open_items, project),
                quietly(claim.claim, people[0]),
                quietly(claim.claim, people[1]),
            ]
        )
        now = batch_state.read_batch_queues(project)
        assert [(i.batch, i.queue) for i in Item.objects.all()] == [
            (i.batch, now.of(i.batch)) for i in Item.objects.all()
        ]
        assert Batch.objects.filter(pilot=True).count() <= 1
        assert Project.objects.get(pk=project.pk).queues_settled


def test_names_of_batches_are_those_of_items_one_query_each(project, django_assert_num_queries):
    for number, name in enumerate(["b", "", "가 1", "b", "B"]):
        builders.make_open_item(project, batch=name, external_id=f"x{number}")
    builders.make_open_item(builders.make_project(), batch="of another")
    with django_assert_num_queries(5):
        names = batch_state.batch_names(project)
    assert sorted(names) == sorted(["", "B", "b", "가 1"])
    assert batch_state.batch_names(builders.make_project()) == []
