"""Refusals in English, Korean and Chinese, and verdicts that begin like one."""

import json
from pathlib import Path
from typing import Any

import pytest

from generation.domain.counterspeech.options import (
    Described,
    Explained,
    Offence,
    Quality,
    Replies,
    SeenIntent,
    Stance,
    Toxicity,
)
from generation.domain.injection.schema import HarmlessText, LookAnswer
from providers.refusals import declines_to_write
from providers.structured_output import is_refusal, is_refused, only_refuses

GOOD = "Nobody on this street was planted here first."


def said(name: str) -> list[str]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


@pytest.mark.parametrize("text", said("refusals.jsonl"))
def test_what_declines_the_task_is_a_refusal(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", said("like_refusals.jsonl"))
def test_what_cannot_find_call_or_justify_is_a_verdict(text: str) -> None:
    assert not is_refusal(text)


def test_a_refusal_behind_talk_of_hate_is_talk_of_the_post() -> None:
    assert not is_refusal("The post is hateful. I can't help with that.")
    assert is_refusal("This is a picture with text. I can't help with that.")


ORDINARY = [
    json.loads(line)
    for line in Path(__file__).with_name("ordinary_refusals.jsonl").read_text(encoding="utf-8").splitlines()
]
FOUND = {"en": (30, 20), "ko": (30, 20), "zh": (29, 20)}
"""Language → refusals found of 30 and of 20 (`docs/hatexscore.md`)."""


@pytest.mark.parametrize("language", FOUND)
def test_a_refusal_in_ordinary_words_is_told_by_who_will_not_do_what(language: str) -> None:
    rows = [row for row in ORDINARY if row["language"] == language]
    found = [row["set"] for row in rows if row["refuses"] and is_refusal(row["text"])]
    assert (found.count(1), found.count(2)) == FOUND[language]
    assert [row["text"] for row in rows if not row["refuses"] and is_refusal(row["text"])] == []


UNLISTED = [
    json.loads(line)
    for line in Path(__file__).with_name("unlisted_refusals.jsonl").read_text(encoding="utf-8").splitlines()
]
TOLD = {
    "kept": {"en": (30, 1), "ko": (29, 2), "zh": (30, 1)},
    "kept, indirect": {"en": (7, 0), "ko": (9, 0), "zh": (9, 0)},
}
"""Refusals found, of 30 and of 15, and verdicts taken, in sets from which the weights of words learn nothing."""


@pytest.mark.parametrize("language", ["en", "ko", "zh"])
@pytest.mark.parametrize("part", TOLD)
def test_refusals_that_no_rule_names_are_told_by_the_weight_of_their_words(part: str, language: str) -> None:
    rows = [row for row in UNLISTED if (row["set"], row["language"]) == (part, language)]
    told = [row["refuses"] for row in rows if is_refusal(row["text"]) or only_refuses(row["text"])]
    found, taken = TOLD[part][language]
    assert told.count(True) >= found
    assert told.count(False) <= taken


def test_words_alone_refuse_no_form_that_has_its_verdict() -> None:
    assert not is_refusal("hello there, I am fine")
    assert not is_refusal("half \ud83d a pair, and more words that say nothing of any post")
    assert not is_refusal(json.dumps({"explanation": "Count me out, I would like to bow out here.", "category": 0}))


def test_who_cannot_tell_refuses_nothing() -> None:
    for text in (
        "As an AI assistant I can't make a judgment about this post without seeing the image it refers to.",
        "정보가 더 없으면 라벨을 달고 싶지 않습니다.",
        "不知道是谁发的这条帖子，我不想贴标签。",
    ):
        assert not is_refusal(text)


WRITTEN = [
    json.loads(line) for line in Path(__file__).with_name("written.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("row", WRITTEN, ids=lambda row: row["text"])
def test_a_text_that_was_to_be_written_is_a_refusal_only_where_it_speaks_of_the_task(row: dict[str, Any]) -> None:
    assert declines_to_write(row["text"]) is row["declines"]


@pytest.mark.parametrize("row", WRITTEN, ids=lambda row: row["text"])
def test_the_same_holds_in_every_field_of_json_that_is_the_models_own_word(row: dict[str, Any]) -> None:
    text, declines = row["text"], row["declines"]
    values = [
        Explained(explanation=text), Offence(explanation=text, insults=[GOOD]), Described(description=text),
        Replies(replies=[text]), Replies(replies=[text, text]),
        Stance(reason=text, stance=0), Quality(reason=text, quality=0), Toxicity(reason=text, toxicity=0),
        SeenIntent(reason=text, intent="none"),
        HarmlessText(text=text, target_group="", text_label=0, final_label=0),
        LookAnswer(description=text, category=0, target_group=""),
    ]  # fmt: skip
    assert [type(value).__name__ for value in values if is_refused(value) is not declines] == []


def test_a_list_that_is_refused_in_part_and_a_field_that_quotes_are_no_refusal() -> None:
    refusal = "I'm sorry, but I can't help with that."
    assert not is_refused(Replies(replies=[refusal, GOOD]))
    assert not is_refused(Offence(explanation=GOOD, insults=[refusal]))
    assert not is_refused(Stance(stance=0))
