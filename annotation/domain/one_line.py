"""The rule for names and other texts of one line: of projects, categories, people, releases and so on.

Such a text goes into mails, the heads of files and the pages of others. A line break in it writes lines that nobody of
this site wrote, a direction control makes it read differently from what is stored, and an invisible character makes two
names that look the same. Texts of several lines, and posts, have another rule (`text_rules.py`).

Some invisible characters belong to the writing: joiners in Persian, in the languages of India and in emoji, the forms
of Han and Mongolian letters. They are taken where they stand as those scripts use them.
"""

import re
import unicodedata
from functools import cache

import regex

from annotation.domain.text_rules import BadText, read_optional_text

_JOINED = (
    r"\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}"
)
_JOINED += r"\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}"
_EMOJI = r"[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]"
_IN_USE = (
    rf"(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])",  # between two letters
    r"(?<=\p{ccc=9})[\u200c\u200d]",  # after a virama, at the end of a word too
    rf"(?<={_EMOJI}\ufe0f?)\u200d(?=\p{{Extended_Pictographic}})",  # families, professions
    r"(?<=\p{Emoji})[\ufe0e\ufe0f]",  # as text or as a picture
    r"(?<=\p{Han})[\ufe00-\ufe02\U000e0100-\U000e01ef]",  # the form of a Han character, as in Japanese names
    r"(?<=\p{scx=Mong})(?<!\p{Default_Ignorable_Code_Point})[\u180b-\u180f]",
    r"(?<=\U0001f3f4)[\U000e0020-\U000e007e]+\U000e007f",  # the flags of England, Scotland and Wales
)
_REFUSED = r"[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]"
_BREAKS = frozenset("\n\r\v\f\x85\u2028\u2029")


class NotOneLine(BadText):
    """A text that is no single line of visible characters: the first such character, and what stands before it."""

    def __init__(self, character: str, before: str) -> None:
        self.number = f"U+{ord(character):04X}"
        self.before = before
        where = f"after “{before}”" if before else "at its beginning"
        if character in _BREAKS:
            super().__init__("line_break", f"The text has a line break ({self.number}) {where}: write it on one line.")
        else:
            super().__init__(
                "hidden_character",
                f"The text has a character that cannot be seen ({self.number}) {where}: remove it, or type it anew.",
            )


def read_line(value: str, limit: int | None = None) -> str:
    """Return the text without blanks around it, composed (NFC), if it is one line that shows what it holds.

    It may be blank. Raises NotOneLine, and BadText as `read_optional_text` does.
    """
    line = check_line(value.strip())
    return line if limit is None else read_optional_text(line, limit)


def check_line(value: str) -> str:
    """Return the text composed (NFC) if it is one line. Raises as `read_line` does."""
    if value.isascii() and value.isprintable():
        return value
    line = unicodedata.normalize("NFC", value)
    if refused := _refused().search(line):
        read_optional_text(line, len(line))
        raise NotOneLine(refused[0], line[max(0, refused.start() - 20) : refused.start()])
    return line


def one_line(value: str) -> str:
    """Return the text as one line without what `read_line` refuses: for names that nobody here can write anew.

    Breaks and tabs become a space, the other characters and blanks around it are left out.
    """
    if value.isascii() and value.isprintable():
        return value.strip()
    line, before = value, None
    while line != before:  # what a left out character kept apart may be composed now
        before = line
        line = _refused().sub(lambda found: _replacement(found[0]), unicodedata.normalize("NFC", line))
        line = " ".join(line.split())
    return line


@cache
def _refused() -> "re.Pattern[str]":
    pattern: re.Pattern[str] = regex.compile(f"(?:{'|'.join(_IN_USE)})(*SKIP)(*FAIL)|{_REFUSED}")
    return pattern


def _replacement(character: str) -> str:
    return " " if character in _BREAKS or character == "\t" else ""
