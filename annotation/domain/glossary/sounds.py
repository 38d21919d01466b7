"""How words sound: Korean syllables by the rules of pronunciation, Chinese characters by their pinyin without tones."""

from functools import lru_cache
from importlib import import_module
from typing import Any

from annotation.domain.folding.hangul import FINALS, INITIALS, VOWELS, parts, syllable_of

_PLAIN = str.maketrans("ㄲㄸㅃㅆㅉ", "ㄱㄷㅂㅅㅈ")
"""Tense consonants sound as their plain ones: which one is said depends on the word, and writers play with it."""
_LIKE_VOWELS = str.maketrans("ㅐㅒㅖㅙㅚㅢ", "ㅔㅔㅔㅞㅞㅣ")
_AFTER_PALATAL = str.maketrans("ㅑㅕㅛㅠㅖ", "ㅏㅓㅗㅜㅔ")
_CLOSED = {
    **dict.fromkeys("ㄱㄲㅋㄳㄺ", "ㄱ"),
    **dict.fromkeys("ㄷㅌㅅㅆㅈㅊㅎ", "ㄷ"),
    **dict.fromkeys("ㅂㅍㅄㄿ", "ㅂ"),
    **dict.fromkeys("ㄴㄵㄶ", "ㄴ"),
    **dict.fromkeys("ㄹㄼㄽㄾㅀ", "ㄹ"),
    **dict.fromkeys("ㅁㄻ", "ㅁ"),
    "ㅇ": "ㅇ",
}
"""The seven sounds in which a syllable ends."""
_STAYS, _MOVES = "ㄱㄴㄴㄹㄹㄹㄹㄹㄹㄹㅂ", "ㅅㅈㅎㄱㅁㅂㅅㅌㅍㅎㅅ"
_SPLIT = dict(zip("ㄳㄵㄶㄺㄻㄼㄽㄾㄿㅀㅄ", zip(_STAYS, _MOVES, strict=True), strict=True))
"""The two consonants of a final that has two."""
_ASPIRATED = {"ㄱ": "ㅋ", "ㄷ": "ㅌ", "ㅂ": "ㅍ", "ㅈ": "ㅊ"}
_NASAL = {"ㄱ": "ㅇ", "ㄷ": "ㄴ", "ㅂ": "ㅁ"}


@lru_cache(maxsize=65_536)
def korean_sound(word: str) -> str:
    """Return a word of Hangul syllables as it sounds, in one spelling."""
    letters = [
        (INITIALS[initial], VOWELS[vowel], FINALS[final].strip("\0")) for initial, vowel, final in map(parts, word)
    ]
    for at in range(len(letters) - 1):
        (first, vowel, final), (following, next_vowel, next_final) = letters[at], letters[at + 1]
        final, following = _joined(final, following, next_vowel)
        letters[at], letters[at + 1] = (first, vowel, final), (following, next_vowel, next_final)
    return "".join(_syllable(*letter) for letter in letters)


def _joined(final: str, following: str, vowel: str) -> tuple[str, str]:
    """Return a final consonant and the initial after it as they sound together."""
    stays, moves = _SPLIT.get(final, ("", final))
    if following == "ㅇ" and final not in ("", "ㅇ"):
        return _carried_over(stays, moves, vowel)
    if moves == "ㅎ" and following in _ASPIRATED:
        return stays, _ASPIRATED[following]
    closed = _CLOSED.get(final, "")
    if following == "ㅎ" and (moves in _ASPIRATED or closed in _ASPIRATED):
        return stays, _ASPIRATED.get(moves) or _ASPIRATED[closed]
    if following in ("ㄴ", "ㅁ") and closed in _NASAL:
        return _NASAL[closed], following
    if following == "ㄹ" and closed in ("ㄱ", "ㄷ", "ㅂ", "ㅁ", "ㅇ"):
        return _NASAL.get(closed, closed), "ㄴ"
    return ("ㄹ", "ㄹ") if {closed, following} == {"ㄴ", "ㄹ"} else (closed, following)


def _carried_over(stays: str, moves: str, vowel: str) -> tuple[str, str]:
    """Return a final consonant before a syllable that begins with its vowel: 밥을 is 바블, 같이 is 가치."""
    if moves == "ㅎ":
        return "", stays or "ㅇ"
    if vowel == "ㅣ" and moves in ("ㄷ", "ㅌ"):
        return stays, "ㅈ" if moves == "ㄷ" else "ㅊ"
    return stays, moves


def _syllable(initial: str, vowel: str, final: str) -> str:
    if initial in ("ㅈ", "ㅊ", "ㅉ"):
        vowel = vowel.translate(_AFTER_PALATAL)
    initial, vowel, final = initial.translate(_PLAIN), vowel.translate(_LIKE_VOWELS), _CLOSED.get(final, "\0")
    return syllable_of(INITIALS.index(initial), VOWELS.index(vowel), FINALS.index(final))


def pinyin(term: str) -> tuple[str, ...]:
    """Return the syllables of a Chinese term; nothing without the extra `zh`, or where a character has no reading."""
    syllables = tuple(_pypinyin().lazy_pinyin(term)) if _pypinyin() else ()
    return syllables if all(part.isascii() and part.isalpha() for part in syllables) else ()


@lru_cache(maxsize=65_536)
def pinyin_of(char: str) -> frozenset[str]:
    """Return all readings of one character."""
    ((*readings,),) = _pypinyin().pinyin(char, style=_pypinyin().Style.NORMAL, heteronym=True)
    return frozenset(readings)


@lru_cache(maxsize=1)
def _pypinyin() -> Any:
    try:
        return import_module("pypinyin")
    except ImportError:
        return None
