"""Consensus by hand and by property: design section 4."""

import json
from collections import Counter
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.choices import Level
from annotation.domain.consensus import Agreed, Binary, KindUndecided, NoMajority, consensus
from annotation.domain.votes import Category

votes_of_categories = st.lists(st.sampled_from(DEFAULT_CATEGORIES), min_size=2, max_size=15)


def of(*codes: int):
    return consensus([DEFAULT_CATEGORIES[code] for code in codes])


@pytest.mark.parametrize(
    ("codes", "level", "category", "binary"),
    [
        ((0, 0, 0), Level.PERFECT, 0, Binary(False, 3)),
        ((1, 1, 1), Level.PERFECT, 1, Binary(True, 3)),
        ((1, 1, 2), Level.STRONG, 1, Binary(True, 3)),
        ((1, 1, 0), Level.WEAK, 1, Binary(True, 2)),
        ((1, 0, 0), Level.WEAK, 0, Binary(False, 2)),
        ((4, 4), Level.PERFECT, 4, Binary(True, 2)),
        ((1, 1, 1, 0), Level.WEAK, 1, Binary(True, 3)),
        ((1, 1, 1, 2, 3), Level.STRONG, 1, Binary(True, 5)),
        ((0, 0, 0, 1, 2), Level.WEAK, 0, Binary(False, 3)),
        ((2, 2, 2, 0, 1), Level.WEAK, 2, Binary(True, 4)),
    ],
)
def test_a_strict_majority_is_the_final_category(codes, level, category, binary):
    assert of(*codes) == Agreed(level, DEFAULT_CATEGORIES[category], binary)


@pytest.mark.parametrize(("codes", "votes"), [((1, 2, 3), 3), ((2, 2, 1, 1, 3), 5), ((1, 2), 2), ((1, 1, 2, 2), 4)])
def test_all_hateful_without_a_majority_leaves_the_kind_undecided(codes, votes):
    assert of(*codes) == KindUndecided(Binary(True, votes))


@pytest.mark.parametrize(
    ("codes", "binary"),
    [
        ((1, 2, 0), Binary(True, 2)),  # hateful has a binary majority, no kind does
        ((0, 1), Binary(None, 1)),
        ((0, 0, 1, 1), Binary(None, 2)),
        ((0, 0, 1, 2), Binary(None, 2)),
        ((0, 0, 1, 1, 2), Binary(True, 3)),
    ],
)
def test_no_majority_keeps_the_binary_outcome_beside_it(codes, binary):
    assert of(*codes) == NoMajority(binary)


def test_two_different_harmless_categories_agree_on_nothing_but_the_bit():
    fine, odd = Category(0, "Fine", False), Category(1, "Odd", False)
    assert consensus([fine, odd]) == NoMajority(Binary(False, 2))


@pytest.mark.parametrize("votes", [(), (DEFAULT_CATEGORIES[0],)])
def test_fewer_than_two_votes_are_no_consensus(votes):
    with pytest.raises(ValueError, match="at least two"):
        consensus(votes)


@given(votes_of_categories, st.randoms())
def test_the_order_of_the_votes_never_matters(votes, random):
    shuffled = list(votes)
    random.shuffle(shuffled)
    assert consensus(shuffled) == consensus(votes)


@given(votes_of_categories)
def test_a_final_category_always_has_more_than_half(votes):
    outcome = consensus(votes)
    top = max(Counter(votes).values())
    assert isinstance(outcome, Agreed) == (2 * top > len(votes))
    if isinstance(outcome, Agreed):
        assert 2 * votes.count(outcome.category) > len(votes)


@given(votes_of_categories)
def test_the_level_says_what_its_definition_says(votes):
    level = consensus(votes).level
    hateful = [vote.hateful for vote in votes]
    assert (level is Level.PERFECT) == (len(set(votes)) == 1)
    assert (level is Level.STRONG) == (len(set(votes)) > 1 and all(hateful))
    if level is Level.WEAK:
        assert not all(hateful)


@given(votes_of_categories)
def test_the_binary_outcome_follows_the_final_category_wherever_there_is_one(votes):
    outcome = consensus(votes)
    hateful = sum(vote.hateful for vote in votes)
    assert outcome.binary.hateful == (None if 2 * hateful == len(votes) else 2 * hateful > len(votes))
    if isinstance(outcome, Agreed) and outcome.category.hateful:
        assert outcome.binary.hateful is True  # a majority of one kind is a majority of hateful


@pytest.mark.shared_data
def test_levels_of_the_hatexplain_validation_set(shared_data: Path):
    rows = shared_data / "hatexplain_val.jsonl"
    assert rows.exists()
    golden = json.loads((shared_data / "golden" / "agreement_hatexplain_val.json").read_text())["expected"][
        "hatexplain_val"
    ]
    named = {
        "normal": Category(0, "normal", False),
        "offensive": Category(1, "offensive", True),
        "hatespeech": Category(2, "hatespeech", True),
    }
    levels: Counter[str] = Counter()
    for line in rows.read_text(encoding="utf-8").split("\n"):
        if line:
            votes = [named[annotator["label"]] for annotator in json.loads(line)["annotators"]]
            levels[consensus(votes).level.value.capitalize()] += 1
    assert {**{"None": 0}, **levels} == golden["consensus"]


@pytest.mark.parametrize("value", [Binary(True, 2), of(1, 1), of(1, 2), of(0, 1)])
def test_an_outcome_cannot_be_changed(value):
    with pytest.raises(FrozenInstanceError):
        value.binary = None
