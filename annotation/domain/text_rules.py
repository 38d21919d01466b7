"""Rules for texts and ids, the same for files, forms and the API, checked before a database sees them.

The database alone is not enough: one database stores NUL and the other refuses it, and a lone surrogate passes a form
field and fails at the write.
"""

import re
import unicodedata
from typing import NoReturn

TEXT_LIMIT = 20_000
"""The maximum length of an item's text, in characters."""
NOTE_LIMIT = 4_000
"""The maximum length of a note or a rationale, in characters."""
ID_LIMIT = 128
"""The maximum length of an external id, in characters."""

_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_ONLY_DOTS = re.compile(r"\.+")
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
    if _SURROGATE.search(value):
        refuse("invalid_unicode", "The text holds half of a surrogate pair, which is no character: save it as UTF-8.")
    if len(value) > limit:
        refuse("text_too_long", f"The text has {len(value):,} characters; at most {limit:,} are allowed.", limit)
    return value


def read_id(value: str) -> str:
    """Return an external id unchanged. Raises BadText: `bad_id`."""
    if not _ID.fullmatch(value) or _ONLY_DOTS.fullmatch(value):
        refuse(
            "bad_id",
            f"An id has 1 to {ID_LIMIT} of the characters A-Z a-z 0-9 . _ : - and is not only dots: {_shown(value)}.",
            ID_LIMIT,
        )
    return value


def is_blank(value: str) -> bool:
    """Return whether nothing of the text is visible: only spaces, controls, zero-width and filler characters."""
    return all(unicodedata.category(char) in _INVISIBLE_CATEGORIES or _INVISIBLE.match(char) for char in value)


def refuse(code: str, sentence: str, limit: int | None = None) -> NoReturn:
    raise BadText(code, sentence, limit)


def _shown(value: str) -> str:
    """Return the value as a short text that is safe to print."""
    return repr(value if len(value) <= 40 else value[:40] + "…")
