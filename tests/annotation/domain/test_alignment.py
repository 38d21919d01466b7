"""Intent alignment: design section 4."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.alignment import (
    Aligned,
    IntendedCategory,
    IntendedHateful,
    Misaligned,
    NotApplicable,
    aligned_flag,
    alignment,
)
from annotation.domain.categories import DEFAULT_CATEGORIES

NOT_HATE, RACIST, SEXIST = DEFAULT_CATEGORIES[:3]


@pytest.mark.parametrize(
    ("category", "hateful", "intent", "outcome"),
    [
        (RACIST, True, IntendedCategory(RACIST), Aligned()),
        (SEXIST, True, IntendedCategory(RACIST), Misaligned()),  # hateful as meant, but another kind
        (NOT_HATE, False, IntendedCategory(NOT_HATE), Aligned()),
        (SEXIST, True, IntendedHateful(True), Aligned()),
        (NOT_HATE, False, IntendedHateful(True), Misaligned()),
        (None, True, IntendedHateful(True), Aligned()),  # the kind is undecided, the bit is not
        (None, True, IntendedHateful(False), Misaligned()),
        (None, True, IntendedCategory(RACIST), NotApplicable()),  # nothing to compare yet
        (None, None, IntendedHateful(True), NotApplicable()),
        (RACIST, True, None, NotApplicable()),
    ],
)
def test_alignment_compares_like_with_like(category, hateful, intent, outcome):
    assert alignment(category, hateful, intent) == outcome


@given(st.sampled_from(DEFAULT_CATEGORIES), st.sampled_from(DEFAULT_CATEGORIES))
def test_aligned_on_the_category_implies_aligned_on_the_bit(final, intended):
    if alignment(final, final.hateful, IntendedCategory(intended)) == Aligned():
        assert alignment(final, final.hateful, IntendedHateful(intended.hateful)) == Aligned()


def test_rows_hold_true_false_or_null():
    assert [aligned_flag(each) for each in (Aligned(), Misaligned(), NotApplicable())] == [True, False, None]


@pytest.mark.parametrize(
    "value", [Aligned(), Misaligned(), NotApplicable(), IntendedCategory(RACIST), IntendedHateful(True)]
)
def test_intents_and_outcomes_cannot_be_changed(value):
    with pytest.raises(FrozenInstanceError):
        value.hateful = False
