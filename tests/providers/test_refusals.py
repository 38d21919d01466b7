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
from providers.structured_output import is_refusal, is_refused

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
