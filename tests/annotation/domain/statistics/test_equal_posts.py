"""Agreement beside that of the others on equally informative posts, worked by hand."""

import numpy as np
import pytest

from annotation.domain.statistics.annotator_quality import Rate, Trend, drift, trend
from annotation.domain.statistics.equal_posts import EqualPosts, on_equal_posts
from annotation.domain.statistics.figure import Undefined, Why

HARD, EASY = 2, 0


def figures(*rows: tuple[str, int, int, int]) -> tuple[np.ndarray, ...]:
    """Return the columns of labels from rows: the person, the value, how many agree, and of how many."""
    person, value, agrees = [], [], []
    for who, level, part, n in rows:
        person += [who] * n
        value += [level] * n
        agrees += [True] * part + [False] * (n - part)
    return np.array(person), np.array(value), np.array(agrees)


def equal_posts_of(who: str, *rows: tuple[str, int, int, int]) -> EqualPosts | Undefined:
    person, value, agrees = figures(*rows)
    return on_equal_posts(agrees, np.ones(len(agrees), dtype=bool), value, np.flatnonzero(person == who))


def test_who_had_hard_posts_is_compared_with_the_others_on_hard_posts():
    # Ann came early: 8 hard, 2 easy. The others: 6 of 10 on hard ones, 27 of 30 on easy ones.
    rows = [("ann", HARD, 5, 8), ("ann", EASY, 2, 2), ("bob", HARD, 6, 10), ("bob", EASY, 9, 10), ("cyd", EASY, 18, 20)]
    found = equal_posts_of("ann", *rows)
    # Ann agrees in 7 of 10, the others in (8 · 0.6 + 2 · 0.9) / 10 = 0.66, although their own share is 33 of 40.
    assert found == EqualPosts(Rate(7, 10), pytest.approx(0.66))
    # Bob: 15 of 20; Ann's 5 of 8 on hard ones, 20 of 22 of Ann's and Cyd's on easy ones.
    assert equal_posts_of("bob", *rows) == EqualPosts(Rate(15, 20), pytest.approx((10 * 5 / 8 + 10 * 20 / 22) / 20))


def test_posts_of_a_kind_that_nobody_else_had_count_on_neither_side():
    found = equal_posts_of("ann", ("ann", HARD, 0, 4), ("ann", EASY, 3, 4), ("bob", EASY, 1, 2))
    assert found == EqualPosts(Rate(3, 4), 0.5)
    assert equal_posts_of("ann", ("ann", EASY, 1, 2), ("bob", EASY, 1, 1)) == EqualPosts(Rate(1, 2), 1.0)
    assert equal_posts_of("ann", ("ann", HARD, 0, 4), ("bob", EASY, 1, 2)) == Undefined(Why.NO_OTHERS)
    empty = np.array([], dtype=np.int64)
    assert on_equal_posts(empty.astype(bool), empty.astype(bool), empty, empty) == Undefined(Why.NO_OTHERS)


def test_labels_that_cannot_be_compared_count_nowhere():
    value, comparable = np.array([0, 0, 0, 0]), np.array([True, False, True, True])
    agrees = np.array([True, False, True, False])
    assert on_equal_posts(agrees, comparable, value, np.array([0, 1])) == EqualPosts(Rate(1, 1), 0.5)


# Hard posts first: weeks 0 and 1, half agree; easy ones after them: weeks 1 and 2, all agree.
WEEKS = [0] * 20 + [1] * 20 + [1] * 20 + [2] * 20
AGREES = [True, False] * 20 + [True] * 40
VALUES = [HARD] * 40 + [EASY] * 40


def test_easy_posts_after_hard_ones_are_no_change_of_the_person():
    # Agreement by week is 1/2, 3/4, 1: a slope of 1/4, though on equal posts nothing changed.
    pooled, equal = trend(WEEKS, AGREES), trend(WEEKS, AGREES, VALUES)
    assert isinstance(pooled, Trend) and isinstance(equal, Trend)
    assert pooled.slope == pytest.approx(0.25) and pooled.changed
    # Σ of squares within values: 80 · 0.25 = 20. Residuals ±0.5 on the 40 hard ones, leverage 1/40 + 0.25/20 = 0.0375:
    # error² = 40 · 0.25 · (0.5/0.9625)² / 400, so the half width is 1.959964 · 0.0821371.
    assert equal.slope == pytest.approx(0) and not equal.changed
    assert equal.interval.high == pytest.approx(1.959964 * 0.0821371, abs=1e-6)
    assert drift(np.array(WEEKS), np.array(AGREES), np.array(VALUES)).trend == equal


def test_a_change_on_equal_posts_is_still_flagged():
    agrees = [True] * 20 + [True, False] * 10 + [True] * 20 + [True, False] * 10
    found = trend(WEEKS, agrees, VALUES)
    assert isinstance(found, Trend)
    assert found.slope == pytest.approx(-0.5) and found.changed


def test_values_that_each_fill_one_week_leave_nothing_to_compare():
    assert trend([0] * 20 + [1] * 20 + [2] * 20, [True, False] * 30, [2] * 20 + [1] * 20 + [0] * 20) == Undefined(
        Why.TOO_FEW_WEEKS
    )


def test_one_value_gives_the_plain_slope():
    agrees = [True] * 20 + [True, False] * 10 + [False] * 20
    places = [0] * 20 + [1] * 20 + [2] * 20
    assert trend(places, agrees, [1] * 60) == trend(places, agrees)
