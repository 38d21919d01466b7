"""Words that a campaign's admins write, in one language or several: a text by language code."""

from collections.abc import Mapping

from annotation.domain.one_line import read_line
from annotation.domain.text_rules import read_text

LANGUAGE_LIMIT = 20
"""Characters of a language code, such as `zh-hans`."""


ShownWords = str | dict[str, str]
"""A text for every language, or one a language code with "" for all other languages."""


class BadWords(ValueError):
    """The value is neither a text nor texts by language code."""

    sentence = "must be a text, or one text per language code."


def read_words(raw: object, limit: int, *, lines: bool = False) -> dict[str, str]:
    """Return texts by language code, "" for every other language; a plain text is for every language.

    Blank texts are left out. `lines`: a text may have several lines.
    Raises BadWords, and BadText for a text that cannot be stored.
    """
    if isinstance(raw, str):
        raw = {"": raw}
    if not isinstance(raw, Mapping):
        raise BadWords
    words = {}
    for language, text in raw.items():
        if not isinstance(language, str) or len(language) > LANGUAGE_LIMIT or not isinstance(text, str):
            raise BadWords
        if text.strip():
            words[language.strip().lower()] = read_text(text.strip() if lines else read_line(text), limit)
    return words


def in_language(words: Mapping[str, str], language: str) -> str:
    """Return the words in the language, else those for every language, else an empty text."""
    return words.get(language.lower()) or words.get(language.lower().partition("-")[0]) or words.get("", "")


def shown_words(words: Mapping[str, str]) -> ShownWords:
    """Return words as a file has them: a plain text if they are the same in every language."""
    everywhere = words.get("")
    return everywhere if everywhere and len(words) == 1 else dict(words)
