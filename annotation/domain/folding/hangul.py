"""Hangul: syllables, the jamo that they are made of, and syllables from jamo."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

FIRST, LAST = "\uac00", "\ud7a3"
INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = tuple("ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ")
FINALS = "\0ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
COMPATIBLE = {
    **{0x1100 + number: letter for number, letter in enumerate(INITIALS)},
    **{0x1161 + number: letter for number, letter in enumerate(VOWELS)},
    **{0x11A7 + number: letter for number, letter in enumerate(FINALS) if number},
}
"""Jamo of syllables, by code point, and the letters that they are when they stand alone."""
HAS_JAMO = re.compile("[\u1100-\u11ff\u3131-\u3163\uffa1-\uffdc]")


def is_syllable(char: str) -> bool:
    """Return whether a character is a Hangul syllable."""
    return FIRST <= char <= LAST


def parts(syllable: str) -> tuple[int, int, int]:
    """Return the numbers of initial, vowel and final of a syllable."""
    number = ord(syllable) - ord(FIRST)
    return number // 588, number % 588 // 28, number % 28


def syllable_of(initial: int, vowel: int, final: int = 0) -> str:
    """Return the syllable of an initial, a vowel and a final."""
    return chr(ord(FIRST) + initial * 588 + vowel * 28 + final)


def is_open(word: str) -> bool:
    """Return whether a word ends in a syllable without a final consonant."""
    return is_syllable(word[-1]) and parts(word[-1])[2] == 0


def composed(chars: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield syllables made of jamo, and other characters as they are, with first position and position after the last.

    `chars` are single characters, jamo in any form.
    """
    letters = [_letter(char) for char in chars]
    at = 0
    while at < len(letters):
        first = at
        initial, vowel, final = _open_syllable(letters, at)
        if initial < 0:
            yield letters[at], at, at + 1
            at += 1
            continue
        at += 1 if is_syllable(letters[at]) else 2
        if not final and _closes(letters, at):
            final = FINALS.index(letters[at])
            at += 1
        yield syllable_of(initial, vowel, final), first, at


def _letter(char: str) -> str:
    """Return a jamo in its usual form; another character as it is."""
    if is_syllable(char):
        return char
    return COMPATIBLE.get(ord(unicodedata.normalize("NFKC", char)[0]), char)


def _open_syllable(letters: Sequence[str], at: int) -> tuple[int, int, int]:
    if is_syllable(letters[at]):
        return parts(letters[at])
    if letters[at] in INITIALS and at + 1 < len(letters) and letters[at + 1] in VOWELS:
        return INITIALS.index(letters[at]), VOWELS.index(letters[at + 1]), 0
    return -1, 0, 0


def _closes(letters: Sequence[str], at: int) -> bool:
    """Return whether the consonant here is a final: no vowel follows, and no second one but as in 헐렁 (not ㅋㅋ)."""
    if at >= len(letters) or letters[at] not in FINALS:
        return False
    after, vowel = (*letters[at + 1 : at + 3], "", "")[:2]
    return after not in VOWELS and (after != letters[at] or vowel in VOWELS)
