"""Figures about annotators: intervals, majorities of the others, trends and pairs, worked by hand."""

from datetime import date
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.statistics.agreement import Ratings, Together, rated_together
from annotation.domain.statistics.annotator_quality import (
    UNDATED,
    Axis,
    CategorySets,
    Drift,
    Rate,
    Trend,
    Typical,
    Votes,
    drift,
    likenesses,
    monday_of,
    others_majority,
    rate,
    trend,
    typical,
    week_of,
)
from annotation.domain.statistics.figure import Undefined, Why
from annotation.domain.statistics.intervals import Interval, wilson_interval


def votes(rows: list[tuple[int, int, int]]) -> Votes:
    case, annotator, category = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Votes(case, annotator, category)


def majority(given_votes: Votes, categories: int) -> list[int]:
    """Return the one category of each label's others; -1 if there is none."""
    found = others_majority(given_votes, CategorySets(categories).members)
    assert (found.sum(axis=1) <= 1).all()
    return [int(row.argmax()) if row.any() else -1 for row in found]


def trend_of(places: list[int], agrees: list[bool]) -> Trend:
    found = trend(places, agrees)
    assert isinstance(found, Trend)
    return found


# ── Shares ────────────────────────────────────────────────────────────────────


def test_the_interval_of_eight_of_ten_worked_by_hand():
    # z² = 3.8415: middle (0.8 + 0.19207)/(1.38415) = 0.71674, half 1.95996/1.38415·√(0.016 + 0.0096036) = 0.22658.
    interval = wilson_interval(8 / 10, 10)
    assert interval.low == pytest.approx(0.490162, abs=1e-6)
    assert interval.high == pytest.approx(0.943318, abs=1e-6)


def test_all_or_none_of_few_is_still_uncertain():
    # n = 3: the other end is z²/(n + z²) = 3.8415/6.8415.
    assert wilson_interval(0 / 3, 3) == Interval(0.0, pytest.approx(0.561497, abs=1e-6))
    assert wilson_interval(3 / 3, 3) == Interval(pytest.approx(1 - 0.561497, abs=1e-6), 1.0)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_share_and_stays_between_0_and_1(part_of: tuple[int, int]):
    part, n = part_of
    interval = wilson_interval(part / n, n)
    assert 0 <= interval.low <= part / n <= interval.high <= 1
    mirrored = wilson_interval((n - part) / n, n)
    assert (interval.low, interval.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low))


def test_a_share_of_nothing_says_why_there_is_none():
    assert rate(0, 0, Why.NO_KNOWN) == Undefined(Why.NO_KNOWN)
    assert rate(0, 2, Why.NO_KNOWN) == Rate(0, 2)


def test_quartiles_lie_between_measurements():
    # Sorted 1 2 4 8: places 0.75, 1.5, 2.25 → 1.75, 3, 5.
    assert typical([8, 1, 4, 2]) == Typical(4, 3.0)
    assert typical([]) == Undefined(Why.NO_TIMES)


# ── The majority of the others ────────────────────────────────────────────────


def test_the_majority_of_the_others_leaves_the_own_vote_out():
    # a a b: the two who said a see (a, b), no majority; the one who said b sees (a, a).
    assert majority(votes([(0, 1, 0), (0, 2, 0), (0, 3, 1)]), 2) == [-1, -1, 0]


def test_one_other_is_a_majority_and_nobody_is_none():
    assert majority(votes([(0, 1, 0), (0, 2, 1), (1, 1, 1)]), 2) == [1, 0, -1]


def test_a_label_without_category_neither_votes_nor_is_compared():
    assert majority(votes([(0, 1, 0), (0, 2, -1), (0, 3, 0)]), 2) == [0, -1, 0]


def test_an_open_round_is_not_compared():
    assert majority(votes([(-1, 1, 0), (-1, 2, 0), (0, 1, 1), (0, 2, 1)]), 2) == [-1, -1, 1, 1]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), max_size=40))
def test_the_majority_of_the_others_is_what_counting_says(rows: list[tuple[int, int]]):
    given_votes = votes([(case, number, category) for number, (case, category) in enumerate(rows)])
    for number, (case, category) in enumerate(rows):
        rest = [other for place, (of, other) in enumerate(rows) if of == case and place != number and other >= 0]
        wanted = next((each for each in set(rest) if 2 * rest.count(each) > len(rest)), -1) if category >= 0 else -1
        assert majority(given_votes, 4)[number] == wanted


def test_of_several_categories_the_majority_of_the_others_has_those_that_more_than_half_name():
    sets = CategorySets(3)
    both = sets.number([2, 1])
    assert (both, sets.number([1, 2]), sets.number([1]), sets.number([])) == (3, 3, 1, -1)
    found = others_majority(votes([(0, 1, both), (0, 2, both), (0, 3, 1)]), sets.members)
    # The others of the first two name 1 2 and 1; those of the third 1 2 and 1 2.
    assert found.tolist() == [[False, True, False], [False, True, False], [False, True, True]]


# ── Drift ─────────────────────────────────────────────────────────────────────


def test_weeks_begin_on_mondays_and_run_through_the_years():
    sunday, monday = date(2025, 12, 28), date(2025, 12, 29)
    assert week_of(monday) == week_of(sunday) + 1 == week_of(date(2026, 1, 4))
    assert monday_of(week_of(date(2026, 1, 4))) == monday


def test_a_slope_worked_by_hand():
    # Weeks 0, 1, 2 with ten labels each, 5, 6 and 7 of them agreeing: the slope is 0.1 a week. Sxx = 20; the lever is
    # 1/30 + 1/20 = 1/12 in the outer weeks; residuals there ±0.5 (week 0) and 0.3, -0.7 (week 2); week 1 has no pull.
    # Squares: week 0 10·0.25 = 2.5, week 2 7·0.09 + 3·0.49 = 2.1; 4.6/(11/12)² = 5.47438; SE = √5.47438/20 = 0.116987.
    places = [0] * 10 + [1] * 10 + [2] * 10
    agrees = [number < 5 for number in range(10)] + [n < 6 for n in range(10)] + [n < 7 for n in range(10)]
    found = trend_of(places, agrees)
    assert found.slope == pytest.approx(0.1)
    assert found.interval.high - found.slope == pytest.approx(1.959964 * 0.116987, abs=1e-5)
    assert not found.changed


def test_a_clear_fall_is_flagged():
    found = trend_of([0] * 20 + [1] * 20 + [2] * 20, [True] * 20 + [True, False] * 10 + [False] * 20)
    assert found.slope == pytest.approx(-0.5)
    assert found.interval.high < 0
    assert found.changed


def drift_of(rows: list[tuple[int | None, bool]], values: list[int] | None = None) -> Drift:
    weeks = np.array([UNDATED if week is None else week for week, _agreed in rows], dtype=np.int32)
    agrees = np.array([agreed for _week, agreed in rows], dtype=bool)
    return drift(weeks, agrees, np.array(values or [0] * len(rows), dtype=np.int16))


def test_somebody_who_always_agrees_has_no_change_to_measure():
    assert trend([0, 1, 2, 7] * 10, [True] * 40) == Undefined(Why.ALWAYS_ALIKE)
    assert trend([0, 1, 2, 7] * 10, [False] * 40) == Undefined(Why.ALWAYS_ALIKE)


def test_too_little_for_a_trend_is_said_in_its_reason():
    assert trend([0, 1, 2] * 9, [True] * 27) == Undefined(Why.TOO_FEW_LABELS)
    assert trend([0, 1] * 20, [True] * 40) == Undefined(Why.TOO_FEW_WEEKS)
    assert drift_of([]).trend == Undefined(Why.TOO_FEW_LABELS)


def test_trends_of_nothing_but_chance_are_flagged_about_one_time_in_twenty():
    random = np.random.default_rng(7)
    places = [week for week in range(6) for _label in range(12)]
    flagged = sum(trend_of(places, (random.random(72) < 0.8).tolist()).changed for _person in range(1000))
    assert 30 <= flagged <= 75


def test_a_planted_fall_lies_within_its_interval():
    random = np.random.default_rng(8)
    places = [week for week in range(10) for _label in range(30)]
    chance = 0.9 - 0.04 * np.array(places)
    found = [trend_of(places, (random.random(300) < chance).tolist()) for _person in range(200)]
    assert sum(each.interval.low <= -0.04 <= each.interval.high for each in found) >= 182  # 91 % of 200
    assert sum(each.changed for each in found) >= 190


def test_labels_without_dates_go_by_blocks_in_their_order():
    # 65 labels make blocks of 20, 20 and 25: the last one takes what is left over.
    found = drift_of([(None, True)] * 20 + [(None, False)] * 45)
    assert found.axis is Axis.BLOCKS
    assert [(point.place, point.rate.part, point.rate.n) for point in found.points] == [
        (1, 20, 20),
        (2, 0, 20),
        (3, 0, 25),
    ]
    assert isinstance(found.trend, Trend)


def test_weeks_are_drawn_by_their_monday():
    week = week_of(date(2026, 3, 4))
    found = drift_of([(week, True), (week, False), (week + 2, True), (None, True)])
    assert found.axis is Axis.WEEKS
    assert [(point.monday, point.rate) for point in found.points] == [
        (date(2026, 3, 2), Rate(1, 2)),
        (date(2026, 3, 16), Rate(1, 1)),
    ]


LABELS_IN_TIME = st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 5)), st.booleans()), max_size=90)


@given(LABELS_IN_TIME, st.integers(1, 3))
def test_a_drift_is_what_it_was_label_by_label(rows: list[tuple[int | None, bool]], values: int):
    dated = [(week, agreed) for week, agreed in rows if week is not None]
    hard = [number % values for number, (week, _agreed) in enumerate(rows)]
    if by_week := 2 * len(dated) >= len(rows):
        places, agrees = [week for week, _agreed in dated], [agreed for _week, agreed in dated]
    else:
        agrees = [agreed for week, agreed in rows if week is None]
        places = [min(number // 20, max(len(agrees) // 20 - 1, 0)) + 1 for number in range(len(agrees))]
    used = [value for value, (week, _agreed) in zip(hard, rows, strict=True) if (week is not None) is by_week]
    found = drift_of(rows, hard)
    assert (found.axis is Axis.WEEKS) is by_week
    assert found.trend == trend(places, agrees, used)
    assert [(point.place, point.rate.part, point.rate.n) for point in found.points] == [
        (place, sum(agreed for at, agreed in zip(places, agrees, strict=True) if at == place), places.count(place))
        for place in sorted(set(places))
    ]


@given(LABELS_IN_TIME)
def test_a_drift_never_holds_a_number_that_is_none(rows: list[tuple[int | None, bool]]):
    found = drift_of(rows)
    if isinstance(found.trend, Trend):
        assert not any(isnan(each) for each in (found.trend.slope, found.trend.interval.low, found.trend.interval.high))
        assert found.trend.interval.low <= found.trend.slope <= found.trend.interval.high


# ── Pairs ─────────────────────────────────────────────────────────────────────


def pairs_of(*people: list[int | None]) -> Together:
    rows = (
        (item, person, category)
        for person, said in enumerate(people)
        for item, category in enumerate(said)
        if category is not None
    )
    return rated_together(Ratings.of(rows))


def test_a_pair_worked_by_hand():
    # 20 items, both say 10 and 10, equal on 16: chance 0.5, kappa (0.8 - 0.5)/0.5 = 0.6.
    one, two = [0] * 10 + [1] * 10, [0] * 8 + [1] * 2 + [0] * 2 + [1] * 8
    (pair,) = likenesses(pairs_of(one, two))
    assert (pair.first, pair.second, pair.same) == (0, 1, Rate(16, 20))
    assert pair.kappa == pytest.approx(0.6)
    low, high = wilson_interval(16 / 20, 20).low, wilson_interval(16 / 20, 20).high
    assert pair.interval == Interval(pytest.approx(2 * low - 1), pytest.approx(2 * high - 1))
    assert pair.others is None  # there is nobody else
    assert not pair.stands_out


def test_pairs_with_fewer_items_than_twenty_are_not_judged():
    assert likenesses(pairs_of([0, 1] * 9, [0, 1] * 9)) == []


def test_two_who_copy_stand_out_from_two_who_do_not():
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, 60)
    noisy = [np.where(random.random(60) < 0.3, 1 - truth, truth).tolist() for _person in range(3)]
    found = likenesses(pairs_of(noisy[0], noisy[0], noisy[1], noisy[2]))
    assert (found[0].first, found[0].second) == (0, 1)
    assert found[0].identical
    assert found[0].stands_out
    assert [pair.stands_out for pair in found[1:]] == [False] * 5


def test_one_category_alone_makes_kappa_undefined_and_last():
    found = likenesses(pairs_of([0] * 20, [0] * 20, [0, 1] * 10))
    assert found[-1].kappa == Undefined(Why.ONE_CATEGORY)
    assert found[-1].identical
    assert not found[-1].stands_out


def test_agreement_with_everybody_else_leaves_the_partner_out():
    # 0 and 1 are equal on all 20; 2 is equal to 0 and 1 on 10 of 20: each one's share with everybody else is 1/2.
    pair = likenesses(pairs_of([0, 1] * 10, [0, 1] * 10, [0, 0] * 10))[0]
    assert (pair.first, pair.second, pair.others) == (0, 1, 0.5)
