"""A person's changes to a model's text, word by word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_PIECES = re.compile(r"\s+|[\w'’]+|[^\w\s]")


@dataclass(frozen=True)
class Change:
    """A part of the text that is the same, was added, or was removed."""

    kind: Literal["same", "added", "removed"]
    text: str


def changes(before: str, after: str) -> list[Change]:
    """Return the parts that lead from one text to the other, in reading order."""
    old, new = _PIECES.findall(before), _PIECES.findall(after)
    parts: list[Change] = []
    for move, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if move == "equal":
            _add(parts, "same", old[start:end])
            continue
        _add(parts, "removed", old[start:end])
        _add(parts, "added", new[first:last])
    return parts


def share_kept(before: str, after: str) -> float:
    """Return how much of the model's text the person kept: matching tokens over all tokens of both, 0 to 1."""
    return SequenceMatcher(None, _PIECES.findall(before), _PIECES.findall(after), autojunk=False).ratio()


def _add(parts: list[Change], kind: Literal["same", "added", "removed"], pieces: Sequence[str]) -> None:
    if pieces:
        parts.append(Change(kind, "".join(pieces)))
