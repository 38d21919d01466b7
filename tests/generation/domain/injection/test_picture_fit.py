"""A plan against what a model saw in the picture: it fits, it moves to the picture's group, or nothing is written."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.votes import Category
from generation.domain.injection.picture_fit import Fits, Misfit, PictureLook, PlannedPair, Replanned, Unfit, fit
from generation.domain.injection.readings import Mismatch, WriterReading, mismatches
from generation.domain.injection.strategies import PATTERNS, Strategy, strategies_for

CATEGORIES = (
    NOT_HATE := Category(0, "NotHate", False),
    SEXIST := Category(2, "Sexist", True),
    RELIGION := Category(4, "Religion", True),
)
GROUPS = ("", "Muslims", "women", "newcomers")


def planned(pattern: str, group: str = "Muslims", category: Category = RELIGION) -> PlannedPair:
    intended = category if pattern[2] == "1" else NOT_HATE
    return PlannedPair(pattern, intended.code, strategies_for(pattern)[0], group)


def saw(category: Category, group: str) -> PictureLook:
    return PictureLook("A sign in a street.", category, group)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_picture_of_the_planned_kind_and_group_fits_every_pattern(pattern: str) -> None:
    pair = planned(pattern)
    assert fit(pair, saw(RELIGION if pair.image_hateful else NOT_HATE, "MUSLIMS")) == Fits(pair)


@pytest.mark.parametrize(
    ("pattern", "category", "group", "reason"),
    [
        ("111", SEXIST, "women", Misfit.OTHER_HATE),  # a sexist picture under a plan of hate against a religion
        ("011", SEXIST, "Muslims", Misfit.OTHER_HATE),
        ("111", NOT_HATE, "Muslims", Misfit.PICTURE_HARMLESS),
        ("010", NOT_HATE, "Muslims", Misfit.PICTURE_HARMLESS),
        ("101", RELIGION, "Muslims", Misfit.PICTURE_HATEFUL),
        ("000", SEXIST, "Muslims", Misfit.PICTURE_HATEFUL),
        ("101", NOT_HATE, "women", Misfit.OTHER_GROUP),  # the text's kind of hate belongs to the planned group
        ("001", NOT_HATE, "women", Misfit.OTHER_GROUP),  # so does the trigger text
        ("001", NOT_HATE, "", Misfit.NO_GROUP),
        ("010", SEXIST, "", Misfit.NO_GROUP),
    ],
)
def test_a_plan_that_the_picture_contradicts_is_refused_with_the_reason(
    pattern: str, category: Category, group: str, reason: Misfit
) -> None:
    assert fit(planned(pattern), saw(category, group)) == Unfit(reason)


@pytest.mark.parametrize(
    ("pattern", "category"),
    [("010", SEXIST), ("110", SEXIST), ("111", RELIGION), ("011", RELIGION), ("100", NOT_HATE), ("000", NOT_HATE)],
)
def test_a_picture_about_another_group_moves_the_sample_to_that_group(pattern: str, category: Category) -> None:
    pair = planned(pattern)
    assert fit(pair, saw(category, "women")) == Replanned(replace(pair, target_group="women"))


def test_a_harmless_picture_of_nobody_suits_every_group_and_a_plan_about_nobody_every_harmless_picture() -> None:
    for pattern in ("000", "100", "101"):
        assert fit(planned(pattern), saw(NOT_HATE, "")) == Fits(planned(pattern))
    assert fit(planned("000", ""), saw(NOT_HATE, "women")) == Fits(planned("000", ""))


@st.composite
def pairs(draw: st.DrawFn) -> PlannedPair:
    pattern = draw(st.sampled_from(PATTERNS))
    category = draw(st.sampled_from([row for row in CATEGORIES if row.hateful == (pattern[2] == "1")]))
    group = draw(st.sampled_from(GROUPS if pattern == "000" else GROUPS[1:]))
    return PlannedPair(pattern, category.code, draw(st.sampled_from(strategies_for(pattern))), group)


looks = st.builds(saw, st.sampled_from(CATEGORIES), st.sampled_from([*GROUPS, "MUSLIMS", "Women"]))


@given(pairs(), looks)
def test_only_the_group_ever_changes_and_only_to_the_one_that_the_picture_shows(
    pair: PlannedPair, look: PictureLook
) -> None:
    match fit(pair, look):
        case Fits(kept):
            assert kept == pair
        case Replanned(moved):
            assert moved == replace(pair, target_group=look.target_group)
            assert look.target_group and not pair.is_about(look.target_group)
            assert pair.strategy is not Strategy.PARAPHRASE
        case Unfit(reason):
            assert reason in Misfit


@given(pairs(), looks)
def test_what_is_written_for_has_the_picture_that_its_pattern_and_category_ask_for(
    pair: PlannedPair, look: PictureLook
) -> None:
    outcome = fit(pair, look)
    if isinstance(outcome, Unfit):
        return
    assert look.category.hateful == pair.image_hateful
    if pair.image_hateful:
        assert outcome.pair.target_group == look.target_group or outcome.pair.is_about(look.target_group)
    if pair.image_hateful and pair.hateful:
        assert look.category.code == pair.category


@given(pairs(), looks)
def test_a_plan_that_was_moved_fits_the_same_picture(pair: PlannedPair, look: PictureLook) -> None:
    outcome = fit(pair, look)
    if not isinstance(outcome, Unfit):
        assert fit(outcome.pair, look) == Fits(outcome.pair)


@given(pairs(), looks)
def test_capitals_of_a_group_decide_nothing(pair: PlannedPair, look: PictureLook) -> None:
    shouted = fit(replace(pair, target_group=pair.target_group.upper()), look)
    assert type(shouted) is type(fit(pair, look))


def test_readings_that_differ_from_the_plan_are_named_and_equal_ones_are_not() -> None:
    pair, look = planned("111"), saw(RELIGION, "Muslims")
    assert mismatches(pair, look, RELIGION, WriterReading(RELIGION, RELIGION, "muslims")) == []
    assert mismatches(pair, look, None, WriterReading(SEXIST, RELIGION, "Muslims")) == []  # its pattern is kept
    assert mismatches(pair, look, SEXIST, WriterReading(NOT_HATE, SEXIST, "")) == [
        Mismatch.PICTURE_READ, Mismatch.TEXT_READ, Mismatch.TOGETHER_READ, Mismatch.GROUP_READ,
    ]  # fmt: skip
    reversed_pair = planned("010")
    assert mismatches(reversed_pair, look, RELIGION, WriterReading(NOT_HATE, RELIGION, "Muslims")) == [
        Mismatch.TOGETHER_READ
    ]
    peaceful, street = planned("000"), saw(NOT_HATE, "Muslims")
    assert mismatches(peaceful, street, NOT_HATE, WriterReading(NOT_HATE, NOT_HATE, "")) == []
    assert mismatches(peaceful, street, None, WriterReading(NOT_HATE, NOT_HATE, "women")) == [Mismatch.GROUP_READ]
