"""Refusals in English, Korean and Chinese, and verdicts that begin like one."""

import json
from pathlib import Path

import pytest

from providers.structured_output import is_refusal


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
