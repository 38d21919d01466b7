"""A person lets a sample in as an item, or keeps it out; what follows for labels, releases and the report."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat, NothingLeft
from annotation.consensus.close import close_item
from annotation.domain.choices import Modality, Role, Stage
from annotation.models import Event, Item, Membership, Prior, Project, Skip
from annotation.operations.audit import audit
from annotation.projects import purge
from builders import category, make_item, make_label, make_member, make_picture
from generation.domain.injection.states import SampleState
from generation.injection import material, report, review, settings
from generation.models import (
    InjectionBatch,
    InjectionConsent,
    InjectionRules,
    PicturePool,
    PlanRow,
    PoolPicture,
    Sample,
    Trigger,
)
from injection_models import GROUP, TEXT, entry, make_injecting_project, make_pool
from injection_models import make_sample as waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> Membership:
    return make_injecting_project()[1]


@pytest.fixture
def project(admin: Membership) -> Project:
    return admin.project


@pytest.fixture
def pool(admin: Membership) -> PicturePool:
    return make_pool(admin)


def test_an_accepted_sample_is_an_item_like_any_other_with_its_intent_and_how_it_was_made(
    admin: Membership, pool: PicturePool
) -> None:
    sample = waiting(pool)
    item = review.accept(sample, admin)
    assert (item.text, item.stage, item.batch, item.source, item.licence) == (
        TEXT, Stage.READY, "set-1", "drawn for a test", "CC0-1.0",
    )  # fmt: skip
    assert (item.intended, item.target_group, item.picture) == (
        category(admin.project, 0), GROUP, sample.pool_picture.picture,
    )  # fmt: skip
    made = item.provenance["injected"]
    assert (made["strategy"], made["pattern"], made["model"], made["seed"], made["pool"]) == (
        "victim_perspective", "110", "writer", 1, "street",
    )  # fmt: skip
    prior = Prior.objects.get(item=item)
    assert (prior.modality, prior.category, prior.model) == ("image", category(admin.project, 1), "openai:seer")
    sample.refresh_from_db()
    assert (sample.state, sample.item, sample.decided_by, sample.filled_with) == ("accepted", item, admin, 0)
    verbs = [event.verb for event in Event.objects.order_by("pk")]
    assert verbs[-2:] == ["imported", "sample_accepted"]


def test_the_lexicon_fills_the_insult_with_the_samples_seed_and_no_event_holds_the_word(
    admin: Membership, pool: PicturePool
) -> None:
    material.set_words(admin, GROUP.upper(), "<slur>\n<other slur>\n")
    item = review.accept(waiting(pool, seed=5), admin)
    again = TEXT.replace("<insult>", "<slur>"), TEXT.replace("<insult>", "<other slur>")
    assert item.text in again
    assert Sample.objects.get().filled_with == 1 and Sample.objects.get().text == TEXT
    assert "slur" not in str(list(Event.objects.values_list("facts", flat=True))) + str(item.provenance)


def test_an_item_waits_for_the_prior_of_its_text_where_the_project_wants_priors(
    admin: Membership, pool: PicturePool, project: Project
) -> None:
    Project.objects.filter(pk=project.pk).update(priors_wanted=True)
    project.refresh_from_db()
    assert review.accept(waiting(pool), admin).stage == Stage.IMPORTED


def test_a_rejected_sample_stays_with_its_reason_and_is_no_item(admin: Membership, pool: PicturePool) -> None:
    sample = waiting(pool)
    with pytest.raises(review.CannotDecide, match="Say why it is rejected"):
        review.reject(sample, admin, "  ")
    review.reject(sample, admin, "The picture has nothing to do with it.")
    sample.refresh_from_db()
    assert (sample.state, sample.reason, sample.decided_by) == (
        "rejected", "The picture has nothing to do with it.", admin,
    )  # fmt: skip
    assert not Item.objects.exists()
    with pytest.raises(review.CannotDecide, match="Somebody else has already decided"):
        review.accept(sample, admin)


def test_what_is_held_back_can_be_rejected_and_never_accepted(admin: Membership, pool: PicturePool) -> None:
    sample = waiting(pool, state=SampleState.HELD, holds=["slur"])
    with pytest.raises(review.CannotDecide, match="guard rail"):
        review.accept(sample, admin)
    review.reject(sample, admin, "A listed word.")
    assert Sample.objects.get().state == "rejected" and not Item.objects.exists()


def test_a_text_that_came_in_meanwhile_makes_the_sample_a_duplicate(
    admin: Membership, pool: PicturePool, project: Project
) -> None:
    sample = waiting(pool)
    make_item(project, TEXT.lower(), external_id="w-9")
    with pytest.raises(review.ToldBefore, match="The item w-9 says almost the same"):
        review.accept(sample, admin)
    sample.refresh_from_db()
    assert (sample.state, sample.detail) == ("duplicate", "The item w-9 says almost the same.")
    assert Item.objects.count() == 1


def test_switched_off_nothing_is_decided(admin: Membership, pool: PicturePool) -> None:
    sample = waiting(pool)
    settings.switch_off(admin)
    for decide in (lambda: review.accept(sample, admin), lambda: review.reject(sample, admin, "No.")):
        with pytest.raises(settings.InjectionOff):
            decide()
    sample.refresh_from_db()
    assert sample.state == "waiting"


def test_whoever_looked_at_a_sample_is_never_asked_to_label_it(
    admin: Membership, pool: PicturePool, project: Project
) -> None:
    Project.objects.filter(pk=project.pk).update(new_batches="open")
    project.refresh_from_db()
    admin.project = project
    both = make_member(project, Role.REVIEWER, Role.ANNOTATOR)
    other = make_member(project)
    sample = waiting(pool)
    review.look_at(sample, both)
    review.look_at(sample, admin)  # labels nothing anyway
    item = review.accept(sample, admin)
    assert item.refresh_from_db() is None and item.stage == Stage.LABELLING
    assert list(Skip.objects.values_list("annotator", flat=True)) == [both.pk]
    assert isinstance(claim(both), NothingLeft)
    held = claim(other)
    assert isinstance(held, HeldSeat) and held.seat.item_id == item.pk


def label_all(item: Item, people: list[Membership], codes: list[int]) -> None:
    Prior.objects.get_or_create(
        item=item, modality=Modality.TEXT, current=True, defaults={"category": category(item.project, 1)}
    )
    for seat, person, code in zip(item.seat_rows.order_by("number"), people, codes, strict=True):
        make_label(seat, person, code)
    close_item(item)


def test_the_report_says_how_often_people_read_it_as_meant(
    admin: Membership, pool: PicturePool, project: Project, django_assert_num_queries: Any
) -> None:
    Project.objects.filter(pk=project.pk).update(new_batches="open")
    project.refresh_from_db()
    admin.project = project
    people = [make_member(project) for _ in range(3)]
    texts = [
        "Amber clouds over the harbour, <insult>.",
        "Kelp dries on the long rope today, <insult>.",
        "Willow shade covers the whole quarry, <insult>.",
        "Marsh birds came back in the night, <insult>.",
    ]
    items = [review.accept(waiting(pool, text), admin) for text in texts]
    label_all(items[0], people, [0, 0, 0])  # as meant: not hateful, 110
    label_all(items[1], people, [1, 1, 0])  # Racist, 111
    label_all(items[2], people, [0, 0, 5])  # as meant
    Prior.objects.filter(item=items[3], modality="image").delete()
    label_all(items[3], people, [0, 0, 0])  # no pattern without the prior
    review.reject(waiting(pool, "Another one."), admin, "Too plain.")
    with django_assert_num_queries(4):  # counts; accepted; seats; priors
        [row] = report.yields_of(project)
    assert (row.strategy, row.tally.made, row.labelled, row.without_pattern) == ("victim_perspective", 5, 4, 1)
    assert row.aligned is not None and (row.aligned.part, row.aligned.n) == (2, 3)
    assert row.category_aligned is not None and (row.category_aligned.part, row.category_aligned.n) == (3, 4)
    told = report.report_of(project)
    assert told["all"]["aligned"]["part"] == 2 and told["strategies"][0]["rejected"] == 1


def test_labels_that_name_more_than_what_was_meant_are_not_as_meant(
    admin: Membership, pool: PicturePool, project: Project
) -> None:
    Project.objects.filter(pk=project.pk).update(new_batches="open", choose="several")
    project.refresh_from_db()
    admin.project = project
    people = [make_member(project) for _ in range(3)]
    item = review.accept(waiting(pool, "Amber clouds over the harbour, <insult>.", pattern="111"), admin)
    for seat, person in zip(item.seat_rows.order_by("number"), people, strict=True):
        make_label(seat, person, 1, categories=[1, 4])
    close_item(item)
    [row] = report.yields_of(project)
    assert row.category_aligned is not None and (row.category_aligned.part, row.category_aligned.n) == (0, 1)


def test_coverage_counts_gold_and_what_is_on_its_way(admin: Membership, pool: PicturePool, project: Project) -> None:
    settings.set_targets(admin, {("110", 0): 5, ("111", 0): 3, ("001", 1): 2})
    waiting(pool)
    review.accept(waiting(pool, "Amber clouds over the harbour, <insult>."), admin)
    waiting(pool, "Held.", state=SampleState.HELD)
    gold = {"stage": Stage.GOLD, "pattern": "110", "category": category(project, 0)}
    make_item(project, "Decision saved.", picture=make_picture(project), **gold)
    cell = report.coverage_of(project)["110"][0]
    assert cell is not None and (cell.wanted, cell.gold, cell.in_work, cell.missing) == (5, 1, 2, 2)
    assert settings.targets_of(project) == {("001", 1): 2, ("110", 0): 5}  # 111 is of no category that is not hateful


def test_the_audit_finds_nothing_and_a_due_project_goes_with_all_of_it(
    admin: Membership, pool: PicturePool, project: Project
) -> None:
    material.add_triggers(admin, GROUP, "The ivy is back.")
    both = make_member(project, Role.REVIEWER, Role.ANNOTATOR)
    review.look_at(waiting(pool), both)
    review.accept(Sample.objects.get(), admin)
    review.reject(waiting(pool, "Another one."), admin, "Too plain.")
    PlanRow.objects.create(project=project, entry=entry())
    assert [said for said in audit(project) if "its file" not in said] == []  # drawn pictures have no true digest
    tables = [InjectionBatch, InjectionConsent, InjectionRules, PicturePool, PlanRow, PoolPicture, Sample, Trigger]
    assert all(table.objects.exists() for table in tables)
    Project.objects.filter(pk=project.pk).update(delete_after=timezone.now() - timedelta(hours=1))
    assert purge.purge_due() == 1
    assert not any(table.objects.exists() for table in tables) and not Project.objects.exists()
