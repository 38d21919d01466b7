"""What a label keeps beside the answer: the priors and the guideline that were shown, the working time."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

import builders
from annotation.assignment import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.assignment.prior_display import visible_priors
from annotation.domain.answer import Answer, Correction
from annotation.domain.choices import Modality
from annotation.labelling import submit
from annotation.models import Event, Guideline, Item, Membership, Prior, Project, Seat

pytestmark = pytest.mark.django_db

HATEFUL, HARMLESS = Answer(category=1), Answer(category=0)


@pytest.fixture
def project() -> Project:
    return builders.make_project()


@pytest.fixture
def ann(project: Project) -> Membership:
    return builders.make_member(project)


@pytest.fixture
def item(project: Project) -> Item:
    return builders.make_open_item(project)


@pytest.fixture
def seat(item: Item, ann: Membership) -> Seat:
    return claimed(ann)


def claimed(member: Membership) -> Seat:
    outcome = claim.claim(member)
    assert isinstance(outcome, HeldSeat), outcome
    return outcome.seat


def prior_for(item: Item, **fields: object) -> Prior:
    category = builders.category(item.project, 0)
    return Prior.objects.create(item=item, modality=Modality.TEXT, model="file:sample", category=category, **fields)


def test_a_label_keeps_what_was_said_and_what_was_seen(project, ann, item):
    prior = prior_for(item)
    Prior.objects.create(item=item, modality=Modality.IMAGE, state="refused", reason="refused", model="file:sample")
    seat = claimed(ann)
    assert submit.count_reveal(ann, seat.public_id) and submit.count_reveal(ann, seat.public_id)
    Guideline.objects.create(project=project, number=2, text="Later.", created_at=timezone.now() + timedelta(hours=1))
    answer = Answer(
        category=1,
        low_quality=True,
        target_group="gardeners",
        note="The picture turns it round.",
        corrections=(Correction(Modality.TEXT, category=2),),
    )
    label = submit.submit_label(ann, seat.public_id, uuid4(), answer, seconds=0.0005).label
    label.refresh_from_db()
    assert (label.category.code, label.not_sure, label.low_quality) == (1, False, True)
    assert (label.target_group, label.note) == ("gardeners", "The picture turns it round.")
    assert label.challenges == [{"modality": "text", "category": 2, "hateful": True}]
    assert prior.pk in label.priors_shown and len(label.priors_shown) == 2
    assert label.priors_shown_at == seat.shown_at
    assert (label.revision, label.reveals, label.guideline.number) == (1, 2, 1)
    assert label.seconds == 0.0005
    seat.refresh_from_db()
    assert seat.label == label and seat.filled_at is not None and seat.expires_at is None
    assert Event.objects.filter(verb="labelled", actor=ann, item=item, row=label.public_id).count() == 1


@pytest.mark.parametrize("counted", [0, 0.25, 12.345, 89.9])
@pytest.mark.parametrize("shown", [None, timedelta(seconds=5)])
def test_seconds_are_kept_as_sent_up_to_the_time_since_the_seat_was_held(ann, seat, counted, shown):
    now = timezone.now()
    Seat.objects.update(held_at=now - timedelta(seconds=90), shown_at=shown and now - shown)
    label = submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS, seconds=counted).label
    label.refresh_from_db()
    assert label.seconds == counted


def test_seconds_are_never_more_than_the_time_since_the_seat_was_held(ann, seat):
    Seat.objects.update(held_at=timezone.now() - timedelta(seconds=90))
    label = submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS, seconds=9e8).label
    assert 89 <= label.seconds <= 100


@pytest.mark.parametrize(("shown", "least"), [(None, None), (timedelta(seconds=40), 39)])
def test_without_a_count_the_time_since_the_item_was_shown_stands_in(ann, seat, shown, least):
    now = timezone.now()
    Seat.objects.update(held_at=now - timedelta(seconds=90), shown_at=shown and now - shown)
    label = submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS).label
    assert label.seconds is None if least is None else least <= label.seconds <= 60


def test_priors_of_the_built_in_baseline_are_not_seen_unless_switched_on(project, ann, item):
    Prior.objects.create(item=item, modality="text", model="keyword:cues", category=builders.category(project, 0))
    assert visible_priors(project, claimed(ann)) == ()
    assert submit.submit_label(ann, claimed(ann).public_id, uuid4(), HARMLESS).label.priors_shown == []


def test_priors_that_came_after_the_answer_was_begun_do_not_count_as_seen(ann, item, seat):
    prior_for(item, created_at=timezone.now() + timedelta(minutes=1))
    assert submit.submit_label(ann, seat.public_id, uuid4(), HARMLESS).label.priors_shown == []
