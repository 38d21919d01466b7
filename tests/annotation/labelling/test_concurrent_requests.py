"""Several requests at the same moment, in threads of their own: two tabs, double clicks, races for the last seat."""

from collections import Counter
from collections.abc import Callable
from typing import TypeVar
from uuid import uuid4

import pytest

import builders
from annotation.assignment import claim
from annotation.assignment.outcomes import AlreadyLabelled, HeldSeat, Replayed, Stored
from annotation.domain.answer import Answer
from annotation.domain.choices import Stage
from annotation.labelling import submit
from annotation.models import Event, Item, Label, Membership, Project, Seat
from concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True)
Answered = TypeVar("Answered")


@pytest.fixture
def project() -> Project:
    return builders.make_project()


def claimed(member: Membership) -> Seat:
    outcome = claim.claim(member)
    assert isinstance(outcome, HeldSeat)
    return outcome.seat


def test_all_tabs_of_a_person_get_the_same_item_and_one_ahead(project):
    member = builders.make_member(project)
    for _ in range(5):
        builders.make_open_item(project)
    front = at_once([lambda: claim.claim(member)] * 6)
    assert len({outcome.seat.pk for outcome in front if isinstance(outcome, HeldSeat)}) == 1
    ahead = at_once([lambda: claim.claim(member, ahead=True)] * 6)
    assert len({outcome.seat.pk for outcome in ahead if isinstance(outcome, HeldSeat)}) == 1
    assert Seat.objects.filter(annotator=member).count() == 2


def test_of_many_people_exactly_k_get_a_seat_at_the_only_item(project):
    item = builders.make_open_item(project)
    members = [builders.make_member(project) for _ in range(7)]
    outcomes = at_once([lambda member=member: claim.claim(member) for member in members])
    held = [outcome.seat for outcome in outcomes if isinstance(outcome, HeldSeat)]
    assert len(held) == 3 and len({seat.pk for seat in held}) == 3
    item.refresh_from_db()
    assert item.taken == 3


def test_a_double_click_stores_one_label_and_every_click_is_answered_with_it(project):
    member = builders.make_member(project)
    builders.make_open_item(project)
    seat, key = claimed(member), uuid4()
    outcomes = at_once([lambda: submit.submit_label(member, seat.public_id, key, Answer(0))] * 6)
    assert Counter(type(outcome) for outcome in outcomes) == {Stored: 1, Replayed: 5}
    assert {outcome.label.pk for outcome in outcomes} == {Label.objects.get().pk}


def test_tabs_with_different_answers_store_the_first_and_show_it_to_the_others(project):
    member = builders.make_member(project)
    builders.make_open_item(project)
    seat = claimed(member)
    acts = [lambda code=code: submit.submit_label(member, seat.public_id, uuid4(), Answer(code)) for code in range(6)]
    outcomes = at_once(acts)
    assert Counter(type(outcome) for outcome in outcomes) == {Stored: 1, AlreadyLabelled: 5}
    assert {outcome.label.pk for outcome in outcomes} == {Label.objects.get().pk}


def test_of_the_last_labels_given_together_one_closes_the_item_once(project):
    members = [builders.make_member(project) for _ in range(3)]
    for _ in range(4):
        builders.make_open_item(project)
        seats = [(member, claimed(member).public_id) for member in members]
        acts = [lambda who=who, seat=seat: submit.submit_label(who, seat, uuid4(), Answer(0)) for who, seat in seats]
        assert sorted(outcome.closed for outcome in at_once(acts)) == [False, False, True]
    assert set(Item.objects.values_list("stage", flat=True)) == {Stage.GOLD}
    assert Event.objects.filter(verb="closed").count() == 4
    assert Label.objects.count() == 12


def test_skipping_and_claiming_together_leaves_every_seat_counted(project):
    item = builders.make_open_item(project)
    sitting = [builders.make_member(project) for _ in range(3)]
    coming = [builders.make_member(project) for _ in range(3)]
    seats = {member.pk: claimed(member) for member in sitting}
    acts: list[Callable[[], object]] = [
        lambda member=member: submit.skip_seat(member, seats[member.pk].public_id) for member in sitting
    ]
    acts += [lambda member=member: claim.claim(member) for member in coming]
    at_once(acts)
    item.refresh_from_db()
    assert item.taken == item.seat_rows.filter(annotator__isnull=False).count() <= 3
