"""Agreement on answers to further questions: published examples, and every alpha a second time by another way."""

import json
from collections import Counter

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import other_alphas
from annotation.domain.statistics import span_agreement
from annotation.domain.statistics.agreement import Alpha, nominal_alpha, ordinal_alpha, tally
from annotation.domain.statistics.figure import Measured, Undefined, Why
from annotation.domain.statistics.set_agreement import _distances, _members, set_alpha

# Krippendorff (2011), Computing Krippendorff's alpha-reliability, example D: four observers, twelve units, gaps.
PUBLISHED = [
    *([1, 1, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4]),
    *([4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [5, 5, 5], [1, 1], [3]),
]
# Krippendorff (2019), Content Analysis, figure 12.11: three observers mark units on a continuum of 60.
CONTINUUM = (
    60,
    [
        [(0, 7), (7, 13), (30, 32), (32, 37), (37, 44), (44, 60)],
        [(0, 7), (7, 13), (13, 21), (32, 44)],
        [(0, 7), (7, 13), (13, 21), (32, 37), (37, 41), (41, 44)],
    ],
)

points = st.lists(st.lists(st.integers(0, 6), max_size=5), min_size=1, max_size=25)
option_sets = st.lists(st.lists(st.frozensets(st.sampled_from("abcde")), max_size=4), min_size=1, max_size=20)


@st.composite
def texts_with_spans(draw):
    length = draw(st.integers(0, 25))
    cuts = st.lists(st.integers(0, length), max_size=6, unique=True).map(sorted)
    spans = cuts.map(lambda places: list(zip(places[::2], places[1::2], strict=False)))
    return length, draw(st.lists(spans, max_size=4))


def value(alpha: Alpha) -> float:
    assert isinstance(alpha.figure, Measured)
    return alpha.figure.value


def span_alpha(items) -> Alpha:
    return span_agreement.span_alpha(Counter(span_agreement.lengths_of(*item) for item in items))


def sets_of(items) -> Counter:
    return Counter(tuple(sorted(tuple(sorted(chosen)) for chosen in item)) for item in items)


def assert_equals(alpha: Alpha, expected, items) -> None:
    used = [item for item in items if len(item) > 1]
    assert (alpha.items, alpha.ratings) == (len(used), sum(map(len, used)))
    if expected is None:
        assert isinstance(alpha.figure, Undefined)
    else:
        assert value(alpha) == pytest.approx(float(expected), abs=1e-9)


def test_the_published_example_of_categories_and_of_a_scale():
    counted = tally([[point - 1 for point in item] for item in PUBLISHED], 5)
    assert value(nominal_alpha(counted)) == pytest.approx(0.743, abs=5e-4)
    assert value(ordinal_alpha(counted)) == pytest.approx(0.815, abs=5e-4)
    assert (ordinal_alpha(counted).items, ordinal_alpha(counted).ratings) == (11, 40)  # the single 3 pairs with nothing


def test_a_scale_worked_by_hand():
    # Items 11, 12, 23 (points 1 to 3): n = 6, counts 3 2 1, middles 1.5, 4, 5.5. Squared distances 1-2: 6.25,
    # 2-3: 2.25, 1-3: 16. Observed: 2(6.25 + 2.25)/6 = 17/6. Expected: 2(3*2*6.25 + 2*1*2.25 + 3*1*16)/30 = 6.
    # Alpha = 1 - 17/36.
    assert value(ordinal_alpha(tally([[0, 0], [0, 1], [1, 2]], 3))) == pytest.approx(19 / 36)


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        ("ab", "ab", 0),  # equal: J 1, M 1
        ("", "", 0),
        ("a", "ab", 1 - 1 / 2 * 2 / 3),  # one contains the other: J 1/2, M 2/3
        ("abc", "ab", 1 - 2 / 3 * 2 / 3),
        ("ab", "bc", 1 - 1 / 3 * 1 / 3),  # they overlap: J 1/3, M 1/3
        ("a", "b", 1),  # nothing in common: M 0
        ("", "a", 1),
    ],
)
def test_the_distance_of_two_sets_by_its_four_cases(first, second, distance):
    members = _members([tuple(first), tuple(second)])
    assert _distances(members, members[::-1]) == pytest.approx([distance, distance])


def test_sets_worked_by_hand():
    # Items {a}{a}, {a}{ab}, {b}{b}: distances a-ab 2/3, b-ab 2/3, a-b 1. Observed: 2 * 2/3 / 6 = 2/9.
    # Answers a a a ab b b: pairs a-ab 3, a-b 6, ab-b 2, so expected 2(3*2/3 + 6 + 2*2/3)/30 = 28/45. Alpha = 1 - 5/14.
    items = [["a", "a"], ["a", "ab"], ["b", "b"]]
    assert value(set_alpha(sets_of(items))) == pytest.approx(9 / 14)


def test_the_published_example_of_passages():
    # |u-alpha = 0.413 there (from rounded lengths), units against gaps. By hand: marked 7+6+2+5+7+16 = 43, 33, 33,
    # together 109 of 180; 71 not.
    # Characters of which one or two are marked by some but not all: 13-20 (two of three), 30-31, 44-59 (one):
    # 8 + 2 + 16 = 26, each with 2 * 1 * 2 / 2 = 2: observed 52. Squares of the units: 49+36+4+25+49+256 = 419,
    # 49+36+64+144 = 293, 49+36+64+25+16+9 = 199, together 911; with 71 gap characters 982.
    # Expected 2 * 109 * 71 / (180 - 982/180) = 88.67; alpha = 1 - 52/88.67.
    expected = 1 - 52 / (2 * 109 * 71 / (180 - 982 / 180))
    alpha = span_alpha([CONTINUUM])
    assert value(alpha) == pytest.approx(expected, abs=1e-12)
    assert value(alpha) == pytest.approx(0.413, abs=1e-3)
    assert (alpha.items, alpha.ratings) == (1, 3)


@given(points)
def test_alpha_of_categories_is_that_of_every_pair(items):
    assert_equals(nominal_alpha(tally(items, 7)), other_alphas.alpha_by_pairs(items, other_alphas.nominal), items)


@given(points)
def test_alpha_of_a_scale_is_that_of_every_pair_and_of_the_library(items):
    alpha = ordinal_alpha(tally(items, 7))
    expected = other_alphas.alpha_by_pairs(items, other_alphas.ordinal(items))
    assert_equals(alpha, expected, items)
    if expected is not None:
        width = max(map(len, items))
        matrix = np.array([[*item, *[np.nan] * (width - len(item))] for item in items], dtype=float).T
        library = krippendorff.alpha(matrix, value_domain=list(range(7)), level_of_measurement="ordinal")
        assert value(alpha) == pytest.approx(library, abs=1e-9)


@given(points)
def test_the_bootstrap_of_a_scale_uses_the_same_arithmetic_as_its_figure(items):
    # Every item a million times: the library is then left aside, and only the term 1/(n-1) tells the two apart.
    counted = tally(items, 7)
    alpha = ordinal_alpha(counted)
    many = ordinal_alpha(type(counted)(counted.spreads, counted.times * 1_000_000))
    if isinstance(alpha.figure, Measured):
        n = alpha.ratings
        assert value(many) == pytest.approx(1 - (1 - alpha.figure.value) * n / (n - 1), abs=1e-6)


@given(option_sets)
def test_alpha_of_sets_is_that_of_every_pair_and_of_the_library(items):
    alpha = set_alpha(sets_of(items))
    expected = other_alphas.alpha_by_pairs(items, other_alphas.masi)
    assert_equals(alpha, expected, items)
    if expected is not None:
        domain = sorted({chosen for item in items for chosen in item}, key=sorted)
        counts = [[item.count(chosen) for chosen in domain] for item in items]

        def distance(v1, v2, i1, i2, n_v, dtype):
            return np.array([[float(other_alphas.masi(a, b)) for b in domain] for a in domain], dtype=dtype)

        library = krippendorff.alpha(value_counts=counts, level_of_measurement=distance)
        assert value(alpha) == pytest.approx(library, abs=1e-9)


@given(st.lists(texts_with_spans(), min_size=1, max_size=8))
def test_alpha_of_passages_is_that_of_the_coincidence_matrices(items):
    used = [answers for length, answers in items if length]
    assert_equals(span_alpha(items), other_alphas.unitizing_alpha(items), used)


@given(st.lists(texts_with_spans(), min_size=1, max_size=6))
def test_passages_of_single_characters_are_nominal_labels_of_characters(items):
    # Where no passage is longer than a character, unitizing is alpha of the characters as items.
    single = [
        (length, [[(start, start + 1) for start, _end in spans[::2]] for spans in answers]) for length, answers in items
    ]
    characters = [
        [int(any(start == place for start, _end in spans)) for spans in answers]
        for length, answers in single
        for place in range(length)
    ]
    expected = nominal_alpha(tally(characters, 2)).figure
    found = span_alpha(single).figure
    assert isinstance(found, Undefined) == isinstance(expected, Undefined)
    if isinstance(expected, Measured):
        assert isinstance(found, Measured) and found.value == pytest.approx(expected.value, abs=1e-9)


def test_what_cannot_be_computed_is_undefined_with_a_reason():
    assert set_alpha({}) == span_alpha([]) == ordinal_alpha(tally([], 3)) == Alpha(Undefined(Why.NO_ITEMS), 0, 0)
    few = Alpha(Undefined(Why.TOO_FEW_RATINGS), 0, 0)
    assert set_alpha(sets_of([["a"], ["b"]])) == span_alpha([(5, [[(0, 2)]])]) == few
    assert span_alpha([(0, [[], []])]) == few  # no text, nothing to mark
    assert set_alpha(sets_of([["ab", "ab"]])) == Alpha(Undefined(Why.ONE_CATEGORY), 1, 2)
    assert span_alpha([(5, [[], []])]) == span_alpha([(5, [[(0, 5)], [(0, 5)]])])
    assert span_alpha([(5, [[], []])]) == Alpha(Undefined(Why.ONE_CATEGORY), 1, 2)


def test_intervals_lie_around_their_figures_and_are_the_same_for_the_same_data():
    dice = np.random.default_rng(3)
    sets = sets_of([[dice.choice(["a", "ab", "b"], p=[0.6, 0.2, 0.2]) for _ in range(3)] for _ in range(200)])
    lengths = dice.integers(10, 60, size=200)
    spans = [(int(n), [[(int(dice.integers(0, 5)), int(dice.integers(5, 10)))] for _ in range(3)]) for n in lengths]
    for measured in (set_alpha(sets), span_alpha(spans)):
        assert isinstance(measured.figure, Measured) and measured.figure.interval
        assert measured.figure.interval.low < measured.figure.value < measured.figure.interval.high
    assert set_alpha(sets) == set_alpha(dict(reversed(sets.items())))
    assert span_alpha(spans) == span_alpha(reversed(spans))


def test_an_interval_of_very_many_different_items_is_as_wide_as_that_of_a_part_would_say():
    # Four times as many items halve the width. More than 5,000 different ones are drawn one by one.
    dice = np.random.default_rng(5)

    def answers():
        length = int(dice.integers(50, 1000))
        starts = dice.integers(0, 20, size=2)
        return length, [[(int(start), int(start) + int(dice.integers(10, 30)))] for start in starts]

    items = [answers() for _ in range(8000)]
    widths = []
    for number in (2000, 8000):
        figure = span_alpha(items[:number]).figure
        assert isinstance(figure, Measured) and figure.interval
        widths.append(figure.interval.high - figure.interval.low)
    assert widths[0] / widths[1] == pytest.approx(2, abs=0.25)


@pytest.mark.shared_data
def test_rationales_of_the_published_validation_split_two_ways(shared_data):
    items = []
    with (shared_data / "hatexplain_val.jsonl").open() as lines:
        for post in map(json.loads, lines):
            text = " ".join(post["post_tokens"])
            starts = np.cumsum([0, *(len(token) + 1 for token in post["post_tokens"])])
            answers = [_as_spans(marks, post["post_tokens"], starts) for marks in post["rationales"]]
            items.append((len(text), answers))
    used = [answers for length, answers in items if len(answers) > 1]
    alpha = span_alpha(items)
    expected = other_alphas.unitizing_alpha(items)
    assert expected is not None and value(alpha) == pytest.approx(float(expected), abs=1e-9)
    assert (alpha.items, alpha.ratings) == (len(used), sum(map(len, used)))
    assert alpha.items > 1000


def _as_spans(marks, tokens, starts):
    """Return the marked tokens as spans of the text; neighbours are one passage, with the space between them."""
    spans: list[list[int]] = []
    for number, (mark, token) in enumerate(zip(marks, tokens, strict=False)):
        if mark and number and marks[number - 1]:
            spans[-1][1] = int(starts[number]) + len(token)
        elif mark:
            spans.append([int(starts[number]), int(starts[number]) + len(token)])
    return spans
