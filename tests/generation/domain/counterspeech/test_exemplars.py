"""Exemplars by BM25, held to a plain count of the formula on a thousand real posts."""

import csv
import math
from collections import Counter
from pathlib import Path

import pytest

from generation.domain.counterspeech.exemplars import K1, SHOTS, B, Store
from generation.domain.tokens import plain, tokens


def by_the_formula(posts: list[str], asked: str) -> list[float]:
    """Lucene's BM25, summed term by term: idf = ln(1 + (N − n + ½)/(n + ½)), tf/(tf + k1 (1 − b + b·length/mean))."""
    bags = [tokens(post) for post in posts]
    mean = sum(map(len, bags)) / len(bags)
    having = Counter(word for bag in bags for word in set(bag))
    scores = []
    for bag in bags:
        counts, score = Counter(bag), 0.0
        for word in tokens(asked):
            if counts[word]:
                idf = math.log(1 + (len(bags) - having[word] + 0.5) / (having[word] + 0.5))
                score += idf * counts[word] / (counts[word] + K1 * (1 - B + B * len(bag) / mean))
        scores.append(score)
    return scores


@pytest.mark.shared_data
def test_the_nearest_of_a_thousand_real_posts_are_those_of_the_formula(shared_data: Path) -> None:
    with (shared_data / "hatecheck_cases.csv").open(encoding="utf-8", newline="") as file:
        posts = [row["test_case"] for row in csv.DictReader(file)][:1000]
    assert len(posts) == 1000
    store = Store(posts)
    for asked in posts[::25] + ["Nothing of this stands anywhere: zyzzyva"]:
        wanted = by_the_formula(posts, asked)
        assert store.scores(asked) == pytest.approx(wanted, abs=1e-4)
        found = store.nearest(asked)
        others = [place for place, post in enumerate(posts) if plain(post) != plain(asked)]
        best = sorted((wanted[place] for place in others), reverse=True)[:SHOTS]
        assert [wanted[each.place] for each in found] == pytest.approx(best, abs=1e-4)
        assert len({each.place for each in found}) == SHOTS
        assert all(plain(posts[each.place]) != plain(asked) for each in found)


def test_the_figures_are_those_of_the_paper_and_of_the_library() -> None:
    assert SHOTS == 3  # CoARL, appendix D
    assert (K1, B) == (1.5, 0.75)  # bm25s


def test_a_store_that_is_empty_or_shares_no_word_still_answers() -> None:
    assert Store([]).nearest("weeds") == []
    assert [each.place for each in Store(["one", "two"]).nearest("weeds")] == [0, 1]  # in the order of the store
    assert Store(["", "…"]).nearest("weeds", 1)[0].score == 0


def test_posts_without_spaces_find_each_other() -> None:
    store = Store(["The roses are white.", "白玫瑰被杂草缠住了", "흰 장미"])
    assert store.nearest("杂草又回来了", 1)[0].place == 1
