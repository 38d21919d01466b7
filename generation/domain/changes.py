"""What a person changed in a model's text, word by word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_PIECES = re.compile(r"\s+|[\w'’]+|[^\w\s]")


@dataclass(frozen=True)
class Change:
    """A stretch of text that stayed, was added, or was taken out."""

    kind: Literal["same", "added", "removed"]
    text: str


def changes(before: str, after: str) -> list[Change]:
    """The stretches that lead from one text to the other, in reading order."""
    old, new = _PIECES.findall(before), _PIECES.findall(after)
    found: list[Change] = []
    for move, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if move == "equal":
            _add(found, "same", old[start:end])
            continue
        _add(found, "removed", old[start:end])
        _add(found, "added", new[first:last])
    return found


def share_kept(before: str, after: str) -> float:
    """How much of the model's text the person kept: matching pieces over all pieces of both, 0 to 1."""
    return SequenceMatcher(None, _PIECES.findall(before), _PIECES.findall(after), autojunk=False).ratio()


def _add(found: list[Change], kind: Literal["same", "added", "removed"], pieces: Sequence[str]) -> None:
    if pieces:
        found.append(Change(kind, "".join(pieces)))
