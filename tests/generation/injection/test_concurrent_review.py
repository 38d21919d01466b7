"""Several people at one sample, one plan twice at the same moment, two models with the same words: by real threads."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from annotation.domain.choices import Role
from annotation.models import Event, Item, Membership
from builders import make_member
from concurrency import at_once
from generation.injection import batches, review
from generation.models import InjectionBatch, PicturePool, Sample
from injection_models import Writers, entry, make_injecting_project, make_pool, make_sample, writers_on_the_wire
from runs.execution import runner, worker
from runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def writers(settings: Any) -> Iterator[Writers]:
    with writers_on_the_wire(settings, delay=0.2) as (_server, writers):
        yield writers


@pytest.fixture
def admin() -> Membership:
    return make_injecting_project()[1]


@pytest.fixture
def pool(admin: Membership) -> PicturePool:
    return make_pool(admin)


def decided(sample: Sample, member: Membership, accepts: bool) -> str:
    try:
        if accepts:
            review.accept(sample, member)
        else:
            review.reject(sample, member, "No.")
    except review.CannotDecide as fault:
        return fault.code
    return "accepted" if accepts else "rejected"


def test_of_four_people_at_one_sample_one_decides_and_at_most_one_item_comes(
    admin: Membership, pool: PicturePool
) -> None:
    sample = make_sample(pool)
    people = [make_member(admin.project, Role.REVIEWER) for _ in range(4)]
    told = at_once(
        [partial(decided, Sample.objects.get(), person, number % 2 == 0) for number, person in enumerate(people)]
    )
    sample.refresh_from_db()
    others = Counter(told)
    assert others.pop(sample.state) == 1 and sum(others.values()) == 3
    assert set(others) <= {"not_decidable", "duplicate"}
    assert Item.objects.count() == (sample.state == "accepted")
    assert Event.objects.filter(verb__in=("sample_accepted", "sample_rejected")).count() == 1


def test_one_plan_carried_out_by_four_at_once_is_one_batch_asked_once(
    writers: Writers, admin: Membership, pool: PicturePool
) -> None:
    begun = at_once([partial(batches.begin, admin.project, [entry(n=3)], ring=False)] * 4)
    assert {batch.pk for batch in begun} == {InjectionBatch.objects.get().pk}
    assert Sample.objects.count() == Run.objects.count() == 3


def test_two_models_that_say_the_same_at_the_same_moment_bring_one_sample_and_one_duplicate(
    writers: Writers, admin: Membership, pool: PicturePool
) -> None:
    writers.texts = ["The sign was painted over before anybody woke up."] * 3
    batches.begin(admin.project, [entry(n=3)], ring=False)
    runs = list(Run.objects.values_list("pk", flat=True))
    at_once([partial(runner.claim_and_perform, run, worker.planned_model) for run in runs])
    # Of three samples two share a picture: one of these waits for the look of the other.
    Run.objects.filter(state="queued").update(not_before=timezone.now() - timedelta(minutes=1))
    for run in Run.objects.filter(state="queued").values_list("pk", flat=True):
        runner.claim_and_perform(run, worker.planned_model)
    assert Counter(Sample.objects.values_list("state", flat=True)) == {"waiting": 1, "duplicate": 2}
    assert sorted(Sample.objects.values_list("order", flat=True)) == [1, 2, 3]
