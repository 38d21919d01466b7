"""Marks of a text that was read in a wrong encoding, by what its language never writes.

charset-normalizer measures how disordered a text is. It does not see a text whose characters are in order and of the
wrong language: Hebrew read as small Cyrillic letters, Japanese as rare Chinese characters, Czech as French. A reading
with such a mark loses to one without.
"""

import re

ODD = 0.2
_ALPHABETS = {
    "windows-1252": ("àâæçèéêëîïôùûüÿœ", "äöüß", "áéíóúñü", "àáâãçéêíóôõú", "àèéìíòóù", "åäöéü", "æøåéò", "ëéïèöü",
                     "áéíóúýðþæö", "äöõüšž", "àçèéíïòóúü·"),
    "windows-1254": ("çğıöşüâîû",),
    "windows-1250": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíľĺňóôŕšťúýž", "áéíóöőúüű", "ăâîşţșț", "čćđšž", "čšž"),
    "windows-1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž"),
    "windows-1258": ("àáâãăèéêìíòóôõơùúưýđ\u0300\u0301\u0303\u0309\u0323",),
}  # fmt: skip
_ALPHABETS["iso-8859-2"] = _ALPHABETS["windows-1250"]
_ANYWHERE = re.compile(r"[\x00-\x7f\u2010-\u203a©®°·«»\xa0€№§¿¡„\ufffd]")
_VOWELS = re.compile("[аеёиоуыэюяіїєўαεηιουωάέήίόύώϊϋΐΰ]", re.IGNORECASE)
_VOWELLED = re.compile("[\u0370-\u04ff]")  # Greek and Cyrillic
_CHAINED = re.compile(r"[^\x00-\x7f]{2,}")
_KANA, _HANGUL, _HAN = re.compile("[\u3041-\u30ff]"), re.compile("[\uac00-\ud7a3]"), re.compile("[\u3400-\u9fff]")
# The common half of each standard: what a text mostly has where it is really of that standard.
_COMMON_HAN = {"gb18030": ("gb2312", 0xD8), "gbk": ("gb2312", 0xD8), "big5": ("big5", 0xC9)}
# What no text of the language does without: syllables of endings and particles, characters of grammar in both forms.
_EVERYDAY = {
    "euc-kr": (0.2, 3, frozenset("이다는에을의가고지하도로를은서기사어리자나대인아스시게해한수들라요니")),
    "gb18030": (
        0.15,
        4,
        frozenset(
            "的一是不了在人有我他这這个個们們来來到时時为為你说說就那和要也得会會可过過去能对對"
            "于於么麼之都没沒还還从從但现現些所又它因很给給什被已其此与與者样樣把只如用第"
        ),
    ),
    "shift_jis": (0.2, 4, frozenset(map(chr, range(0x3042, 0x3094)))),
}
_EVERYDAY |= {"gbk": _EVERYDAY["gb18030"], "big5": _EVERYDAY["gb18030"], "euc-jp": _EVERYDAY["shift_jis"]}
MULTIBYTE = ("euc-kr", "gb18030", "gbk", "big5", "shift_jis", "euc-jp")


def oddity(text: str, encoding: str) -> float:
    """Return how odd the text is in the languages that use the encoding: 0, or 0.2 and more."""
    specific = [letter for letter in text if not _ANYWHERE.match(letter)]
    if not specific:
        return 0.0
    if encoding in MULTIBYTE:
        return _east_asian(text, specific, encoding)
    if alphabets := _ALPHABETS.get(encoding):
        strange = min(sum(1 for letter in specific if letter.lower() not in letters) for letters in alphabets)
        return 2 * strange / len(specific) + _shouted(specific)
    few_vowels = len(_VOWELS.findall(text)) < 0.3 * len(_VOWELLED.findall(text))
    no_accents = encoding == "windows-1253" and len(specific) > 8 and not re.search("[άέήίόύώ]", text)
    return ODD * (few_vowels or no_accents) + _shouted(specific)


def is_prose(text: str, encoding: str) -> bool:
    """Return whether a text in an encoding of several bytes has the small words of its language.

    Names and lists of words have none; the same bytes read as another language hardly ever have some.
    """
    least, kinds, everyday = _EVERYDAY[encoding]
    specific = [letter for letter in text if not _ANYWHERE.match(letter)]
    known = [letter for letter in specific if letter in everyday]
    return len(set(known)) >= kinds and len(known) >= least * len(specific)


def _shouted(specific: list[str]) -> float:
    return ODD * (sum(map(str.isupper, specific)) > 0.6 * len(specific))


def _east_asian(text: str, specific: list[str], encoding: str) -> float:
    odd = ODD * (sum(map(len, _CHAINED.findall(text))) < 0.5 * len(specific))  # alone within Latin words
    kana = len(_KANA.findall(text)) / len(specific)
    if encoding in ("shift_jis", "euc-jp"):
        return odd + ODD * (kana < 0.05)
    if encoding == "euc-kr":
        return (
            odd
            + ODD * (len(_HANGUL.findall(text)) < 0.5 * len(specific))
            + ODD * _share(_HANGUL, text, "euc_kr", 0x100)
        )
    codec, end = _COMMON_HAN[encoding]
    return odd + ODD * (kana > 0.2) + ODD * _share(_HAN, text, codec, end)


def _share(pattern: re.Pattern[str], text: str, codec: str, end: int) -> bool:
    """Return whether more than a fifth of these characters are not in the codec before its lead byte `end`."""
    characters = pattern.findall(text)
    rare = sum(1 for letter in characters if len(stored := letter.encode(codec, "ignore")) != 2 or stored[0] >= end)
    return rare > 0.2 * len(characters)
