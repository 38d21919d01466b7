"""The agreement of a project from its rows: which labels count where, and the command's JSON."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

import builders
from annotation.analytics.agreement import labels
from annotation.analytics.agreement.agreement_json import as_json
from annotation.analytics.agreement.labels import agreement_and_labels, read_agreement
from annotation.consensus.close import close_item
from annotation.domain.choices import Policy, PriorDisplay, Source, Stage
from annotation.domain.statistics.figure import Measured, Undefined, Why
from annotation.models import Item, Replacement, Seat

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return builders.make_project(policy=Policy.REVIEW)


@pytest.fixture
def trio(project):
    return [builders.make_member(project) for _ in range(3)]


def closed(project, trio, codes, **fields):
    item = builders.make_labelled_item(project, trio, codes, **fields)
    close_item(item)
    item.refresh_from_db()
    return item


def test_raw_counts_round_one_labels_before_any_filter(project, trio):
    # aab with a=0, b=1 is weak and gold; 0 1 2 is none and disputed: both are raw. Open items are not.
    closed(project, trio, [0, 0, 1])
    closed(project, trio, [1, 1, 1])
    closed(project, trio, [0, 1, 2])
    builders.make_labelled_item(project, trio, [0, 0])
    found = read_agreement(project)
    assert (found.raw.items, found.raw.ratings) == (3, 9)
    assert found.raw.levels == {"perfect": 1, "strong": 0, "weak": 1, "none": 1}
    assert (found.quality.items, found.consensus.items, found.alignment.items, found.final.items) == (3, 2, 2, 2)


def test_the_figures_are_those_of_the_rules(project, trio):
    closed(project, trio, [0, 0, 1])
    closed(project, trio, [1, 1, 1])
    figure = read_agreement(project).raw.fleiss_kappa
    assert isinstance(figure, Measured) and figure.value == pytest.approx(0.25)  # worked in domain/test_agreement.py


def test_a_missing_category_keeps_an_item_out_of_kappa_and_in_alpha(project, trio):
    closed(project, trio, [0, 0, 1])
    closed(project, trio, [1, 1, None])
    raw = read_agreement(project).raw
    assert (raw.items, raw.ratings, raw.alpha_items, raw.alpha_ratings) == (1, 3, 2, 5)


def test_a_replacement_counts_in_the_steps_and_finally_but_not_raw(project, trio):
    item = closed(project, trio, [1, 1, None])
    label = item.labels.get(not_sure=True)
    Replacement.objects.create(
        item=item,
        label=label,
        reviewer=builders.make_member(project, builders.Role.REVIEWER),
        category=builders.category(project, 1),
    )
    Item.objects.filter(pk=item.pk).update(stage=Stage.GOLD, category_source=Source.CONSENSUS)
    found = read_agreement(project)
    assert (found.raw.items, found.quality.items, found.final.items) == (0, 1, 1)
    assert found.raw.fleiss_kappa == Undefined(Why.NO_ITEMS)
    assert found.final.fleiss_kappa == Undefined(Why.ONE_CATEGORY)


def test_the_quality_step_drops_what_is_flagged(project, trio):
    item = builders.make_open_item(project)
    for seat, annotator in zip(item.seat_rows.order_by("number"), trio, strict=True):
        builders.make_label(seat, annotator, 0, low_quality=annotator == trio[0])
    close_item(item)
    closed(project, trio, [0, 0, 0])
    found = read_agreement(project)
    assert (found.raw.items, found.quality.items) == (2, 1)


def test_the_alignment_step_drops_what_is_misaligned(project, trio):
    closed(project, trio, [1, 1, 1], intended=builders.category(project, 2))
    closed(project, trio, [1, 1, 1], intended_hateful=True)
    closed(project, trio, [0, 0, 1], intended_hateful=True)
    closed(project, trio, [0, 0, 0], intended=builders.category(project, 0))
    found = read_agreement(project)
    assert (found.consensus.items, found.alignment.items) == (4, 2)


def test_adjudicated_gold_has_a_line_of_its_own(project, trio):
    item = closed(project, trio, [0, 1, 2])
    Item.objects.filter(pk=item.pk).update(
        stage=Stage.GOLD, category_source=Source.ADJUDICATED, category=builders.category(project, 1)
    )
    closed(project, trio, [0, 0, 0])
    found = read_agreement(project)
    assert (found.final.items, found.final_with_adjudicated.items) == (1, 2)


def test_items_with_added_seats_count_by_their_first_k(project, trio):
    # No majority among three, so two more were asked; raw figures are those of the first three.
    item = builders.make_labelled_item(project, trio, [0, 1, 2])
    for number in (4, 5):
        seat = Seat.objects.create(item=item, number=number, seats=5)
        builders.make_label(seat, builders.make_member(project), 1)
    close_item(item)
    found = read_agreement(project)
    assert (found.raw.items, found.raw.ratings) == (1, 3)
    assert found.raw.levels["none"] == 1
    assert found.consensus.total == 1  # five votes decide: a weak majority of three


def test_an_item_that_began_with_other_seats_than_the_project_counts_in_alpha_only(project, trio):
    more = [*trio, builders.make_member(project), builders.make_member(project)]
    closed(project, more, [0, 0, 0, 1, 1])
    raw = read_agreement(project).raw
    assert (raw.total, raw.items, raw.alpha_items, raw.alpha_ratings) == (1, 0, 1, 5)


def test_a_second_round_decides_finally_and_is_not_raw(project, trio):
    item = closed(project, trio, [0, 1, 2])
    again = [builders.make_member(project) for _ in range(3)]
    Item.objects.filter(pk=item.pk).update(stage=Stage.GOLD, round=2, category_source=Source.CONSENSUS)
    for number, annotator in enumerate(again, start=1):
        seat = Seat.objects.create(item=item, round=2, number=number, seats=3)
        builders.make_label(seat, annotator, 1)
    found = read_agreement(project)
    assert found.raw.levels["none"] == 1 and found.raw.ratings == 3
    assert found.final.levels["perfect"] == 1 and found.final.ratings == 3


def test_first_answers_count_where_priors_are_hidden_first(project, trio):
    project.prior_display = PriorDisplay.AFTER_FIRST_ANSWER
    project.save()
    item = builders.make_open_item(project)
    for seat, annotator, first in zip(item.seat_rows.order_by("number"), trio, (0, 0, 1), strict=True):
        builders.make_label(seat, annotator, 1, first_answer={"category": first, "not_sure": False})
    close_item(item)
    found = read_agreement(project)
    assert found.first_answers is not None
    assert found.first_answers.levels["weak"] == 1
    assert found.raw.levels["perfect"] == 1
    assert "first_answers" in as_json(found)


def test_imported_gold_without_labels_counts_in_patterns_only(project):
    builders.make_item(project, stage=Stage.GOLD, category_source=Source.IMPORTED, pattern="110", difficulty="hard")
    builders.make_item(project, stage=Stage.GOLD, category_source=Source.IMPORTED, closed_at=timezone.now())
    found = read_agreement(project)
    assert found.raw.items == found.final_with_adjudicated.items == 0
    assert found.patterns == {"000": 0, "001": 0, "010": 0, "011": 0, "100": 0, "101": 0, "110": 1, "111": 0}
    assert found.difficulties == {"easy": 0, "normal": 0, "hard": 1}
    assert found.undefined == 1


def test_single_ratings_name_annotators_and_categories(project, trio):
    closed(project, trio, [0, 5, None])
    together = agreement_and_labels(project)[1].together
    assert (together.first.tolist(), together.second.tolist()) == ([trio[0].pk], [trio[1].pk])
    assert (together.first_category.tolist(), together.second_category.tolist()) == ([0], [5])
    assert together.times.tolist() == [1]


@pytest.mark.parametrize("block", [1, 2, 5])
def test_figures_of_labels_are_the_same_in_blocks_of_any_size(project, trio, monkeypatch, block):
    for codes in ([0, 0, 5], [0, 1, 1], [2, 2, 2], [None, 5, 5], [0, 0, 5]):
        closed(project, trio, codes)
    whole = agreement_and_labels(project)[1].together
    monkeypatch.setattr(labels, "_BLOCK", block)
    parts = agreement_and_labels(project)[1].together
    assert [column.tolist() for column in vars(parts).values()] == [column.tolist() for column in vars(whole).values()]
    assert whole.times.sum() == 3 + 3 + 3 + 1 + 3


def test_the_command_prints_exactly_the_agreed_keys(project, trio):
    closed(project, trio, [0, 0, 1])
    out = StringIO()
    call_command("agreement", project.slug, "--json", stdout=out)
    value = json.loads(out.getvalue())
    assert list(value) == [
        *("raw", "final", "final_with_adjudicated", "steps", "patterns", "difficulties", "undefined", "stages"),
        *("questions", "order", "as_of"),
    ]
    assert value["order"] == "breadth"
    assert list(value["steps"]) == ["quality", "consensus", "alignment"]
    account = {"total", "items", "ratings", "fleiss_kappa", "fleiss_kappa_binary", "krippendorff_alpha"}
    account |= {"krippendorff_alpha_binary", "levels", "intervals", "counts"}
    assert set(value["raw"]) == account
    assert len(value["patterns"]) == 8 and value["stages"]["gold"] == 1


def test_the_counts_of_every_figure_are_its_own(project, trio):
    # Kappa leaves out the item with a missing category; alpha takes its two ratings, and neither the single one.
    closed(project, trio, [0, 0, 1])
    closed(project, trio, [1, 1, None])
    closed(project, trio, [1, None, None])
    raw = as_json(read_agreement(project))["raw"]
    assert (raw["items"], raw["ratings"]) == (1, 3)
    assert raw["counts"]["fleiss_kappa"] == raw["counts"]["fleiss_kappa_binary"] == {"items": 1, "ratings": 3}
    assert raw["counts"]["krippendorff_alpha"] == raw["counts"]["krippendorff_alpha_binary"]
    assert raw["counts"]["krippendorff_alpha"] == {"items": 2, "ratings": 5}


def test_undefined_figures_are_null_with_why(project):
    out = StringIO()
    call_command("agreement", project.slug, "--json", stdout=out)
    raw = json.loads(out.getvalue())["raw"]
    assert raw["fleiss_kappa"] is None and raw["intervals"]["fleiss_kappa"] is None
    assert raw["why"]["fleiss_kappa"] == "There is no such item yet."


def test_an_unknown_project_is_named(project):
    with pytest.raises(CommandError, match="no project 'nowhere'"):
        call_command("agreement", "nowhere", "--json", stdout=StringIO())


def test_the_number_of_queries_does_not_grow_with_the_items(project, trio, django_assert_num_queries):
    closed(project, trio, [0, 0, 1])
    with django_assert_num_queries(5):
        read_agreement(project)
    for _ in range(20):
        closed(project, trio, [0, 1, 1])
    with django_assert_num_queries(5):
        read_agreement(project)
