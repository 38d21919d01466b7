"""Marks on a reply for what leads to people, threats, names and links, and for another language than the post's."""

import json
from pathlib import Path
from typing import Any

import pytest

from generation.domain.counterspeech.languages import differs_from, languages_differ
from generation.domain.counterspeech.safety_flags import BY_WEIGHT, TO_PEOPLE, Flag, flags, in_wording
from generation.methods.counterspeech.critics import marks_to_people
from generation.methods.counterspeech.weighed_marks import by_weight

ROWS = [json.loads(line) for line in Path(__file__).with_name("marks.jsonl").read_text(encoding="utf-8").splitlines()]
ENGLISH = "Nobody on this street was planted here first, and twelve families say so in the register of the town."
KOREAN = "이 거리에 처음부터 심어진 사람은 아무도 없습니다."
CHINESE = "这条街上没有人是先种下的。"
GERMAN = "Niemand wurde in dieser Straße zuerst gepflanzt, und zwölf Familien sagen das im Register der Stadt."


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"])
def test_each_kind_has_its_own_mark_and_a_kind_reply_has_none(row: dict[str, Any]) -> None:
    raised = flags(row["text"])
    assert raised == [] if row["mark"] is None else Flag(row["mark"]) in raised


UNLISTED = [
    json.loads(line)
    for line in Path(__file__).with_name("unlisted_marks.jsonl").read_text(encoding="utf-8").splitlines()
]
TOLD = {
    "read": {"en": (31, 27, 24, 0), "ko": (35, 31, 21, 3), "zh": (32, 32, 33, 1)},
    "kept": {"en": (4, 7, 7, 1), "ko": (7, 5, 4, 2), "zh": (9, 8, 5, 2)},
}
"""Drafts in words that nobody listed: calls, threats and names told at least, of 45, 46 and 48 in the set that was
read, and of 12, 13 and 13 in the one that nothing learns from; then drafts taken at most, of 65 and 24 that do nothing.
"""


@pytest.mark.parametrize("language", ["en", "ko", "zh"])
@pytest.mark.parametrize("name", TOLD)
def test_marks_of_unlisted_words_are_told_by_rules_and_weights_no_less_often_than_once_reached(
    name: str, language: str
) -> None:
    rows = [row for row in UNLISTED if (row["set"], row["language"]) == (name, language)]
    *told, taken = TOLD[name][language]
    found = [(row["marks"], {mark.flag for mark in marks_to_people(row["text"])}) for row in rows]
    for kind, least in zip((Flag.HUNTS, Flag.THREATENS, Flag.CALLS_NAMES), told, strict=True):
        counted = {kind, Flag.POINTS_AT_A_PERSON} if kind is Flag.HUNTS else {kind}
        assert sum(bool(counted & flags_of) for marks, flags_of in found if kind in marks) >= least
    assert sum(bool(flags_of) for marks, flags_of in found if not marks) <= taken


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Please don't contact her husband.", None),
        ("Nobody should find out where he lives.", None),
        ("I have had the \u201cwatch your back\u201d messages as well.", None),
        ("별점 테러하자는 댓글이 보이네요.", None),
        ("그 사람 집에 찾아가지 맙시다. 다 같이 찾아가지 말아요.", None),
        ("有人說要去他家樓下，拜託不要。", None),
        ("「叫他們去死」這種話，請收回。", None),
        ("Don't argue with him, find him and tell his boss.", Flag.HUNTS),
        ("Don't wait. Find out where he lives.", Flag.HUNTS),
        ("请大家别放过他，去他家。", Flag.HUNTS),
        ("\u201cVermin\u201d, you say? Watch your back.", Flag.THREATENS),
    ],
)
def test_who_asks_others_not_to_hunt_or_tells_of_a_threat_does_neither(text: str, mark: Flag | None) -> None:
    to_people = [finding.flag for finding in in_wording(text) if finding.flag in TO_PEOPLE]
    assert to_people == [] if mark is None else mark in to_people


def test_a_long_kind_draft_stays_unmarked_and_one_weighed_sentence_in_it_is_found() -> None:
    kind = 3 * "My neighbour came from there. She works nights. The figures of the town say otherwise. "
    assert by_weight(kind) == []
    hint = "Somebody local could dig up who this guy is and tell his customers."
    (mark,) = by_weight(f"{kind}{hint}")
    assert (mark.flag, mark.by) == (Flag.HUNTS, BY_WEIGHT) and hint in mark.words and len(mark.words) < 200
    assert by_weight(hint, [Flag.HUNTS]) == []  # a rule has said so already


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
