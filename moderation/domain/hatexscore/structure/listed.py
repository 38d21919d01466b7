"""Codes with what they stand for, and readings listed one by one: neither states anything until one is chosen.

"1 = hateful, 0 = not hateful" explains numbers; "A: a joke. B: an insult, which is hateful" lists what a text may mean.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from moderation.domain.hatexscore import labels
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment
from moderation.domain.hatexscore.normalize import Span
from moderation.domain.hatexscore.signs import UNNAMED, SignKind, any_of, is_named, kinds_of
from moderation.domain.hatexscore.statements import statements

_APART = 40  # characters between two pairs of one key
_FAR = 300  # characters between two readings of one list
_BEFORE = 90  # characters before a list in which it is announced
_LOW, _HIGH = 0.35, 0.65
_LEAST_SCALE = 3  # a smaller number is a code
LOW_END = (0.0, 1.0)
"""Where scales begin."""
_BESIDE = 80  # characters between a key and the one number that stands beside it
_NUMBER_LEFT = re.compile(r"(?<![\w./%])\d{1,3}(?:\.\d)?(?![\d./%]*\d|%)(?=[점分]|\s*'?\s*(?:$|[.,;:!。)|\n\x02—]))")
_LABEL = r"(?P<label>[^,;.()\n|/=。\d—]{1,40})"
_NEXT = re.compile(r"\s[a-e가-라](?=\s?[:.)=])")  # the next code, where a label ends
_BEHIND = 8  # characters behind the first code in which it is called a reading
_MEANS = re.compile(r"means?\b|stands? for|\bfor\b|뜻|의미|表示|代表")  # of a key that names one code alone
_WORDS = 5  # of the longest bare label
_CODE_FIRST = re.compile(
    r"(?<![a-z\d.%/+-])['\"]?(?P<code>(?<!of )\d{1,3}|[a-e]|(?<![가-힣])[가-라](?=\s?[:=).])|zero|one|two)"
    r"['\"]?(?:점|分)?\s?(?:=|:|—|→|\(|\)|\s(?=not?\b|non|most|fully|very|extremely)"
    r"|(?<=[a-e가-라])\.\s|(?:(?:would )?means?|(?:would )?be(?:ing)?|is|stands? for|indicates?|denotes?|for)\s"
    rf"|이면\s|(?:에 가까울|에 근접할|일)수록\s|[은는이가]\s?|表示|代表|意味着|意为|指|为|是)\s?{_LABEL}"
)
_LABEL_FIRST = re.compile(rf"{_LABEL}\s?(?:=|\(|→)\s?(?P<code>\d{{1,3}})(?![\d.%/])")
_NUMBERED = {
    code: place
    for codes in (
        "abcd",
        "1234",
        "가나다라",
        "甲乙丙丁",
        "一二三四",
        "①②③④",
        ("one", "two", "three"),
        ("i", "ii", "iii"),
    )
    for place, code in enumerate(codes)
}
_CODE = "(?:" + "|".join(sorted(_NUMBERED, key=len, reverse=True)) + ")"


class Item(NamedTuple):
    """What stands at `start` … `end` with or behind a code of a key or list, and whether it says hateful."""

    start: int
    end: int
    code: str
    hateful: bool | None


class _Patterns(NamedTuple):
    """What lists and names readings, of all languages."""

    announced: re.Pattern[str]
    mark: re.Pattern[str]
    named: re.Pattern[str]
    refused: re.Pattern[str]
    one_of_two: tuple[re.Pattern[str], re.Pattern[str]]


@cache
def _patterns() -> _Patterns:
    reading, former, latter = any_of("reading"), any_of("former"), any_of("latter")
    option = rf"(?:{any_of('refused')}\s?)?{{}}(?:\s?{any_of('refused')})?"
    return _Patterns(
        announced=re.compile(reading),
        mark=re.compile(
            rf"(?<![^\s.:;,。(|])(?:(?:{reading}\s?)?(?:\((?P<in>{_CODE})\)|(?P<out>{_CODE})\s?[:.)、])|{reading}\s?(?P<behind>{_CODE})\b"
            rf"|(?P<former>{former})|(?P<latter>{latter}))"
        ),
        named=re.compile(
            rf"{reading}\s?\(?(?P<by>{_CODE})\)?(?![a-z\d])"
            rf"|(?:{any_of('chooses')}|[:,(→—]|^|\n)\s?\(?(?P<code>{_CODE})\)?(?={any_of('chosen')}|\s*(?:$|[.,;:!。)\n—]))"
            rf"|(?:(?P<former>{former})|(?P<latter>{latter}))(?!\s(?:line|sentence|word|half|part|row|time))"
        ),
        refused=re.compile(any_of("refused")),
        # One of two, with what denies it on either side.
        one_of_two=(re.compile(option.format(former)), re.compile(option.format(latter))),
    )


def chosen_of_key(text: str) -> tuple[str, list[Conclusion]]:
    """Return the text without the keys of codes, and what a code says by its key."""
    pairs = _key(text)
    if not pairs:
        return text, []
    said = without(text, pairs)
    codes = "|".join({pair.code for pair in pairs}) if not pairs[0].code.isdigit() else r"\d{1,3}(?:\.\d)?"
    chosen = re.compile(
        rf"(?:[:=→—]|{any_of('chooses')}|{any_of('reading')}|^|\n)[\s'(*]*(?P<code>{codes})(?![a-z\d%])"
        rf"(?:\s?(?:/|out of)\s?\d+|점|分)?(?={any_of('chosen')}|\s*'?\s*(?:$|[.,;:!。)(|\n\x02—]))"
    )
    hits = [hit.span("code") for hit in chosen.finditer(said)] or _number_left(said, pairs)
    found = [(hit, _by_key(pairs, said[slice(*hit)])) for hit in hits]
    concluded = [Conclusion(*hit, hateful) for hit, hateful in found if hateful is not None]
    return without(said, [Item(*hit, "", None) for hit, _ in found]), concluded


def _number_left(said: str, pairs: Sequence[Item]) -> list[Span]:
    """Return where the one number stands that is left beside a key of two numbers; none where there are several."""
    if len(pairs) < 2 or not pairs[0].code.isdigit():
        return []
    hits = [hit.span() for hit in _NUMBER_LEFT.finditer(said)]
    is_near = len(hits) == 1 and -_BESIDE < max(hits[0][0] - pairs[-1].end, pairs[0].start - hits[0][1]) < _BESIDE
    return hits if is_near else []


def explained_numbers(text: str) -> list[Item]:
    """Return the numbers whose meaning is told beside them, with what they stand for."""
    return [pair for pair in _pairs(text, _CODE_FIRST) if pair.code.isdigit()]


def _key(text: str) -> list[Item]:
    """Return the pairs of a key: neighbours that give two codes two meanings. What repeats a code is its choice."""
    for pattern in (_CODE_FIRST, _LABEL_FIRST):
        first: dict[str, Item] = {}
        for pair in _pairs(text, pattern):
            first.setdefault(pair.code, pair)
        pairs = list(first.values())
        near = [
            pair
            for pair in pairs
            if any(
                other.code != pair.code and -_APART < max(other.start - pair.end, pair.start - other.end) < _APART
                for other in pairs
            )
        ]
        if len({pair.hateful for pair in near}) == 2:
            return near
        if len(pairs) == 1 and pairs[0].hateful and (_MEANS.search(text, *pairs[0][:2]) or _is_aside(text, pairs[0])):
            return pairs
    return []


def _is_aside(text: str, pair: Item) -> bool:
    """Whether a number and what it is equal to stand in brackets."""
    return text[pair.start - 1 : pair.start] == "(" and "=" in text[pair.start : pair.end]


def _pairs(text: str, pattern: re.Pattern[str]) -> Iterator[Item]:
    """Yield the codes with a label beside them."""
    start = 0
    while hit := pattern.search(text, start):
        following = _NEXT.search(text, hit.start("label"), hit.end() + 2) if pattern is _CODE_FIRST else None
        end = following.start() if following else hit.end()
        label = text[hit.start("label") : min(end, hit.end("label"))]
        hateful = labels.said_by(label) if len(label.split()) <= _WORDS else None
        if pattern is _LABEL_FIRST and not is_named(label, 0, len(label)):
            hateful = None  # "hateful=0 offensive=1" are two fields
        if hateful is not None:
            yield Item(hit.start(), end, hit["code"], hateful)
        start = hit.start() + 1 if hateful is None else end


def _by_key(pairs: Sequence[Item], code: str) -> bool | None:
    """Return what a code stands for; between two numbers of a key, the meaning of the nearer. None: it is halfway."""
    said = {pair.code: pair.hateful for pair in pairs}
    is_scale = pairs[0].code.isdigit() and (len(said) > 1 or float(pairs[0].code) >= _LEAST_SCALE)
    if code in said or not is_scale:
        return said.get(code, False if len(said) == 1 else None)
    ends: dict[float, bool | None] = {float(pair.code): pair.hateful for pair in pairs}
    return nearer_end({0.0: not pairs[0].hateful} | ends if len(ends) == 1 else ends, float(code))


def nearer_end(said: Mapping[float, bool | None], number: float) -> bool | None:
    """Return what the end of a scale says that the number is nearer to. None: it is halfway, or not on the scale."""
    low, high = min(said), max(said)
    share = (number - low) / ((high - low) or 1)
    if not 0 <= share <= 1 or _LOW < share < _HIGH:
        return None
    return said[low if share <= _LOW else high]


def chosen_of_readings(text: str) -> tuple[str, list[Conclusion]]:
    """Return the text without the readings that it lists, and what the reading says that it chooses."""
    items = _readings(text)
    if not items:
        return text, []
    said = without(text, items)
    named = {}
    for hit in _patterns().named.finditer(said, items[-1].end):
        place = 0 if hit["former"] else 1 if hit["latter"] else _NUMBERED[hit["by"] or hit["code"]]
        sentence = next(one for one in labels.segments(said) if one.end >= hit.start())
        if SignKind.DOUBT in kinds_of(said, sentence.start, sentence.end):
            continue
        beside = _patterns().refused.search(said, max(items[-1].end, hit.start() - 12), min(len(said), hit.end() + 12))
        named[1 - place if beside and len(items) == 2 else place] = hit
    if len(named) != 1:
        return said, []
    (place, hit) = named.popitem()
    if place >= len(items):
        return said, []
    hateful = items[place].hateful
    others = {item.hateful for item in items if item is not items[place]}
    if hateful is None and others == {True}:
        hateful = False
    return said, [] if hateful is None else [Conclusion(*hit.span(), hateful)]


def _readings(text: str) -> list[Item]:
    """Return the readings of a list that is announced as one; none if no reading says hateful."""
    marks: list[re.Match[str]] = []
    for mark in _patterns().mark.finditer(text):
        if _place(mark) == len(marks) and (not marks or mark.start() - marks[-1].end() < _FAR):
            marks.append(mark)
        elif _place(mark) == 0 and len(marks) < 2:
            marks = [mark]
    if len(marks) < 2 or not _is_announced(text, marks[0]):
        return []
    ends = [mark.start() for mark in marks[1:]]
    last = re.compile(r"[.。!?\n]|$").search(text, marks[-1].end())
    ends.append(last.end() if last else len(text))
    items = [Item(mark.start(), end, "", _said(text, mark.end(), end)) for mark, end in zip(marks, ends, strict=True)]
    return items if any(item.hateful for item in items) else []


def _place(mark: re.Match[str]) -> int:
    code = mark["in"] or mark["out"] or mark["behind"]
    return _NUMBERED[code] if code else int(mark["latter"] is not None)


def _is_announced(text: str, first: re.Match[str]) -> bool:
    return _patterns().announced.search(text, max(0, first.start() - _BEFORE), first.end() + _BEHIND) is not None


def _said(text: str, start: int, end: int) -> bool | None:
    """Return the last that is said of hate there, stated or supposed; else what a word such as harmless says."""
    parts = [Segment(start + one.start, start + one.end, one.stop) for one in labels.segments(text[start:end])]
    for words in (None, UNNAMED):
        said = [each for part in parts for each in (statements(text, part, words) if words else statements(text, part))]
        if said:
            return said[-1].said.hateful
    return None


def chosen_of_two(text: str, segments: Sequence[Segment]) -> Iterator[Conclusion]:
    """Yield what is named as the former or the latter of two."""
    patterns, hateful_first = _patterns(), None
    for segment in segments:
        hits = [
            (option, hit) for option in patterns.one_of_two for hit in option.finditer(text, segment.start, segment.end)
        ]
        if hits and (offered := labels.offered(text, segment)):  # "of hateful and not hateful I choose the latter"
            hits = [(option, hit) for option, hit in hits if hit.start() >= offered[0]]
            hateful_first = offered[1]
        named = {
            (option is patterns.one_of_two[0]) is (patterns.refused.search(text, *hit.span()) is None)
            for option, hit in hits
        }
        if hateful_first is not None and len(named) == 1:
            yield Conclusion(*hits[-1][1].span(), hateful_first in named)
        elif (first := labels.hateful_first_of_two(text, segment)) is not None:
            hateful_first = first


def without(text: str, items: Sequence[Item]) -> str:
    """Return the text with a stop and blanks for these items."""
    signs = list(text)
    for item in items:
        signs[item.start : item.end] = "\x02".ljust(item.end - item.start)
    return "".join(signs)
