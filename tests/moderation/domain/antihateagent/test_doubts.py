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
        ("Far from causing half of all crime, they call for help.", "causing half of all crime"),
        (f"It is unlikely that {HALF}.", HALF),
        ("The report fails to show that newcomers cause half of it.", "newcomers cause half of it"),
        ("They no longer cause half of all crime in town.", "cause half of all crime in town"),
        ("Neue begehen niemals die Hälfte aller Taten.", "die Hälfte aller Taten"),
        ("Les nouveaux n’ont jamais commis la moitié des crimes.", "commis la moitié des crimes"),
        ("Los nuevos jamás cometen la mitad de los delitos.", "cometen la mitad de los delitos"),
        ("이 거리는 이제 안전하지 않다고 한다.", "이 거리는 이제 안전하지"),
        ("그들은 세금을 내지 못한다.", "그들은 세금을 내지"),
        ("그들은 범죄를 저지르지도 않는다.", "그들은 범죄를 저지르지도"),
        # A heading says what kind of sentence follows.
        (f"Myth: {HALF}.\nFact: they do not.", HALF),
        (f"Myth 3: {HALF}", HALF),
        (f"MYTH #2 – {HALF}.", HALF),
        (f"Misconception no. 4\n{HALF.capitalize()}.\nThe facts\nThey do not.", HALF),
        ("Mythos Nr. 5: Neue begehen die Hälfte aller Taten.", "Neue begehen die Hälfte aller Taten"),
        ("Idée reçue n° 2 : les nouveaux commettent la moitié des crimes", "les nouveaux commettent la moitié"),
        ("Mito 1. Los nuevos cometen la mitad de los delitos.", "Los nuevos cometen la mitad"),
        ("오해 2: 이주민이 범죄의 절반을 저지른다.", "이주민이 범죄의 절반을 저지른다"),
        ("误区三：新来者造成一半犯罪。", "新来者造成一半犯罪"),
        (f"1. Myth: {HALF}.", HALF),
        (f"{HALF.capitalize()}. This old claim, that strangers do harm, is false.", HALF),
        (f"{HALF.capitalize()}. This statement is false, says the report that the office wrote.", HALF),
        # The next sentence names the claim again, or points at it.
        (f"{HALF.capitalize()}. It is not true that newcomers cause half of it.", HALF),
        (f"{HALF.capitalize()}. It is not true that they do.", HALF),
        (f"{HALF.capitalize()}. The claim that half of all crime is theirs is false.", HALF),
        (
            "이주민이 범죄의 절반을 저지른다. 그러나 이는 사실이 아니라는 것이 밝혀졌다.",
            "이주민이 범죄의 절반을 저지른다",
        ),
        ("新来者造成一半犯罪。这种说法是谣言。", "新来者造成一半犯罪"),
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
        ("이 거리는 안전하다. 비가 오지 않았다.", "이 거리는 안전하다"),
        ("It is far away: the office found that newcomers cause half of it.", "newcomers cause half of it"),
        # What the next sentence denies is another claim.
        (f"The office counted 390 newcomers in 2023. It is not true that {HALF}.", "The office counted 390 newcomers"),
        (f"The office counted 390 newcomers. The claim that {HALF} is false.", "The office counted 390 newcomers"),
        ("The school opened in May. It is wrong to say that children learn less.", "The school opened in May"),
        ("This street was built in 1901. It is a myth that a king lived here.", "This street was built in 1901"),
        ("Das Amt zählte 390 Neue. Das Gerücht, dass sie Hunde essen, ist falsch.", "Das Amt zählte 390 Neue"),
        ("La mairie a compté 390 arrivées. C'est faux de dire que les rues sont sales.", "La mairie a compté 390"),
        ("시청은 390명을 세었다. 그러나 이주민이 범죄를 늘린다는 주장은 사실이 아니다.", "시청은 390명을 세었다"),
        ("市政府统计了390名居民。但新来者偷东西的说法是谣言。", "市政府统计了390名居民"),
        # A heading of another kind.
        (f"Question 3: {HALF}", HALF),
        ("The Greek myth tells of a king: he came from far away.", "he came from far away"),
        (f"Fact: the office counted 390 newcomers.\nMyth: {HALF}.", "the office counted 390 newcomers"),
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
