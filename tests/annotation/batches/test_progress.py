"""How far batches are and who is needed: counted by hand; the same few queries however many items."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import builders
from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.batches import progress, state, workforce
from annotation.batches.progress import read_batch_overview
from annotation.domain.answer import Answer
from annotation.domain.choices import BatchState, Role, Stage
from annotation.domain.workforce.forecast import Estimate, TooLittle
from annotation.domain.workforce.staffing import Verdict
from annotation.labelling import submit
from annotation.models import Batch, Item, Membership, OptOut, Project, Seat, Skip

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project(seats=3)


def people(project: Project, count: int) -> list[Membership]:
    return [builders.make_member(project) for _ in range(count)]


def of(project: Project, name: str = ""):
    found = read_batch_overview(project).named(name)
    assert found is not None
    return found


def test_stages_and_seats_of_a_batch_are_counted(project):
    trio = people(project, 3)
    builders.make_item(project, batch="a", stage=Stage.READY)
    builders.make_item(project, batch="a", stage=Stage.READY, picture_missing=True)
    builders.make_labelled_item(project, trio, (1, 1, 1), batch="a")
    item = builders.make_open_item(project, batch="a")
    builders.make_label(item.seat_rows.first(), trio[0], 0)
    claim(trio[1])  # the item that has a label, or...
    found = of(project, "a")
    assert dict(found.stages) == {"ready": 2, "labelling": 2}
    assert (found.items, found.ready, found.missing_pictures) == (4, 1, 1)
    # Four labels; one seat held, one free; six seats of items that are not open.
    assert (found.filled, found.held, found.free, found.unopened) == (4, 1, 1, 6)
    assert (found.seats, found.left) == (12, 8)


def test_items_with_known_answers_are_no_part_of_a_batch(project):
    builders.make_item(project, stage=Stage.KNOWN)
    assert read_batch_overview(project).batches == []


def test_the_pace_is_that_of_the_labels_given_here_by_day(project):
    trio = people(project, 3)
    now = timezone.now()
    for back, count in ((1, 10), (2, 10), (3, 10)):
        for _ in range(count):
            item = builders.make_labelled_item(project, trio[:1], (0,), batch="a")
            Seat.objects.filter(item=item).update(filled_at=now - timedelta(days=back))
    stale = builders.make_labelled_item(project, trio[:1], (0,), batch="a")
    Seat.objects.filter(item=stale).update(filled_at=stale.created_at)  # came with an import that gave no times
    for _ in range(5):
        builders.make_open_item(project, batch="a", seats=2)
    found = of(project, "a")
    assert sorted(found.days.values()) == [10, 10, 10]
    assert isinstance(found.finish, Estimate) and found.finish.pace.per_day == 10
    assert isinstance(of(builders_with_little(), "a").finish, TooLittle)


def test_a_large_project_counts_the_labels_of_a_day_that_is_over_once_a_week(project, monkeypatch):
    cache.clear()
    monkeypatch.setattr(progress, "COUNTED_ONCE_FROM", 4)
    trio, now = people(project, 3), timezone.now()
    days_back = (0, 1, 1, 2)
    for back in days_back:
        item = builders.make_labelled_item(project, trio[:1], (0,), batch="a")
        Seat.objects.filter(item=item).update(filled_at=now - timedelta(days=back))
    by_day = {timezone.localdate(now - timedelta(days=back)): days_back.count(back) for back in days_back}
    assert of(project, "a").days == by_day
    for back in (0, 1):  # a label of today is seen at once, one of yesterday within a week
        item = builders.make_labelled_item(project, trio[:1], (0,), batch="a")
        Seat.objects.filter(item=item).update(filled_at=now - timedelta(days=back))
    assert of(project, "a").days == by_day | {timezone.localdate(now): 2}
    with CaptureQueriesContext(connection) as again:
        read_batch_overview(project)
    monkeypatch.setattr(progress, "COUNTED_ONCE_FROM", 7)
    assert of(project, "a").days[timezone.localdate(now - timedelta(days=1))] == 3
    cache.clear()
    monkeypatch.setattr(progress, "COUNTED_ONCE_FROM", 4)
    with CaptureQueriesContext(connection) as first:
        read_batch_overview(project)
    assert len(first) == len(again)


def builders_with_little() -> Project:
    project = builders.make_project()
    builders.make_open_item(project, batch="a")
    return project


def test_three_people_are_enough_for_three_seats_until_one_skips(project):
    trio = people(project, 3)
    item = builders.make_open_item(project)
    builders.make_open_item(project)
    assert of(project).staffing.verdict is Verdict.ENOUGH
    Skip.objects.create(item=item, annotator=trio[0])
    found = of(project).staffing
    assert (found.verdict, found.stuck_items, found.more_people) == (Verdict.PEOPLE, 1, 1)
    builders.make_member(project)
    assert of(project).staffing.verdict is Verdict.ENOUGH


def test_a_limited_batch_with_fewer_members_than_seats_lacks_people(project):
    crowd = people(project, 5)
    row = Batch.objects.create(project=project, name="a", state=BatchState.OPEN)
    item = builders.make_open_item(project, batch="a")
    state.limit_batch(row, None, crowd[:2])
    found = of(project, "a")
    assert (found.members_short, found.staffing.verdict, found.staffing.more_people) == (1, Verdict.PEOPLE, 1)
    state.limit_batch(row, None, crowd[:3])
    assert (of(project, "a").members_short, of(project, "a").staffing.verdict) == (0, Verdict.ENOUGH)
    # One member leaves before and one after labelling: the label of the second counts, the first is missing.
    builders.make_label(item.seat_rows.first(), crowd[0], 0)
    Membership.objects.filter(pk__in=[crowd[0].pk, crowd[1].pk]).update(active=False)
    found = of(project, "a")
    assert (found.members_short, found.staffing.more_people) == (2, 1)


@pytest.mark.parametrize(("intended", "several"), [(2, []), (1, [1, 2])])
def test_who_opted_out_of_an_item_cannot_be_asked_about_it(project, intended, several):
    trio = people(project, 3)
    builders.make_open_item(project, intended=builders.category(project, intended), intended_categories=several)
    builders.make_open_item(project)
    OptOut.objects.create(member=trio[0], category=builders.category(project, 2))
    found = of(project).staffing
    assert (found.verdict, found.stuck_items) == (Verdict.PEOPLE, 1)


def test_where_somebody_opted_out_items_that_are_not_open_are_not_called_enough(project):
    trio = people(project, 3)
    builders.make_item(project, stage=Stage.READY)
    OptOut.objects.create(member=trio[0], severity=2)
    assert of(project).staffing.verdict is Verdict.PERHAPS


def test_who_has_reached_the_quota_is_not_counted_on(project):
    trio = people(project, 3)
    builders.make_open_item(project)
    builders.make_label(builders.make_open_item(project, batch="b").seat_rows.first(), trio[0], 0)
    Membership.objects.filter(pk=trio[0].pk).update(quota=1)
    found = read_batch_overview(project)
    assert [(person.labels, person.left) for person in found.people if person.key == trio[0].pk] == [(1, 0)]
    assert found.named("").available == 2
    assert found.named("").staffing.verdict is Verdict.PEOPLE


def test_a_post_that_is_only_held_is_no_label(project):
    ann = people(project, 3)[0]
    Membership.objects.filter(pk=ann.pk).update(quota=2)
    builders.make_label(builders.make_open_item(project).seat_rows.first(), ann, 0)
    builders.make_open_item(project)
    assert isinstance(claim(ann), HeldSeat)
    found = read_batch_overview(project)
    (quota,) = (person for person in found.people if person.key == ann.pk)
    assert (quota.labels, quota.held, quota.left, quota.free) == (1, 1, 1, 0)
    assert found.named("").available == 2  # nobody hands them another one
    submit.submit_label(ann, ann.seat_rows.get(label=None).public_id, uuid4(), Answer(category=0))
    (quota,) = (person for person in read_batch_overview(project).people if person.key == ann.pk)
    assert (quota.labels, quota.held, quota.left) == (2, 0, 0)


def test_the_projects_quota_holds_where_a_person_has_none_of_their_own(project):
    first, second, *_ = people(project, 3)
    Project.objects.update(quota=10)
    project.refresh_from_db()
    Membership.objects.filter(pk=second.pk).update(quota=2)
    assert {person.key: person.left for person in read_batch_overview(project).people}[first.pk] == 10
    assert {person.key: person.left for person in read_batch_overview(project).people}[second.pk] == 2


def test_quotas_that_do_not_suffice_are_told_by_how_many_labels(project):
    people(project, 4)
    Project.objects.update(quota=4)
    project.refresh_from_db()
    for _ in range(6):
        builders.make_open_item(project)
    found = of(project).staffing
    assert (found.verdict, found.labels_short) == (Verdict.QUOTAS, 2)  # 18 seats, 16 labels


def test_items_that_nobody_is_left_for_are_named_and_others_are_not(project):
    trio = people(project, 3)
    row = Batch.objects.create(project=project, name="a", state=BatchState.OPEN)
    left = builders.make_open_item(project, batch="a", external_id="left")
    half = builders.make_open_item(project, external_id="half")
    state.limit_batch(row, None, trio[:1])
    for item in (left, half):
        Skip.objects.create(item=item, annotator=trio[0])
    assert [each.external_id for each in read_batch_overview(project).nobody_left] == ["left"]
    state.limit_batch(row, None, trio[:2])
    assert read_batch_overview(project).nobody_left == []
    OptOut.objects.create(member=trio[1], severity=1)
    Item.objects.filter(pk=left.pk).update(severity=3)
    assert [each.external_id for each in read_batch_overview(project).nobody_left] == ["left"]
    state.close_batch(row, None)
    assert read_batch_overview(project).nobody_left == []


def test_reviewers_who_decided_about_an_item_are_not_counted_on(project):
    trio = people(project, 3)
    item = builders.make_open_item(project)
    Membership.objects.filter(pk=trio[0].pk).update(reviews=True)
    from_reviewer = trio[0]
    item.adjudications.create(reviewer=from_reviewer, round=1, ruling="new_round", rationale="Again.", item_version=1)
    assert of(project).staffing.verdict is Verdict.PEOPLE


def test_where_too_many_items_would_be_looked_at_nothing_is_called_enough(project, monkeypatch):
    monkeypatch.setattr(workforce, "MAX_EXAMINED_ITEMS", 1)
    crowd = people(project, 4)
    for _ in range(2):
        item = builders.make_open_item(project)
        Skip.objects.bulk_create(Skip(item=item, annotator=person) for person in crowd[:2])
    found = read_batch_overview(project)
    assert not found.looked_at_all and found.whole.staffing.stuck_items == 1
    Skip.objects.all().delete()
    OptOut.objects.bulk_create(OptOut(member=person, severity=1) for person in crowd[:2])
    found = read_batch_overview(project)
    assert not found.looked_at_all and found.whole.staffing.verdict is Verdict.PERHAPS


def test_a_batch_that_waits_for_the_pilot_says_so_and_a_closed_one_has_no_work(project):
    pilot = Batch.objects.create(project=project, name="pilot", pilot=True)
    builders.make_open_item(project, batch="pilot")
    builders.make_open_item(project, batch="main")
    assert (of(project, "main").waits_for, of(project, "pilot").waits_for) == ("pilot", None)
    state.close_batch(pilot, None)
    assert of(project, "main").waits_for is None
    assert of(project, "pilot").staffing.verdict is Verdict.NOTHING_LEFT
    assert read_batch_overview(project).whole.left == 3


@pytest.mark.parametrize("items", [3, 40])
def test_the_overview_takes_the_same_few_queries(project, items, django_assert_max_num_queries):
    trio = people(project, 3)
    builders.make_member(project, Role.ADMIN)
    OptOut.objects.create(member=trio[0], severity=1)
    for number in range(items):
        Batch.objects.get_or_create(project=project, name=f"b{number % 7}", defaults={"limited": bool(number % 2)})
        item = builders.make_open_item(project, batch=f"b{number % 7}")
        Skip.objects.create(item=item, annotator=trio[number % 3])
    with django_assert_max_num_queries(13):
        read_batch_overview(project)
