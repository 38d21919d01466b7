"""Prior influence: shares and differences worked by hand, their properties, and planted effects found again."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.choices import Modality, PriorArm
from annotation.domain.statistics.figure import Measured, Undefined, Why
from annotation.domain.statistics.influence import (
    FEWEST,
    NONE,
    Change,
    Contrast,
    Reading,
    ReadingGroup,
    Readings,
    Scope,
    View,
    account,
    influence,
)
from annotation.domain.statistics.influence_planning import detectable, half_width
from influence_accounts import in_scope

SHOWN, HIDDEN, WITHHELD = PriorArm.SHOWN, PriorArm.HIDDEN, PriorArm.WITHHELD
TEXT, IMAGE = Modality.TEXT, Modality.IMAGE
ALL = ReadingGroup(TEXT, Scope.ALL)


def reading(item, who, arm, said, *, prior=1, other=NONE, first=NONE, period=0, modality=TEXT):
    return Reading(item, who, period, arm, modality, prior, other, first, said)


def told(rows):
    return account(ALL, Readings.of(rows))


def block(arm, agreeing, of, *, period=0, start=0):
    """Answers by ten people in turn, each to an item of its own."""
    return [reading(start + n, n % 10, arm, 1 if n < agreeing else 0, period=period) for n in range(of)]


# ── Worked by hand ────────────────────────────────────────────────────────────


def test_a_share_counts_the_answers_that_say_what_the_prior_says():
    share = told([*block(SHOWN, 3, 4), reading(9, 1, SHOWN, NONE)]).shares[View.SHOWN]
    assert (share.answers, share.agreeing, share.without) == (4, 3, 1)
    assert share.share.value == 0.75


def test_the_interval_of_a_share():
    # Ten people, ten items, eight agree. Terms (y - 0.8)/10: squares 0.016, times 10/9 = 0.017778; alone is the same,
    # so the variance is 0.017778 against 0.016 for a coin: design effect 10/9, nine effective answers. t(9) = 2.262157:
    # middle (0.8 + 5.117355/18) / (1 + 5.117355/9) = 0.691254, reach 0.264242.
    figure = told(block(SHOWN, 8, 10)).shares[View.SHOWN].share
    assert figure.interval.low == pytest.approx(0.427012, abs=1e-5)
    assert figure.interval.high == pytest.approx(0.955495, abs=1e-5)


def test_where_all_agree_each_item_counts_once():
    # Five items, each by two of ten people, all agree. Wilson with p = 1, n = 5 and t(4) = 2.776445:
    # low = 1 / (1 + 7.708647/5) = 0.393433.
    rows = [reading(n // 2, n, SHOWN, 1) for n in range(10)]
    figure = told(rows).shares[View.SHOWN].share
    assert figure.interval.low == pytest.approx(0.393433, abs=1e-5)
    assert figure.interval.high == 1


def crossed():
    """Six people, twelve items: each person sees the priors of two items and not those of the next two."""
    for person in range(6):
        for item in (2 * person, 2 * person + 1):
            yield reading(item, person, SHOWN, 0 if item in (0, 1, 2) else 1)
        for item in (2 * person + 2, 2 * person + 3):
            yield reading(item % 12, person, WITHHELD, 1 if item % 12 < 6 else 0)


def test_the_difference_of_two_arms_and_its_interval():
    # Shown 9 of 12, withheld 6 of 12: 0.25. Errors in twelfths: shown +0.25 or -0.75, withheld (negated) -0.5 or +0.5.
    # By person: -2.5 -1.5 1.5 1.5 1.5 -0.5, squares 15.5, times 6/5 = 18.6. By item: -1.25 three times, -0.25 three
    # times, 0.75 six times, squares 8.25, times 12/11 = 9. Alone: 5.25 times 24/23 = 5.478261.
    # Variance (18.6 + 9 - 5.478261)/144, its root 0.391948; t(5) = 2.570582; the interval ends at 1.
    found = told(crossed()).differences[Contrast.SHOWN_WITHHELD]
    assert (found.answers, found.others) == (12, 12)
    assert found.difference.value == pytest.approx(0.25)
    assert found.difference.interval.low == pytest.approx(0.25 - 2.570582 * 0.391948, abs=1e-5)
    assert found.difference.interval.high == 1


def test_arms_are_compared_within_periods_only():
    # 0.9 against 0.8 while few were withheld, 0.4 against 0.3 while most were: 0.1 each time, 0.4 if thrown together.
    rows = [
        *block(SHOWN, 18, 20),
        *block(WITHHELD, 4, 5, start=100),
        *block(SHOWN, 2, 5, period=1, start=200),
        *block(WITHHELD, 6, 20, period=1, start=300),
    ]
    found = told(rows).differences[Contrast.SHOWN_WITHHELD]
    assert found.difference.value == pytest.approx(0.1)
    assert (found.answers, found.others) == (25, 25)


def test_a_period_with_one_arm_adds_nothing():
    both = [*block(SHOWN, 9, 15), *block(WITHHELD, 6, 15, start=100)]
    alone = block(SHOWN, 200, 200, period=7, start=1000)
    assert told([*both, *alone]).differences[Contrast.SHOWN_WITHHELD] == told(both).differences[Contrast.SHOWN_WITHHELD]


def before_and_after():
    """Six people with two answers each: three changes towards the prior, one away, eight kept."""
    pairs = [(0, 1), (0, 1), (0, 1), (0, 0), (1, 0), (1, 1), *[(1, 1)] * 6]
    for number, (first, said) in enumerate(pairs):
        yield reading(number, number // 2, HIDDEN, said, first=first)


def test_the_mean_change_once_priors_opened_and_its_interval():
    # (3 - 1)/12 = 1/6. By person the sums are 5/3, 2/3, -4/3 and -1/3 three times: squares 48/9, over 144, times 6/5
    # = 2/45. Each answer is to an item of its own, so by item and alone are the same and the variance is 2/45.
    # t(5) = 2.570582 times 0.210819 = 0.541927.
    found = told(before_and_after()).differences[Contrast.AFTER_OWN]
    assert (found.answers, found.others) == (12, 12)
    assert found.difference.value == pytest.approx(1 / 6)
    assert found.difference.interval.low == pytest.approx(1 / 6 - 2.570582 * sqrt(2 / 45), abs=1e-6)
    assert found.difference.interval.high == pytest.approx(1 / 6 + 2.570582 * sqrt(2 / 45), abs=1e-6)


def test_own_view_and_submitted_answer_are_told_side_by_side():
    shares = told(before_and_after()).shares
    assert (shares[View.OWN].agreeing, shares[View.AFTER].agreeing) == (8, 10)
    assert shares[View.SHOWN].answers == shares[View.WITHHELD].answers == 0


def test_changes_are_told_by_where_they_lead():
    rows = [
        *before_and_after(),
        reading(20, 0, HIDDEN, 3, first=2),
        reading(21, 0, HIDDEN, NONE, first=1),
        reading(22, 0, HIDDEN, 1, first=NONE),
    ]
    found = told(rows)
    assert found.changes == {Change.KEPT: 8, Change.TOWARDS: 3, Change.AWAY: 1, Change.OTHERWISE: 1}
    assert (found.asked_twice, found.changed) == (13, 5)
    assert (found.shares[View.OWN].without, found.shares[View.AFTER].without) == (1, 1)


def test_hidden_answers_are_compared_with_withheld_ones_as_well():
    rows = [*block(HIDDEN, 12, 15), *block(WITHHELD, 6, 15, start=100)]
    found = told(rows).differences
    assert found[Contrast.AFTER_WITHHELD].difference.value == pytest.approx(0.4)
    assert found[Contrast.SHOWN_WITHHELD].difference == Undefined(Why.NO_ANSWERS)


def test_priors_in_conflict_and_alike_are_told_apart():
    rows = [
        reading(1, 1, SHOWN, 0, prior=0, other=2),
        reading(1, 1, SHOWN, 0, prior=2, other=0, modality=IMAGE),
        reading(2, 1, SHOWN, 3, prior=3, other=3),
        reading(2, 1, SHOWN, 3, prior=3, other=3, modality=IMAGE),
        reading(3, 1, SHOWN, 4, prior=4),
    ]
    found = influence(Readings.of(rows), 5)
    counted = {
        (modality, scope): [(each.shares[View.SHOWN].answers, each.shares[View.SHOWN].agreeing) for each in of_it]
        for modality in Modality
        for scope in Scope
        if (of_it := in_scope(found, modality, scope))
    }
    assert counted[TEXT, Scope.ALL] == [(3, 3)]
    assert counted[TEXT, Scope.CONFLICT] == [(1, 1)]
    assert counted[IMAGE, Scope.CONFLICT] == [(1, 0)]
    assert counted[IMAGE, Scope.ALIKE] == [(1, 1)]
    assert counted[TEXT, Scope.CATEGORY] == [(1, 1), (0, 0), (0, 0), (1, 1), (1, 1)]


def test_half_the_interval_that_a_plan_leads_to():
    # 1.96 √(0.25/1000 · (1/0.2 + 1/0.8)) = 1.96 √0.0015625 = 0.0775.
    assert half_width(1000, 0.2) == pytest.approx(0.07747, abs=1e-4)
    # Found four times of five: 0.0775 · 2.8016/1.96 = 0.1107.
    assert detectable(1000, 0.2) == pytest.approx(0.11074, abs=1e-4)
    assert detectable(1000, 1) is None
    assert half_width(1000, 0) is None and half_width(0, 0.2) is None


# ── What is not defined ───────────────────────────────────────────────────────


def test_nothing_is_said_of_no_answers():
    found = told([])
    assert all(share.share == Undefined(Why.NO_ANSWERS) for share in found.shares.values())
    assert all(each.difference == Undefined(Why.NO_ANSWERS) for each in found.differences.values())


def test_arms_that_never_met_are_not_compared():
    rows = [*block(SHOWN, 9, 15), *block(WITHHELD, 6, 15, period=1, start=100)]
    found = told(rows).differences[Contrast.SHOWN_WITHHELD]
    assert found.difference == Undefined(Why.NOT_TOGETHER)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([*block(SHOWN, 5, 20), *block(WITHHELD, 5, FEWEST - 1, start=100)], Why.TOO_FEW_ANSWERS),
        ([reading(n, 1, SHOWN if n % 2 else WITHHELD, n % 3) for n in range(40)], Why.ONE_PERSON),
        ([reading(1, n, SHOWN if n % 2 else WITHHELD, n % 3) for n in range(40)], Why.ONE_ITEM),
        ([*block(SHOWN, 20, 20), *block(WITHHELD, 20, 20, start=100)], Why.NO_SPREAD),
    ],
)
def test_a_difference_without_an_interval_says_why(rows, why):
    figure = told(rows).differences[Contrast.SHOWN_WITHHELD].difference
    assert isinstance(figure, Measured)
    assert (figure.interval, figure.why) == (None, why)


def test_a_share_of_one_persons_answers_has_no_interval():
    figure = told([reading(n, 1, SHOWN, n % 2) for n in range(30)]).shares[View.SHOWN].share
    assert figure == Measured(0.5, None, Why.ONE_PERSON)


# ── Properties ────────────────────────────────────────────────────────────────

answers = st.lists(
    st.builds(
        reading,
        st.integers(0, 8),
        st.integers(0, 5),
        st.sampled_from(list(PriorArm)),
        st.integers(NONE, 3),
        prior=st.integers(0, 3),
        first=st.integers(NONE, 3),
        period=st.integers(0, 1),
    ),
    max_size=60,
    unique_by=lambda row: (row.item, row.annotator),
)
many = settings(max_examples=80)


@many
@given(answers, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert told(shuffled) == told(rows)


@many
@given(answers)
def test_figures_stay_in_bounds_and_in_their_intervals(rows):
    found = told(rows)
    for share in found.shares.values():
        assert 0 <= share.agreeing <= share.answers
        check(share.share, 0)
    for difference in found.differences.values():
        check(difference.difference, -1)


def check(figure, lowest):
    match figure:
        case Measured(value, None, why):
            assert lowest <= value <= 1 and isinstance(why, Why)
        case Measured(value, interval, None):
            assert lowest <= interval.low <= value <= interval.high <= 1
        case Undefined(why):
            assert isinstance(why, Why)
        case _:
            pytest.fail(f"neither a figure with an interval nor a reason: {figure}")


@many
@given(answers)
def test_swapping_the_arms_turns_the_difference_round(rows):
    swap = {SHOWN: WITHHELD, WITHHELD: SHOWN, HIDDEN: HIDDEN}
    one = told(rows).differences[Contrast.SHOWN_WITHHELD]
    two = told([row._replace(arm=swap[row.arm]) for row in rows]).differences[Contrast.SHOWN_WITHHELD]
    assert (one.answers, one.others) == (two.others, two.answers)
    match one.difference, two.difference:
        case Measured(a, None, why), Measured(b, None, also):
            assert (a, why) == (pytest.approx(-b), also)
        case Measured(a, here, None), Measured(b, there, None):
            assert (a, here.low, here.high) == (
                pytest.approx(-b),
                pytest.approx(-there.high),
                pytest.approx(-there.low),
            )
        case left, right:
            assert left == right


@many
@given(answers, st.permutations(range(4)))
def test_the_names_of_categories_do_not_matter(rows, names):
    def renamed(category):
        return category if category == NONE else names[category]

    turned = [
        row._replace(prior=renamed(row.prior), first=renamed(row.first), submitted=renamed(row.submitted))
        for row in rows
    ]
    assert told(turned) == told(rows)


@many
@given(answers)
def test_groups_by_category_add_up_to_all(rows):
    found = influence(Readings.of(rows), 4)
    (whole,) = in_scope(found, TEXT, Scope.ALL)
    parts = in_scope(found, TEXT, Scope.CATEGORY)
    for view in View:
        assert sum(part.shares[view].answers for part in parts) == whole.shares[view].answers
        assert sum(part.shares[view].agreeing for part in parts) == whole.shares[view].agreeing
    for change in Change:
        assert sum(part.changes[change] for part in parts) == whole.changes[change]


# ── Planted effects ───────────────────────────────────────────────────────────


def campaign(seed, bias, *, people=16, items=150, k=3, withheld=0.3):
    """Readings of a simulated campaign: people differ in how often they agree with priors, items more so, and
    whoever sees a prior agrees by `bias` more often."""
    random = np.random.default_rng(seed)
    person = random.uniform(-0.15, 0.15, people)
    item = random.uniform(-0.25, 0.25, items)
    for number in range(items):
        prior = int(random.integers(0, 6))
        for who in random.choice(people, k, replace=False):
            arm = WITHHELD if random.random() < withheld else SHOWN
            agrees = random.random() < 0.45 + person[who] + item[number] + (bias if arm is SHOWN else 0)
            said = prior if agrees else (prior + 1 + int(random.integers(0, 5))) % 6
            yield reading(number, int(who), arm, said, prior=prior)


def difference(seed, bias):
    figure = told(campaign(seed, bias)).differences[Contrast.SHOWN_WITHHELD].difference
    assert isinstance(figure, Measured) and figure.interval is not None
    return figure


def test_a_planted_bias_is_found_again():
    found = difference(2026, 0.15)
    assert found.interval.low <= 0.15 <= found.interval.high
    assert found.interval.low > 0


def test_where_nothing_is_planted_the_interval_covers_nothing():
    found = difference(2027, 0.0)
    assert found.interval.low <= 0 <= found.interval.high


@pytest.mark.parametrize("bias", [0.0, 0.12])
def test_intervals_hold_the_planted_effect_as_often_as_they_say(bias):
    found = [difference(seed, bias) for seed in range(200)]
    held = sum(figure.interval.low <= bias <= figure.interval.high for figure in found)
    assert 180 <= held <= 198
    assert np.mean([figure.value for figure in found]) == pytest.approx(bias, abs=0.01)


def test_before_and_after_finds_a_planted_change():
    # Of the first answers that differ from the prior, 20 % turn to it: with 40 % agreeing at first, 0.6 · 0.2 = 0.12.
    held = 0
    for seed in range(200):
        random = np.random.default_rng(seed)
        rows = []
        for item in range(100):
            for who in random.choice(12, 3, replace=False):
                first = 1 if random.random() < 0.4 else 0
                said = 1 if first == 1 or random.random() < 0.2 else 0
                rows.append(reading(item, int(who), HIDDEN, said, first=first))
        interval = told(rows).differences[Contrast.AFTER_OWN].difference.interval
        held += interval.low <= 0.12 <= interval.high
    assert 180 <= held <= 198
