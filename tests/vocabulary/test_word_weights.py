"""What of a text is weighed, and how a table is read."""

import re
from pathlib import Path

import pytest

from vocabulary.word_weights import WordWeights, features

MACHINE = {"machine": re.compile("model|bot"), "wanted": re.compile("safe")}


def test_words_and_runs_of_three_with_stems_are_weighed() -> None:
    assert features("Answers, please", {}) == {"^answers", "answers", "answ*", "answers ,", "answers , please"} | {
        ",", ", please", "please", "plea*",
    }  # fmt: skip


def test_korean_and_chinese_are_weighed_in_pieces_and_by_their_ends() -> None:
    assert {"^못합", "못합", "합니다", "니다$"} - features("못합니다", {}) == {"니다$"}
    assert {"不能", "不能说", "不能说$"} <= features("我不能说", {})


def test_ideas_of_a_text_are_weighed_with_their_pairs() -> None:
    assert {"@machine", "@wanted", "@machine wanted", "@1", "@2"} <= features("A safe model", MACHINE)
    assert "@machine wanted" not in features("A model", MACHINE)


def test_a_score_adds_the_weights_of_what_is_there_to_the_start(tmp_path: Path) -> None:
    table = tmp_path / "table.tsv"
    table.write_text("-50\t\n120\tmodel\n30\t@machine\n900\tnothing\n", encoding="utf-8")
    assert WordWeights(table, MACHINE).score("Model") == pytest.approx(-0.5 + 1.2 + 0.3)
