"""Japanese terms in kana alone: writers take hiragana or katakana, and a word of few kana stands in many others."""

import re

_FEWEST = 4
"""Kana of a term from which on it is looked for in the other kana wherever no word goes on before it."""
_HIRAGANA, _KATAKANA = re.compile("[\u3041-\u3096]"), re.compile("[\u30a1-\u30f6ー]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30f6ー]+")
_TO_KATAKANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}
_TO_HIRAGANA = {code + 0x60: code for code in _TO_KATAKANA}
_WORDS = re.compile(
    "(?=(とき(?:どき)?|ときの|こと|のこと|もの(?:すご)?|ところ|いかが|いかに|から|かも(?:しれ)?|しかし|だから|けれど|それ|これ|あれ|どれ"
    "|ここ|そこ|あそこ|どこ|いつも|いつか|とても|もっと|すこし|たくさん|ちょっと|さっき|まだ|もう|ない|なかった|ください|ありがと"
    "|おはよう|こんにち|よろしく|みんな|わたし|あなた|ほんと|やっぱり|なんか|じゃない|そんな|こんな|あんな|どんな|ましょう|でしょう))"
)
"""Words of every sentence: a term that cuts one of them stands there by chance, as きのこ in ときのこと."""
_AROUND = 6


def in_other_kana(chars: str) -> set[str]:
    """Return a Japanese term in hiragana and in katakana; a short one in hiragana only in katakana."""
    kana = len(_HIRAGANA.findall(chars)) + len(_KATAKANA.findall(chars))
    if not kana:
        return set()
    forms = {chars.translate(_TO_KATAKANA)}
    if kana != len(chars) or kana >= _FEWEST:
        forms.add(chars.translate(_TO_HIRAGANA))
    return forms - {chars}


def may_be_amid_words(written: str) -> bool:
    """Return whether a term has kana alone."""
    return _KANA.fullmatch(written) is not None


def is_part(chars: str, at: int, length: int, *, is_other: bool) -> bool:
    """Return whether kana of a term are rather a part of other words: one goes on beside them, or is cut by them."""
    end = at + length
    if is_other and (_joined(chars, at) or (length < _FEWEST and _joined(chars, end))):
        return True
    if length >= _FEWEST:
        return False
    first = max(0, at - _AROUND)
    words = ((first + word.start(), first + word.end(1)) for word in _WORDS.finditer(chars[first : end + _AROUND]))
    return any(start < end and at < stop and not (at <= start and stop <= end) for start, stop in words)


def _joined(chars: str, at: int) -> bool:
    """Return whether kana of one kind stand on both sides of this place."""
    around = chars[max(0, at - 1) : at + 1]
    return len(around) > 1 and any(all(map(kana.match, around)) for kana in (_HIRAGANA, _KATAKANA))
