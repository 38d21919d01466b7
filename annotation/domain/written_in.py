"""The language tag of a text, told by its letters alone: enough for fonts, line breaks and voices of screen readers."""

import unicodedata
from collections import Counter

from annotation.domain.pictures.words import language_of

_READ = 400
"""The characters that are looked at."""
_SCRIPTS = {
    "LATIN": "und-Latn",
    "ARABIC": "und-Arab",
    "CYRILLIC": "und-Cyrl",
    "DEVANAGARI": "und-Deva",
    "GREEK": "und-Grek",
    "HEBREW": "und-Hebr",
    "THAI": "und-Thai",
}
"""Tags of BCP 47 for scripts that several languages share, by the first word of their letters' names."""


def written_in(text: str) -> str:
    """Return zh, ja or ko, or the tag of the script that most letters are of; "" if neither can be told."""
    read = text[:_READ]
    if language := language_of(read):
        return language
    names = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in read if letter.isalpha())
    ((script, count),) = names.most_common(1) or [("", 0)]
    return _SCRIPTS.get(script, "") if count * 2 > names.total() else ""
