"""Who gets what in a campaign: teams, priorities, caps, breaks, opt-outs, quotas and what has to come first."""

import random
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import builders
from annotation.assignment import claim, item_query
from annotation.assignment.annotator_state import read_annotator_state
from annotation.assignment.outcomes import (
    BreakDue,
    DoneForToday,
    GuidelinesChanged,
    HeldSeat,
    NothingLeft,
    NotOpen,
    QuotaReached,
    TrainingNeeded,
)
from annotation.domain.answer import Answer
from annotation.domain.choices import BatchState, Modality, Order, PriorState, Role
from annotation.domain.priors.informativeness import Informativeness
from annotation.domain.wellbeing.breaks import Limit
from annotation.labelling import submit
from annotation.members import participation
from annotation.models import Batch, Guideline, Item, Membership, OptOut, Prior, Project, Seat, WorkDay
from annotation.projects.settings import change_settings
from annotation.training.control_items import KnownAnswerKey, mark_control_item
from time_travel import let_pass

pytestmark = pytest.mark.django_db
SEVERE, MILD = 3, 0


@pytest.fixture
def project() -> Project:
    return builders.make_project(severe_in_row=0)


@pytest.fixture
def ann(project: Project) -> Membership:
    return builders.make_member(project)


def changed(row: Any, **fields: Any) -> Any:
    type(row).objects.filter(pk=row.pk).update(**fields)
    row.refresh_from_db()
    return row


def held(member: Membership, *, ahead: bool = False) -> Seat:
    outcome = claim.claim(member, ahead=ahead)
    assert isinstance(outcome, HeldSeat), outcome
    return outcome.seat


def skipped(member: Membership) -> Item:
    """The next item, passed by at once."""
    seat = held(member)
    submit.skip_seat(member, seat.public_id)
    return seat.item


def day_of(member: Membership) -> WorkDay:
    return WorkDay.objects.filter(member=member).latest("day")


# ── Queues and priorities ─────────────────────────────────────────────────────


def test_items_of_a_limited_batch_go_to_its_members_alone(project, ann):
    batch = Batch.objects.create(project=project, name="three", limited=True)
    item = builders.make_open_item(project, batch="three", queue=batch.pk)
    assert isinstance(claim.claim(ann), NothingLeft)
    other = builders.make_member(project)
    batch.members.add(other)
    assert held(other).item == item


def test_nobody_gets_an_item_without_a_queue(project, ann):
    builders.make_open_item(project, queue=None)
    assert isinstance(claim.claim(ann), NothingLeft)


def test_a_member_of_many_batches_gets_the_items_of_each(project, ann):
    items = set()
    for number in range(item_query.PROBED_QUEUES + 3):
        batch = Batch.objects.create(project=project, name=str(number), limited=True, state=BatchState.OPEN)
        batch.members.add(ann)
        items.add(builders.make_open_item(project, queue=batch.pk))
    assert {skipped(ann) for _ in items} == items


def test_higher_priorities_come_first_in_every_queue(project, ann):
    batch = Batch.objects.create(project=project, name="three", limited=True)
    batch.members.add(ann)
    for priority in (1, -2, 5, 0, 3):
        builders.make_open_item(project, priority=priority, queue=random.choice((0, batch.pk)))
        builders.make_open_item(project, priority=priority)
    priorities = [skipped(ann).priority for _ in range(10)]
    assert priorities == sorted(priorities, reverse=True)


def test_what_lies_below_the_two_highest_priorities_is_found_too(project, ann):
    for place, priority in enumerate((9, 8, 7, 6)):
        item = builders.make_open_item(project, priority=priority, place=place)
        if priority > 6:
            builders.make_label(item.seat_rows.first(), ann, 0)
    search = item_query.ItemSearch(ann)
    assert item_query.probe_items(search, 0) is None and item_query.probe_items(search, 0, below=True) is None
    assert item_query.walk_items(search) == item.pk
    assert held(ann).item == item


# ── Hard items first ──────────────────────────────────────────────────────────


def make_hard_and_easy(project: Project, each: int = 4) -> None:
    """Create items of every informativeness, in no order of place."""
    values = [value for value in Informativeness for _ in range(each)]
    for value in random.sample(values, len(values)):
        builders.make_open_item(project, informativeness=value)


def test_posts_on_which_models_disagree_come_first_if_the_project_says_so(project, ann):
    make_hard_and_easy(project)
    hard = changed(project, order=Order.HARD)
    assert [skipped(ann).informativeness for _ in range(12)] == [2] * 4 + [1] * 4 + [0] * 4
    assert isinstance(claim.claim(ann), NothingLeft)
    assert hard.order == "hard"


def test_a_priority_comes_before_informativeness(project, ann):
    changed(project, order=Order.HARD)
    for priority, value in ((0, 2), (5, 0), (5, 1), (0, 1)):
        builders.make_open_item(project, priority=priority, informativeness=value)
    taken = [skipped(ann) for _ in range(4)]
    assert [(item.priority, item.informativeness) for item in taken] == [(5, 1), (5, 0), (0, 2), (0, 1)]


def test_who_had_all_hard_posts_gets_the_others_while_hard_ones_are_still_open(project, ann):
    changed(project, order=Order.HARD)
    make_hard_and_easy(project, each=100)
    for item in Item.objects.filter(informativeness__gt=0):
        builders.make_label(item.seat_rows.first(), ann, 0)
    with CaptureQueriesContext(connection) as queries:
        assert held(ann).item.informativeness == 0
    searches = [query["sql"] for query in queries.captured_queries if "hardest" in query["sql"]]
    assert len(searches) == 3  # one for each value: none walks over what they have had


def test_changing_the_order_counts_from_the_next_post_on_and_stores_nothing_at_items(project, ann):
    make_hard_and_easy(project, each=30)
    before = list(Item.objects.order_by("pk").values())
    admin = builders.make_member(project, Role.ADMIN)
    for order, always in ((Order.HARD, True), (Order.BREADTH, False), (Order.HARD, True)):
        fresh = Project.objects.get(pk=project.pk)
        fresh.order = order
        change_settings(admin, fresh, ["order"])
        assert list(Item.objects.order_by("pk").values()) == before
        found = {Item.objects.get(pk=probe(ann)).informativeness for _ in range(40)}
        assert (found == {2}) is always


def probe(ann: Membership) -> int:
    member = Membership.objects.select_related("project").get(pk=ann.pk)
    found = item_query.probe_items(item_query.ItemSearch(member), random.randrange(item_query.PLACE_RANGE))
    assert found is not None
    return found


# ── Severe items ──────────────────────────────────────────────────────────────


def test_no_more_than_three_severe_items_come_in_a_row(project, ann):
    project = changed(project, severe_in_row=3)
    for number in range(20):
        builders.make_open_item(project, severity=SEVERE if number < 15 else MILD)
    bands = [skipped(ann).severity for _ in range(20) if isinstance(claim.claim(ann), HeldSeat)]
    assert "3333" not in "".join(map(str, bands)) and bands.count(MILD) == 5


def test_where_only_severe_ones_are_left_a_short_break_comes_first(project, ann):
    changed(project, severe_in_row=2)
    for _ in range(3):
        builders.make_open_item(project, severity=SEVERE)
    skipped(ann), skipped(ann)
    assert claim.claim(ann) == BreakDue()
    let_pass(project, timedelta(minutes=10))
    assert held(ann).item.severity == SEVERE


def test_an_item_of_unknown_severity_is_not_severe(project, ann):
    changed(project, severe_a_day=0)
    builders.make_open_item(project, severity=None)
    assert held(ann).item.severity is None


def test_at_the_cap_of_the_day_only_milder_ones_come_in_whatever_browser(project, ann):
    changed(project, severe_a_day=1)
    for severity in (SEVERE, SEVERE, MILD):
        builders.make_open_item(project, severity=severity, priority=severity)
    assert [skipped(ann).severity, skipped(ann).severity] == [SEVERE, MILD]
    again = Membership.objects.get(pk=ann.pk)  # as another browser finds them
    assert claim.claim(again) == DoneForToday(Limit.SEVERE_DAY)
    let_pass(project, timedelta(days=1))
    assert held(again).item.severity == SEVERE


def test_the_cap_of_a_session_ends_with_the_session(project, ann):
    changed(project, severe_a_session=1)
    for _ in range(2):
        builders.make_open_item(project, severity=SEVERE)
    skipped(ann)
    assert claim.claim(ann) == DoneForToday(Limit.SEVERE_SESSION)
    let_pass(project, timedelta(minutes=30))
    assert held(ann).item.severity == SEVERE


def test_ones_own_lower_cap_counts_and_a_higher_one_does_not(project, ann):
    changed(project, severe_a_day=1)
    changed(ann, severe_a_day=0)
    builders.make_open_item(project, severity=SEVERE)
    assert claim.claim(ann) == DoneForToday(Limit.SEVERE_DAY)
    other = builders.make_member(project, severe_a_day=5)
    skipped(other)
    builders.make_open_item(project, severity=SEVERE)
    assert claim.claim(other) == DoneForToday(Limit.SEVERE_DAY)


def test_with_nothing_open_at_all_no_cap_is_blamed(project, ann):
    changed(project, severe_a_day=0)
    assert isinstance(claim.claim(ann), NothingLeft)


def test_a_severe_item_held_ahead_is_given_back_where_it_may_not_be_shown_any_more(project, ann):
    changed(project, severe_in_row=1)
    severe = [builders.make_open_item(project, severity=SEVERE) for _ in range(2)]
    ahead = held(ann, ahead=True)
    mild = builders.make_open_item(project, severity=MILD)
    WorkDay.objects.create(
        member=ann, day=timezone.localdate(), severe_in_row=1, last_act_at=timezone.now(), session_since=timezone.now()
    )
    assert held(ann).item == mild
    ahead.refresh_from_db()
    assert ahead.annotator is None and ahead.item in severe
    submit.skip_seat(ann, held(ann).public_id)
    assert held(ann).item in severe  # it was no skip: the item comes again


def test_a_prefetched_item_counts_when_it_is_shown(project, ann):
    builders.make_open_item(project, severity=SEVERE)
    held(ann, ahead=True)
    assert not WorkDay.objects.exists()
    held(ann)
    assert (day_of(ann).shown, day_of(ann).severe, day_of(ann).severe_in_row) == (1, 1, 1)
    held(ann)
    assert day_of(ann).shown == 1


# ── Time ──────────────────────────────────────────────────────────────────────


def test_the_day_counts_what_was_shown_labelled_and_skipped_and_the_time_between(project, ann):
    for _ in range(3):
        builders.make_open_item(project)
    seat = held(ann)
    let_pass(project, timedelta(seconds=50))
    submit.submit_label(ann, seat.public_id, seat.public_id, Answer(category=0))
    let_pass(project, timedelta(minutes=5))
    submit.skip_seat(ann, held(ann).public_id)
    day = day_of(ann)
    assert (day.shown, day.labels, day.skips) == (2, 1, 1)
    assert day.active_seconds in (170, 171)  # 50 s, and 2 of the 5 minutes


def test_at_the_cap_of_minutes_nothing_comes_and_what_is_in_front_stays(project, ann):
    changed(project, minutes_a_day=1)
    for _ in range(3):
        builders.make_open_item(project)
    front, ahead = held(ann), held(ann, ahead=True)
    let_pass(project, timedelta(seconds=70))
    assert held(ann) == front
    submit.submit_label(ann, front.public_id, front.public_id, Answer(category=0))
    assert claim.claim(ann) == DoneForToday(Limit.MINUTES)
    assert claim.claim(ann, ahead=True) == DoneForToday(Limit.MINUTES)
    ahead.refresh_from_db()
    assert ahead.annotator is None


def test_one_is_told_near_a_cap_and_offered_a_break_once_a_stretch(project, ann):
    changed(project, minutes_a_day=4, break_after_minutes=3)
    for _ in range(5):
        builders.make_open_item(project)
    said = []
    for _ in range(4):
        outcome = claim.claim(ann)
        assert isinstance(outcome, HeldSeat)
        said.append((outcome.offers_break, outcome.near))
        let_pass(project, timedelta(seconds=66))
        submit.skip_seat(ann, outcome.seat.public_id)
    assert [offers for offers, _ in said] == [False, False, False, True]
    assert [bool(near) for _, near in said] == [False, False, False, True]
    assert day_of(ann).breaks == 1


# ── Opting out ────────────────────────────────────────────────────────────────


def prior(item: Item, code: int, **fields: Any) -> None:
    said = {"category": builders.category(item.project, code), "model": "openai:m", "modality": Modality.IMAGE}
    Prior.objects.create(item=item, **{**said, **fields})


def every_kind(project: Project, count: int) -> list[Item]:
    """Items of all categories, groups and severities; what stands in none of them harms nobody."""
    dice = random.Random(1)
    categories = list(project.categories.order_by("code"))
    groups = ("", "Runners", "runners ", "Übergewichtige", "ÜBERGEWICHTIGE", "cyclists")
    items = []
    for number in range(count):
        intended = dice.choice((None, None, *categories))
        item = builders.make_open_item(
            project, intended=intended, target_group=dice.choice(groups), severity=dice.choice((None, 0, 1, 2, 3))
        )
        if number % 3 == 0:
            prior(item, dice.randrange(6), current=number % 2 == 0)
        items.append(item)
    return items


@pytest.mark.slow
def test_in_ten_thousand_draws_nobody_gets_what_they_opted_out_of(project, ann):
    racist = builders.category(project, 1)
    for fields in ({"category": racist}, {"target_group": "RUNNERS"}, {"target_group": "übergewichtige"}):
        OptOut.objects.create(member=ann, **fields)
    OptOut.objects.create(member=ann, severity=3)
    items = {item.pk: item for item in every_kind(project, 400)}
    unwanted = {
        pk
        for pk, item in items.items()
        if item.intended == racist
        or item.priors.filter(category=racist, current=True).exists()
        or item.target_group.strip().casefold() in ("runners", "übergewichtige")
        or item.severity == 3
    }
    search = item_query.ItemSearch(ann, (0,), read_annotator_state(ann, timezone.now()).unwanted)
    drawn = {item_query.probe_items(search, random.randrange(item_query.PLACE_RANGE)) for _ in range(10_000)}
    assert drawn and None not in drawn and not drawn & unwanted
    assert len(drawn) > (400 - len(unwanted)) / 2  # and what is left is given
    assert item_query.scan_items(search) not in unwanted and item_query.walk_items(search) not in unwanted
    free = item_query.ItemSearch(builders.make_member(project))
    assert {item_query.probe_items(free, random.randrange(item_query.PLACE_RANGE)) for _ in range(300)} & unwanted


def test_only_what_is_in_force_counts_and_only_priors_that_say_something_now(project, ann):
    racist = builders.category(project, 1)
    OptOut.objects.create(member=ann, category=builders.category(project, 2), ended_at=timezone.now())
    OptOut.objects.create(member=ann, category=racist)
    ended = builders.make_open_item(project, intended=builders.category(project, 2))
    refused = builders.make_open_item(project)
    prior(refused, 0, category=None, state=PriorState.REFUSED)
    past = builders.make_open_item(project)
    prior(past, 1, current=False)
    assert {skipped(ann) for _ in range(3)} == {ended, refused, past}


# ── What comes first ──────────────────────────────────────────────────────────


def test_a_required_training_comes_first(project, ann):
    builders.make_open_item(project)
    changed(project, training_required=True)
    assert isinstance(claim.claim(builders.make_member(project)), HeldSeat)  # there is nothing to train with yet
    mark_control_item(builders.make_item(project), None, KnownAnswerKey(builders.category(project, 1), training=True))
    assert claim.claim(ann) == TrainingNeeded()
    changed(ann, trained_at=timezone.now())
    held(ann)


def test_new_guidelines_are_read_by_those_who_worked_by_the_old_ones(project, ann):
    for _ in range(3):
        builders.make_open_item(project)
    fresh = builders.make_member(project)
    seat = held(ann)
    submit.submit_label(ann, seat.public_id, seat.public_id, Answer(category=0))
    Guideline.objects.create(project=project, number=2, text="Anew.", asks_reading=False)
    held(ann)
    Guideline.objects.create(project=project, number=3, text="Once more.")
    assert claim.claim(ann) == GuidelinesChanged()
    assert isinstance(claim.claim(fresh), HeldSeat)
    changed(ann, guideline_read=3)
    held(ann)


def test_who_consents_has_the_newest_guidelines_before_them(project):
    late = builders.make_member(project, consent_version=0)
    Guideline.objects.create(project=project, number=2, text="Anew.")
    participation.consent(late)
    late.refresh_from_db()
    assert late.guideline_read == 2


def test_a_quota_ends_the_work_of_one_person_and_the_own_one_goes_before_the_projects(project, ann):
    for _ in range(4):
        builders.make_open_item(project)
    changed(project, quota=1)
    seat = held(ann)
    assert claim.claim(ann, ahead=True) == QuotaReached(1)
    submit.submit_label(ann, seat.public_id, seat.public_id, Answer(category=0))
    assert claim.claim(ann) == QuotaReached(1)
    changed(ann, quota=2)
    held(ann)


@pytest.mark.parametrize("field", ["archived_at", "delete_after"])
def test_an_archived_or_dying_project_hands_nothing_out(project, ann, field):
    builders.make_open_item(project)
    changed(project, **{field: timezone.now()})
    assert claim.claim(ann) == NotOpen()
