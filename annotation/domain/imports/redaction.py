"""Taking what points at a person out of a text before it is stored: handles, addresses, e-mail, telephone numbers.

Meant for public posts; it finds forms, not names. What is found is replaced by a word in angle brackets, so that a
reader still sees that something stood there.
"""

import re
from collections import Counter
from collections.abc import Collection
from enum import StrEnum


class Mask(StrEnum):
    """What can be masked."""

    HANDLES = "handles"
    URLS = "urls"
    EMAILS = "emails"
    PHONES = "phones"


_PATTERNS = {
    # In this order: an e-mail address holds something like a handle, an address may hold digits.
    Mask.EMAILS: (re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"), "<email>"),
    Mask.URLS: (re.compile(r"(?i)\b(?:https?://|www\.)[^\s<>\"]+"), "<url>"),
    Mask.HANDLES: (re.compile(r"(?<![\w@/])@\w{1,50}"), "<user>"),
    Mask.PHONES: (re.compile(r"(?<![\w+])(?:\+|00)?\(?\d(?:[ ./()-]{0,2}\d){7,14}(?!\w)"), "<phone>"),
}


def mask(text: str, kinds: Collection[Mask]) -> tuple[str, Counter[Mask]]:
    """The text with every find of these kinds replaced, and how many there were of each."""
    found: Counter[Mask] = Counter()
    for kind, (pattern, word) in _PATTERNS.items():
        if kind in kinds:
            text, count = pattern.subn(word, text)
            if count:
                found[kind] = count
    return text, found
