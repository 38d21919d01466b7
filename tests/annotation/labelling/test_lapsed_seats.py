"""A page that was left open until its seat lapsed: what a submit may, every other act on the page may too."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from annotation.assignment.release_seats import free_lapsed_seats
from annotation.models import GlossaryEntry, Item, Label, Membership, Project, Report, Seat
from annotation.wellbeing import preferences
from annotation.wellbeing.preferences import OptedOut
from annotation.workload import timesheets
from builders import make_label, make_member, make_open_item, make_picture, make_project

pytestmark = pytest.mark.django_db

PAGE = "/p/garden/label/"


@pytest.fixture
def project() -> Project:
    return make_project("garden", seats=2, glossary_for_annotators=True)


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project, pseudonym="wren")


@pytest.fixture
def browser_of_wren(wren: Membership) -> Client:
    assert wren.user is not None
    client = Client()
    client.force_login(wren.user)
    return client


@pytest.fixture
def lapsed(project: Project, wren: Membership, browser_of_wren: Client) -> Seat:
    """A seat that wren's page still shows, and that the sweeper has freed."""
    make_open_item(project, "Weeds in the roses.", picture=make_picture(project))
    browser_of_wren.get(PAGE)
    seat = Seat.objects.get(annotator=wren)
    Seat.objects.filter(pk=seat.pk).update(expires_at=timezone.now() - timedelta(minutes=1))
    assert free_lapsed_seats() == 1
    return seat


def holder(seat: Seat) -> Membership | None:
    return Seat.objects.get(pk=seat.pk).annotator


def test_the_picture_is_revealed_and_the_seat_is_taken_again(browser_of_wren, wren, lapsed):
    answer = browser_of_wren.post(f"{PAGE}{lapsed.public_id}/look/", {"show": "1"}, HTTP_ACCEPT="application/json")
    assert answer.json() == {"picture": f"{PAGE}{lapsed.public_id}/picture/"}
    assert holder(lapsed) == wren


def test_an_answer_with_a_mistake_comes_back_as_typed(browser_of_wren, wren, lapsed):
    answer = browser_of_wren.post(f"{PAGE}{lapsed.public_id}/", {"key": str(uuid4()), "note": "half a thought"})
    assert answer.status_code == 422
    assert "half a thought" in answer.content.decode()
    assert holder(lapsed) == wren


def test_the_glossary_opens(browser_of_wren, lapsed, project):
    GlossaryEntry.objects.create(project=project, term="roses", meaning="Flowers.", status="approved")
    answer = browser_of_wren.post(f"{PAGE}{lapsed.public_id}/glossary/", HTTP_HX_REQUEST="true")
    assert answer.status_code == 200


def take(seat: Seat, other: Membership) -> None:
    make_label(Seat.objects.get(pk=seat.pk), other, 0)


@pytest.mark.parametrize("act", ["look", "glossary"])
def test_a_seat_that_somebody_else_has_taken_is_not_given_back(browser_of_wren, lapsed, project, act):
    other = make_member(project)
    take(lapsed, other)
    assert browser_of_wren.post(f"{PAGE}{lapsed.public_id}/{act}/", {"show": "1"}).status_code == 404
    assert holder(lapsed) == other


def test_a_post_that_went_back_for_an_opt_out_does_not_come_again_by_an_old_page(project, wren, browser_of_wren):
    make_open_item(project, "Weeds.", severity=3)
    browser_of_wren.get(PAGE)
    seat = Seat.objects.get(annotator=wren)
    assert preferences.set_opt_outs(wren, OptedOut(frozenset(), frozenset(), 3)) == 1
    assert browser_of_wren.post(f"{PAGE}{seat.public_id}/renew/").status_code == 409
    assert browser_of_wren.post(f"{PAGE}{seat.public_id}/look/", {"show": "1"}).status_code == 404
    assert holder(seat) is None
    assert browser_of_wren.get(f"{PAGE}{seat.public_id}/report/").status_code == 200


@pytest.mark.parametrize("taken", [False, True])
def test_an_illegal_post_can_be_reported_also_where_the_seat_is_somebody_elses(
    browser_of_wren, wren, lapsed, project, taken
):
    if taken:
        take(lapsed, make_member(project))
    address = f"{PAGE}{lapsed.public_id}/report/"
    assert browser_of_wren.get(address).status_code == 200
    assert browser_of_wren.post(address, {"note": "It is."}).status_code == 200
    assert Report.objects.get().reporter == wren
    assert Item.objects.get().excluded_for == "reported"
    assert browser_of_wren.get(address).status_code == 404  # it is gone, for the reporter too


def test_nobody_reports_or_takes_a_seat_that_was_never_theirs(lapsed, project):
    other = make_member(project)
    client = Client()
    client.force_login(other.user)
    for act in ("report", "look", "glossary"):
        assert client.post(f"{PAGE}{lapsed.public_id}/{act}/", {"show": "1"}).status_code == 404
    assert client.get(f"{PAGE}{lapsed.public_id}/report/").status_code == 404
    assert holder(lapsed) is None


def test_a_report_sent_by_a_double_click_is_one_report(browser_of_wren, lapsed):
    pages = [browser_of_wren.post(f"{PAGE}{lapsed.public_id}/report/", {"note": "It is."}) for _ in range(2)]
    assert [page.status_code for page in pages] == [200, 200]
    assert Report.objects.count() == 1


def test_a_label_taken_back_and_given_again_is_one_label_of_the_day(project, wren, browser_of_wren):
    item = make_open_item(project, "Weeds.")
    make_label(item.seat_rows.get(number=1), make_member(project), 1)
    browser_of_wren.get(PAGE)

    def answer(code: int) -> Any:
        seat = Seat.objects.get(annotator=wren)
        return browser_of_wren.post(f"{PAGE}{seat.public_id}/", {"key": str(uuid4()), "category": str(code)})

    def labels() -> list[int]:
        today = timezone.localdate()
        return [day.labels for day in timesheets.hours_of_member(wren, today, today)]

    answer(1)
    assert labels() == [1]
    browser_of_wren.post(f"{PAGE}undo/")
    assert sum(labels()) == 0
    answer(2)
    assert Label.objects.filter(annotator=wren).count() == 2
    assert labels() == [1]
