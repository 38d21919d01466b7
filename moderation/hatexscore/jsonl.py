"""Lines of explanations to score: `{"text", "explanation", "prediction", "p"?, "p_masked"?}`, one JSON object each."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moderation.domain.hatexscore.qf import UnreadableProbability, probability

LONGEST = 20_000
MOST_FAULTS = 100
_PREDICTIONS = {"hateful": True, "non-hateful": False}


@dataclass(frozen=True)
class Line:
    """One line; its number counts from 1."""

    number: int
    text: str
    explanation: str
    prediction: bool
    p: float | None = None
    p_masked: float | None = None


@dataclass(frozen=True)
class Fault:
    """A line that cannot be scored: what is wrong, and what to do about it."""

    number: int
    what: str
    todo: str

    def __str__(self) -> str:
        return f"line {self.number}: {self.what}; {self.todo}"


class _BadLine(ValueError):
    def __init__(self, fault: str, todo: str) -> None:
        super().__init__(fault)
        self.what, self.todo = fault, todo


def lines_of(path: Path) -> Iterator[Line | Fault]:
    """Yield the file's lines as they come; blank ones are passed over. Raises OSError."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if raw.strip():
                try:
                    yield _line(number, raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw)
                except _BadLine as bad:
                    yield Fault(number, bad.what, bad.todo)


def _line(number: int, raw: bytes) -> Line:
    row = _object(raw)
    text, explanation = _words(row, "text"), _words(row, "explanation")
    prediction = row.get("prediction")
    if not isinstance(prediction, str) or prediction not in _PREDICTIONS:
        raise _BadLine(f"the prediction is {json.dumps(prediction)[:40]}", 'write "hateful" or "non-hateful"')
    p, p_masked = _number(row, "p"), _number(row, "p_masked")
    if (p is None) != (p_masked is None):
        raise _BadLine("only one of p and p_masked is there", "give both, or none and name an estimator")
    return Line(number, text, explanation, _PREDICTIONS[prediction], p, p_masked)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        row = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise _BadLine("it is not UTF-8", "save the file as UTF-8") from None
    except (ValueError, RecursionError):
        raise _BadLine("it is no JSON", "write one JSON object a line") from None
    if not isinstance(row, dict):
        raise _BadLine("it is no JSON object", 'write {"text", "explanation", "prediction"}')
    return row


def _words(row: dict[str, Any], name: str) -> str:
    text = row.get(name)
    if not isinstance(text, str):
        raise _BadLine(f"{name} is missing or no text", f"give {name} as a text")
    if len(text) > LONGEST:
        raise _BadLine(f"{name} has {len(text):,} characters", f"shorten it to {LONGEST:,}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _BadLine(f"{name} holds half a character (a lone surrogate)", "repair the text") from None
    if "\x00" in text:
        raise _BadLine(f"{name} holds the NUL character", "remove it")
    return text


def _number(row: dict[str, Any], name: str) -> float | None:
    value = row.get(name)
    if value is None:
        return None
    try:
        return probability(value)
    except UnreadableProbability:
        raise _BadLine(f"{name} is {json.dumps(value)[:40]}", "give a number from 0 to 1") from None


def _no_constant(word: str) -> Any:
    raise ValueError(word)
