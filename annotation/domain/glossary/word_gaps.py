"""What stands between the words of a text: nothing, signs, a blank, or the end of a sentence."""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from annotation.domain.glossary.normalize import Word, plain

_CLOSES_SENTENCE = re.compile(r"[.!?…,;:]+[\"'”’»)\]]*\s|\n\s*(?:\n|[-–—*+•·▪◦‣]\s)|[\u2028\u2029。｡！？，；：、]")
_ADDRESS = re.compile(r"\w://\S+|www\.\S+")
_NOT_BETWEEN = re.compile(r"[^\W_]")
_CONTRACTED = frozenset({"s", "d", "ll", "re", "ve", "m", "t"})
_LONGEST_GAP = 4


class Gap(IntEnum):
    """What stands between two words."""

    NOTHING = 0
    SIGNS = 1
    BLANK = 2
    END = 3
    """The end of a sentence or of a part of it, or other text."""


def gaps_of(text: str, text_words: Sequence[Word]) -> list[Gap]:
    """Return what stands before each word."""
    gaps = [Gap.END]
    addresses = [found.span() for found in _ADDRESS.finditer(text)] if "/" in text else []
    for left, right in zip(text_words, text_words[1:], strict=False):
        gap = _gap(text[left.end : right.start]) if right.start - left.end <= 16 else Gap.END
        if gap is Gap.BLANK and "\n" in text[left.end : right.start] and right.text[0].isupper():
            gap = Gap.END
        if gap is Gap.SIGNS and any(first < left.end and right.end <= after for first, after in addresses):
            gap = Gap.END if text[left.end : right.start] == "/" else gap
        if gap is Gap.SIGNS and _belongs_apart(left.text, text[left.end : right.start], right.text):
            gap = Gap.END
        gaps.append(gap)
    return gaps


@lru_cache(maxsize=4096)
def _gap(between: str) -> Gap:
    visible = plain(between) if between else ""
    if not between or (not visible.strip("\ufe0e\ufe0f") and not between.isspace()):
        return Gap.NOTHING
    if _CLOSES_SENTENCE.search(between) or _NOT_BETWEEN.search(between):
        return Gap.END
    if any(char.isspace() for char in between):
        return Gap.BLANK
    return Gap.SIGNS if len(between) <= _LONGEST_GAP else Gap.END


def _belongs_apart(left: str, sign: str, right: str) -> bool:
    """Return whether a sign without a blank separates: a contraction, a decimal point, a full stop before a capital."""
    if sign in ("'", "’", "`", "´"):
        return right.casefold() in _CONTRACTED
    if sign in (".", ","):
        both_are_numbers = left[-1].isdigit() and right[0].isdigit()
        return both_are_numbers or (len(right) > 1 and right.istitle() and left.islower() and len(left) > 1)
    return False
