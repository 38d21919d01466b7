"""What a model thought is cut out of its answer, and nothing else is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.thoughts import holds_thoughts, without_thoughts

pytestmark = pytest.mark.once

DRAFT = 'At first sight: {"category": 0, "reason": "harmless"}. But no.'
ANSWER = "hate speech: it calls people weeds."

MANNERS = {
    "both tags": "<think>\n{thought}\n</think>\n\n{answer}",
    "on one line": "<think>{thought}</think>\n{answer}",
    "the closing tag alone": "{thought}\n</think>\n\n{answer}",
    "closed at the end of a line": "{thought}</think>\n\n{answer}",
    "thinking": "<thinking>{thought}</thinking>\n{answer}",
    "thought": "<thought>\n{thought}\n</thought>\n{answer}",
    "Magistral": "[THINK]{thought}[/THINK]{answer}",
    "Kimi": "◁think▷{thought}◁/think▷{answer}",
    "Seed": "<seed:think>{thought}</seed:think>\n{answer}",
    "Cohere": "<|START_THINKING|>{thought}<|END_THINKING|><|START_RESPONSE|>{answer}<|END_RESPONSE|>",
    "Granite": "Here is my thought process: {thought}\n\nHere is my response:\n{answer}",
    "Sky-T1": "<|begin_of_thought|>\n{thought}\n<|end_of_thought|>\n<|begin_of_solution|>{answer}<|end_of_solution|>",
    "GLM": "<think>{thought}</think>\n<answer><|begin_of_box|>{answer}<|end_of_box|></answer>",
    "gpt-oss": "<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant<|channel|>final<|message|>{answer}",
    "gpt-oss, all signs": (
        "<|start|>assistant<|channel|>analysis<|message|>{thought}<|end|>"
        "<|start|>assistant<|channel|>final <|constrain|>json<|message|>{answer}<|return|>"
    ),
    "gpt-oss, twice": (
        "<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant<|channel|>final<|message|>{thought}<|end|>"
        "<|start|>assistant<|channel|>final<|message|>{answer}<|return|>"
    ),
    "gpt-oss without its signs": "analysis{thought}assistantfinal{answer}",
}


def said(manner: str, thought: str, answer: str) -> str:
    return MANNERS[manner].replace("{answer}", answer).replace("{thought}", thought)


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("answer", [ANSWER, '{"category": 1, "reason": "weeds"}'])
def test_thoughts_are_cut_in_every_manner(manner: str, answer: str) -> None:
    text = said(manner, DRAFT, answer)
    assert without_thoughts(text) == answer
    assert holds_thoughts(text)


@pytest.mark.parametrize(
    "text",
    [
        f"<think>\n{DRAFT}",
        f"[THINK]{DRAFT}",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|>",
        f"<think>{DRAFT}</think>",
    ],
)
def test_what_only_thinks_says_nothing(text: str) -> None:
    assert without_thoughts(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        "",
        "The post writes </think> in the middle of a line.",
        "I think <b>this</b> is fine.",
        '{"reason": "it says\\n</think>\\n{} and <think>", "category": 1}',
        json.dumps({"reason": "<|channel|>final<|message|>{}", "category": 1}),
        "analysis of the post: harmless",
        "Here is my response to it.",
    ],
)
def test_what_no_thought_is_stays(text: str) -> None:
    assert without_thoughts(text) == text
    assert not holds_thoughts(text)


def test_what_is_said_before_a_thought_is_kept_beside_what_follows() -> None:
    assert without_thoughts(f"{{}}\n<think>{DRAFT}</think>\n{ANSWER}") == f"{{}}\n\n{ANSWER}"


def test_signs_at_the_end_are_none_of_the_answer() -> None:
    assert without_thoughts(f"{ANSWER}<|im_end|>\n") == ANSWER
    assert not holds_thoughts(f"{ANSWER}</s>")


def test_a_tag_that_the_answer_quotes_does_not_cut_it() -> None:
    answer = json.dumps({"reason": "the post writes\n</think>\n\nand more", "category": 1})
    assert without_thoughts(f"<think>{DRAFT}</think>\n{answer}") == answer


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<>[]|◁▷{}\x00"), max_size=80)
answers = words.filter(str.strip).map(str.strip).filter(lambda text: "response:" not in text)
values = st.dictionaries(st.sampled_from(["reason", "label"]), st.text(max_size=40), min_size=1).map(json.dumps)


@given(st.sampled_from([*MANNERS]), words.map(lambda text: f"T{text}"), answers | values)
def test_whatever_was_thought_the_answer_is_what_is_left(manner: str, thought: str, answer: str) -> None:
    assert without_thoughts(said(manner, thought, answer)) == answer


@given(answers | values)
def test_a_text_without_signs_stays(text: str) -> None:
    assert without_thoughts(text) == text
