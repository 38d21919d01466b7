"""Rules for user names: what a name may look like, and when two names read alike.

Two names read alike if their skeletons are equal (Unicode Technical Standard 39): each letter is replaced by the one
that it is drawn like, so a Cyrillic е becomes a Latin e, 1 becomes l, and m becomes rn. The table is Unicode's, as the
library `confusable_homoglyphs` gives it. Case makes no difference either, but letters that are alike in capitals alone
count too: of "pauI" with a capital i, and "paul".
"""

import re
import unicodedata
from functools import cache
from hashlib import sha256

import confusable_homoglyphs.categories
import confusable_homoglyphs.confusables

from annotation.domain.text_rules import BadText

_PATH = re.compile(r"\..*|.*\.|[~-].*|.*[/\\].*", re.DOTALL)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE | re.DOTALL)
_EVERYWHERE = {"COMMON", "INHERITED"}
# Scripts that are written together; Latin beside one script, but for those whose letters look like Latin ones.
_TOGETHER = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)
_LIKE_LATIN = {"ARMENIAN", "CANADIAN_ABORIGINAL", "CHEROKEE", "COPTIC", "CYRILLIC", "GEORGIAN", "GREEK", "LISU"}


def check_user_name(name: str) -> str:
    """Return the name unchanged. Raises BadText: `name_like_path`, `mixed_scripts`."""
    if _PATH.fullmatch(name) or _DEVICE.fullmatch(name):
        raise BadText(
            "name_like_path",
            "The name reads like a file or an option of a program: begin and end it with a letter or digit, and do not "
            "use names that Windows keeps for devices, such as con or nul.",
        )
    if not name.isascii() and not _fits_one_writing_system(name):
        raise BadText(
            "mixed_scripts", "The name mixes letters of scripts that are not written together: use one script."
        )
    return name


def name_keys(name: str) -> tuple[str, str]:
    """Return two keys of a name: of its small letters, and of how it looks as it is written.

    Two names read alike if they have a key in common.
    """
    small = _skeleton(name.casefold())
    look = _skeleton(_skeleton(name).casefold())
    return _digest(small), _digest(look)


def _fits_one_writing_system(name: str) -> bool:
    scripts = set(confusable_homoglyphs.categories.unique_aliases(name)) - _EVERYWHERE
    if len(scripts) < 2 or any(scripts <= together for together in _TOGETHER):
        return True
    return len(scripts) == 2 and "LATIN" in scripts and not scripts & _LIKE_LATIN


def _skeleton(text: str) -> str:
    drawn = "".join(_drawn_like(letter) for letter in unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFD", drawn)


@cache
def _drawn_like(letter: str) -> str:
    """Return what stands for all letters that are drawn like this one.

    The library lists for each letter those that it is mixed up with: for the one that stands for them all of them, for
    the others this one alone.
    """
    table = confusable_homoglyphs.confusables.confusables_data
    alike = [entry["c"] for entry in table.get(letter, ())]
    if len(alike) != 1:
        return letter
    (other,) = alike
    is_pair = len(other) == 1 and len(table[other]) == 1
    return min(letter, other) if is_pair else str(other)


def _digest(skeleton: str) -> str:
    return sha256(skeleton.encode()).hexdigest()
