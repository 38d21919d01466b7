"""Explanations and refusals by a writer who had not read the rules: the figures do not fall below those once reached.

`docs/hatexscore.md` has the figures of the first reading, before any rule was changed for these texts.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from moderation.domain.hatexscore.htc import verdict
from providers.structured_output import is_refusal

FOLDER = Path(__file__).with_name("held_out")


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("language", "right", "opposite", "answered"), [("en", 115, 1, 116), ("ko", 115, 3, 118), ("zh", 118, 3, 121)]
)
def test_what_is_answered_stays_right(language: str, right: int, opposite: int, answered: int) -> None:
    read = [(row["hateful"], verdict(row["text"])) for row in rows(f"conclusions-{language}")]
    assert len(read) == 150
    assert sum(said is not None and said is meant for meant, said in read) >= right
    assert sum(None not in (meant, said) and said is not meant for meant, said in read) <= opposite
    assert sum(said is not None for _, said in read) >= answered


def test_refusals_are_told_from_verdicts_that_begin_like_one() -> None:
    refusals, verdicts = rows("refusals"), rows("like-refusals")
    assert len(refusals) == len(verdicts) == 60
    assert [row["text"] for row in refusals if not is_refusal(row["text"])] == []
    assert [row["text"] for row in verdicts if is_refusal(row["text"])] == []
