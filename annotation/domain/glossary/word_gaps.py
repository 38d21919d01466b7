"""What stands between the words of a text: nothing, signs, a blank, or the end of a sentence."""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from annotation.domain.folding.text import plain
from annotation.domain.glossary.normalize import Word

_CLOSES_SENTENCE = re.compile(r"[.!?…,;:]+[\"'”’»)\]]*\s|\n\s*(?:\n|[-–—*+•·▪◦‣]\s)|[\u2028\u2029。｡！？，；：、]")
_COMPARES = re.compile(r"\s+[<>=&+]+\s+")
_NOT_BETWEEN = re.compile(r"[^\W_]")
_CONTRACTED = frozenset({"s", "d", "ll", "re", "ve", "m", "t"})
_OPENING, _CLOSING = frozenset("([{（"), frozenset(")]}）")
_LONGEST_GAP = 4
_LONGEST_STRETCH = 16
"""Characters between two words of one text; more are other text."""


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
    for left, right in zip(text_words, text_words[1:], strict=False):
        between = text[left.end : right.start]
        gap = _gap(between) if len(between) <= _LONGEST_STRETCH else Gap.END
        if gap is Gap.BLANK and between != " ":
            in_capitals = left.text.isupper() and right.text.isupper()  # as in memes: a capital begins nothing
            starts_anew = "\n" in between and right.text[0].isupper() and not in_capitals
            if starts_anew or _opens_bracket(between, text, right):
                gap = Gap.END
        elif gap is Gap.SIGNS and (
            _opens_bracket(between, text, right) or _belongs_apart(left.text, between, right.text)
        ):
            gap = Gap.END
        gaps.append(gap)
    return gaps


def _opens_bracket(between: str, text: str, right: Word) -> bool:
    """Return whether a bracket opens before a word and does not close behind it: "drub(bish_count)"."""
    return not _OPENING.isdisjoint(between) and text[right.end : right.end + 1] not in _CLOSING


@lru_cache(maxsize=4096)
def _gap(between: str) -> Gap:
    visible = plain(between) if between else ""
    if not between or (not visible.strip("\ufe0e\ufe0f") and not between.isspace()):
        return Gap.NOTHING
    if _CLOSES_SENTENCE.search(between) or _NOT_BETWEEN.search(between):
        return Gap.END
    if _COMPARES.fullmatch(between):
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
