"""The language of a text, told by a model of letter sequences that comes with its library (py3langid)."""

from __future__ import annotations

from functools import cache

import py3langid.langid

_AMONG = (
    *("ar", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "gu", "he", "hi", "hr", "hu", "id"),
    *("it", "ja", "ko", "lt", "lv", "mr", "ms", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "sw", "ta"),
    *("te", "th", "tl", "tr", "uk", "ur", "vi", "zh"),
)
"""The languages to choose among (ISO 639-1): with all that the model knows, short posts turn into rare ones."""
_SURE = 0.8
_READ = 400
"""The characters that are looked at."""
_RARE = 0.02
"""The share of the recognized texts below which a language is taken for a mistake."""


@cache
def _identifier() -> py3langid.langid.LanguageIdentifier:
    identifier = py3langid.langid.LanguageIdentifier.from_model_file(py3langid.langid.MODEL_FILE, norm_probs=True)
    identifier.set_languages([language for language in _AMONG if language in identifier.labels])
    return identifier


def language_of(text: str) -> str | None:
    """Return the language of the text. Returns None if it is too short, or too much like several, to be told."""
    if sum(character.isalpha() for character in text[:_READ]) < 6:
        return None
    language, probability = _identifier().classify(text[:_READ])
    return str(language) if probability >= _SURE else None


def languages_of(counts: dict[str, int]) -> dict[str, int]:
    """Return the languages of a data set, most frequent first, from the number of texts recognized as each."""
    recognized = sum(counts.values())
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return {language: n for language, n in ordered if n >= _RARE * recognized}
