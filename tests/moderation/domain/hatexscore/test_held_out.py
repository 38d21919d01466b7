"""Explanations and refusals by writers who had not read the rules: the figures do not fall below those once reached.

`docs/hatexscore.md` has the figures of the first reading of each set, before any rule was changed for its texts. The
sets `a-` and `b-` were written later than the first one, and `c-` after the last change.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from moderation.domain.hatexscore.htc import verdict
from providers.structured_output import is_refusal

FOLDER = Path(__file__).with_name("held_out")
SETS = ("", "a-", "b-")


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("conclusions-en", 112, 1),
        ("conclusions-ko", 110, 1),
        ("conclusions-zh", 117, 0),
        ("a-conclusions-en", 55, 0),
        ("a-conclusions-ko", 57, 0),
        ("a-conclusions-zh", 59, 0),
        ("b-conclusions-en", 59, 0),
        ("b-conclusions-ko", 61, 0),
        ("b-conclusions-zh", 59, 1),
        ("c-conclusions-en", 14, 0),
        ("c-conclusions-ko", 13, 0),
        ("c-conclusions-zh", 15, 0),
    ],
)
def test_what_is_answered_stays_right(name: str, right: int, wrong: int) -> None:
    read = [(row["hateful"], verdict(row["text"])) for row in rows(name)]
    assert sum(said is not None and said is meant for meant, said in read) >= right
    assert sum(said is not None and said is not meant for meant, said in read) <= wrong


@pytest.mark.parametrize("name", SETS)
def test_refusals_are_told_from_verdicts_that_begin_like_one(name: str) -> None:
    missed = [row["id"] for row in rows(f"{name}refusals") if not is_refusal(row["text"])]
    assert missed == (["ko-s09"] if name == "b-" else [])
    assert [row["text"] for row in rows(f"{name}like-refusals") if is_refusal(row["text"])] == []


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("language", ["en", "ko", "zh"])
def test_no_verdict_is_taken_for_a_refusal(name: str, language: str) -> None:
    verdicts = [row["text"] for row in rows(f"{name}conclusions-{language}") if row["hateful"] is not None]
    assert [text for text in verdicts if is_refusal(text)] == []
