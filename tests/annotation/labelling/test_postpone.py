"""A post is put aside until nothing else is left; its seat stays the person's, and nobody else can tell."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import (
    DoneForToday,
    HeldSeat,
    NoSuchSeat,
    NothingLeft,
    Postponed,
    Stored,
    TooManyPostponed,
)
from annotation.assignment.release_seats import free_lapsed_seats
from annotation.domain.answer import Answer
from annotation.domain.choices import Modality, PriorDisplay, PriorState
from annotation.labelling import submit
from annotation.labelling.postpone import POSTPONED_LIMIT, bring_back, count_postponed, forget_lost, postpone_seat
from annotation.labelling.take_back_skip import take_back_skip
from annotation.members import participation
from annotation.models import Event, Item, Membership, PostponedSeat, Prior, Project, Seat, Skip, WorkDay
from annotation.operations.audit import audits
from builders import category, make_label, make_member, make_open_item, make_project
from concurrency import at_once

pytestmark = pytest.mark.django_db

PAGE = "/p/garden/label/"


@pytest.fixture
def project() -> Project:
    return make_project("garden", seats=2)


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project)


@pytest.fixture
def client(wren: Membership) -> Client:
    assert wren.user is not None
    client = Client()
    client.force_login(wren.user)
    return client


def held(member: Membership) -> HeldSeat:
    outcome = claim(Membership.objects.get(pk=member.pk))
    assert isinstance(outcome, HeldSeat), outcome
    return outcome


def postponed(member: Membership) -> Seat:
    seat = held(member).seat
    assert isinstance(postpone_seat(member, seat.public_id), Postponed)
    return seat


def answered(member: Membership) -> None:
    assert isinstance(submit.submit_label(member, held(member).seat.public_id, uuid4(), Answer(0)), Stored)


def let_lapse() -> None:
    Seat.objects.filter(expires_at__isnull=False).update(expires_at=timezone.now() - timedelta(hours=1))
    free_lapsed_seats()


def items(project: Project, count: int) -> list[Item]:
    return [make_open_item(project, f"Weeds {number}.") for number in range(count)]


# ── It waits, and comes back ──────────────────────────────────────────────────


def test_it_comes_back_when_nothing_else_is_left(project: Project, wren: Membership) -> None:
    items(project, 3)
    first = postponed(wren)
    for _ in range(2):
        assert held(wren).seat != first and not held(wren).comes_back
        answered(wren)
    back = claim(wren)
    assert isinstance(back, HeldSeat) and back.seat == first and back.comes_back and back.postponed == 0
    assert held(wren).seat == first  # and stays in front
    answered(wren)
    assert isinstance(claim(wren), NothingLeft)
    assert not PostponedSeat.objects.exists()


def test_those_put_aside_first_come_first_and_again_aside_is_last(project: Project, wren: Membership) -> None:
    items(project, 3)
    order = [postponed(wren) for _ in range(3)]
    assert postponed(wren) == order[0]
    assert [postponed(wren) for _ in range(3)] == [order[1], order[2], order[0]]


def test_on_demand_it_comes_before_the_post_in_front_which_waits(project: Project, wren: Membership) -> None:
    items(project, 4)
    first, second = postponed(wren), postponed(wren)
    front = held(wren).seat
    assert bring_back(wren) == first
    assert held(wren).seat == first
    answered(wren)
    assert held(wren).seat == front and held(wren).postponed == 1
    assert bring_back(wren) == second and bring_back(wren) is None


def test_the_seat_ahead_comes_first_and_is_not_put_aside_unseen(project: Project, wren: Membership) -> None:
    items(project, 2)
    held(wren)
    ahead = claim(wren, ahead=True)
    assert isinstance(ahead, HeldSeat)
    assert postpone_seat(wren, ahead.seat.public_id) == NoSuchSeat()
    postponed(wren)
    assert held(wren).seat == ahead.seat


def test_what_was_said_before_the_priors_opened_and_the_arm_stay(wren: Membership) -> None:
    Project.objects.update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    item = make_open_item(wren.project, "Weeds.")
    which = {"modality": Modality.TEXT, "state": PriorState.OK, "category": category(wren.project, 1)}
    Prior.objects.create(item=item, current=True, **which)
    seat = held(wren).seat
    submit.submit_first_answer(wren, seat.public_id, Answer(1))
    before = Seat.objects.values("first_answer", "prior_arm", "reveals").get(pk=seat.pk)
    postpone_seat(wren, seat.public_id)
    assert held(wren).seat == seat
    assert Seat.objects.values("first_answer", "prior_arm", "reveals").get(pk=seat.pk) == before


def test_its_clock_starts_anew_and_it_is_counted_as_shown_once(project: Project, wren: Membership) -> None:
    items(project, 1)
    seat = postponed(wren)
    Seat.objects.update(shown_at=timezone.now() - timedelta(minutes=20))
    back = held(wren).seat
    assert back == seat and back.shown_at is not None and timezone.now() - back.shown_at < timedelta(minutes=1)
    assert WorkDay.objects.get(member=wren).shown == 1


# ── The limit ─────────────────────────────────────────────────────────────────


def test_five_at_most(project: Project, wren: Membership) -> None:
    items(project, POSTPONED_LIMIT + 2)
    for _ in range(POSTPONED_LIMIT):
        last = postponed(wren)
    assert isinstance(postpone_seat(wren, last.public_id), Postponed)  # twice is once
    sixth = held(wren).seat
    assert postpone_seat(wren, sixth.public_id) == TooManyPostponed(POSTPONED_LIMIT)
    assert held(wren).seat == sixth and count_postponed(wren) == POSTPONED_LIMIT
    bring_back(wren)
    assert isinstance(postpone_seat(wren, sixth.public_id), Postponed)


@pytest.mark.django_db(transaction=True)
def test_two_presses_at_once_put_it_aside_once(project: Project, wren: Membership) -> None:
    items(project, 2)
    seat = held(wren).seat
    outcomes = at_once([lambda: postpone_seat(wren, seat.public_id)] * 4)
    assert all(isinstance(outcome, Postponed) for outcome in outcomes)
    assert PostponedSeat.objects.count() == 1


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda wren: Project.objects.update(is_open=False), id="project closed"),
        pytest.param(lambda wren: Membership.objects.filter(pk=wren.pk).update(annotates=False), id="no annotator"),
        pytest.param(lambda wren: Membership.objects.filter(pk=wren.pk).update(minutes_a_day=0), id="time is over"),
    ],
)
def test_it_does_not_come_while_nothing_may_come(project: Project, wren: Membership, change: Any) -> None:
    items(project, 1)
    postponed(wren)
    change(wren)
    member = Membership.objects.get(pk=wren.pk)
    assert bring_back(member) is None and not isinstance(claim(member), HeldSeat)
    assert PostponedSeat.objects.get().seat is not None  # it waits as long as its seat is held


def test_a_severe_one_waits_while_only_milder_ones_may_come(project: Project, wren: Membership) -> None:
    make_open_item(project, "Weeds.", severity=3)
    Membership.objects.filter(pk=wren.pk).update(severe_a_day=1)
    postponed(wren)
    assert isinstance(claim(wren), DoneForToday | NothingLeft) and bring_back(wren) is None


# ── Leases ────────────────────────────────────────────────────────────────────


def test_it_is_kept_while_the_person_works_and_lost_with_the_sitting(project: Project, wren: Membership) -> None:
    items(project, 3)
    seat, front = postponed(wren), held(wren).seat
    nearly_over = timezone.now() + timedelta(seconds=30)
    for act in (lambda: claim(wren), lambda: submit.renew_lease(wren, front.public_id)):
        Seat.objects.filter(pk=seat.pk).update(expires_at=nearly_over)
        act()
        assert Seat.objects.get(pk=seat.pk).expires_at > nearly_over
    let_lapse()
    assert Seat.objects.get(pk=seat.pk).annotator is None
    assert {held(wren).seat.item_id for _ in range(2)} and (forget_lost(wren), forget_lost(wren)) == (1, 0)
    assert [problem for audit in audits() for problem in audit.problems] == []


def test_a_lost_one_may_come_again_as_any_post(project: Project, wren: Membership) -> None:
    items(project, 1)
    seat = postponed(wren)
    let_lapse()
    again = held(wren)
    assert again.seat.item == seat.item and not again.comes_back
    assert held(wren).seat == again.seat  # it stands in front
    assert forget_lost(wren) == 1


def test_others_take_the_seats_of_a_lost_one_and_never_more_than_there_are(project: Project, wren: Membership) -> None:
    item = items(project, 1)[0]
    seat = postponed(wren)
    others = [make_member(project) for _ in range(3)]
    answered(others[0])
    assert isinstance(claim(others[1]), NothingLeft)  # the second seat is put aside
    let_lapse()
    answered(others[1])
    assert isinstance(claim(others[2]), NothingLeft) and isinstance(claim(wren), NothingLeft)
    assert forget_lost(wren) == 1
    assert postpone_seat(wren, seat.public_id) is not None and Item.objects.get().seat_rows.count() == item.seats


@pytest.mark.parametrize("how", ["answered", "skipped"])
def test_what_was_dealt_with_in_another_tab_is_no_loss(project: Project, wren: Membership, how: str) -> None:
    items(project, 2)
    seat = postponed(wren)
    if how == "answered":
        submit.submit_label(wren, seat.public_id, uuid4(), Answer(0))
    else:
        submit.skip_seat(wren, seat.public_id)
    held(wren)
    assert forget_lost(wren) == 0 and count_postponed(wren) == 0 and not PostponedSeat.objects.exists()


def test_what_is_taken_back_comes_first_though_it_was_put_aside_once(project: Project, wren: Membership) -> None:
    items(project, 2)
    seat = postponed(wren)
    submit.skip_seat(wren, seat.public_id)
    take_back_skip(wren, Skip.objects.get())
    assert held(wren).seat.item == seat.item
    seat = held(wren).seat
    postpone_seat(wren, seat.public_id)
    stored = submit.submit_label(wren, seat.public_id, uuid4(), Answer(0))
    assert isinstance(stored, Stored)
    submit.take_back_label(wren, stored.label.public_id)
    assert held(wren).seat == seat


def test_who_leaves_keeps_none(project: Project, wren: Membership) -> None:
    items(project, 2)
    postponed(wren)
    participation.withdraw(wren)
    assert not PostponedSeat.objects.exists() and not Seat.objects.filter(annotator=wren).exists()


def test_no_event_tells_of_it(project: Project, wren: Membership) -> None:
    items(project, 2)
    seat = held(wren).seat
    before = Event.objects.count()
    postpone_seat(wren, seat.public_id)
    bring_back(wren)
    assert Event.objects.count() == before


# ── Pages ─────────────────────────────────────────────────────────────────────


def test_the_page_puts_aside_says_how_many_and_opens_them(project: Project, wren: Membership, client: Client) -> None:
    items(project, 3)
    first = held(wren).seat
    answer = client.post(f"{PAGE}{first.public_id}/later/", follow=True)
    page = answer.content.decode()
    assert "1 put aside" in page and first.item.text not in page
    assert first.item.text in client.post(f"{PAGE}later/", follow=True).content.decode()
    assert "None of the posts" in client.post(f"{PAGE}later/", follow=True).content.decode()


def test_the_limit_is_said_and_the_post_stays(project: Project, wren: Membership, client: Client) -> None:
    items(project, POSTPONED_LIMIT + 1)
    for _ in range(POSTPONED_LIMIT):
        postponed(wren)
    seat = held(wren).seat
    answer = client.post(f"{PAGE}{seat.public_id}/later/")
    assert answer.status_code == 409
    assert "You have put 5 posts aside, which is the most" in answer.content.decode()
    assert seat.item.text in answer.content.decode()


def test_a_loss_is_said_once(project: Project, wren: Membership, client: Client) -> None:
    items(project, 1)
    postponed(wren)
    let_lapse()
    said = "The time of 1 post that you had put aside is over"
    assert [said in client.get(PAGE).content.decode() for _ in range(2)] == [True, False]


def test_a_post_taken_by_others_meanwhile_is_told(project: Project, wren: Membership, client: Client) -> None:
    item = items(project, 1)[0]
    seat = held(wren).seat
    let_lapse()
    for row in item.seat_rows.order_by("number"):
        make_label(row, make_member(project), 1)
    answer = client.post(f"{PAGE}{seat.public_id}/later/")
    assert answer.status_code == 409 and "The post was not put aside" in answer.content.decode()
    assert client.post(f"{PAGE}{uuid4()}/later/").status_code == 404


def test_undo_brings_back_what_was_put_aside_last(project: Project, wren: Membership, client: Client) -> None:
    items(project, 3)
    postponed(wren)
    last = held(wren).seat
    client.post(f"{PAGE}{last.public_id}/later/")
    client.post(f"{PAGE}undo/")
    assert held(wren).seat == last and count_postponed(wren) == 1
