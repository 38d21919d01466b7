"""Exact search: held to the plain definition, ties and barred rows included."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from moderation.domain.predict.nearest_examples import nearest
from providers.vendors.embeddings import normalised

ROWS = np.array([[1, 0], [0.6, 0.8], [0, 1], [0, 0], [0.6, 0.8], [-1, 0]], np.float32)


def test_the_nearest_come_first_and_of_equal_ones_the_earlier():
    found, barred = nearest(ROWS, np.array([0.6, 0.8], np.float32), 3)
    assert [row for row, _ in found] == [1, 4, 2]
    assert [round(near, 4) for _, near in found] == [1.0, 1.0, 0.8]
    assert barred == 0


def test_barred_rows_are_passed_over_and_counted():
    found, barred = nearest(ROWS, np.array([0.6, 0.8], np.float32), 2, lambda row: row in (1, 4))
    assert ([row for row, _ in found], barred) == ([2, 0], 2)


def test_nothing_is_near_to_zeros_and_there_may_be_fewer_than_wanted():
    assert nearest(ROWS, np.zeros(2, np.float32), 3) == ([], 0)
    assert nearest(np.zeros((0, 2), np.float32), ROWS[0], 3) == ([], 0)
    assert [row for row, _ in nearest(ROWS, ROWS[0], 9)[0]] == [0, 1, 4, 5]


@settings(max_examples=60)
@given(st.integers(0, 2**31), st.integers(1, 60), st.integers(1, 6), st.sets(st.integers(0, 59)))
def test_it_finds_what_sorting_all_rows_finds(seed: int, rows: int, count: int, barred: set[int]):
    random = np.random.default_rng(seed)
    vectors = normalised(random.integers(-2, 3, (rows, 3)).astype(np.float32))  # few values: many ties
    wanted = vectors[0]
    found, passed = nearest(vectors, wanted, count, barred.__contains__)
    cosines = vectors @ wanted
    order = sorted((row for row in range(rows) if cosines[row] != 0), key=lambda row: (-cosines[row], row))
    assert [row for row, _ in found] == [row for row in order if row not in barred][:count]
    before = order if len(found) < count else order[: order.index(found[-1][0])]
    assert passed == len(barred.intersection(before))
