"""Patterns, difficulty, mechanisms and challenged priors: design sections 2 and 4."""

import json
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.choices import Difficulty, Modality
from annotation.domain.patterns import (
    PATTERNS,
    Mechanism,
    Pattern,
    Prior,
    contested,
    corrected,
    majority_correction,
    pattern,
)
from annotation.domain.votes import Challenge, Vote

NOT_HATE, RACIST, SEXIST, HOMOPHOBIC = DEFAULT_CATEGORIES[:4]
QUIET = Vote(NOT_HATE)


def priors(text=NOT_HATE, image=NOT_HATE):
    return {Modality.TEXT: Prior.of(text), Modality.IMAGE: Prior.of(image)}


def challenging(*corrections, modality=Modality.TEXT):
    """One vote for each correction; None challenges nothing."""
    return [
        QUIET if category is None else Vote(NOT_HATE, challenges=(Challenge(modality, category.hateful, category),))
        for category in corrections
    ]


@pytest.mark.parametrize(
    ("code", "difficulty", "mechanism"),
    [
        ("000", Difficulty.EASY, Mechanism.CONSISTENCY),
        ("001", Difficulty.HARD, Mechanism.EMERGENCE),
        ("010", Difficulty.NORMAL, Mechanism.NEUTRALIZATION),
        ("011", Difficulty.EASY, Mechanism.CONSISTENCY),
        ("100", Difficulty.NORMAL, Mechanism.NEUTRALIZATION),
        ("101", Difficulty.EASY, Mechanism.CONSISTENCY),
        ("110", Difficulty.HARD, Mechanism.INVERSION),
        ("111", Difficulty.EASY, Mechanism.CONSISTENCY),
    ],
)
def test_each_pattern_has_its_difficulty_and_mechanism(code, difficulty, mechanism):
    found = Pattern(*(bit == "1" for bit in code))
    assert (found.code, found.difficulty, found.mechanism) == (code, difficulty, mechanism)


def test_there_are_exactly_eight_patterns_in_order():
    assert tuple(f"{number:03b}" for number in range(8)) == PATTERNS


def test_harmless_parts_and_a_hateful_whole_are_001():
    assert pattern(priors(), True) == Pattern(False, False, True)


@pytest.mark.parametrize("missing", [Modality.TEXT, Modality.IMAGE])
def test_a_missing_prior_leaves_the_pattern_undefined(missing):
    known = {modality: prior for modality, prior in priors().items() if modality != missing}
    assert pattern(known, False) is None


def test_an_undecided_whole_leaves_the_pattern_undefined():
    assert pattern(priors(), None) is None


def test_two_of_three_corrections_replace_the_prior_in_the_pattern():
    votes = challenging(RACIST, RACIST, None)
    assert corrected(priors(), votes)[Modality.TEXT] == Prior(True, RACIST)
    assert pattern(corrected(priors(), votes), False) == Pattern(True, False, False)
    assert contested(priors(), votes) == ()


def test_corrections_to_different_kinds_agree_on_the_bit_only():
    assert majority_correction(Modality.TEXT, challenging(RACIST, SEXIST, None)) == Prior(True, None)


def test_the_majority_is_of_all_annotators_not_of_those_who_challenge():
    votes = challenging(RACIST, None, None)
    assert corrected(priors(), votes) == priors()
    assert contested(priors(), votes) == (Modality.TEXT,)


def test_half_of_four_is_no_majority():
    votes = challenging(RACIST, RACIST, None, None)
    assert majority_correction(Modality.TEXT, votes) is None
    assert contested(priors(), votes) == (Modality.TEXT,)


def test_another_kind_of_hate_changes_no_bit():
    assert contested(priors(text=RACIST), challenging(SEXIST, None, None)) == ()


def test_a_correction_to_hateful_without_a_kind_counts():
    votes = [Vote(NOT_HATE, challenges=(Challenge(Modality.IMAGE, hateful=True),)), QUIET, QUIET]
    assert contested(priors(), votes) == (Modality.IMAGE,)


def test_a_challenge_to_a_prior_that_does_not_exist_changes_nothing():
    only_text = {Modality.TEXT: Prior.of(NOT_HATE)}
    votes = challenging(RACIST, RACIST, RACIST, modality=Modality.IMAGE)
    assert corrected(only_text, votes) == only_text
    assert contested(only_text, votes) == ()


def test_once_a_majority_has_corrected_a_prior_the_rest_does_not_dispute_it():
    # Prior Racist; three of five say not hateful, two say Sexist: the majority stands.
    votes = challenging(NOT_HATE, NOT_HATE, NOT_HATE, SEXIST, SEXIST)
    assert corrected(priors(text=RACIST), votes)[Modality.TEXT] == Prior(False, NOT_HATE)
    assert contested(priors(text=RACIST), votes) == ()


@given(st.lists(st.none() | st.sampled_from(DEFAULT_CATEGORIES), min_size=2, max_size=9), st.randoms())
def test_a_modality_is_either_replaced_or_contested_or_as_it_was(corrections, random):
    votes = challenging(*corrections)
    random.shuffle(votes)
    replaced = majority_correction(Modality.TEXT, votes) is not None
    in_dispute = Modality.TEXT in contested(priors(), votes)
    hateful = sum(each is not None and each.hateful for each in corrections)
    harmless = sum(each is not None and not each.hateful for each in corrections)
    assert replaced == (2 * hateful > len(votes) or 2 * harmless > len(votes))
    assert in_dispute == (not replaced and hateful > 0)


@pytest.mark.shared_data
def test_patterns_and_difficulties_of_the_hvli_test_set(shared_data: Path):
    assert (shared_data / "hvli_test_set.json").exists()
    records = json.loads((shared_data / "hvli_test_set.json").read_text(encoding="utf-8"))
    assert len(records) == 1178
    for key, record in records.items():
        text, image, whole = (DEFAULT_CATEGORIES[int(record[f"{part}_label"])] for part in ("text", "image", "final"))
        found = pattern(priors(text, image), whole.hateful)
        assert (found.code, found.difficulty) == (record["type"], record["difficulty"].lower()), key


@pytest.mark.parametrize("value", [Pattern(False, False, True), Prior.of(RACIST)])
def test_patterns_and_priors_cannot_be_changed(value):
    with pytest.raises(FrozenInstanceError):
        value.hateful = False


def test_a_correction_to_not_hateful_contests_a_hateful_prior():
    assert contested(priors(text=RACIST), challenging(NOT_HATE, None, None)) == (Modality.TEXT,)


def test_a_correction_that_repeats_the_prior_contests_nothing():
    assert contested(priors(), challenging(NOT_HATE, None, None)) == ()
