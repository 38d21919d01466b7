"""Labelled texts for the glossary: the terms of a language, and the texts with the places where terms stand."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "annotation" / "domain" / "glossary" / "cases"
LANGUAGES = ("en", "ko", "zh")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\n")
_TERM = re.compile(r"term (?P<term>[^\[]+?)(?: \[(?P<languages>[^]]*)\])?(?P<options> (?:initials|variants .*))?$")
_HIT = re.compile(r"\{([^{}|]+)(?:\|([^{}]+))?\}")


@dataclass(frozen=True)
class Listed:
    """A term of a file, its languages, its variants, and whether its initial consonants count."""

    term: str
    languages: tuple[str, ...]
    variants: tuple[str, ...] = ()
    initials: bool = False


@dataclass(frozen=True)
class Case:
    """A text and the places of its terms; none means that nothing is to be found."""

    kind: str
    text: str
    places: tuple[tuple[str, int, int], ...]


def read(language: str) -> tuple[Sequence[Listed], Sequence[Case]]:
    """Return the terms and the cases of a language."""
    terms, cases = [], []
    for line in (FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line:
            continue
        if line.startswith("term "):
            terms.append(_term(line, language))
        else:
            kind, written = line.split(" | ", 1)
            cases.append(_case(kind, _ESCAPE.sub(_character, written)))
    return terms, cases


@dataclass(frozen=True)
class OwnTerms:
    """A text with the only terms that are looked for in it, and those that are to be found."""

    terms: tuple[str, ...]
    text: str
    expected: frozenset[str]


def with_own_terms(language: str) -> Sequence[OwnTerms]:
    """Return the texts of a language that have terms of their own: common words would be hits in the other texts."""
    lines = (FOLDER / f"own_terms_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = map(json.loads, lines)
    return [OwnTerms(tuple(row["terms"]), row["text"], frozenset(row["expected"])) for row in rows]


@dataclass(frozen=True)
class Form:
    """A text with one term in a form that hides it, or an innocent text that only looks as if it held the term."""

    language: str
    kind: str
    term: str
    text: str
    found: bool
    set: str
    """`open` was looked at while the rules were written, the others (`sealed`, `second`, …) were not."""
    sounds: bool = False
    initials: bool = False


def forms() -> Sequence[Form]:
    """Return the texts in which terms stand across breaks, joined, by entities, by sound, and with clitics."""
    return [Form(**json.loads(line)) for line in (FOLDER / "forms.jsonl").read_text(encoding="utf-8").splitlines()]


def _term(line: str, language: str) -> Listed:
    match = _TERM.match(line)
    assert match, line
    options = (match["options"] or "").strip()
    variants = tuple(options.removeprefix("variants ").split(",")) if options.startswith("variants ") else ()
    return Listed(match["term"], ((match["languages"] or language),), variants, options == "initials")


def _character(match: re.Match[str]) -> str:
    return chr(int(match[1] or match[2], 16)) if match[1] or match[2] else "\n"


def _case(kind: str, written: str) -> Case:
    text, places, last = "", [], 0
    for match in _HIT.finditer(written):
        text += written[last : match.start()]
        shown = match[2] or match[1]
        places.append((match[1], len(text), len(text) + len(shown)))
        text, last = text + shown, match.end()
    assert (kind == "nothing") == (not places), written
    return Case(kind, text + written[last:], tuple(places))
