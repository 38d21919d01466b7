"""Reported and withdrawn items leave from wherever they are (design section 3)."""

import pytest

import builders
from annotation.consensus.close import close_item, lock_item
from annotation.consensus.exclude import report_item, withdraw_item
from annotation.consensus.rounds import reopen_item
from annotation.domain.choices import Reason, Role, Stage
from annotation.media.pictures import blurred_for, full_for
from annotation.models import Event, Item, Membership, Report, Seat

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("stage", Stage)
def test_a_report_takes_an_item_out_from_any_stage(stage):
    project = builders.make_project()
    item, member = builders.make_item(project, stage=stage), builders.make_member(project)
    report = report_item(item, member, "Please look.")
    item.refresh_from_db()
    assert (item.stage, item.excluded_for, item.version) == (Stage.EXCLUDED, Reason.REPORTED, 2)
    assert (report.reporter, report.note) == (member, "Please look.")
    event = Event.objects.get(item=item)
    assert (event.verb, event.actor, event.facts) == ("report", member, {})  # never the item's or the note's text


def test_a_report_frees_held_seats_and_settles_disputes():
    project = builders.make_project()
    member = builders.make_member(project)
    item = builders.make_labelled_item(project, [member], (1, 1, 1))
    seat = item.seat_rows.get(number=2)
    Seat.objects.filter(pk=seat.pk).update(annotator=builders.make_member(project), reveals=2, first_answer={"a": 1})
    Item.objects.filter(pk=item.pk).update(taken=2)
    report_item(item, member)
    seat.refresh_from_db()
    item.refresh_from_db()
    assert (seat.annotator, seat.reveals, seat.first_answer, item.taken) == (None, 0, None, 1)
    assert item.seat_rows.filter(label__isnull=False).count() == 1

    disputed = builders.make_labelled_item(project, [builders.make_member(project) for _ in "abc"], (0, 1, 2))
    close_item(disputed)
    report_item(disputed, builders.make_member(project, Role.REVIEWER))
    assert not disputed.disputes.filter(settled_at__isnull=True).exists()


def test_the_picture_is_locked_for_every_item_that_shows_it():
    project = builders.make_project()
    admin, picture = builders.make_member(project, Role.ADMIN), builders.make_picture(project)
    one, other = (builders.make_item(project, picture=picture) for _ in range(2))
    withdraw_item(other, admin, "Asked to.")
    assert full_for(admin.user, picture.public_id) == blurred_for(admin.user, picture.public_id) == picture
    report_item(one, builders.make_member(project))
    assert full_for(admin.user, picture.public_id) is blurred_for(admin.user, picture.public_id) is None


def test_a_second_report_is_kept_too():
    project = builders.make_project()
    item = builders.make_item(project)
    for _ in range(2):
        report_item(item, builders.make_member(project))
    assert Report.objects.filter(item=item).count() == 2


def test_withdrawing_names_the_reason_and_happens_once():
    project = builders.make_project()
    item, admin = builders.make_open_item(project), builders.make_member(project, Role.ADMIN)
    assert withdraw_item(item, admin, "The author asked for it.") is True
    assert withdraw_item(item, admin, "Again.") is False
    item.refresh_from_db()
    assert (item.stage, item.excluded_for) == (Stage.EXCLUDED, Reason.WITHDRAWN)
    assert Event.objects.get(item=item).facts == {"reason": "The author asked for it."}


def test_a_reported_item_stays_reported():
    project = builders.make_project()
    item = builders.make_item(project)
    report_item(item, builders.make_member(project))
    assert withdraw_item(item, builders.make_member(project, Role.ADMIN), "Asked to.") is False


@pytest.mark.parametrize("codes", [(1, 1, 1), (0, 1, 2)])
def test_taking_the_closing_label_back_undoes_the_closing(codes, django_assert_num_queries):
    project = builders.make_project()
    members: list[Membership] = [builders.make_member(project) for _ in codes]
    item = builders.make_labelled_item(project, members, codes)
    close_item(item)
    reopen_item(lock_item(item))
    item.refresh_from_db()
    assert (item.stage, item.level, item.category, item.gold_at, item.closed_at) == (
        Stage.LABELLING,
        None,
        None,
        None,
        None,
    )
    assert not item.disputes.filter(settled_at__isnull=True).exists()
    close_item(item)
    item.refresh_from_db()
    assert item.stage == (Stage.GOLD if codes == (1, 1, 1) else Stage.DISPUTED)
