"""Tests of pairs of methods on the same items, and p values adjusted for their number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.evaluation.paired_tests import McNemar, holm, mcnemar


def test_mcnemar_by_hand() -> None:
    # 8 items only the first got right, 1 only the second: exact 2·(1+9)/2⁹; chi-square (7−1)²/9 = 4.
    found = mcnemar([True] * 8 + [False] + [True, False], [False] * 8 + [True] + [True, False])
    assert (found.both, found.first_only, found.second_only, found.neither) == (1, 8, 1, 1)
    assert found.exact == pytest.approx(20 / 512)
    assert found.chi_square == pytest.approx(4.0)
    assert found.approximate == pytest.approx(0.0455, abs=0.0001)


def test_two_methods_that_differ_nowhere_are_not_told_apart() -> None:
    found = mcnemar([True, False], [True, False])
    assert (found.exact, found.chi_square, found.approximate) == (1.0, 0.0, 1.0)
    assert McNemar(0, 1, 0, 0).chi_square == 0  # the correction never goes below nothing


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test_and_chi_square_of_scipy(b: int, c: int) -> None:
    from scipy import stats  # noqa: PLC0415 (takes a second)

    found = McNemar(3, b, c, 2)
    if b + c:
        assert found.exact == pytest.approx(stats.binomtest(b, b + c).pvalue)
        assert found.approximate == pytest.approx(stats.chi2.sf(found.chi_square, 1))


def test_mcnemar_needs_the_same_items() -> None:
    with pytest.raises(ValueError):
        mcnemar([True], [True, False])


def test_holm_by_hand() -> None:
    # Sorted: 0.01·3, 0.02·2 = 0.04, 0.04·1; none may be smaller than one before it.
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
