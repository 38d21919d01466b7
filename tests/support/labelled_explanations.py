"""Explanations as models write them, labelled by hand, and how many of them are read as they were labelled."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moderation.domain.hatexscore.htc import by_rules
from moderation.domain.hatexscore.score import Reading, read
from moderation.domain.hatexscore.tgi import identified

_FOLDER = Path(__file__).parents[1] / "moderation" / "domain" / "hatexscore"


@dataclass(frozen=True)
class Labelled:
    """An explanation and what a person read in it: its conclusion, and whether it names whom the hate is meant for."""

    text: str
    conclusion: bool | None
    tgi: bool
    family: str
    manner: str


@dataclass(frozen=True)
class Shares:
    """Shares of the explanations of a language."""

    right: float
    opposite: float
    tgi: float


def labelled(language: str) -> list[Labelled]:
    """Return the labelled explanations of a language."""
    lines = (_FOLDER / f"explanations_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Labelled(**json.loads(line)) for line in lines]


def sentences(language: str) -> list[dict[str, Any]]:
    """Return single sentences of a language, each with the conclusion that it states: true, false or null."""
    lines = (_FOLDER / f"sentences_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def rules_alone(text: str) -> bool | None:
    """Return what the rules conclude, whatever the second opinion is."""
    found = by_rules(text)[1]
    return found[-1].hateful if found else None


def shares(language: str) -> Shares:
    """Read all explanations of a language; return the shares that were read as labelled."""
    pairs = list(_readings(language))
    right = sum(reading.stated is row.conclusion for row, reading in pairs)
    opposite = sum(
        None not in (reading.stated, row.conclusion) and reading.stated is not row.conclusion for row, reading in pairs
    )
    tgi = sum(bool(identified(reading.groups, row.conclusion)) is row.tgi for row, reading in pairs)
    return Shares(right / len(pairs), opposite / len(pairs), tgi / len(pairs))


def _readings(language: str) -> Iterator[tuple[Labelled, Reading]]:
    for row in labelled(language):
        yield row, read("", row.text)
