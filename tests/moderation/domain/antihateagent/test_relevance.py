"""Which windows of a page are read; the scores are worked by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation.domain.antihateagent.page_windows import windows
from moderation.domain.antihateagent.relevance import relevant_windows, window_scores


def test_the_score_is_bm25_worked_by_hand() -> None:
    # Three windows of 2, 4 and 3 words, 3 on average. "weeds" is in two, "newcomers" in one, "the" in all.
    # idf = ln(1 + (3 - n + 0.5) / (n + 0.5)); a word counts tf / (tf + 1.5 * (0.25 + 0.75 * length / 3)).
    idf = {found: math.log(1 + (3.5 - found) / (found + 0.5)) for found in (1, 2, 3)}

    def share(times: int, length: int) -> float:
        return times / (times + 1.5 * (0.25 + 0.25 * length))

    texts = ["the weeds", "the newcomers weeds weeds", "the old garden"]
    assert window_scores(texts, "The weeds: newcomers") == pytest.approx(
        [
            (idf[3] + idf[2]) * share(1, 2),
            idf[3] * share(1, 4) + idf[2] * share(2, 4) + idf[1] * share(1, 4),
            idf[3] * share(1, 3),
        ],
        abs=1e-5,
    )
    assert window_scores(texts, "roses") == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("filler", "told", "post"),
    [
        ("A page about the weather in the hills. ", "People call newcomers weeds.", "Weeds among the newcomers again"),
        ("언덕의 날씨를 다룬 긴 글이다. ", "새로 온 사람을 잡초라고 부른다.", "잡초들이 또 왔네"),
        ("这是关于山上天气的长文章。", "新来的人被称作杂草。", "又来了一堆杂草"),
        ("丘の天気についての長い文章である。", "新しく来た人を雑草と呼ぶ。", "雑草がまた来た"),
    ],
    ids=["en", "ko", "zh", "ja"],
)
def test_the_passage_on_page_60_is_read(filler: str, told: str, post: str) -> None:
    pages = [filler * (2400 // len(filler)) for _ in range(80)]
    pages[59] += told
    text = "\f".join(pages)
    chosen = relevant_windows(text, 3, post)
    assert len(chosen) == 3
    assert told in chosen[0].text
    assert told not in "".join(window.text for window in windows(text, 3))


@given(st.lists(st.sampled_from(["weeds", "garden", "잡초", "杂草", "the\n", "a. "]), max_size=600), st.integers(1, 4))
def test_windows_are_parts_of_the_page_best_first(words: list[str], most: int) -> None:
    text = " ".join(words)
    chosen = relevant_windows(text, most, "weeds 잡초", size=300)
    every = windows(text, len(text), 300)
    assert len(chosen) == min(most, len(every))
    assert all(window in every for window in chosen)
    scores = window_scores([window.text for window in every], "weeds 잡초")
    ranks = [(-scores[every.index(window)], window.start) for window in chosen]
    assert ranks == sorted(ranks)


def test_a_page_that_shares_nothing_is_read_from_its_beginning() -> None:
    text = "Nothing of the kind is said here. " * 900
    assert relevant_windows(text, 3, "잡초") == windows(text, 3)
