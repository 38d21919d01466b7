"""Removal of what identifies a person from a text before it is stored: handles, addresses, e-mail, telephone numbers.

It is meant for public posts. It recognizes these forms but no names. Each match is replaced by a word in angle
brackets, so that a reader sees that something was removed.
"""

import re
from collections import Counter
from collections.abc import Collection
from enum import StrEnum


class Mask(StrEnum):
    """The kinds of identifying text that can be masked."""

    HANDLES = "handles"
    URLS = "urls"
    EMAILS = "emails"
    PHONES = "phones"


_PATTERNS = {
    # The order matters: an e-mail address contains a handle, and an address may contain digits.
    Mask.EMAILS: (re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"), "<email>"),
    Mask.URLS: (re.compile(r"(?i)\b(?:https?://|www\.)[^\s<>\"]+"), "<url>"),
    Mask.HANDLES: (re.compile(r"(?<![\w@/])@\w{1,50}"), "<user>"),
    Mask.PHONES: (re.compile(r"(?<![\w+])(?:\+|00)?\(?\d(?:[ ./()-]{0,2}\d){7,14}(?!\w)"), "<phone>"),
}


def mask(text: str, kinds: Collection[Mask]) -> tuple[str, Counter[Mask]]:
    """Return the text with every match of these kinds replaced, and the number of matches of each kind."""
    counts: Counter[Mask] = Counter()
    for kind, (pattern, word) in _PATTERNS.items():
        if kind in kinds:
            text, count = pattern.subn(word, text)
            if count:
                counts[kind] = count
    return text, counts
