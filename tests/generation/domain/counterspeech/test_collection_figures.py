"""Figures over a collection: worked by hand, and held to an implementation that shares nothing but the words."""

import random
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from generation.domain.counterspeech.collection_figures import (
    WordStore,
    diversity,
    edits,
    novelty,
    post_edit_rate,
    repetition_rate,
)
from generation.domain.tokens import tokens

TEXTS = some.lists(some.lists(some.sampled_from("abcdefgh"), max_size=9).map(" ".join), max_size=7)


def index(first: str, second: str) -> Fraction:
    """The Jaccard index, word by word."""
    vocabulary = sorted({*tokens(first), *tokens(second)})
    if not vocabulary:
        return Fraction(1)
    both = [word for word in vocabulary if word in tokens(first) and word in tokens(second)]
    return Fraction(len(both), len(vocabulary))


def rate(texts: list[str], window: int) -> Fraction | None:
    """The fourth power of the repetition rate, by looking for each n-gram in each sample."""
    words = [word for text in texts for word in tokens(text)]
    whole = len(words) // window
    samples = [words[number * window : (number + 1) * window] for number in range(whole)] if whole else [words]
    power = Fraction(1)
    for length in (1, 2, 3, 4):
        repeated = distinct = 0
        for sample in samples:
            grams = [tuple(sample[at : at + length]) for at in range(len(sample) - length + 1)]
            for gram in set(grams):
                distinct += 1
                repeated += grams.count(gram) > 1
        if distinct == 0:
            return None
        power *= Fraction(repeated, distinct)
    return power


def distance(old: tuple[str, ...], new: tuple[str, ...]) -> int:
    """Levenshtein's distance by its recursion."""
    if not old or not new:
        return len(old) + len(new)
    if old[0] == new[0]:
        return distance(old[1:], new[1:])
    return 1 + min(distance(old[1:], new), distance(old, new[1:]), distance(old[1:], new[1:]))


# ── Worked by hand ────────────────────────────────────────────────────────────


def test_novelty_by_hand() -> None:
    # {roses, are, red} and {roses, are, blue}: 2 shared of 4 words; with {weeds}: none. 1 - 2/4.
    assert novelty("Roses are red", WordStore(["weeds", "Roses are blue"])) == pytest.approx(0.5)
    assert novelty("Roses", WordStore()) is None
    assert novelty("Roses", WordStore(["Weeds"])) == 1


@pytest.mark.parametrize("text", ["Roses are red.", "장미는 빨갛다.", "玫瑰是红色的。", "…"])
def test_a_copy_has_no_novelty(text: str) -> None:
    assert novelty(text, WordStore(["Another one.", text])) == 0


def test_diversity_by_hand() -> None:
    # a b | a c | d: the nearest of the first two is 1/3, of the third 0. 1 - (1/3 + 1/3 + 0)/3 = 7/9.
    assert diversity(["a b", "a c", "d"]) == pytest.approx(7 / 9)
    assert diversity(["a b", "a b"]) == 0
    assert diversity(["a"]) is None and diversity([]) is None


def test_repetition_rate_by_hand() -> None:
    # a b a b a b: 2 of 2 words repeat, 2 of 2 pairs, 2 of 2 triples; of the fours abab does and baba does not: 1 of 2.
    assert repetition_rate(["a b a", "b a b"]) == pytest.approx(0.5**0.25)
    assert repetition_rate(["a b c d"]) == 0
    assert repetition_rate(["a b c"]) is None
    # Two samples of four: a a a a has 1 of 1 word, pair and triple, 0 of 1 four; b c d e none of 4, 3, 2, 1.
    assert repetition_rate(["a a a a b c d e f"], window=4) == 0
    # Samples of five: words 1 of 1 and 0 of 5, pairs 1 of 1 and 0 of 4, triples 1, 0 of 3, fours 1, 0 of 2.
    assert repetition_rate(["a a a a a b c d e f"], window=5) == pytest.approx((1 / 6 / 5 / 4 / 3) ** 0.25)


def test_post_edit_rate_by_hand() -> None:
    # "the weeds are red" → "roses are red": the and weeds become roses, so one is removed and one replaced: 2 of 3.
    assert post_edit_rate("The weeds are red.", "Roses are red!") == pytest.approx(2 / 3)
    assert post_edit_rate("The same.", "the SAME") == 0
    assert post_edit_rate("", "All new words") == 1
    assert post_edit_rate("Something", "…") is None


# ── Against another implementation ────────────────────────────────────────────


@given(TEXTS, some.lists(some.sampled_from("abcdefgh"), max_size=9).map(" ".join))
@settings(deadline=None)
def test_novelty_is_that_of_another_implementation(store: list[str], text: str) -> None:
    expected = None if not store else 1 - max(index(text, other) for other in store)
    found = novelty(text, WordStore(store))
    assert found == (None if expected is None else pytest.approx(float(expected)))


@given(TEXTS)
@settings(deadline=None)
def test_diversity_is_that_of_another_implementation(texts: list[str]) -> None:
    if len(texts) < 2:
        assert diversity(texts) is None
        return
    nearest = [
        max(index(text, other) for at, other in enumerate(texts) if at != place) for place, text in enumerate(texts)
    ]
    assert diversity(texts) == pytest.approx(float(1 - sum(nearest) / len(nearest)))


@given(TEXTS, some.integers(4, 12))
@settings(deadline=None)
def test_repetition_rate_is_that_of_another_implementation(texts: list[str], window: int) -> None:
    expected, found = rate(texts, window), repetition_rate(texts, window)
    assert found == (None if expected is None else pytest.approx(float(expected) ** 0.25))


@given(some.lists(some.sampled_from("abc"), max_size=6), some.lists(some.sampled_from("abc"), max_size=6))
@settings(deadline=None)
def test_edits_are_levenshteins(old: list[str], new: list[str]) -> None:
    assert edits(old, new) == distance(tuple(old), tuple(new))


def test_only_what_stood_there_before_counts() -> None:
    store = WordStore(["a b", "c d", "a b"])
    assert novelty("a b", store, 0) is None
    assert (novelty("a c", store, 1), novelty("c d", store, 1), novelty("a b", store, 2)) == (
        pytest.approx(2 / 3), 1, 0,
    )  # fmt: skip


def test_a_text_is_compared_with_hundreds_at_once() -> None:
    draw = random.Random(7)
    names = ["".join(letters) for letters in product("abcdefghij", repeat=3)]
    texts = [" ".join(["the", "of", *draw.sample(names, 12)]) for _ in range(400)]
    store = WordStore(texts)
    for text in texts[:5]:
        asked = text + " and the rest"
        assert store.nearest(asked) == pytest.approx(float(max(index(asked, other) for other in texts)))
