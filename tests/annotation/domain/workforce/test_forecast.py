"""The finish estimate: by hand, and nothing where little is known."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.workforce.forecast import LOOKED_BACK, Estimate, Pace, TooLittle, estimate, pace

TODAY = date(2026, 3, 31)


def days(*counts: int) -> dict[date, int]:
    """Labels of the last days, today's last."""
    return {TODAY - timedelta(days=back): count for back, count in enumerate(reversed(counts))}


def test_a_steady_pace_gives_one_day():
    # 40 labels a day, every day: 100 left take 2.5 days, done on the third.
    assert estimate(days(40, 40, 40), 100, TODAY) == Estimate(
        date(2026, 4, 3), date(2026, 4, 3), pace(days(40, 40, 40), TODAY)
    )


def test_a_changing_pace_gives_a_range():
    # 20, 40, 60: mean 40, standard deviation 20, 1.96 · 20 / √3 = 22.63: 62.63 to 17.37 a day.
    # 120 left: 1.92 to 6.91 days.
    found = estimate(days(20, 40, 60), 120, TODAY)
    assert isinstance(found, Estimate)
    assert (found.pace.low, found.pace.high) == (pytest.approx(17.37, abs=0.01), pytest.approx(62.63, abs=0.01))
    assert (found.first, found.last) == (date(2026, 4, 2), date(2026, 4, 7))


def test_free_days_count_as_they_did():
    # 30 labels on 3 of 6 days: 15 a calendar day, 90 left take six days.
    found = estimate(days(30, 0, 30, 0, 30, 0), 90, TODAY)
    assert isinstance(found, Estimate)
    assert (found.pace.days, found.pace.span) == (3, 6)
    assert found.first == found.last == date(2026, 4, 6)


@pytest.mark.parametrize("counts", [(), (500, 500), (9, 10, 10), (0, 0, 0)])
def test_below_three_days_or_thirty_labels_nothing_is_estimated(counts):
    assert isinstance(estimate(days(*counts), 100, TODAY), TooLittle)


def test_thirty_labels_on_three_days_are_enough():
    assert isinstance(estimate(days(10, 10, 10), 100, TODAY), Estimate)


def test_only_the_last_seven_active_days_count():
    found = pace(days(1000, 10, 10, 10, 0, 10, 10, 10, 10), TODAY)
    assert found is not None and (found.days, found.labels, found.per_day) == (7, 70, 10)


def test_the_pace_of_few_days():
    assert pace(days(40), TODAY) == Pace(1, 1, 40, 40.0, 40.0, 40.0)
    # 10 and 30: mean 20, standard deviation 14.142, 1.96 · 14.142 / √2 = 19.6. The low end is a quarter of the mean.
    assert pace(days(10, 30), TODAY) == Pace(2, 2, 40, 20.0, 5.0, pytest.approx(39.6))
    few = pace(days(1, 40), TODAY)
    assert few is not None and few.days == 2


def test_labels_of_four_weeks_count_and_no_day_is_farther_than_ten_years():
    assert LOOKED_BACK == 28
    far = estimate(days(10, 10, 10), 10**9, TODAY)
    assert isinstance(far, Estimate)
    assert far.first == far.last == TODAY + timedelta(days=3650)


@given(st.lists(st.integers(0, 200), max_size=28), st.integers(0, 10**6))
def test_the_range_is_in_order_and_not_in_the_past(counts, left):
    found = estimate(days(*counts), left, TODAY)
    if isinstance(found, Estimate):
        assert TODAY <= found.first <= found.last


@given(st.lists(st.integers(11, 200), min_size=3, max_size=9), st.integers(0, 10**4), st.integers(0, 10**4))
def test_more_work_is_never_done_sooner(counts, left, more):
    now, later = estimate(days(*counts), left, TODAY), estimate(days(*counts), left + more, TODAY)
    assert isinstance(now, Estimate) and isinstance(later, Estimate)
    assert now.first <= later.first and now.last <= later.last
