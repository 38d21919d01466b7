"""A model looks at each picture before a text is written: what it sees fits the plan, moves it, or ends it."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Item, Membership, Project
from builders import category, make_item
from generation.domain.injection.picture_fit import Misfit
from generation.domain.injection.plan import BadPlan
from generation.domain.injection.strategies import Strategy
from generation.injection import batches, material, report, review
from generation.methods.injection import stored_looks
from generation.methods.injection.questions import LOOKER
from generation.methods.injection.sample import Injection
from generation.models import InjectionBatch, Sample
from injection_models import (
    GROUP,
    TEXT,
    Writers,
    entry,
    make_injecting_project,
    make_pool,
    make_sample,
    writers_on_the_wire,
)
from runs.execution import runner, worker
from runs.models import Run, Turn
from wire.server import WireServer

pytestmark = pytest.mark.django_db(transaction=True)

OTHER = "gardeners"
PROMPTS = Path(stored_looks.__file__).parents[2] / "prompts" / "injection"
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
    make_pool(admin, "allotments", group=OTHER)
    return admin.project


def work() -> None:
    for run in Run.objects.filter(state="queued").order_by("pk"):
        runner.claim_and_perform(run.pk, worker.planned_model)


def done(project: Project, *entries: dict[str, Any]) -> InjectionBatch:
    batch = batches.begin(project, list(entries))
    work()
    return batch


def page_of(member: Membership, name: str, *parts: Any) -> str:
    client = Client()
    assert member.user is not None
    client.force_login(member.user)
    return client.get(reverse(f"generation:{name}", args=[member.project.slug, *parts])).text


def test_the_look_knows_the_groups_and_categories_of_the_project_but_not_the_plan(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    material.set_words(admin, "Neighbours", "<slur>")
    done(project, entry(n=1))
    [look] = wire[1].looked
    assert (look.model, look.body["temperature"], len(look.pictures)) == ("looker", 0.0, 1)
    for name in (GROUP, OTHER, "Neighbours", "- 0: NotHate (not hateful)"):
        assert name in look.said("user")
    asked = look.said("system") + look.said("user")
    assert "contextual" not in asked and "<slur>" not in asked
    assert not re.search(r"\b010\b", asked)  # a whole word: the mark of a list may have any digits
    schema = look.body["response_format"]["json_schema"]
    assert schema["strict"] and None in schema["schema"]["properties"]["target_group"]["enum"]
    written = wire[1].asked[0]
    assert "A sign in a street." in written.said("user") and wire[0].heard.index(look) < wire[0].heard.index(written)


def test_a_plan_against_a_picture_of_another_kind_of_hate_is_refused_before_anything_is_written(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    wire[1].sees = [{"category": 2}, {"category": 0}]
    batch = done(project, entry("111", "plain", 2))
    assert not wire[1].asked and len(wire[1].looked) == 2
    samples = list(Sample.objects.order_by("pk"))
    assert [(row.state, row.misfit) for row in samples] == [
        ("misfit", Misfit.OTHER_HATE), ("misfit", Misfit.PICTURE_HARMLESS),
    ]  # fmt: skip
    assert samples[0].look["description"] == "A sign in a street." and samples[0].look["model"] == "looker"
    standing = report.standing_of(batch)
    assert (standing["misfit"], standing["made"]) == (2, 0)
    assert standing["misfits"] == {"picture_harmless": 1, "other_hate": 1}
    assert batches.go_on(batch, admin) == 0  # what does not fit is not asked again
    progress = page_of(admin, "injection-batch", batch.public_id).lower()
    assert "the picture shows another kind of hate" in progress and "does not fit its picture" in progress
    assert "A sign in a street." in page_of(admin, "sample", samples[0].public_id)
    with pytest.raises(review.CannotDecide):
        review.accept(samples[0], admin)


def test_a_plan_of_a_kind_of_hate_that_no_picture_of_the_pool_shows_is_refused_and_a_mixed_pool_gives_the_ones_that_do(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    make_pool(admin, "sexist", codes=(2, 2))
    make_pool(admin, "mixed", codes=(2, 4, 2, 4))
    plan = entry("111", "plain", 3, category=4)
    with pytest.raises(BadPlan, match=r"111 as .* needs pictures that are .* alone, and the pool 'sexist' has none"):
        batches.begin(project, [plan | {"pool": "sexist"}])
    assert not wire[0].heard and not Sample.objects.exists()
    wire[1].sees = [{"category": 4}] * 3
    done(project, plan | {"pool": "mixed"})
    rows = Sample.objects.select_related("pool_picture__category")
    assert [(row.state, row.pool_picture.category.code) for row in rows] == [("waiting", 4)] * 3
    assert len({row.pool_picture_id for row in rows}) == 2


def test_what_an_admin_said_of_a_picture_counts_more_than_the_look_and_the_difference_is_shown(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    pool = project.picture_pools.get(name="street")
    for picture in pool.pictures.all():
        material.judge(admin, picture, category(project, 1))
    wire[1].sees = [{"category": 0}, {"category": 2}]
    done(project, entry("010", "opposition"), entry("111", "plain"))
    assert [(row.state, row.mismatches) for row in Sample.objects.all()] == [
        ("waiting", ["picture_reads_otherwise"]), ("waiting", ["picture_reads_otherwise"]),
    ]  # fmt: skip
    assert "Seen alone it was judged hateful (Racist)" in wire[1].asked[0].said("user")


def test_a_picture_about_another_group_moves_the_sample_to_it_with_its_words_and_its_release_column(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    material.set_words(admin, OTHER, "<slur>")
    wire[1].sees, wire[1].texts = [{"target_group": OTHER.upper()}], [TEXT]
    wire[1].reads = {"target_group": OTHER}
    done(project, entry("110", "opposition"))
    sample = Sample.objects.get()
    assert (sample.state, sample.target_group, sample.planned_group, sample.mismatches) == (
        "waiting", OTHER, GROUP, [],
    )  # fmt: skip
    assert f"\n{OTHER}\n[/note" in wire[1].asked[0].said("user")
    shown = page_of(admin, "sample-review")
    assert "planned" in shown and GROUP in shown and OTHER in shown
    item = review.accept(sample, admin)
    assert item.target_group == OTHER and "<slur>" in item.text


def test_labels_that_differ_from_the_plan_are_shown_at_review_with_both_unimodal_readings(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    wire[1].sees, wire[1].texts = [{"category": 2}], [SAID]
    wire[1].reads = {"text_label": 3, "final_label": 1, "target_group": None}
    done(project, entry())
    sample = Sample.objects.get()
    assert sample.state == "waiting"
    assert sample.readings == {"text_label": 3, "final_label": 1, "target_group": ""}
    assert sample.mismatches == [
        "picture_reads_otherwise", "text_reads_otherwise", "together_reads_otherwise", "group_reads_otherwise",
    ]  # fmt: skip
    shown = page_of(admin, "sample-review")
    names = {row.code: row.name for row in project.category_values()}
    for code in (1, 2, 3):
        assert names[code] in shown
    assert "A sign in a street." in shown and "the text alone does not read as its pattern asks" in shown.lower()
    client = APIClient()
    client.force_authenticate(admin.user)
    told = client.get(f"/api/v1/projects/garden/injection/samples/{sample.public_id}/").json()
    assert (told["planned_group"], told["readings"]["text_label"], told["look"]["category"]) == (GROUP, 3, 2)
    assert told["mismatches"] == sample.mismatches and told["misfit"] is None


def test_as_long_as_the_readings_agree_with_the_plan_nothing_is_flagged(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    material.add_triggers(admin, GROUP, "The beds are full of ivy again.")
    plan = [entry(pattern, "plain") for pattern in ("000", "011", "101", "111")]
    plan += [entry("010", "opposition"), entry("110", "victim_perspective"), entry("001", "paraphrase")]
    done(project, *plan)
    rows = Sample.objects.all()
    assert {(row.pattern, row.state, *row.mismatches) for row in rows} == {
        (pattern, "waiting") for pattern in ("000", "011", "101", "111", "010", "110", "001")
    }
    worded = next(heard for heard in wire[1].asked if heard.model == "paraphraser")
    assert not worded.pictures and "A sign in a street." in worded.said("user")
    assert "differs from the plan" not in page_of(admin, "sample-review")


@pytest.mark.parametrize("answer", [{"target_group": "bakers"}, {"category": 77}, {"description": ""}])
def test_a_group_or_category_outside_the_lists_is_asked_again_and_then_unreadable(
    wire: tuple[WireServer, Writers], project: Project, answer: dict[str, Any]
) -> None:
    wire[1].sees = [answer, {}, answer, answer, answer]
    done(project, entry(n=2))
    assert list(Sample.objects.order_by("pk").values_list("state", flat=True)) == ["waiting", "unreadable"]
    assert len(wire[1].looked) == 5 and len(wire[1].asked) == 1


def test_a_look_that_is_refused_or_repeats_our_instructions_ends_the_sample(
    wire: tuple[WireServer, Writers], project: Project
) -> None:
    wire[0].queue("refusal", model="looker")
    done(project, entry())
    assert (Sample.objects.get().state, len(wire[1].asked)) == ("refused", 0)

    def astray(exchange: Any) -> None:
        nonce = exchange.heard.said("system").split()[-1]
        exchange.send(200, exchange.reply(f'{{"description": "{nonce}", "category": 1, "target_group": null}}'))

    wire[0].queue(astray, model="looker")
    done(project, entry(strategy="opposition"))
    last = Sample.objects.latest("pk")
    assert (last.state, last.detail, len(wire[1].asked)) == (
        "unreadable", "The answer repeats our instructions.", 0,
    )  # fmt: skip


def test_a_saved_look_is_not_asked_again_when_the_writer_failed(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    wire[0].queue("404", model="writer")
    batch = done(project, entry())
    assert Sample.objects.get().state == "failed"
    assert batches.go_on(batch, admin) == 1
    work()
    assert (Sample.objects.get().state, len(wire[1].looked), len(wire[1].asked)) == ("waiting", 1, 1)
    assert sorted(Turn.objects.values_list("key", flat=True)) == ["compare", "keep", "known", "look", "write"]


def test_a_batch_from_before_there_was_a_look_goes_on_without_one(
    wire: tuple[WireServer, Writers], project: Project, admin: Membership
) -> None:
    batch = batches.begin(project, [entry()], ring=False)
    batches.cancel(batch, admin)
    batch.model_plan = {role: name for role, name in batch.model_plan.items() if role != LOOKER}
    batch.save()
    assert batches.go_on(batch, admin) == 1
    work()
    sample = Sample.objects.get()
    assert (sample.state, sample.look, wire[1].looked) == ("waiting", {}, [])
    assert "People in a street." in wire[1].asked[0].said("user") and sample.readings["text_label"] == 0
    assert page_of(admin, "sample-review").count(sample.text) and review.accept(sample, admin)


def test_a_sample_from_before_there_was_a_look_is_shown_and_accepted(project: Project, admin: Membership) -> None:
    sample = make_sample(project.picture_pools.get(name="street"))
    shown = page_of(admin, "sample-review")
    assert "Meant to be" in shown and "What models read" not in shown
    assert review.accept(sample, admin) == Item.objects.get()


def test_the_writer_looks_itself_where_no_other_model_sees_pictures(
    wire: tuple[WireServer, Writers], project: Project, settings: Any
) -> None:
    settings.MODEL_BINDINGS = {"MODEL_SAMPLE_WRITER": "openai:writer"}
    assert done(project, entry()).model_plan == {"sample_writer": "openai:writer", "describer": "openai:writer"}
    assert wire[1].looked[0].model == "writer"
    material.add_triggers(project.memberships.get(), GROUP, "The beds are full of ivy again.")
    settings.MODEL_BINDINGS = {"MODEL_PARAPHRASER": "openai:paraphraser"}
    with pytest.raises(batches.NoWriter, match="describer of pictures|MODEL_VISION"):
        batches.begin(project, [entry("001", Strategy.PARAPHRASE.value)])


def test_a_duplicate_keeps_what_was_seen_and_read(wire: tuple[WireServer, Writers], project: Project) -> None:
    make_item(project, SAID)
    wire[1].texts = [SAID]
    done(project, entry())
    sample = Sample.objects.get()
    assert (sample.state, sample.look["category"], sample.readings["final_label"]) == ("duplicate", 1, 0)


def test_a_picture_is_looked_at_once_for_all_its_samples(wire: tuple[WireServer, Writers], admin: Membership) -> None:
    make_pool(admin, codes=(1,))
    done(admin.project, entry(n=3))
    done(admin.project, entry("010", "opposition", 2))
    assert (len(wire[1].looked), len(wire[1].asked)) == (1, 5)
    assert {row.look["description"] for row in Sample.objects.all()} == {"A sign in a street."}


def test_a_look_is_asked_again_for_another_picture_prompt_set_model_or_list_of_groups(
    wire: tuple[WireServer, Writers], admin: Membership, settings: Any, tmp_path: Path
) -> None:
    make_pool(admin, codes=(1,))
    done(admin.project, entry())
    make_pool(admin, "allotments", group=OTHER, codes=(2,))  # another picture, and another group to choose from
    done(admin.project, entry("010", "opposition"))
    assert len(wire[1].looked) == 2
    done(admin.project, entry("010", "opposition") | {"pool": "allotments"})
    assert len(wire[1].looked) == 3
    folder = tmp_path / "generation" / "injection"
    folder.mkdir(parents=True)
    words = (PROMPTS / "look.md").read_text(encoding="utf-8")
    (folder / "look.md").write_text(f"{words}\nBe brief.\n", encoding="utf-8")
    settings.PROMPTS_DIR = str(tmp_path)
    done(admin.project, entry("010", "opposition", 2))
    assert len(wire[1].looked) == 4
    settings.MODEL_BINDINGS = settings.MODEL_BINDINGS | {"MODEL_DESCRIBER": "openai:writer"}
    done(admin.project, entry("010", "opposition", 3))
    assert len(wire[1].looked) == 5


def test_a_sample_waits_for_the_look_of_another_and_asks_itself_if_that_ends_without_one(
    wire: tuple[WireServer, Writers], admin: Membership
) -> None:
    make_pool(admin, codes=(1,))
    batches.begin(admin.project, [entry(n=2)])
    first, second = Run.objects.order_by("pk")
    method = Injection()
    case = method.case(first)
    assert case is not None and stored_looks.find(case) == {}
    runner.claim_and_perform(second.pk, worker.planned_model)
    second.refresh_from_db()
    assert (second.state, second.waits, wire[1].looked) == ("queued", 0, [])
    Run.objects.filter(pk=first.pk).update(state="failed")
    Run.objects.filter(pk=second.pk).update(not_before=timezone.now() - timedelta(minutes=1))
    runner.claim_and_perform(second.pk, worker.planned_model)
    assert (len(wire[1].looked), Sample.objects.filter(state="waiting").count()) == (1, 1)
