"""Explanations whose meaning hangs on their structure: keys, readings, parts and wholes, fields, verbs of judging."""

import json
from pathlib import Path
from typing import Any

import pytest

from moderation.domain.hatexscore.htc import conclusions, verdict

LANGUAGES = ["en", "ko", "zh"]


def rows(language: str) -> list[dict[str, Any]]:
    lines = Path(__file__).with_name(f"meanings_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_read_is_what_is_meant(language: str) -> None:
    read = [(row, verdict(row["text"])) for row in rows(language)]
    assert [row for row, said in read if said is not None and said is not row["hateful"]] == []
    assert sum(said is row["hateful"] for row, said in read) / len(read) >= 0.94  # the rest is null


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_has_rows_of_each_verdict(language: str) -> None:
    said = {(row["kind"], row["hateful"]) for row in rows(language)}
    assert {(kind, label) for kind in ("part", "readings", "keys") for label in (True, False, None)} <= said


def test_a_conclusion_by_a_code_stands_where_the_code_does() -> None:
    text = "Label: 1 (1 = hateful, 0 = not hateful)"
    assert [text[said.start : said.end] for said in conclusions(text)] == ["1"]


def test_a_number_between_two_of_a_key_says_what_the_nearer_says_or_nothing() -> None:
    key = "(1 = not hateful, 9 = very hateful)"
    assert [verdict(f"Score: {number} {key}") for number in (2, 5, 8, 12)] == [False, None, True, None]


@pytest.mark.parametrize(("language", "right", "wrong"), [("en", 60, 6), ("ko", 42, 1), ("zh", 32, 3)])
def test_what_is_said_of_another_subject_or_scope_concludes_little_but_not_the_opposite(
    language: str, right: int, wrong: int
) -> None:
    lines = Path(__file__).with_name(f"scopes_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    read = [(row["hateful"], verdict(row["text"])) for row in map(json.loads, lines)]
    assert sum(said is not None and said is not meant for meant, said in read) <= wrong
    assert sum(said is not None and said is meant for meant, said in read) >= right
