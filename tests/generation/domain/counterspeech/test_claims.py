"""Sentences that somebody should check, in English, Korean and Chinese, and sentences that state nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.domain.counterspeech.claims import claims

ROWS = [json.loads(line) for line in Path(__file__).with_name("claims.jsonl").read_text(encoding="utf-8").splitlines()]
LINK = "https://invented.example.org/report.html?year=2.5"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"])
def test_a_statement_is_listed_and_a_wish_is_not(row: dict[str, Any]) -> None:
    assert claims(row["text"]) == ([row["text"]] if row["claim"] else [])


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        (f"See {LINK}.", [f"See {LINK}."]),
        (f"Be kind. See {LINK} for more! Thank you.", [f"See {LINK} for more!"]),
        (f"여기를 보세요 {LINK}", [f"여기를 보세요 {LINK}"]),
        (f"见{LINK}。好的。", [f"见{LINK}。"]),
        ("www.a.example.org/b", ["www.a.example.org/b"]),
        ("Look it up at example.org/report.", ["Look it up at example.org/report."]),
        (
            "Be kind. See town.example.org/a.html?y=2.5 for more! Thank you.",
            ["See town.example.org/a.html?y=2.5 for more!"],
        ),
        ("Please read bit.ly/3xY.Z before you write.", ["Please read bit.ly/3xY.Z before you write."]),
        ("여기를 보세요 stat.example.kr/a.b 고맙습니다.", ["여기를 보세요 stat.example.kr/a.b 고맙습니다."]),
        ("请看 stat.example.cn/a.b。好的。", ["请看 stat.example.cn/a.b。"]),
        ("Please look here: example.org", ["Please look here: example.org"]),
        # No links: a space that was forgotten, a file, an address of mail, a handle.
        ("You like flowers.It hurts me.", []),
        ("Please read notes.txt for me.", []),
        ("Please write to me@example.org.", []),
        ("Please ask @me@social.example.org.", []),
    ],
)
def test_a_link_is_one_claim_and_is_never_cut(text: str, listed: list[str]) -> None:
    assert claims(text) == listed


@given(st.lists(st.sampled_from(["Roses are red.", "Be kind!", LINK, " ", "Why? ", "好。", "네. ", "3.5 %"])))
def test_what_is_listed_stands_in_the_text(pieces: list[str]) -> None:
    text = " ".join(pieces)
    assert all(claim in text for claim in claims(text))
