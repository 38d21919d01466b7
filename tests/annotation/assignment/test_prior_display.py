"""What an annotator sees of priors: the arm is drawn and stored before display, and the page and the API keep to it."""

import json
from collections import Counter
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

import builders
from annotation.assignment import claim, outcomes
from annotation.assignment.outcomes import HeldSeat
from annotation.assignment.prior_display import visible_priors
from annotation.assignment.release_seats import free_lapsed_seats
from annotation.domain.answer import Answer, BadAnswer, Correction
from annotation.domain.choices import Modality, PriorArm, PriorDisplay
from annotation.domain.priors.arms import draw_arm
from annotation.labelling import submit
from annotation.models import Item, Label, Membership, Prior, Project, Seat

pytestmark = pytest.mark.django_db
EXPLAINED = "A remark about weeds."


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden", withheld_percent=100)


@pytest.fixture
def ann(project: Project) -> Membership:
    return builders.make_member(project, user=builders.make_user("wren"))


@pytest.fixture
def item(project: Project) -> Item:
    item = builders.make_open_item(project, severity=3, picture=builders.make_picture(project))
    category = builders.category(project, 1)
    Prior.objects.create(
        item=item, modality=Modality.TEXT, category=category, explanation=EXPLAINED, severity=3, model="openai:m"
    )
    return item


@pytest.fixture
def browser(ann: Membership) -> Client:
    browser = Client()
    browser.force_login(ann.user)
    return browser


def held(member: Membership) -> Seat:
    outcome = claim.claim(member)
    assert isinstance(outcome, HeldSeat), outcome
    return outcome.seat


def show_to(project: Project, display: PriorDisplay = PriorDisplay.SHOWN, percent: int = 0) -> None:
    Project.objects.filter(pk=project.pk).update(prior_display=display, withheld_percent=percent)
    project.refresh_from_db()


def test_a_withheld_prior_leaves_no_trace_on_the_page_nor_in_the_api(project, ann, item, browser):
    page = browser.get("/p/garden/label/").content.decode()
    for trace in (EXPLAINED, "on their own", "on its own", "Expected:", "Your own view first", "Challenge"):
        assert trace not in page
    said = json.loads(browser.post("/api/v1/projects/garden/next/").content)
    assert (said["priors"], said["priors_hidden"]) == ([], False)
    assert EXPLAINED not in browser.get("/p/garden/label/ahead/").content.decode()


def test_what_is_withheld_shows_when_it_is_not(project, ann, item, browser):
    show_to(project)
    page = browser.get("/p/garden/label/").content.decode()
    for trace in (EXPLAINED, "on their own", "Expected:"):
        assert trace in page


@pytest.mark.parametrize("display", PriorDisplay)
def test_where_priors_are_withheld_no_first_answer_is_asked_for_and_none_opens_them(project, ann, item, display):
    show_to(project, display, percent=100)
    seat = held(ann)
    assert seat.prior_arm == PriorArm.WITHHELD and seat.priors_shown_at is None
    opened = submit.submit_first_answer(ann, seat.public_id, Answer(category=1))
    assert isinstance(opened, outcomes.FirstAnswerNotAsked)
    seat.refresh_from_db()
    assert visible_priors(project, seat) == () and seat.first_answer is None
    stored = submit.submit_label(ann, seat.public_id, uuid4(), Answer(category=0))
    assert isinstance(stored, outcomes.Stored)
    label = stored.label
    assert (label.prior_arm, label.priors_shown, label.priors_shown_at) == (PriorArm.WITHHELD, [], None)


def test_a_withheld_prior_cannot_be_challenged(project, ann, item):
    seat = held(ann)
    challenge = Answer(category=0, corrections=(Correction(Modality.TEXT, category=0),))
    with pytest.raises(BadAnswer, match="No view of the text was shown"):
        submit.submit_label(ann, seat.public_id, uuid4(), challenge)


@pytest.mark.parametrize(
    ("display", "arm"), [(PriorDisplay.SHOWN, PriorArm.SHOWN), (PriorDisplay.AFTER_FIRST_ANSWER, PriorArm.HIDDEN)]
)
def test_the_arm_goes_with_the_label_though_the_project_changes_meanwhile(project, ann, item, display, arm):
    show_to(project, display)
    seat = held(ann)
    assert seat.prior_arm == arm
    show_to(project, PriorDisplay.SHOWN, percent=100)
    if arm is PriorArm.HIDDEN:
        assert isinstance(
            submit.submit_label(ann, seat.public_id, uuid4(), Answer(category=0)), outcomes.FirstAnswerNeeded
        )
        submit.submit_first_answer(ann, seat.public_id, Answer(category=0))
    submit.submit_label(ann, seat.public_id, uuid4(), Answer(category=0))
    label = Label.objects.get()
    assert label.prior_arm == arm and label.priors_shown


def test_a_seat_from_before_arms_follows_the_projects_display(project, ann, item):
    seat = held(ann)
    Seat.objects.filter(pk=seat.pk).update(prior_arm="")
    seat.refresh_from_db()
    assert len(visible_priors(project, seat)) == 1
    show_to(project, PriorDisplay.AFTER_FIRST_ANSWER)
    assert visible_priors(project, seat) == ()


def lapsed(seat: Seat) -> None:
    Seat.objects.filter(pk=seat.pk).update(expires_at=seat.held_at - timedelta(seconds=1))
    free_lapsed_seats()


def test_who_sits_again_keeps_the_arm_and_a_free_seat_has_none(project, ann, item):
    show_to(project)
    seat = held(ann)
    lapsed(seat)
    seat.refresh_from_db()
    assert seat.annotator is None and seat.prior_arm == ""
    show_to(project, percent=100)
    assert held(builders.make_member(project)).prior_arm == PriorArm.WITHHELD
    again = held(ann)
    assert again.prior_arm == PriorArm.SHOWN
    lapsed(again)
    submit.submit_label(ann, again.public_id, uuid4(), Answer(category=0))
    assert Label.objects.get().prior_arm == PriorArm.SHOWN


def test_a_seat_ahead_has_its_arm_before_anything_is_shown(project, ann, item):
    show_to(project, PriorDisplay.SHOWN, percent=0)
    ahead: Any = claim.claim(ann, ahead=True)
    assert ahead.seat.prior_arm == PriorArm.SHOWN and ahead.seat.priors_shown_at is None
    assert held(ann).priors_shown_at is not None


def test_of_what_is_handed_out_the_share_is_withheld_by_the_seeded_draw(project, ann):
    show_to(project, percent=30)
    for _ in range(60):
        builders.make_open_item(project)
    arms = Counter()
    for _ in range(60):
        seat = held(ann)
        wanted = draw_arm(project.influence_seed, ann.public_id, seat.item.public_id, 30, PriorDisplay.SHOWN)
        assert seat.prior_arm == wanted
        arms[seat.prior_arm] += 1
        submit.skip_seat(ann, seat.public_id)
    assert arms[PriorArm.WITHHELD] and arms[PriorArm.SHOWN]
