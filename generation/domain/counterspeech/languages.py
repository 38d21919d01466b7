"""Whether a text is written in another language than it should be: that of the post, or the one that was asked for."""

from functools import cache

from babel import Locale

from annotation.domain.releases.languages import language_of
from annotation.domain.written_in import written_in

_LATIN = "und-Latn"
_ENOUGH = 60
"""Characters from which two languages in Latin letters are told apart: the finder guesses on a line of five words."""


def languages_differ(reply: str, post: str) -> bool:
    """Return whether both languages are known for sure, and are two."""
    scripts = written_in(reply), written_in(post)
    if "" in scripts:
        return False
    if scripts[0] != scripts[1]:
        return True
    if scripts[0] == _LATIN and min(len(reply), len(post)) < _ENOUGH:
        return False
    languages = language_of(reply), language_of(post)
    return None not in languages and languages[0] != languages[1]


def differs_from(text: str, name: str) -> bool:
    """Return whether a text is surely not in the language of this name ("English", "한국어" …).

    A name that is not known, such as that of a dialect, is no reason to doubt.
    """
    code = _codes().get(name.strip().casefold(), "")
    return bool(code) and is_foreign(text, code)


def is_foreign(text: str, code: str) -> bool:
    """Return whether a text is surely in another language than the one of this code ("en", "zh-hans" …)."""
    script, own = written_in(text), code.partition("-")[0]
    if not script:
        return False
    if script in _OWN_SCRIPT or own in _OWN_SCRIPT:
        return script != own
    is_sure = script != _LATIN or len(text) >= _ENOUGH
    language = language_of(text) if is_sure else None
    return language not in (None, own)


def english_name(code: str) -> str:
    """Return the English name of the language of this code: "Korean", "Chinese (Simplified)"."""
    return str(Locale.parse(code, sep="-").get_display_name("en"))


_OWN_SCRIPT = ("ko", "zh", "ja")


@cache
def _codes() -> dict[str, str]:
    """Return the codes of languages (ISO 639-1) by their names in English, Korean, Chinese and themselves."""
    named = {
        name.casefold(): code.partition("_")[0]
        for reader in ("en", "ko", "zh")
        for code, name in Locale(reader).languages.items()
    }
    own = {
        str(Locale(code).get_language_name()).casefold(): code for code in ("en", "ko", "zh", "ja", "de", "fr", "es")
    }
    return named | own
