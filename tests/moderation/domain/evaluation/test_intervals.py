"""Intervals of figures over items."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.evaluation.classification import f1s_of, macro_f1s
from moderation.domain.evaluation.intervals import intervals


def test_an_interval_is_seeded_holds_its_figure_and_narrows_with_more_items() -> None:
    few = intervals([[(1, 1)]] * 30 + [[(1, 0)]] * 10, hateful=1)
    assert few == intervals([[(1, 0)]] * 10 + [[(1, 1)]] * 30, hateful=1)  # the order of items is nothing
    many = intervals([[(1, 1)]] * 3000 + [[(1, 0)]] * 1000, hateful=1)
    assert few.accuracy and many.accuracy and many.f1 and few.f1
    assert few.accuracy.low < 0.75 < few.accuracy.high
    assert many.accuracy.high - many.accuracy.low < few.accuracy.high - few.accuracy.low
    # The normal approximation of the large one: 0.75 ± 1.96·√(0.75·0.25/4000) = 0.7366 … 0.7634.
    assert (many.accuracy.low, many.accuracy.high) == pytest.approx((0.7366, 0.7634), abs=0.002)
    assert intervals([[(1, 1)]]).accuracy is None


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=40))
def test_the_figures_of_resamples_are_those_of_scikit_learn(rows: list[tuple[int, int]]) -> None:
    from sklearn import metrics  # noqa: PLC0415 (loads scipy)

    counts = np.zeros((1, 3, 3))
    for truth, said in rows:
        counts[0, truth, said] += 1
    truths, answers = zip(*rows, strict=True)
    assert macro_f1s(counts)[0] == pytest.approx(metrics.f1_score(truths, answers, average="macro", zero_division=0))
    assert f1s_of(counts, 1)[0] == pytest.approx(
        metrics.f1_score(truths, answers, labels=[1], average="macro", zero_division=0)
    )
