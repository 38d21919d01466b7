"""Batches of samples against a server that speaks the vendor's protocol: written, compared, held back, counted."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Event, Membership, Project
from builders import make_item
from generation.domain.injection.plan import BadPlan
from generation.domain.injection.states import SampleState
from generation.injection import batches, material
from generation.injection import settings as injection_settings
from generation.models import InjectionBatch, Sample, Trigger
from injection_models import GROUP, Writers, entry, make_injecting_project, make_pool, strategy_of, writers_on_the_wire
from runs.execution import runner, worker
from runs.models import Run
from wire.server import WireServer

pytestmark = pytest.mark.django_db(transaction=True)

SAID = "The sign was painted over before the neighbours even woke up."


@pytest.fixture
def wire(settings: Any) -> Iterator[tuple[WireServer, Writers]]:
    with writers_on_the_wire(settings) as both:
        yield both


@pytest.fixture
def admin() -> Membership:
    return make_injecting_project()[1]


@pytest.fixture
def project(admin: Membership) -> Project:
    make_pool(admin)
    return admin.project


def work() -> None:
    for run in Run.objects.filter(state="queued").order_by("pk"):
        runner.claim_and_perform(run.pk, worker.planned_model)


def done(project: Project, *entries: dict[str, Any], **more: Any) -> InjectionBatch:
    batch = batches.begin(project, list(entries), **more)
    work()
    return batch


def counts(batch: InjectionBatch) -> dict[str, int]:
    return {name: n for name, n in batches.tally(batch.samples.all()).as_json().items() if n}


def test_a_sample_is_written_to_a_picture_and_kept_with_how_it_was_made(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    wire[1].texts = [SAID]
    batch = done(project, entry(), actor=admin, seed=7)
    sample = Sample.objects.select_related("pool_picture__category", "intended").get()
    assert (sample.state, sample.text, sample.order, sample.holds) == ("waiting", SAID, 1, [])
    assert (sample.pattern, sample.intended.code, sample.strategy, sample.target_group) == (
        "010", 0, "contextual_inversion", GROUP,
    )  # fmt: skip
    assert (sample.model, len(sample.prompt_digest), sample.batch, batch.seed) == ("writer", 64, batch, 7)
    assert sample.pool_picture.category is not None and sample.pool_picture.category.hateful
    assert sample.run_id == Run.objects.get().public_id
    heard = wire[1].asked[0]
    assert heard.pictures and strategy_of(heard) == "by another context"
    assert "The picture is hateful when seen alone; the text is harmless when read alone." in heard.said("system")
    assert "A sign in a street." in heard.said("user") and GROUP in heard.said("user")
    assert [event.verb for event in Event.objects.order_by("pk")][-2:] == ["injection_begun", "runs_started"]


@pytest.mark.parametrize(
    ("strategy", "how"),
    [
        ("opposition", "by opposition"),
        ("meta_commentary", "by speaking about it"),
        ("victim_perspective", "from the side of those it hit"),
    ],
)
def test_every_strategy_of_reversal_has_its_own_words(
    wire: tuple[WireServer, Writers], project: Project, strategy: str, how: str
) -> None:
    done(project, entry(strategy=strategy))
    assert strategy_of(wire[1].asked[0]) == how


@pytest.mark.parametrize("pattern", ["000", "011", "101", "111"])
def test_plain_samples_say_openly_what_the_pattern_says(
    wire: tuple[WireServer, Writers], project: Project, pattern: str
) -> None:
    done(project, entry(pattern, "plain"))
    sample = Sample.objects.select_related("pool_picture__category", "intended").get()
    assert sample.state == "waiting" and strategy_of(wire[1].asked[0]) == "plainly"
    assert ("<insult>" in sample.text, sample.intended.hateful) == (pattern[0] == "1", pattern[2] == "1")
    assert sample.pool_picture.category is not None
    assert sample.pool_picture.category.hateful == (pattern[1] == "1")


def test_a_model_is_asked_what_each_picture_says_alone_once(
    wire: tuple[WireServer, Writers], admin: Membership
) -> None:
    pool = make_pool(admin, codes=[None, None, 1])
    wire[0].queue("refusal", model="wire-sensible")
    assert material.ask_priors(admin, pool) == 2 and material.ask_priors(admin, pool) == 0
    assert admin.user is not None
    client, place = Client(), reverse("generation:pool", args=[admin.project.slug, pool.public_id])
    client.force_login(admin.user)
    page = client.get(place).text
    assert "A model is being asked about 2 pictures." in page and 'hx-trigger="every 3s"' in page
    work()
    answered = client.get(place, headers={"HX-Request": "true"}).text
    assert "The model has answered." in answered and "every 3s" not in answered
    assert "it is not known what it says alone" in client.get(place).text
    assert {row.trouble for row in pool.pictures.all()} == {"", "refused"}
    fresh = pool.pictures.get(model="openai:wire-sensible")
    assert fresh.category is not None and fresh.explanation and fresh.severity is not None
    assert pool.pictures.get(trouble="refused").category is None
    assert all(heard.pictures for heard in wire[0].heard) and len(wire[0].heard) == 2
    assert material.ask_priors(admin, pool) == 1  # what was refused can be asked again by a person


def test_text_that_is_hateful_alone_leaves_the_insult_open_and_is_asked_again_where_it_does_not(
    wire: tuple[WireServer, Writers], project: Project
) -> None:
    wire[1].texts = ["They are all the same.", "Somebody wrote <insult> on our door again."]
    batch = done(project, entry("100", "victim_perspective"))
    assert Sample.objects.get().text == "Somebody wrote <insult> on our door again."
    assert len(wire[1].asked) == 2 and "write <insult> where" in wire[1].asked[1].said("user")
    assert counts(batch) == {"made": 1, "waiting": 1}


def test_a_trigger_text_is_worded_anew_without_a_picture_and_paired_with_one_of_the_group(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    material.add_triggers(admin, GROUP, "The beds are full of ivy again.\nSomebody should count the spoons.")
    done(project, entry("001", "paraphrase", 4), seed=3)
    assert {heard.model for heard in wire[1].asked} == {"paraphraser"}
    assert not any(heard.pictures for heard in wire[1].asked)
    told = Counter(trigger for heard in wire[1].asked for trigger in ("ivy", "spoons") if trigger in heard.said("user"))
    assert told == {"ivy": 2, "spoons": 2}
    rows = Sample.objects.select_related("trigger", "pool_picture__category")
    assert all(row.trigger is not None and row.pool_picture.category.hateful is False for row in rows)
    assert len({row.pool_picture_id for row in rows}) == 2 and len({row.seed for row in rows}) == 4
    assert Trigger.objects.count() == 2


def test_what_an_item_or_a_sample_says_already_is_a_duplicate(
    wire: tuple[WireServer, Writers], project: Project
) -> None:
    make_item(project, SAID, external_id="w-1")
    other = "Grandmother's roses outlived every fence that was ever put up here."
    wire[1].texts = [
        SAID.upper(),
        other,
        other.replace("every", "any"),
        "Nothing like it was told in this town before.",
    ]
    batch = done(project, entry(n=4))
    assert counts(batch) == {"made": 4, "duplicate": 2, "waiting": 2}
    first, second = Sample.objects.filter(state="duplicate").order_by("order")
    assert first.detail == "The item w-1 says almost the same."
    assert second.detail.startswith("The sample ") and second.text


def test_guard_rails_hold_back_listed_words_and_people(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    material.set_words(admin, GROUP, "blorks\n<slur>")
    wire[1].texts = ["Those blorks again, <insult>.", "Ask @them about <insult>.", "A quiet day with <insult> outside."]
    batch = done(project, entry("100", "opposition", 3))
    assert counts(batch) == {"made": 3, "held": 2, "waiting": 1}
    assert sorted(each for row in Sample.objects.all() for each in row.holds) == ["points_at_a_person", "slur"]


def test_refusals_and_nonsense_are_counted_and_a_failed_one_can_be_gone_on_with(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    wire[0].queue("refusal", "404", "prose", "prose", "prose", model="writer")
    batch = done(project, entry(n=3))
    assert counts(batch) == {"refused": 1, "failed": 1, "unreadable": 1}
    assert all(row.detail for row in Sample.objects.all())
    assert batches.go_on(batch, admin) == 1  # what was refused stays refused
    work()
    assert counts(batch) == {"made": 1, "refused": 1, "unreadable": 1, "waiting": 1}
    assert batches.go_on(batch, admin) == 0


@pytest.mark.parametrize("field", ["text", "description"])
def test_a_refusal_in_a_field_is_no_sample(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership, field: str
) -> None:
    refusal = "I'm sorry, but I can't help with that request."
    wire[1].sees = [{"description": refusal}] if field == "description" else []
    wire[1].texts = [refusal] if field == "text" else []
    assert counts(done(project, entry(n=1))) == {"refused": 1}


def test_the_same_plan_again_is_the_same_batch_and_asks_nothing_twice(
    wire: tuple[WireServer, Writers], project: Project
) -> None:
    batch = done(project, entry(n=2))
    assert done(project, entry(n=2)) == batch and len(wire[1].asked) == 2
    other = done(project, entry(n=2), again=True)
    assert (other.number, InjectionBatch.objects.count(), len(wire[1].asked)) == (2, 2, 4)


def test_cancelled_samples_wait_and_are_asked_when_the_batch_goes_on(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    batch = batches.begin(project, [entry(n=3)], admin)
    assert batches.cancel(batch, admin) == 3 and batches.under_way(batch) == 0
    work()
    assert counts(batch) == {"asked": 3} and not wire[1].asked
    assert batches.go_on(batch, admin) == 3 and batches.under_way(batch) == 3
    work()
    assert counts(batch) == {"made": 3, "waiting": 3}


def test_a_bad_plan_a_budget_and_a_switch_change_no_row(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    before = Event.objects.count()
    with pytest.raises(BadPlan, match="Entry 2: there is no picture pool"):
        batches.begin(project, [entry(), entry(pool="square")], admin)
    injection_settings.switch_off(admin)
    with pytest.raises(injection_settings.InjectionOff, match="off in this project"):
        batches.begin(project, [entry()], admin)
    assert not InjectionBatch.objects.exists() and not Sample.objects.exists() and not Run.objects.exists()
    assert Event.objects.count() == before + 1  # the switch


def test_a_batch_keeps_within_the_projects_budget(wire: tuple[WireServer, Writers], project: Project) -> None:
    project.call_budget = 4
    project.save()
    batch = done(project, entry(n=3))
    assert counts(batch) == {"made": 2, "failed": 1, "waiting": 2} and len(wire[0].heard) == 4
    assert "budget" in Sample.objects.get(state=SampleState.FAILED).detail


def test_switched_off_in_between_a_batch_stops_asking(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    batch = batches.begin(project, [entry(n=2)], admin)
    injection_settings.switch_off(admin)
    work()
    assert counts(batch) == {"asked": 2} and not wire[1].asked
