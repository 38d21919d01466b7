"""Items with a known answer, mixed in unseen: handled like any other, and counted for nothing but themselves."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

import builders
from annotation.analytics.agreement.labels import read_agreement
from annotation.assignment import claim, outcomes
from annotation.assignment.outcomes import HeldSeat, NothingLeft
from annotation.assignment.release_seats import free_lapsed_seats, free_lapsed_seats_of_project
from annotation.batches.progress import read_batch_overview
from annotation.consensus.close import close_full_items
from annotation.domain.answer import Answer
from annotation.domain.choices import Reason, Role, Stage
from annotation.labelling import submit
from annotation.models import Item, Label, Membership, OptOut, Project, Seat
from annotation.operations.audit import audit
from annotation.training.control_items import KnownAnswerKey, mark_control_item, set_control_item_active
from annotation.training.results import check_rates

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden", check_percent=100, severe_in_row=0)


@pytest.fixture
def ann(project: Project) -> Membership:
    return builders.make_member(project, user=builders.make_user("wren"))


@pytest.fixture
def browser(ann: Membership) -> Client:
    browser = Client()
    browser.force_login(ann.user)
    return browser


def make_known(project: Project, *, training: bool = False, **fields: object) -> Item:
    item = builders.make_item(project, "A post whose answer is known.", **fields)
    mark_control_item(item, None, KnownAnswerKey(builders.category(project, 1), training=training))
    item.refresh_from_db()
    return item


def held(member: Membership, *, ahead: bool = False) -> Seat:
    outcome = claim.claim(member, ahead=ahead)
    assert isinstance(outcome, HeldSeat), outcome
    return outcome.seat


def answered(member: Membership, seat: Seat, code: int = 1) -> Label:
    stored = submit.submit_label(member, seat.public_id, uuid4(), Answer(category=code))
    assert isinstance(stored, outcomes.Stored) and not stored.closed
    return stored.label


def test_any_number_of_people_answer_one_and_it_never_closes(project):
    item = make_known(project)
    numbers = set()
    for _person in range(6):
        seat = held(builders.make_member(project))
        assert seat.item == item
        numbers.add(seat.number)
        answered(seat.annotator, seat)
    assert len(numbers) == 6
    item.refresh_from_db()
    assert item.stage == Stage.KNOWN and item.closed_at is None and item.seats == 3
    assert close_full_items() == 0 and audit(project) == []


def test_nobody_gets_one_twice_nor_after_a_skip_and_a_freed_seat_is_used_again(project, ann):
    first, second = make_known(project), make_known(project)
    seat = held(ann)
    answered(ann, seat)
    other = held(ann)
    assert {seat.item, other.item} == {first, second}
    submit.skip_seat(ann, other.public_id)
    assert isinstance(claim.claim(ann), NothingLeft)
    for member in (builders.make_member(project), builders.make_member(project)):
        seats = [held(member)]
        answered(member, seats[0])
        answered(member, held(member))
    assert sorted(other.item.seat_rows.values_list("number", flat=True)) == [1, 2, 3]


def test_they_come_at_their_rate_among_the_others(project, ann):
    Project.objects.update(check_percent=20)
    for _ in range(200):
        builders.make_open_item(project)
    for _ in range(60):
        make_known(project)
    stages = []
    for _ in range(150):
        seat = held(ann)
        stages.append(seat.item.stage)
        submit.skip_seat(ann, seat.public_id)
    # 150 draws at 20 %: five standard deviations are 5 · sqrt(150 · 0.2 · 0.8) = 24 about 30.
    assert 6 <= stages.count(Stage.KNOWN) <= 54


def test_without_a_rate_none_is_mixed_in_nor_are_rested_and_training_ones(project, ann):
    make_known(project, training=True)
    set_control_item_active(make_known(project), None, active=False)
    assert isinstance(claim.claim(ann), NothingLeft)
    make_known(project)
    Project.objects.update(check_percent=0)
    Membership.objects.update(idle_until=None)
    assert isinstance(claim.claim(ann), NothingLeft)


def test_opt_outs_and_severity_hold_for_them_too(project, ann):
    OptOut.objects.create(member=ann, severity=2)
    make_known(project, severity=3)
    assert isinstance(claim.claim(ann), NothingLeft)


def test_it_is_held_ahead_renewed_looked_at_corrected_and_taken_back_like_any_other(project, ann):
    make_known(project)
    ahead = held(ann, ahead=True)
    assert ahead.shown_at is None and held(ann) == ahead
    assert submit.renew_lease(ann, ahead.public_id) and submit.count_reveal(ann, ahead.public_id)
    label = answered(ann, ahead)
    corrected = submit.correct_label(ann, label.public_id, uuid4(), Answer(category=0))
    assert isinstance(corrected, outcomes.Stored) and corrected.label.revision == 2
    assert isinstance(submit.take_back_label(ann, label.public_id), outcomes.TakenBack)
    assert held(ann) == ahead
    answered(ann, ahead)
    assert audit(project) == []


def test_a_check_counts_by_its_first_label(project, ann):  # L25
    make_known(project)
    label = answered(ann, held(ann), code=0)
    before = check_rates(project)
    for code in (1, 0, 1):
        assert isinstance(submit.correct_label(ann, label.public_id, uuid4(), Answer(category=code)), outcomes.Stored)
        assert check_rates(project) == before
    assert isinstance(submit.take_back_label(ann, label.public_id), outcomes.TakenBack)
    answered(ann, held(ann), code=1)
    assert check_rates(project) == before


def test_page_and_api_say_the_same_of_it_as_of_any_other_item(project, ann, browser):
    make_known(project, text_sha256="")
    page = browser.get("/p/garden/label/").content.decode()
    said = json.loads(browser.post("/api/v1/projects/garden/next/").content)
    seat, item = Seat.objects.get(annotator=ann), Item.objects.get()
    Item.objects.update(stage=Stage.LABELLING)
    usual_page = browser.get("/p/garden/label/").content.decode()
    usual = json.loads(browser.post("/api/v1/projects/garden/next/").content)
    assert said == usual
    assert len(page) == len(usual_page) and "known" not in page.replace(item.text, "")
    assert str(seat.public_id) in page and str(item.public_id) not in page


def test_a_report_takes_it_out_as_any_other(project, ann):
    item = make_known(project)
    seat = held(ann)
    assert isinstance(submit.report_seat(ann, seat.public_id), outcomes.Reported)
    item.refresh_from_db()
    assert (item.stage, item.excluded_for) == (Stage.EXCLUDED, Reason.REPORTED)
    assert audit(project) == []


def test_a_lapsed_seat_is_still_honoured(project, ann):
    make_known(project)
    seat = held(ann)
    free_lapsed_seats_of_project(project, seat.expires_at + (seat.expires_at - seat.held_at))
    seat.refresh_from_db()
    assert seat.annotator is None
    answered(ann, seat)


def test_they_are_in_no_figure_and_listed_as_skipped_by_nobody(project, ann):
    make_known(project)
    labels = [answered(member, held(member)) for member in (ann, builders.make_member(project))]
    third = builders.make_member(project)
    submit.skip_seat(third, held(third).public_id)
    assert len(labels) == 2
    found = read_agreement(project)
    assert found.raw.total == 0
    assert not read_batch_overview(project).nobody_left
    builders.make_member(project, Role.ADMIN)
    assert audit(project) == []


@pytest.mark.parametrize("done", ["held", "answered", "skipped", "lapsed"])
def test_a_reviewer_who_annotates_finds_no_post_in_hand_in_any_list_whatever_it_is(project, done):
    both = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    browser = Client()
    browser.force_login(both.user)
    answers = []
    for percent, stage in ((0, Stage.LABELLING), (100, Stage.KNOWN)):
        Project.objects.update(check_percent=percent)
        make_known(project) if percent else builders.make_open_item(project)
        both.refresh_from_db()
        seat = held(both)
        assert seat.item.stage == stage
        if done == "answered":
            answered(both, seat)
        if done == "skipped":
            submit.skip_seat(both, seat.public_id)
        if done == "lapsed":
            Seat.objects.filter(pk=seat.pk).update(expires_at=timezone.now() - timedelta(minutes=1))
            assert free_lapsed_seats() == 1
        home, one = "/api/v1/projects/garden/items/", seat.item
        assert browser.get(home).json()["results"] == []
        places = (f"{home}{one.public_id}/", f"{home}{one.public_id}/priors/", f"/p/garden/items/{one.public_id}/")
        answers.append([browser.get(place).status_code for place in places])
        if done == "held":
            submit.skip_seat(both, seat.public_id)
    assert answers[0] == answers[1] == [404, 404, 404]


def test_a_reviewer_who_annotates_finds_what_they_labelled_once_it_is_closed(project):
    both = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    item = builders.make_labelled_item(project, [both, *(builders.make_member(project) for _ in range(2))], (1, 1, 1))
    browser = Client()
    browser.force_login(both.user)
    place = f"/p/garden/items/{item.public_id}/"
    assert browser.get(place).status_code == 404
    assert close_full_items() == 1
    assert browser.get(place).status_code == 200
