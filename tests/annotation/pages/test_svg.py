"""Lengths of charts: attributes with a point, never beyond their frame."""

from datetime import date

import pytest

from annotation.domain.statistics.figure import Measured, Undefined, Why
from annotation.domain.statistics.intervals import Interval
from annotation.pages.svg import axis_start, day_bars, heat, round_above, share, whisker


@pytest.mark.parametrize(
    ("part", "whole", "length"), [(1, 3, "33.3%"), (0, 0, "0%"), (5, 4, "100.0%"), (-1, 4, "0.0%")]
)
def test_a_share_is_a_percentage_within_its_frame(part, whole, length):
    assert share(part, whole) == length


def test_a_whisker_stands_on_an_axis_from_zero_or_from_minus_one():
    figure = Measured(0.5, Interval(0.25, 0.75))
    assert (whisker(figure, 0).at, whisker(figure, 0).left, whisker(figure, 0).right) == ("50.0%", "25.0%", "75.0%")
    assert whisker(figure, -1).at == "75.0%"
    assert whisker(Undefined(Why.NO_ITEMS), 0) is None


def test_the_axis_goes_below_zero_only_where_a_figure_does():
    assert axis_start([Measured(0.2, Interval(0.1, 0.3)), Undefined(Why.NO_ITEMS)]) == 0
    assert axis_start([Measured(0.2, Interval(-0.1, 0.3))]) == -1
    assert axis_start([]) == 0


@pytest.mark.parametrize(("most", "top"), [(0, 0), (1, 2), (3, 4), (7, 10), (11, 20), (362, 400), (401, 1000)])
def test_lines_stand_at_round_numbers(most, top):
    assert round_above(most) == top


def test_days_without_labels_keep_their_place():
    bars = day_bars({date(2026, 3, 3): 5, date(2026, 3, 1): 10}, date(2026, 3, 3), 3)
    assert [(bar.day.day, bar.count, bar.height) for bar in bars] == [(1, 10, "96.0"), (2, 0, "0.0"), (3, 5, "48.0")]
    assert [bar.last for bar in bars] == [False, False, True]


@pytest.mark.parametrize(("value", "step"), [(-0.4, 1), (0, 1), (0.2, 2), (0.59, 3), (0.8, 5), (1, 5)])
def test_heat_has_five_steps(value, step):
    assert heat(value) == step
