"""Agreement figures: hand-worked numbers, properties, and the published reference data."""

import json
import random
from collections import Counter
from dataclasses import fields
from itertools import combinations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.statistics import counted_rows
from annotation.domain.statistics.agreement import (
    Alike,
    RatedTogether,
    Ratings,
    Tally,
    Together,
    alike_by_category,
    alike_in_naming,
    binary,
    cohen_kappas,
    fleiss_kappa,
    kappa_of_category,
    krippendorff_alpha,
    rated_together,
    tally,
)
from annotation.domain.statistics.figure import Measured, Undefined, Why

ratings_of_items = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=30)
ragged = st.lists(st.lists(st.integers(0, 3), min_size=0, max_size=5), min_size=1, max_size=30)


def value(figure: Measured | Undefined) -> float:
    assert isinstance(figure, Measured)
    return figure.value


def test_kappa_of_two_items_worked_by_hand():
    # aab, bbb: P = (1/3 + 1)/2 = 2/3; a 2/6, b 4/6: Pe = 20/36 = 5/9; kappa = (2/3 - 5/9)/(4/9) = 1/4.
    assert value(fleiss_kappa(tally([[0, 0, 1], [1, 1, 1]], 2), 3)) == pytest.approx(0.25)


def test_alpha_with_one_dissent_worked_by_hand():
    # 6 labels, 2 a and 4 b: observed 4/2/6 = 1/3, expected 16/30, alpha = 1 - 5/8.
    assert value(krippendorff_alpha(tally([[0, 0, 1], [1, 1, 1]], 2))) == pytest.approx(0.375)


def test_alpha_bears_a_missing_label():
    # aa, ab, bbb, b: the single b pairs with nothing. n = 7, a 3, b 4. Observed disagreement: 2 of 7 values
    # (item ab: two ordered pairs, each weighted 1/(2-1)) = 2/7; expected 2*3*4/(7*6) = 4/7; alpha = 1/2.
    assert value(krippendorff_alpha(tally([[0, 0], [0, 1], [1, 1, 1], [1]], 2))) == pytest.approx(0.5)


def test_kappa_counts_only_items_with_exactly_k_ratings():
    complete = [[0, 0, 1], [1, 1, 1]]
    assert fleiss_kappa(tally([*complete, [0, 0], [0, 1, 1, 1], []], 2), 3) == fleiss_kappa(tally(complete, 2), 3)


def test_all_agree_on_different_categories_is_one():
    figure = fleiss_kappa(tally([[0, 0, 0], [1, 1, 1]], 2), 3)
    assert value(figure) == 1.0


def test_chance_level_disagreement_is_negative():
    # abab split on both items, k = 2: P = 0, Pe = 1/2, kappa = -1.
    assert value(fleiss_kappa(tally([[0, 1], [1, 0]], 2), 2)) == -1.0


@pytest.mark.parametrize(
    ("items", "kappa", "alpha"),
    [
        ([], Why.NO_ITEMS, Why.NO_ITEMS),
        ([[1, 1, 1], [1, 1, 1]], Why.ONE_CATEGORY, Why.ONE_CATEGORY),
        ([[0], [1]], Why.NO_ITEMS, Why.TOO_FEW_RATINGS),
    ],
)
def test_what_cannot_be_computed_is_undefined_with_a_reason(items, kappa, alpha):
    assert fleiss_kappa(tally(items, 2), 3) == Undefined(kappa)
    assert krippendorff_alpha(tally(items, 2)) == Undefined(alpha)


def test_one_rating_per_item_has_no_kappa():
    assert fleiss_kappa(tally([[0], [1]], 2), 1) == Undefined(Why.TOO_FEW_RATINGS)


def test_binary_reads_all_hateful_kinds_as_one():
    # 0 not hateful; 1, 2 hateful. [1,2,2] is unanimous in binary.
    counted = binary(tally([[1, 2, 2], [0, 0, 0]], 3), [False, True, True])
    assert value(fleiss_kappa(counted, 3)) == 1.0


def test_binary_of_a_project_without_a_not_hateful_category_is_undefined():
    assert fleiss_kappa(binary(tally([[0, 1, 1]], 2), [True, True]), 3) == Undefined(Why.ONE_CATEGORY)
    assert fleiss_kappa(binary(tally([[0, 1, 1]], 2), [False, False]), 3) == Undefined(Why.ONE_CATEGORY)


def test_kappa_of_a_category_sets_it_against_all_others():
    # Category 2 on aac, bbb, ccc (a=0,b=1,c=2): binary 001, 000, 111. P = (1/3+1+1)/3 = 7/9,
    # p(c) = 4/9: Pe = 16/81 + 25/81 = 41/81, kappa = (63-41)/(81-41) = 22/40.
    counted = tally([[0, 0, 2], [1, 1, 1], [2, 2, 2]], 3)
    assert value(kappa_of_category(counted, 3, [False, False, True])) == pytest.approx(0.55)


def test_cohen_of_two_annotators_worked_by_hand():
    # Ten items: both a 4, both b 3, 7 says a where 8 says b 2, the other way round 1.
    # Observed 0.7; 7 says a 6/10, 8 says a 5/10: expected 0.3 + 0.2 = 0.5; kappa = 0.4.
    said = [(0, 0)] * 4 + [(1, 1)] * 3 + [(0, 1)] * 2 + [(1, 0)]
    rows = [(item, annotator, said[item][annotator - 7]) for item in range(10) for annotator in (8, 7)]
    (pair,) = cohen_kappas(rated_together(Ratings.of(rows)))
    assert (pair.first, pair.second, pair.items, pair.agreeing) == (7, 8, 10, 7)
    assert value(pair.kappa) == pytest.approx(0.4)


def test_cohen_is_undefined_where_both_always_say_the_same_one_thing():
    (pair,) = cohen_kappas(rated_together(Ratings.of([(1, 1, 0), (1, 2, 0), (2, 1, 0), (2, 2, 0)])))
    assert pair.kappa == Undefined(Why.ONE_CATEGORY)


def test_annotators_without_a_common_item_are_no_pair():
    assert cohen_kappas(rated_together(Ratings.of([(1, 1, 0), (2, 2, 0)]))) == []
    assert cohen_kappas(rated_together(Ratings.of([]))) == []


def test_every_two_of_three_annotators_are_a_pair():
    pairs = cohen_kappas(rated_together(Ratings.of([(1, 3, 0), (1, 1, 0), (1, 2, 1), (2, 1, 1), (2, 3, 1)])))
    assert [(pair.first, pair.second, pair.items, pair.agreeing) for pair in pairs] == [
        (1, 2, 1, 0),
        (1, 3, 2, 2),
        (2, 3, 1, 0),
    ]


def test_ratings_of_one_item_are_counted():
    # Annotators 5, 6 and 9 rate three items: 0 1 0, 0 1 0, and 2 – 2.
    rows = [(item, person, code) for item in (1, 2) for person, code in ((5, 0), (6, 1), (9, 0))]
    counted = times_by_pair(rated_together(Ratings.of([*rows, (3, 5, 2), (3, 9, 2)])))
    assert counted == {(5, 6, 0, 1): 2, (5, 9, 0, 0): 2, (5, 9, 2, 2): 1, (6, 9, 1, 0): 2}


def times_by_pair(together: Together) -> dict[tuple[int, ...], int]:
    *pairs, times = (getattr(together, column.name).tolist() for column in fields(together))
    assert len(set(zip(*pairs, strict=True))) == len(times)
    return dict(zip(zip(*pairs, strict=True), times, strict=True))


@given(ragged, st.integers(1, 5), st.integers(0, 9))
def test_blocks_of_ratings_are_counted_as_pairs_are_counted_one_by_one(items, block, at_least):
    together, expected = RatedTogether(), Counter()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(counted_rows, "_AT_LEAST", at_least)
        for start in range(0, len(items), block):
            part = list(enumerate(items))[start : start + block]
            together.add(
                Ratings.of((item, 7 * person, code) for item, said in part for person, code in enumerate(said))
            )
    for said in items:
        expected.update((7 * a, 7 * b, said[a], said[b]) for a, b in combinations(range(len(said)), 2))
    assert times_by_pair(together.counted()) == expected


def test_agreement_with_the_others_by_the_chosen_category():
    # Item 1: 1 says a, 2 says a, 3 says b. One of the two others agrees with each a; none with b.
    assert alike_by_category(rated_together(Ratings.of([(1, 1, 0), (1, 2, 0), (1, 3, 1)]))) == [
        Alike(1, 0, others=2, agreeing=1),
        Alike(2, 0, others=2, agreeing=1),
        Alike(3, 1, others=2, agreeing=0),
    ]


def test_agreement_with_the_others_by_each_category_of_a_set():
    # Ratings 0 is a, 1 is b, 2 is a and b. On item 1 people 1 and 2 say a b, and person 3 says b.
    members = np.array([[True, False], [False, True], [True, True]])
    assert alike_in_naming(rated_together(Ratings.of([(1, 1, 2), (1, 2, 2), (1, 3, 1)])), members) == [
        Alike(1, 0, others=2, agreeing=1),
        Alike(2, 0, others=2, agreeing=1),
        Alike(1, 1, others=2, agreeing=2),
        Alike(2, 1, others=2, agreeing=2),
        Alike(3, 1, others=2, agreeing=2),
    ]


@given(ratings_of_items)
def test_of_single_categories_naming_one_too_is_agreeing_on_it(items):
    ratings = rated_together(
        Ratings.of((item, person, category) for item, said in enumerate(items) for person, category in enumerate(said))
    )
    by_naming = alike_in_naming(ratings, np.eye(10, dtype=bool))
    assert sorted(by_naming, key=lambda each: (each.annotator, each.category)) == alike_by_category(ratings)


@given(ratings_of_items)
def test_kappa_equals_the_textbook_formula(items):
    n, k = len(items), 3
    shares = Counter(rating for item in items for rating in item)
    expected = sum((count / (n * k)) ** 2 for count in shares.values())
    observed = sum(sum(c * (c - 1) for c in Counter(item).values()) for item in items) / (n * k * (k - 1))
    figure = fleiss_kappa(tally(items, 4), k)
    if len(shares) == 1:
        assert figure == Undefined(Why.ONE_CATEGORY)
    else:
        assert value(figure) == pytest.approx((observed - expected) / (1 - expected))


@given(ragged)
def test_alpha_equals_the_library_on_the_reliability_matrix(items):
    width = max(len(item) for item in items)
    matrix = np.array([[*item, *[np.nan] * (width - len(item))] for item in items], dtype=float).T
    paired = [rating for item in items if len(item) > 1 for rating in item]
    figure = krippendorff_alpha(tally(items, 4))
    if len(set(paired)) < 2:
        assert isinstance(figure, Undefined)
    else:
        assert value(figure) == pytest.approx(krippendorff.alpha(matrix, level_of_measurement="nominal"))


@given(ragged)
def test_alpha_of_very_many_items_is_the_same_arithmetic(items):
    counted = tally(items, 4)
    figure = krippendorff_alpha(counted)
    many = Tally(counted.spreads, counted.times * 300_000)
    if isinstance(figure, Measured):
        # Alpha differs from its many-item limit only by the finite-sample term 1/(n-1).
        big = krippendorff_alpha(many)
        n = counted.with_ratings(2).ratings
        assert value(big) == pytest.approx(1 - (1 - figure.value) * n / (n - 1), abs=1e-4)


@given(ratings_of_items, st.randoms(use_true_random=False))
def test_order_of_items_and_of_ratings_changes_nothing(items, shuffler):
    mixed = [shuffler.sample(item, k=len(item)) for item in items]
    shuffler.shuffle(mixed)
    assert fleiss_kappa(tally(mixed, 4), 3) == fleiss_kappa(tally(items, 4), 3)
    assert krippendorff_alpha(tally(mixed, 4)) == krippendorff_alpha(tally(items, 4))


@given(ratings_of_items)
@settings(max_examples=50)
def test_an_interval_never_leaves_the_possible_range(items):
    figure = fleiss_kappa(tally(items, 4), 3)
    if isinstance(figure, Measured) and figure.interval:
        assert -0.5 - 1e-9 <= figure.interval.low <= figure.interval.high <= 1 + 1e-9


def test_the_interval_equals_a_plain_bootstrap_over_items():
    dice = random.Random(7)
    items = [[a, a, dice.choice([a, a, 1 - a])] for a in (dice.randrange(2) for _ in range(400))]
    figure = fleiss_kappa(tally(items, 2), 3)
    plain = []
    for _ in range(400):
        drawn = fleiss_value(dice.choices(items, k=len(items)))
        plain.append(drawn)
    assert isinstance(figure, Measured) and figure.interval
    low, high = np.quantile(plain, [0.025, 0.975])
    assert figure.interval.low == pytest.approx(low, abs=0.012)
    assert figure.interval.high == pytest.approx(high, abs=0.012)
    assert figure.interval.low < figure.value < figure.interval.high


def fleiss_value(items: list[list[int]]) -> float:
    n = len(items)
    totals = Counter(rating for item in items for rating in item)
    expected = sum((count / (3 * n)) ** 2 for count in totals.values())
    observed = sum(1.0 if len(set(item)) == 1 else 1 / 3 for item in items) / n
    return (observed - expected) / (1 - expected)


def test_the_same_data_give_the_same_interval():
    counted = tally([[0, 0, 1], [1, 1, 1], [0, 0, 0]] * 5, 2)
    assert fleiss_kappa(counted, 3) == fleiss_kappa(counted, 3)


def test_a_single_item_has_a_figure_and_no_interval():
    figure = krippendorff_alpha(tally([[0, 1, 1]], 2))
    assert isinstance(figure, Measured) and figure.interval is None


@pytest.mark.shared_data
def test_reference_figures_of_the_published_validation_split(shared_data):
    golden = json.loads((shared_data / "golden" / "agreement_hatexplain_val.json").read_text())["expected"][
        "hatexplain_val"
    ]
    names = ["normal", "offensive", "hatespeech"]
    with (shared_data / "hatexplain_val.jsonl").open() as lines:
        items = [[names.index(said["label"]) for said in json.loads(line)["annotators"]] for line in lines]
    fine = tally(items, 3)
    hateful = binary(fine, [False, True, True])
    assert (fine.items, fine.ratings) == (golden["items"], golden["ratings"])
    assert value(fleiss_kappa(fine, 3)) == pytest.approx(golden["fleiss_kappa"], abs=5e-7)
    assert value(fleiss_kappa(hateful, 3)) == pytest.approx(golden["fleiss_kappa_binary"], abs=5e-7)
    assert value(krippendorff_alpha(fine)) == pytest.approx(golden["krippendorff_alpha_nominal"], abs=5e-7)
    assert value(krippendorff_alpha(hateful)) == pytest.approx(golden["krippendorff_alpha_binary"], abs=5e-7)
