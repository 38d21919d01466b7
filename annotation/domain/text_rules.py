"""Rules for texts and ids, the same for files, forms and the API, checked before a database sees them.

The database alone is not enough: one database stores NUL and the other refuses it, and a lone surrogate passes a form
field and fails at the write.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from typing import NoReturn

TEXT_LIMIT = 20_000
"""The maximum length of an item's text, in characters."""
NOTE_LIMIT = 4_000
"""The maximum length of a note or a rationale, in characters."""
ID_LIMIT = 128
"""The maximum length of an external id, in characters."""

_NOT_IN_IDS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, also those that end a line or change the direction of writing."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
# Letters, marks and symbols that are invisible in spite of their category: grapheme joiner, Hangul fillers,
# Khmer inherent vowels, Mongolian and other variation selectors, the empty Braille cell.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


class BadText(ValueError):
    """A text or id that is refused: a stable code, a message for people, and the exceeded limit if there is one."""

    def __init__(self, code: str, sentence: str, limit: int | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.limit = limit


def read_text(value: str, limit: int = TEXT_LIMIT) -> str:
    """Return the text unchanged if it can be stored and something of it is visible.

    Raises BadText with one of the codes of `read_optional_text` or `blank_text`.
    """
    if is_blank(read_optional_text(value, limit)):
        refuse("blank_text", "The text is blank: write at least one visible character.")
    return value


def read_optional_text(value: str, limit: int = TEXT_LIMIT) -> str:
    """Return the text unchanged if it can be stored; it may be blank.

    Raises BadText: `nul_character`, `invalid_unicode`, `text_too_long`.
    """
    if "\x00" in value:
        refuse("nul_character", "The text holds a NUL character (U+0000), which cannot be stored: remove it.")
    if not value.isascii() and _SURROGATE.search(value):
        refuse("invalid_unicode", "The text holds half of a surrogate pair, which is no character: save it as UTF-8.")
    if len(value) > limit:
        refuse("text_too_long", f"The text has {len(value):,} characters; at most {limit:,} are allowed.", limit)
    return value


def read_id(value: str) -> str:
    """Return an external id unchanged: an address, a path or a sign of any script is one. Raises BadText: `bad_id`."""
    if not 0 < len(value) <= ID_LIMIT or _NOT_IN_IDS.search(value) or is_blank(value):
        refuse(
            "bad_id",
            f"An id has 1 to {ID_LIMIT} characters that can be seen, without control characters: {_shown(value)}.",
            ID_LIMIT,
        )
    return value


def is_blank(value: str) -> bool:
    """Return whether nothing of the text is visible: only spaces, controls, zero-width and filler characters."""
    if value and "!" <= value[0] <= "~":  # as most texts begin
        return False
    return all(unicodedata.category(char) in _INVISIBLE_CATEGORIES or _INVISIBLE.match(char) for char in value)


def refuse(code: str, sentence: str, limit: int | None = None) -> NoReturn:
    raise BadText(code, sentence, limit)


def _shown(value: str) -> str:
    """Return the value as a short text that is safe to print."""
    return repr(value if len(value) <= 40 else value[:40] + "…")


def composed(text: str) -> str:
    """Return the text in composed form (NFC), in which texts are stored: equal letters are equal characters."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def composed_places(places: Sequence[Sequence[int]], text: str) -> list[list[int]]:
    """Return places of a text, [start, end), as places of its composed form."""
    if len(composed(text)) == len(text):
        return [list(place) for place in places]
    return [[len(composed(text[:offset])) for offset in place] for place in places]


def text_digest(text: str) -> str:
    """Return the SHA-256 of the text in composed form (NFC), which equal texts share; "" for no text."""
    return hashlib.sha256(composed(text).encode()).hexdigest() if text else ""
