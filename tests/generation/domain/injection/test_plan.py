"""Plans: read as a whole, or the first entry at fault is named with what to do."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.votes import Category
from generation.domain.injection.draw import Drawable, deal
from generation.domain.injection.plan import BadPlan, Entry, Stock, read_plan
from generation.domain.injection.strategies import PATTERNS, PATTERNS_OF, Strategy, strategies_for

CATEGORIES = (
    Category(0, "NotHate", False),
    Category(1, "Racist", True, ("Racism",)),
    Category(4, "Religion", True),
)
STOCK = Stock(
    CATEGORIES,
    {"street": ("", 2, 3), "market": ("newcomers", 0, 2), "empty": ("", 0, 0)},
    {"newcomers": 2},
    {"street": {0, 1}, "market": {0}},
)
GOOD = {
    "pattern": "010",
    "category": 0,
    "strategy": "contextual_inversion",
    "target_group": "newcomers",
    "pool": "street",
    "count": 2,
}


def test_an_entry_is_read_with_its_category_by_code_name_or_alias() -> None:
    entry = Entry("010", 0, Strategy.CONTEXTUAL_INVERSION, "newcomers", "street", 2)
    assert read_plan([GOOD], STOCK) == [entry]
    hateful = GOOD | {"pattern": "111", "strategy": "plain"}
    for written in (1, "1", "racist", "Racism"):
        assert read_plan([hateful | {"category": written}], STOCK)[0].category == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"pattern": 10}, "10 is no pattern"),
        ({"pattern": "002"}, "'002' is no pattern"),
        ({"strategy": "irony"}, "'irony' is no strategy; choose one of opposition"),
        ({"strategy": "plain"}, "plain does not make 010; for that pattern choose one of opposition"),
        ({"category": 1}, "010 means not hateful together, and Racist does not"),
        ({"category": "Racits"}, "category: "),
        ({"category": None}, "category: "),
        ({"count": 0}, "count is a whole number from 1 to 1,000, not 0"),
        ({"count": True}, "count is a whole number"),
        ({"count": "2"}, "count is a whole number"),
        ({"target_group": " "}, "010 has a hateful part, so target_group names"),
        ({"target_group": 3}, "target_group is a text, not 3"),
        ({"target_group": "x" * 201}, "target_group: "),
        ({"pool": "square"}, "there is no picture pool 'square'; make it first, or choose one of: empty, market"),
        ({"pool": "market"}, "010 needs pictures that are hateful alone, and the pool 'market' has none"),
        ({"number": 2}, "there is no 'number'; the fields are"),
    ],
)  # fmt: skip
def test_a_bad_entry_is_named_with_what_to_do(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadPlan) as bad:
        read_plan([GOOD, GOOD | change], STOCK)
    assert bad.value.entry == 2 and bad.value.sentence.startswith("Entry 2: ") and said in bad.value.sentence
    assert len(bad.value.sentence) < 400


def test_a_picture_that_stays_hateful_has_to_show_the_intended_kind_of_hate() -> None:
    for pattern in ("011", "111"):
        wish = GOOD | {"pattern": pattern, "strategy": "plain", "category": "Religion"}
        with pytest.raises(BadPlan, match="needs pictures that are Religion alone, and the pool 'street' has none"):
            read_plan([wish], STOCK)
        assert read_plan([wish | {"category": 1}], STOCK)[0].image_category == 1
    for pattern, strategy in (("101", "plain"), ("010", "opposition")):
        wish = GOOD | {"pattern": pattern, "strategy": strategy, "category": 4 * int(pattern[2])}
        assert read_plan([wish], STOCK)[0].image_category is None  # the hate is not the picture's, or is turned round


def test_a_missing_field_and_a_thing_that_is_no_entry_are_named() -> None:
    with pytest.raises(BadPlan, match="Entry 1: pool is missing"):
        read_plan([{name: value for name, value in GOOD.items() if name != "pool"}], STOCK)
    with pytest.raises(BadPlan, match="Entry 1: write an object with"):
        read_plan(["010"], STOCK)


def test_a_plan_is_a_list_of_some_length() -> None:
    for value, said in (({}, "is a list"), ([], "is empty"), ([GOOD] * 201, "201 entries")):
        with pytest.raises(BadPlan, match=said):
            read_plan(value, STOCK)
    with pytest.raises(BadPlan, match="6,000 samples"):
        read_plan([GOOD | {"count": 1000}] * 6, STOCK)


def test_a_paraphrase_needs_trigger_texts_and_a_pool_of_the_same_group() -> None:
    wish = {"pattern": "001", "category": 1, "strategy": "paraphrase", "target_group": "Newcomers", "pool": "market",
            "count": 1}  # fmt: skip
    assert read_plan([wish], STOCK)[0].strategy is Strategy.PARAPHRASE
    with pytest.raises(BadPlan, match="no trigger text about 'neighbours'"):
        read_plan([wish | {"target_group": "neighbours"}], STOCK)
    with pytest.raises(BadPlan, match="is about nobody in particular; choose a pool about 'Newcomers'"):
        read_plan([wish | {"pool": "street"}], STOCK)


def test_every_pattern_has_a_strategy_and_the_reversed_ones_have_four() -> None:
    assert {pattern: len(strategies_for(pattern)) for pattern in PATTERNS} == {
        "000": 1, "001": 1, "010": 4, "011": 1, "100": 4, "101": 1, "110": 4, "111": 1,
    }  # fmt: skip
    assert {pattern for patterns in PATTERNS_OF.values() for pattern in patterns} == set(PATTERNS)


@given(st.lists(st.tuples(st.sampled_from(["010", "110", "000"]), st.integers(1, 12)), min_size=1, max_size=5),
       st.integers(0, 2**31 - 1))  # fmt: skip
def test_no_picture_comes_again_before_all_that_fit_have_come(wishes: list[tuple[str, int]], seed: int) -> None:
    entries = [Entry(pattern, 0, strategies_for(pattern)[0], "newcomers", "street", n) for pattern, n in wishes]
    pictures = [Drawable(key, "street", int(key < 7), key < 7) for key in (4, 5, 6, 7, 8)]
    dealt = deal(entries, pictures, {}, seed)
    assert dealt == deal(entries, pictures, {}, seed)
    assert len(dealt) == sum(n for _pattern, n in wishes)
    for hateful, keys in ((True, {4, 5, 6}), (False, {7, 8})):
        drawn = [each.picture for each in dealt if entries[each.entry - 1].image_hateful is hateful]
        rounds = [drawn[start : start + len(keys)] for start in range(0, len(drawn), len(keys))]
        assert all(len(set(each)) == len(each) and set(each) <= keys for each in rounds)
    assert all(0 <= each.seed < 2**31 and each.trigger is None for each in dealt)


@given(
    st.lists(
        st.tuples(st.sampled_from([("010", 0), ("011", 1), ("111", 4)]), st.integers(1, 9)), min_size=1, max_size=5
    ),
    st.lists(st.sampled_from([1, 4]), max_size=6),
    st.integers(0, 2**31 - 1),
)
def test_the_least_used_picture_that_fits_is_drawn(
    wishes: list[tuple[tuple[str, int], int]], more: list[int], seed: int
) -> None:
    entries = [
        Entry(pattern, code, strategies_for(pattern)[0], "newcomers", "street", n) for (pattern, code), n in wishes
    ]
    pictures = [Drawable(key, "street", code, True) for key, code in enumerate([1, 4, *more])]
    uses: Counter[int] = Counter()
    for dealt in deal(entries, [*pictures, Drawable(99, "street", 0, False), Drawable(98, "quay", 1, True)], {}, seed):
        wanted = entries[dealt.entry - 1].image_category
        fitting = [picture.key for picture in pictures if wanted in (None, picture.category)]
        assert dealt.picture in fitting and uses[dealt.picture] == min(uses[key] for key in fitting)
        uses[dealt.picture] += 1


def test_triggers_go_round_too_and_another_seed_deals_otherwise() -> None:
    entry = Entry("001", 1, Strategy.PARAPHRASE, "Newcomers", "market", 40)
    pictures, triggers = [Drawable(key, "market", 0, False) for key in range(20)], {"newcomers": [1, 2, 3, 4, 5]}
    dealt = deal([entry], pictures, triggers, 1)
    assert sorted(each.picture for each in dealt) == sorted([*range(20), *range(20)])
    assert [sum(each.trigger == key for each in dealt) for key in (1, 2, 3, 4, 5)] == [8] * 5
    assert dealt != deal([entry], pictures, triggers, 2)
    assert len({each.seed for each in dealt}) == 40
