"""Texts in which nothing can be found, told by their characters alone: most posts in Korean, Chinese and Japanese.

Whatever is found has a digit, a letter of another script or an "@", but for two things: telephone numbers in words for
digits, and hosts with an Eastern ending.
"""

import re

from annotation.domain.masking.spelt_numbers import MAY_BE_EASTERN

_LETTERS = r"\u3000-\u9fff\uac00-\ud7a3\uff66-\uff9f"
_SIGNS = (
    r"\x00-\x2f\x3a-\x3f\x5b-\x60\x7b-\x7f\u2010-\u205e\u2190-\u23ff\u2500-\u2767"
    r"\uff01-\uff0d\uff0f\uff1a-\uff1f\uff3b-\uff40\uff5b-\uff65\U0001f300-\U0001faff"
)
_ANYTHING_ELSE = re.compile(rf"[^{_LETTERS}{_SIGNS}]")
"""Among others all signs that `spans.read` makes digits and Latin letters of."""
_HOST = re.compile(r"\.\W{0,3}(?:한국|中国|中國|みんな)")


def is_ordinary(text: str) -> bool:
    """Return whether no finder can find anything in this text."""
    return not (_ANYTHING_ELSE.search(text) or MAY_BE_EASTERN.search(text) or ("." in text and _HOST.search(text)))
