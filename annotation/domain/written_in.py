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
    scripts: Counter[str] = Counter()
    for letter, count in Counter(read).items():
        if letter.isalpha():
            scripts[unicodedata.name(letter, "").partition(" ")[0]] += count
    ((script, most),) = scripts.most_common(1) or [("", 0)]
    return _SCRIPTS.get(script, "") if most * 2 > scripts.total() else ""
