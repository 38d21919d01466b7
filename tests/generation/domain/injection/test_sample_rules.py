"""Places for insults, guard rails, coverage and yield, worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.votes import Category
from generation.domain.injection.coverage import coverage
from generation.domain.injection.placeholder import INSULT, filled
from generation.domain.injection.safety_holds import Hold, holds
from generation.domain.injection.schema import HarmlessText, HatefulText
from generation.domain.injection.states import SampleState, Tally
from generation.domain.injection.strategies import Strategy
from generation.domain.injection.yields import Read, StrategyYield, in_all

OPEN = "Those <insult> moved in, and my <insult> of a landlord let them."


@given(st.lists(st.sampled_from(["<slur>", "<other slur>"]), max_size=4), st.integers(0, 2**31 - 1))
def test_places_are_filled_from_the_list_alone_and_alike_for_a_seed(words: list[str], seed: int) -> None:
    said = filled(OPEN, words, seed)
    assert said == filled(OPEN, [*reversed(words), *words], seed)
    if not words:
        assert said == OPEN
        return
    assert INSULT not in said
    for word in ("<slur>", "<other slur>"):
        said = said.replace(word, INSULT)
    assert said == OPEN


def test_a_text_that_is_hateful_alone_leaves_the_insult_open_and_a_harmless_one_leaves_nothing() -> None:
    reading = {"target_group": "", "text_label": 1, "final_label": 0}
    assert HatefulText(text=OPEN, **reading).text == OPEN
    with pytest.raises(ValueError, match="write <insult> where the insult would stand"):
        HatefulText(text="Those people moved in.", **reading)
    with pytest.raises(ValueError, match="write it without <insult>"):
        HarmlessText(text=OPEN, **reading)


@pytest.mark.parametrize(
    ("text", "people", "found"),
    [
        (OPEN, [], []),
        ("The blorks are here.", [], [Hold.SLUR]),
        ("The B-L-O-R-K-S are here.", [], []),  # the list is searched as it is written
        ("I know where you live.", [], [Hold.THREATENS]),
        ("Ask @somebody about it.", [], [Hold.POINTS_AT_A_PERSON]),
        ("See https://example.org/them for it.", [], [Hold.POINTS_AT_A_PERSON]),
        ("As the mayor says.", ["The mayor of Exampletown"], [Hold.NAMES_A_PERSON]),
        ("As the mayor says.", [" "], []),
        ("Blorks! Ask @them.", ["A. Person"], [Hold.SLUR, Hold.NAMES_A_PERSON, Hold.POINTS_AT_A_PERSON]),
    ],
)
def test_a_guard_rail_holds_a_sample_back(text: str, people: list[str], found: list[Hold]) -> None:
    assert holds(text, ["blorks"], people) == found


def test_coverage_counts_gold_and_what_is_under_way_and_leaves_impossible_squares_empty() -> None:
    categories = [Category(0, "NotHate", False), Category(1, "Racist", True)]
    table = coverage(categories, {("010", 0): 10, ("001", 1): 4}, {("010", 0): 3, ("001", 1): 4}, {("010", 0): 5})
    first, second = table["010"][0], table["001"][1]
    assert first is not None and (first.gold, first.in_work, first.missing) == (3, 5, 2)
    assert second is not None and second.missing == 0
    assert table["010"][1] is None and table["001"][0] is None
    assert sum(cell is not None for row in table.values() for cell in row) == 8


def read(category: int | None, pattern: str | None, known: bool = True) -> Read:
    return Read(0, "010", category, pattern, known)


def test_the_share_that_came_out_as_meant_is_taken_over_what_can_be_compared() -> None:
    # Five labelled: two as meant, one of another pattern, one without a majority, one without a prior.
    reads = (read(0, "010"), read(0, "010"), read(0, "000"), read(None, None), read(0, None, known=False))
    tally = Tally({SampleState.ACCEPTED: 6, SampleState.REJECTED: 2, SampleState.DUPLICATE: 1, SampleState.REFUSED: 3})
    row = StrategyYield(Strategy.OPPOSITION, tally, reads)
    assert (row.labelled, row.without_pattern, tally.made, tally.total) == (5, 1, 9, 12)
    aligned, by_category = row.aligned, row.category_aligned
    assert aligned is not None and (aligned.part, aligned.n) == (2, 4)
    # Wilson, 2 of 4, z = 1.959964: centre 0.5, half 1.959964 · √(1/16 + z²/64) / (1 + z²/4) = 0.349994.
    assert (aligned.interval.low, aligned.interval.high) == pytest.approx((0.150036, 0.849964), abs=2e-5)
    assert by_category is not None and (by_category.part, by_category.n) == (4, 5)
    whole, rate = in_all([row, StrategyYield(Strategy.PLAIN, Tally({}), ())])
    assert whole.made == 9 and rate is not None and (rate.part, rate.n) == (2, 4)
    told = row.as_json()
    assert (told["made"], told["accepted"], told["refused"], told["aligned"]["of"]) == (9, 6, 3, 4)
    assert StrategyYield(Strategy.PLAIN, Tally({}), ()).as_json()["aligned"] is None
