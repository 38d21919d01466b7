"""Marks on a reply for what leads to people, threats, names and links, and for another language than the post's."""

import json
from pathlib import Path
from typing import Any

import pytest

from generation.domain.counterspeech.languages import differs_from, languages_differ
from generation.domain.counterspeech.safety_flags import Flag, flags, in_wording

ROWS = [json.loads(line) for line in Path(__file__).with_name("marks.jsonl").read_text(encoding="utf-8").splitlines()]
ENGLISH = "Nobody on this street was planted here first, and twelve families say so in the register of the town."
KOREAN = "이 거리에 처음부터 심어진 사람은 아무도 없습니다."
CHINESE = "这条街上没有人是先种下的。"
GERMAN = "Niemand wurde in dieser Straße zuerst gepflanzt, und zwölf Familien sagen das im Register der Stadt."


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"])
def test_each_kind_has_its_own_mark_and_a_kind_reply_has_none(row: dict[str, Any]) -> None:
    raised = flags(row["text"])
    assert raised == [] if row["mark"] is None else Flag(row["mark"]) in raised


@pytest.mark.parametrize(
    ("reply", "post", "differ"),
    [
        (ENGLISH, KOREAN, True),
        (KOREAN, ENGLISH, True),
        (CHINESE, ENGLISH, True),
        (KOREAN, CHINESE, True),
        (GERMAN, ENGLISH, True),
        (ENGLISH, ENGLISH, False),
        (KOREAN, KOREAN, False),
        (CHINESE, CHINESE, False),
        ("Nein.", "Why?", False),  # too short to be sure
        ("12:30 !!", KOREAN, False),
        (f"{KOREAN} OK?", KOREAN, False),
        (ENGLISH, "", False),
    ],
)
def test_only_a_language_that_is_surely_another_is_marked(reply: str, post: str, differ: bool) -> None:
    assert languages_differ(reply, post) is differ
    assert (Flag.OTHER_LANGUAGE in flags(reply, post=post)) is differ


@pytest.mark.parametrize(
    ("text", "name", "differs"),
    [
        (KOREAN, "English", True),
        (KOREAN, "Korean", False),
        (KOREAN, "한국어", False),
        (CHINESE, "中文", False),
        (CHINESE, "Simplified Chinese", False),
        (ENGLISH, "korean ", True),
        (ENGLISH, "English", False),
        (GERMAN, "English", True),
        (GERMAN, "Deutsch", False),
        (KOREAN, "the language of the street", False),
        ("Rosen.", "English", False),
    ],
)
def test_a_sample_is_held_to_the_language_that_its_batch_names(text: str, name: str, differs: bool) -> None:
    assert differs_from(text, name) is differs


def test_digits_for_letters_hide_no_forbidden_word() -> None:
    assert Flag.REPEATS_INSULT in flags("These w33ds again.", ["weeds"])


def test_the_words_that_raised_a_mark_are_told() -> None:
    found = {finding.flag: finding.words for finding in in_wording("See https://a.example.org/b?c=1.2 for more.")}
    assert found == {Flag.UNOPENED_LINK: "https://a.example.org/b?c=1.2"}
