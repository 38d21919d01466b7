"""Win rates of blind comparisons, by hand."""

import pytest

from annotation.domain.statistics.intervals import Interval, wilson_interval
from generation.domain.counterspeech.preferences import Choice, win_rates


def test_win_rates_count_ties_as_half_and_leave_out_comparisons_with_oneself() -> None:
    rates = win_rates(
        [
            ("a", "b", Choice.FIRST),
            ("b", "a", Choice.SECOND),
            ("a", "b", Choice.TIE),
            ("b", "a", Choice.FIRST),
            ("a", "a", Choice.FIRST),
        ]
    )
    assert (rates["a"].count, rates["a"].rate) == (4, 0.625)
    assert (rates["b"].count, rates["b"].rate) == (4, 0.375)
    assert list(rates) == ["a", "b"]
    for rate in rates.values():
        assert Interval(rate.low, rate.high) == wilson_interval(rate.rate, 4)


def test_a_win_counts_for_who_was_preferred_on_either_side() -> None:
    won = [("a", "a", Choice.SECOND), ("a", "b", Choice.FIRST), ("c", "a", Choice.SECOND), ("c", "b", Choice.FIRST)]
    assert {name: (rate.rate, rate.count) for name, rate in win_rates(won).items()} == {
        "a": (1.0, 2),
        "b": (0.0, 2),
        "c": (0.5, 2),
    }


def test_the_interval_is_wilsons() -> None:
    # 8 of 10 at z = 1.96: centre (.8 + .192)/(1.384) = .7167, half-width .2265 (Wilson 1927; Newcombe 1998).
    interval = wilson_interval(0.8, 10)
    low, high = interval.low, interval.high
    assert (low, high) == pytest.approx((0.4902, 0.9433), abs=1e-3)
    assert wilson_interval(0, 5).low == 0.0 and wilson_interval(1, 5).high == 1.0
