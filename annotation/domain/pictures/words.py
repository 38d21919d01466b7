"""The words that were read in a picture: lines with their places, in reading order, and the text that they form."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vocabulary.late_patterns import late

MOST_CHARS = 10_000
"""The maximum length of the text of a picture; the rest is cut off."""
MOST_LINES = 500
GIVEN, PERSON = "given", "person"
"""Readers that are no machine: words that came with the data, and words that somebody corrected."""
LEAST_SURE = 0.65
"""Lines of less confidence are left out: so readers take letters that they do not know, hair, leaves and fences."""
_WHOLE_PICTURE = 0.5
"""A box of this share of the picture is what readers see in pictures without words."""
_FEW_LETTERS, _FEW_SIGNS = 4, 2
_LARGE, _A_WORD = 0.09, 1.8
"""Of the picture's sides; the length of a box over its height, from which on it holds more than a sign."""
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = late(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")

Box = tuple[float, float, float, float]
"""Left, top, right and bottom as shares of the picture's width and height, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of words in a picture. `box` is None where the reader gives no places."""

    text: str
    box: Box | None = None
    confidence: float | None = None
    elongation: float | None = None
    """The longer side of its box, which may be turned, over the shorter one; None where the reader gives no places."""

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
    """Return the lines in reading order: from the top, and from the left within a row.

    Where something is written and nothing of it is legible, they are unsure, however few lines there are.
    """
    storable = [replace(line, text=_storable(line.text)) for line in lines]
    lettered = [line for line in storable if any(map(str.isalnum, line.text))]  # dots and bars are read in any pattern
    legible = [line for line in lettered if line.confidence is None or line.confidence >= LEAST_SURE]
    unread = [line for line in storable if not _is_read(line)]
    sure = [] if _is_little(legible, unread) else legible[:MOST_LINES]
    is_upright = _is_letter_by_letter(sure)
    rows, glue = (_columns(sure), "") if is_upright else (_rows(sure), " ")
    text = "\n".join(_joined([line.text for line in row], glue) for row in rows)[:MOST_CHARS]
    placed = tuple(line for row in rows for line in row)
    return Words(text, placed, _confidence(placed), language_of(text), not rows and _is_written([*unread, *legible]))


def _is_written(lines: Sequence[Line]) -> bool:
    """Return whether boxes hold writing, not shapes: the whole picture, or one or two large signs alone (a stove)."""
    boxes = [line for line in lines if _area(line) < _WHOLE_PICTURE]
    large = sum(_is_large_sign(line) for line in boxes)
    return len(boxes) > (large if large <= _FEW_SIGNS else 0)


def _is_large_sign(line: Line) -> bool:
    left, top, right, bottom = line.box or (0.0, 0.0, 0.0, 0.0)
    is_single = len(line.text) < 2 and line.elongation is not None and line.elongation < _A_WORD
    return is_single and min(right - left, bottom - top) > _LARGE


def _is_read(line: Line) -> bool:
    return line.confidence is None or (bool(line.text) and line.confidence >= LEAST_SURE)


def _is_little(legible: Sequence[Line], unread: Sequence[Line]) -> bool:
    """Return whether a machine is sure of so few letters that it has read nothing: a wheel is an O, 전 is 居."""
    if all(line.confidence is None for line in legible):
        return False
    letters = sum(sum(map(str.isalnum, line.text)) for line in legible)
    return letters == 1 or (letters <= _FEW_LETTERS and 3 * sum(map(_area, legible)) < sum(map(_area, unread)))


def _area(line: Line) -> float:
    """Return the share of the picture that the line's box takes; 0 without a box."""
    left, top, right, bottom = line.box or (0.0, 0.0, 0.0, 0.0)
    return (right - left) * (bottom - top)


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
    """Group lines that stand beside each other; lines without a place keep their order, each a row of its own.

    Lines that run from top to bottom stand in columns, from the right.
    """
    if 2 * sum(map(_is_tall, lines)) > len(lines):
        return [[line] for line in sorted(lines, key=lambda line: -line.box[0] if line.box else 0.0)]
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box[1] if line.box else 0.0):
        if rows and _is_beside(rows[-1][0], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.box[0] if line.box else 0.0) for row in rows]


def _is_tall(line: Line) -> bool:
    left, top, right, bottom = line.box or (0.0, 0.0, 0.0, 0.0)
    return len(line.text) > 1 and bool(_UNSPACED.match(line.text)) and bottom - top > 1.5 * (right - left)


def _is_letter_by_letter(lines: Sequence[Line]) -> bool:
    """Return whether a machine read mostly single letters, as where they stand below each other or along a curve."""
    single = sum(line.confidence is not None and len(line.text) == 1 for line in lines)
    return single >= _FEW_LETTERS and 5 * single >= 3 * len(lines)


def _columns(lines: Sequence[Line]) -> list[list[Line]]:
    """Group letters that stand below each other, columns from the left; empty if many stand in no column."""
    columns: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box[1] if line.box else 0.0):
        column = next((column for column in columns if _is_below(column[-1], line)), None)
        if column is None:
            columns.append([line])
        else:
            column.append(line)
    long = [column for column in columns if len(column) >= _FEW_LETTERS]
    if 5 * sum(map(len, long)) < 4 * len(lines):
        return []
    return sorted(long, key=lambda column: column[0].box[0] if column[0].box else 0.0)


def _is_below(first: Line, second: Line) -> bool:
    if first.box is None or second.box is None:
        return False
    left, top, right, bottom = first.box
    other_left, other_top, other_right, _other_bottom = second.box
    middle, other_middle = (left + right) / 2, (other_left + other_right) / 2
    return abs(middle - other_middle) < (right - left) / 2 and other_top - bottom < bottom - top


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


def _joined(texts: Sequence[str], glue: str) -> str:
    joined = texts[0]
    for text in texts[1:]:
        glued = _UNSPACED.match(joined[-1]) and _UNSPACED.match(text)
        joined += text if glued else f"{glue}{text}"
    return joined


def _confidence(lines: Sequence[Line]) -> float | None:
    rated = [(line.confidence, len(line.text)) for line in lines if line.confidence is not None]
    length = sum(chars for _confidence, chars in rated)
    return round(sum(confidence * chars for confidence, chars in rated) / length, 4) if length else None
