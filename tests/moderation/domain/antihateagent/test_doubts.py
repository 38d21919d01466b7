"""What a passage does not say alone: its sentence denies it, it is quoted, rated, or a reader's comment."""

from typing import Any

import pytest

from moderation.domain.antihateagent.doubts import Doubt, doubts_of
from moderation.domain.antihateagent.passages import find_quote

HALF = "newcomers cause half of all crime"


def doubts(text: str, quote: str, **more: Any) -> tuple[Doubt, ...]:
    span = find_quote(quote, text)
    assert span is not None
    return doubts_of(text, span, **more)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (f"It is not true that {HALF}.", HALF),
        (f"There is no evidence that {HALF}, the office says.", HALF),
        (f"The office denies that {HALF}.", HALF),
        (f"That {HALF} is a myth, says the office.", HALF),
        (f"The claim that {HALF} has been debunked many times.", HALF),
        (f"{HALF.capitalize()}. This is false, as the office counted.", HALF),
        (f"{HALF.capitalize()}.\nFalse.\nThe office counted them.", HALF),
        ("The newcomers did not cause half of all crime in town.", "cause half of all crime in town"),
        ("Es ist nicht wahr, dass Neue die Hälfte aller Taten begehen.", "Neue die Hälfte aller Taten begehen"),
        ("No es cierto que los nuevos cometen la mitad de los delitos.", "los nuevos cometen la mitad"),
        ("이주민이 범죄의 절반을 저지른다는 말은 사실이 아니다.", "이주민이 범죄의 절반을 저지른다는"),
        ("이주민이 범죄의 절반을 저지른다는 주장은 거짓으로 밝혀졌다.", "이주민이 범죄의 절반을 저지른다는"),
        ("新来者造成一半犯罪，这是谣言。", "新来者造成一半犯罪"),
        ("并非像他们说的那样，新来者造成一半犯罪。", "新来者造成一半犯罪"),
    ],
)
def test_a_passage_under_a_negation_says_so(text: str, quote: str) -> None:
    assert Doubt.DENIED in doubts(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (f"The office found that {HALF}.", HALF),
        ("The word weeds demeans newcomers on several boards.", "demeans newcomers on several boards"),
        ("It rained. The office counted 412 newcomers. They were not asked.", "office counted 412 newcomers"),
        ("공원에 412명이 왔다고 시청이 밝혔다. 비는 오지 않았다.", "412명이 왔다고 시청이"),
        ("新来者造成一半犯罪。天没有下雨。", "新来者造成一半犯罪"),
        ("That word is not new. Newcomers are called weeds by some.", "Newcomers are called weeds"),
    ],
)
def test_a_plain_passage_has_no_doubt(text: str, quote: str) -> None:
    assert doubts(text, quote) == ()


@pytest.mark.parametrize(
    "text",
    [
        "He wrote: “Look, newcomers cause half of all crime in town.” Nobody agreed.",
        'He wrote: "Look, newcomers cause half of all crime in town." Nobody agreed.',
        "He wrote: «Look, newcomers cause half of all crime in town.» Nobody agreed.",
        "그는 「Look, newcomers cause half of all crime in town」라고 썼다.",
    ],
)
def test_a_passage_in_quotation_marks_is_somebody_elses(text: str) -> None:
    assert Doubt.QUOTED in doubts(text, HALF)
    assert Doubt.QUOTED not in doubts(f"“Weeds”, he said. And {HALF}, said “some”.", HALF)


def test_a_passage_that_the_page_rates_says_so() -> None:
    text = f"The post says {HALF} in our town. We looked."
    assert Doubt.RATED in doubts(text, HALF, rated_claim="Newcomers cause half of all crime.")
    assert Doubt.RATED not in doubts(text, HALF, rated_claim="The moon is made of cheese.")
    assert Doubt.RATED not in doubts(text, HALF)


def test_a_readers_comment_says_so() -> None:
    text = f"An article. It is long.\n\nI say {HALF}, believe me."
    assert doubts(text, HALF, comments_at=text.index("I say")) == (Doubt.COMMENT,)
    assert doubts(text, "An article. It is", comments_at=text.index("I say")) == ()
