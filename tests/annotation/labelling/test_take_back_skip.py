"""A skip is taken back while the post has a free seat; then the post comes first."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.labelling import submit
from annotation.labelling.take_back_skip import fresh_skip, take_back_skip
from annotation.models import Item, Membership, Project, Seat, Skip, WorkDay
from annotation.operations.audit import audits
from builders import make_label, make_member, make_open_item, make_project
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


def in_front(member: Membership) -> Seat:
    held = claim(Membership.objects.get(pk=member.pk))
    assert isinstance(held, HeldSeat)
    return held.seat


def skipped(member: Membership) -> Skip:
    submit.skip_seat(member, in_front(member).public_id)
    return Skip.objects.get(annotator=member)


def test_the_post_comes_again_at_once_and_nothing_was_counted(project: Project, wren: Membership) -> None:
    items = [make_open_item(project, text) for text in ("Weeds.", "Roses.")]
    skip = skipped(wren)
    other = in_front(wren)
    assert {skip.item_id, other.item_id} == {item.pk for item in items}
    assert WorkDay.objects.get(member=wren).skips == 1
    assert take_back_skip(wren, skip) is not None
    assert in_front(wren).item_id == skip.item_id
    assert WorkDay.objects.get(member=wren).skips == 0 and not Skip.objects.exists()
    other.refresh_from_db()
    assert other.annotator == wren  # it is kept for later
    assert [problem for audit in audits() for problem in audit.problems] == []


def test_a_post_whose_seats_are_taken_meanwhile_stays_skipped(project: Project, wren: Membership) -> None:
    item = make_open_item(project, "Weeds.")
    skip = skipped(wren)
    for seat in item.seat_rows.order_by("number"):
        make_label(seat, make_member(project), 1)
    assert take_back_skip(wren, skip) is None
    assert Skip.objects.exists() and Item.objects.get().seat_rows.filter(annotator=wren).count() == 0


def late_where_checks_are() -> None:
    Project.objects.update(check_percent=5)
    Skip.objects.update(created_at=timezone.now() - timedelta(minutes=31))


def test_backspace_takes_back_what_was_skipped_in_the_last_half_minute(wren: Membership) -> None:
    make_open_item(wren.project, "Weeds.")
    skip = skipped(wren)
    assert fresh_skip(wren) == skip
    Skip.objects.update(created_at=timezone.now() - timedelta(seconds=31))
    assert fresh_skip(wren) is None and take_back_skip(wren, skip) is not None


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda wren: late_where_checks_are(), id="late where checks are mixed in"),
        pytest.param(lambda wren: Project.objects.update(is_open=False), id="project closed"),
        pytest.param(lambda wren: Membership.objects.filter(pk=wren.pk).update(quota=0), id="share done"),
        pytest.param(lambda wren: Skip.objects.update(annotator=make_member(wren.project)), id="of somebody else"),
    ],
)
def test_it_stays_skipped(project: Project, wren: Membership, change: Any) -> None:
    make_open_item(project, "Weeds.")
    skip = skipped(wren)
    change(wren)
    assert take_back_skip(Membership.objects.get(pk=wren.pk), skip) is None
    assert Skip.objects.count() == 1 and not Seat.objects.filter(annotator=wren).exists()


@pytest.mark.django_db(transaction=True)
def test_two_presses_at_once_hold_one_seat(project: Project, wren: Membership) -> None:
    make_open_item(project, "Weeds.")
    skip = skipped(wren)
    seats = at_once([lambda: take_back_skip(wren, skip)] * 4)
    assert sum(seat is not None for seat in seats) == 1
    assert Seat.objects.filter(annotator=wren).count() == 1


def test_undo_takes_the_newer_of_skip_and_label_back(project: Project, wren: Membership, client: Client) -> None:
    labelled, other = make_open_item(project, "Weeds."), make_open_item(project, "Roses.")
    make_label(labelled.seat_rows.order_by("number")[0], wren, 1)
    label = labelled.seat_rows.get(annotator=wren).label
    assert label is not None
    skip = skipped(wren)
    assert skip.item == other and fresh_skip(wren) == skip
    assert client.post(f"{PAGE}undo/")["Location"] == PAGE
    assert in_front(wren).item == other
    assert client.post(f"{PAGE}undo/")["Location"] == f"{PAGE}own/{label.public_id}/"


@pytest.mark.parametrize("seen_before", [False, True])
def test_what_was_taken_back_is_told_at_the_keys_once(
    project: Project, wren: Membership, client: Client, seen_before: bool
) -> None:
    make_open_item(project, "Weeds.")
    make_open_item(project, "Roses.")
    told = "The skip is taken back."
    if seen_before:  # most of the page is kept from post to post
        assert told not in client.get(PAGE).content.decode()
    skipped(wren)
    page = client.post(f"{PAGE}undo/", follow=True).content.decode()
    assert f'data-said="{told} "' in page and page.index('id="definition"') < page.rindex(told)
    assert told not in client.get(PAGE).content.decode()


def test_a_skip_that_stays_is_told(project: Project, wren: Membership, client: Client) -> None:
    item = make_open_item(project, "Weeds.")
    skipped(wren)
    for seat in item.seat_rows.order_by("number"):
        make_label(seat, make_member(project), 1)
    assert "The post stays skipped" in client.post(f"{PAGE}undo/", follow=True).content.decode()


def test_the_last_post_can_be_taken_back_where_no_other_comes(wren: Membership, client: Client) -> None:
    make_open_item(wren.project, "Weeds.")
    skipped(wren)
    assert "Take the skip back" in client.get(PAGE).content.decode()
    client.post(f"{PAGE}undo/")
    assert "Weeds." in client.get(PAGE).content.decode()


def test_one_goes_back_through_the_labels_one_by_one(project: Project, wren: Membership, client: Client) -> None:
    items = [make_open_item(project, text) for text in ("Weeds.", "Roses.", "Beds.")]
    for number, item in enumerate(items):
        make_label(item.seat_rows.order_by("number")[0], wren, 1)
        given = timezone.now() - timedelta(minutes=3 - number)
        Seat.objects.filter(item=item, annotator=wren).update(filled_at=given)
    address, seen = f"{PAGE}undo/", []
    for _ in items:
        page = client.post(address)["Location"]
        seen.append(client.get(page).content.decode())
        address = f"{page}before/"
    assert ["Beds." in seen[0], "Roses." in seen[1], "Weeds." in seen[2]] == [True] * 3
    assert "That was your first answer" in client.post(address, follow=True).content.decode()
    assert "Your answer of" in seen[0]
