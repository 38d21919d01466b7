"""Numbers in words for digits: "zero one five five …", 공일공 일이삼사 …, 一三八零零 …; figures may be among them.

Words that only count (one, two, three …), or that are the same again and again, are none.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from annotation.domain.masking.spans import Plain
from vocabulary.late_patterns import late


class Spelt(NamedTuple):
    """A run of words for digits, and whether it is the number of a telephone without a word that says so."""

    start: int
    end: int
    is_sure: bool


def _table(*lines: str) -> dict[str, str]:
    """Return the digit of each word. A line has the words of 0 to 9; a stroke stands between words of one digit."""
    return {word: str(digit) for line in lines for digit, words in enumerate(line.split()) for word in words.split("|")}


_SIGNS = _table(
    "零|〇|영|공|ㅇ 一|幺|壹|일 二|两|贰|貳|이 三|叁|參|삼 四|肆|사 五|伍|오 六|陆|陸|육|륙 七|柒|칠 八|捌|팔 九|玖|구"
)
_EASTERN = _SIGNS | _table(
    "ゼロ|レイ イチ ニー|ニ サン ヨン ゴー|ゴ ロク ナナ|シチ ハチ キュウ|キュー",
    "ぜろ いち に さん よん ご ろく なな はち きゅう",
    "ㅇ 하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉",
)
_WESTERN = _table(
    "zero|oh|o|nought|naught one two three four five six seven eight nine",
    "null eins|ein zwei|zwo drei vier fünf sechs sieben acht neun",
    "zéro un deux trois quatre cinq six sept huit neuf",
    "cero uno dos tres cuatro cinco seis siete ocho nueve",
    "zero um dois três quatro cinco seis|meia sete oito nove",
    "zero uno due tre quattro cinque sei sette otto nove",
    "nul een|één twee drie vier vijf zes zeven acht negen",
    "ноль|нуль один два три четыре пять шесть семь восемь девять",
)
_TIMES = {"double": 2, "doble": 2, "triple": 3, "treble": 3}
_HAS_WESTERN = ("ero", "three", "five", "seven", "nine", "nul", "cin", "siete")
_HAS_OTHER_WESTERN = ("zéro", "ноль", "восемь")
"""Parts of which nearly every number has one: asked of every text, so few."""

_SIGN = "".join(_SIGNS)
_WORD = "|".join(sorted(_EASTERN.keys() - _SIGNS.keys(), key=len, reverse=True))
_DIGIT = rf"(?:[{_SIGN}\d]|{_WORD})"
_BETWEEN = r"(?:[ .,、·・~_/-]{1,3}|[のに에의杠] ?|,? ?(?:다시|대시|하이픈),? ?)?"
_FIRST = f"{_SIGN}ゼぜ하둘셋넷"
_EASTERN_RUN = late(
    rf"(?<![\d{_SIGN}])(?<![\d{_SIGN}][点點점.])(?=[\d{_FIRST}]){_DIGIT}(?:{_BETWEEN}{_DIGIT}){{6,18}}"
    rf"(?![{_SIGN}\d십백천만억十百千万萬亿億年月点點])"
)
_JOINING = r"\W_のに에의杠다시대하이픈"
MAY_BE_EASTERN = re.compile(rf"[{_FIRST}][{_JOINING}\d{''.join(_EASTERN)}]{{6}}")
"""What every run begins with that has no figures."""
_MAY_BE_MIXED = re.compile(rf"\d[{_JOINING}]{{0,6}}[{_FIRST}]")
_EASTERN_DIGIT = late(_DIGIT)
_WESTERN_DIGIT = rf"(?:(?:{'|'.join(_TIMES)})[ -])?(?:{'|'.join(_WESTERN)}|\d)(?!\w)"
_WESTERN_RUN = late(
    rf"(?<![\w.,])(?:plus[ ,]{{1,2}})?{_WESTERN_DIGIT}(?:[ ,./…-]{{1,5}}{_WESTERN_DIGIT}){{3,18}}", re.IGNORECASE
)
_WESTERN_WORD = re.compile(r"\w+")

_KOREAN = re.compile(r"01[016-9]\d{7,8}|02\d{7,8}|0[3-6]\d{8,9}|070\d{8}|080\d{7,8}")
_CHINESE_OR_JAPANESE = re.compile(r"1[3-9]\d{9}|0\d{9,11}|[48]00\d{7}")
_HANGUL, _FIGURE = re.compile("[가-힣]"), re.compile(r"\d")
_PARTICLE = re.compile("이(?=[야에예고다라지며니])")
_FEWEST, _FEWEST_DIFFERENT = 7, 3


def spelt(text: Plain) -> list[Spelt]:
    """Return the numbers in words."""
    numbers: list[Spelt] = []
    if not text.is_latin and (MAY_BE_EASTERN.search(text) or (text.digits and _MAY_BE_MIXED.search(text))):
        numbers += (number for found in _EASTERN_RUN.finditer(text) for number in _eastern(found))
    is_western = text.has(_HAS_WESTERN) if text.has_letters else False
    if is_western or (not text.isascii() and text.has(_HAS_OTHER_WESTERN)):
        numbers += (number for found in _WESTERN_RUN.finditer(text) for number in _western(found))
    return numbers


def _eastern(found: re.Match[str]) -> Iterator[Spelt]:
    """Yield the number of a run. A Korean one may end before it, since particles are also words for digits."""
    words = list(_EASTERN_DIGIT.finditer(found.string, found.start(), found.end()))
    digits = "".join(_EASTERN.get(word.group(), word.group()) for word in words)
    if not _is_number(digits):
        return
    is_korean = bool(_HANGUL.search(found.group()))
    form = _KOREAN if is_korean else _CHINESE_OR_JAPANESE
    for length in range(len(digits), _FEWEST if is_korean else len(digits) - 1, -1):
        if form.fullmatch(digits[:length]):
            end = words[length - 1].end()
            if any(not word.group().isdecimal() for word in words[:length]):
                yield Spelt(found.start(), end, is_sure=True)
            return
    last = words[-1]
    end = last.start() if _PARTICLE.match(found.string, last.start()) and len(words) > _FEWEST else last.end()
    if not _FIGURE.search(found.group()):
        yield Spelt(found.start(), end, is_sure=False)


def _western(found: re.Match[str]) -> Iterator[Spelt]:
    """Yield the number of a run. With a comma behind each word it is rather a list."""
    digits, times, figures = "", 1, 0
    for word in _WESTERN_WORD.findall(found.group().lower().removeprefix("plus")):
        if word in _TIMES:
            times = _TIMES[word]
            continue
        digit = word if word.isdecimal() else _WESTERN.get(word)
        if digit is None:  # letters that a pattern takes for others: ı, ſ
            return
        digits += digit * times
        figures += word.isdecimal()
        times = 1
    if _is_number(digits) and figures * 2 < len(digits):
        is_list = found.group().count(",") >= len(digits) - 2
        yield Spelt(found.start(), found.end(), is_sure=not is_list)


def _is_number(digits: str) -> bool:
    """Return whether so many digits do not count up or down, and are not the same again and again."""
    if len(digits) < _FEWEST or len(set(digits)) < _FEWEST_DIFFERENT:
        return False
    steps = [(int(after) - int(before), after) for before, after in pairwise(digits)]
    begins_anew = digits[0] if digits[0] != "0" else ""
    is_up = all(step == 1 or after == begins_anew for step, after in steps)
    is_down = all(step == -1 or after == begins_anew for step, after in steps)
    return not (is_up or is_down or ("0" not in digits and all(abs(step) <= 1 for step, _after in steps)))
