"""Texts of pages and documents are short, without idiom, and use one word for one thing."""

import re
from collections.abc import Iterator
from gettext import GNUTranslations
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
CATALOGUE = ROOT / "locale" / "ko" / "LC_MESSAGES" / "django.mo"
with CATALOGUE.open("rb") as file:
    # The keys of a compiled catalogue: the text, or the text and its number; "\x04" parts a context off.
    KEYS = GNUTranslations(file)._catalog  # type: ignore[attr-defined]
TEXTS = sorted({(key[0] if isinstance(key, tuple) else key).rpartition("\x04")[2] for key in KEYS} - {""})
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    *sorted(f"docs/{path.name}" for path in ROOT.glob("docs/*.md")),
]
AVERAGE_WORDS = 14
"""Words of a sentence, on average."""
LONGEST, LONGEST_OF_A_DOCUMENT = 40, 47
NOT_PLAIN = (
    r"bears? (it )?out",
    r"by heart",
    r"falls? under",
    r"gives? in\b",
    r"hands? in\b",
    r"kind to its own words",
    r"nobody minds",
    r"on their way",
    r"one a line",
    r"a line each",
    r"rests? on",
    r"sees? through",
    r"stands? as\b",
    r"throw(n|s)? away",
    r"tak(e|es|en) away",
    r"whoever",
    r"written down",
    r"yours to decide",
    r"yours to judge",
)
"""Idioms, double meanings and unusual words that were on pages; each has a plainer form."""
IDIOMS = (Path(__file__).parent / "idioms.txt").read_text().split("\n")[:-1]
"""Idioms that learners of English cannot read word by word."""
INSTEAD = {
    r"^Store\b": "Save",
    r"^Stored\.": "Saved.",
    r"^Keep as\b": "Save as",
    r"^Hand in\b": "Submit for approval",
    r"^Throw away\b": "Discard",
    r"\bRemember me\b": "Keep me signed in",
    r"\bwho is demeaned\b": "Group targeted",
}


def sentences(text: str) -> list[str]:
    """Return the sentences; a colon or a semicolon ends none, and what is filled in counts as one word."""
    text = re.sub(r"%\(\w+\)[sd]|<[^>]+>", "it", text)
    return [sentence for sentence in re.split(r"(?<=[.?!])[)”*]*\s+|\n", text) if re.search(r"\w", sentence)]


def average(lengths: list[int]) -> float:
    return sum(lengths) / len(lengths)


def test_sentences_are_short() -> None:
    """Labels of fields and buttons are no sentences: only what ends like one is counted."""
    whole = [text for text in TEXTS if text.rstrip().endswith((".", "?", "!"))]
    lengths = [len(sentence.split()) for text in whole for sentence in sentences(text)]
    assert len(lengths) > 2000
    assert average(lengths) <= AVERAGE_WORDS
    long = [sentence for text in TEXTS for sentence in sentences(text) if len(sentence.split()) > LONGEST]
    assert not long, f"split these sentences of pages: {long}"


def idioms_in(text: str) -> list[str]:
    words = " ".join(["", *re.findall(r"[\w’-]+", text.casefold()), ""])
    return [idiom for idiom in IDIOMS if f" {idiom} " in words]


def test_idioms_are_found_as_whole_words() -> None:
    assert idioms_in("This works out of the box.") == ["out of the box"]
    assert idioms_in("It is out of the boxes.") == []


def test_no_page_uses_a_listed_idiom() -> None:
    found = {text: said for text in TEXTS if (said := idioms_in(text))}
    assert not found, f"say it without these idioms (tests/whole_site/idioms.txt): {found}"


@pytest.mark.parametrize("phrase", NOT_PLAIN)
def test_no_page_uses_an_idiom(phrase: str) -> None:
    found = [text for text in TEXTS if re.search(rf"\b{phrase}", text, re.IGNORECASE)]
    assert not found, f"say it in plainer words than {phrase} (NOT_PLAIN): {found}"


@pytest.mark.parametrize("word", INSTEAD)
def test_one_thing_has_one_word(word: str) -> None:
    assert [text for text in TEXTS if re.search(word, text, re.IGNORECASE)] == [], f"Write: {INSTEAD[word]}"


def prose(document: str) -> Iterator[str]:
    """Yield the paragraphs and entries of lists; code in a line becomes one word."""
    text = re.sub(r"```.*?```", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        if not block.lstrip().startswith(("|", "#", "<")):
            yield re.sub(r"`[^`]+`", "it", " ".join(block.split()))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_sentences_of_a_document_are_short(document: str) -> None:
    lengths = [len(sentence.split()) for paragraph in prose(document) for sentence in sentences(paragraph)]
    assert average(lengths) <= AVERAGE_WORDS, (
        f"{document}: make sentences shorter; the average is {average(lengths):.2f}"
    )
    assert max(lengths) <= LONGEST_OF_A_DOCUMENT, f"{document}: split the sentence of {max(lengths)} words"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_document_uses_an_idiom(document: str) -> None:
    text = " ".join((ROOT / document).read_text(encoding="utf-8").split())
    idioms = rf"\b(?:{'|'.join(NOT_PLAIN)})\b.{{0,40}}"
    found = [*(found[0] for found in re.finditer(idioms, text, re.IGNORECASE)), *idioms_in(text)]
    assert not found, f"{document}: say these in plainer words (NOT_PLAIN, tests/whole_site/idioms.txt): {found}"
