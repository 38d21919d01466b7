"""The words that were read in a picture: lines with their places, in reading order, and the text that they form."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

MOST_CHARS = 10_000
"""The maximum length of the text of a picture; the rest is cut off."""
MOST_LINES = 500
GIVEN, PERSON = "given", "person"
"""Readers that are no machine: words that came with the data, and words that somebody corrected."""
LEAST_SURE = 0.65
"""Lines of less confidence are left out: so readers take letters that they do not know, hair, leaves and fences."""
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SAME_AGAIN = re.compile(r"(\w)\1")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")

Box = tuple[float, float, float, float]
"""Left, top, right and bottom as shares of the picture's width and height, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of words in a picture. `box` is None where the reader gives no places."""

    text: str
    box: Box | None = None
    confidence: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the line as it is stored."""
        return {"text": self.text, "box": self.box and list(self.box), "confidence": self.confidence}


@dataclass(frozen=True, slots=True)
class Words:
    """All that was read in a picture; an empty text means that there are no words in it."""

    text: str = ""
    lines: tuple[Line, ...] = ()
    confidence: float | None = None
    """The confidence of the lines, weighted by their lengths."""
    language: str = ""
    """zh, ja or ko by the script; empty for others, which the script does not tell."""
    is_unsure: bool = False
    """Whether something is written there, and the reader is sure of nothing: perhaps it does not know the letters."""


def words_of(lines: Iterable[Line]) -> Words:
    """Return the lines in reading order: from the top, and from the left within a row."""
    storable = [replace(line, text=_storable(line.text)) for line in lines]
    lettered = [line for line in storable if any(map(str.isalnum, line.text))]  # dots and bars are read in any pattern
    legible = [line for line in lettered if line.confidence is None or line.confidence >= LEAST_SURE]
    if sum(map(_letters, legible)) == 1 and any(line.confidence is not None for line in legible):
        lettered, legible = [line for line in lettered if line not in legible], []  # to a machine a wheel is an O
    written = [line for line in lettered if not _is_shape(line)]
    rows = _rows(legible[:MOST_LINES])
    text = "\n".join(_joined([line.text for line in row]) for row in rows)[:MOST_CHARS]
    placed = tuple(line for row in rows for line in row)
    return Words(text, placed, _confidence(placed), language_of(text), bool(written) and not legible)


def _letters(line: Line) -> int:
    return sum(map(str.isalnum, line.text))


def _is_shape(line: Line) -> bool:
    """Return whether a line of low confidence is a shape, not writing: a single sign, or a repeated one (用用)."""
    return _letters(line) < 2 or bool(_SAME_AGAIN.search(line.text))


def language_of(text: str) -> str:
    """Return zh, ja or ko if more than a third of the letters are of its script, else an empty string."""
    letters = sum(map(str.isalpha, text))
    if not letters:
        return ""
    if len(_HANGUL.findall(text)) * 3 > letters:
        return "ko"
    if len(_UNSPACED.findall(text)) * 3 > letters:
        return "ja" if _KANA.search(text) else "zh"
    return ""


def _storable(text: str) -> str:
    """Return a line without what no database takes, its spacing unified."""
    return " ".join(_UNSTORABLE.sub("", text).split())


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Group lines that stand beside each other; lines without a place keep their order, each a row of its own."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box[1] if line.box else 0.0):
        if rows and _is_beside(rows[-1][0], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.box[0] if line.box else 0.0) for row in rows]


def _is_beside(first: Line, second: Line) -> bool:
    """Return whether two lines overlap in height by more than half of the lower one, and hardly in width."""
    if first.box is None or second.box is None:
        return False
    left, top, right, bottom = first.box
    other_left, other_top, other_right, other_bottom = second.box
    shared = min(bottom, other_bottom) - max(top, other_top)
    lower = min(bottom - top, other_bottom - other_top)
    covered = min(right, other_right) - max(left, other_left)  # boxes are drawn wider than their letters
    return shared > lower / 2 and covered < min(right - left, other_right - other_left) / 4


def _joined(texts: Sequence[str]) -> str:
    joined = texts[0]
    for text in texts[1:]:
        glued = _UNSPACED.match(joined[-1]) and _UNSPACED.match(text)
        joined += text if glued else f" {text}"
    return joined


def _confidence(lines: Sequence[Line]) -> float | None:
    rated = [(line.confidence, len(line.text)) for line in lines if line.confidence is not None]
    length = sum(chars for _confidence, chars in rated)
    return round(sum(confidence * chars for confidence, chars in rated) / length, 4) if length else None
