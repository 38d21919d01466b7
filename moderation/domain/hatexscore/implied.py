"""Conclusions that no clause states with a word of hate: read only where none does.

What a clause left open may be settled by what follows it: somebody's opinion by "I disagree", a condition by "here it
is about a fungus", a choice between two labels by "the latter". A text is said to be harmless or against the rules
without a word of hate, and an explanation may simply begin with yes or no.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from moderation.domain.hatexscore import labels
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment
from moderation.domain.hatexscore.signs import UNNAMED, Kind, any_of, tongues
from moderation.domain.hatexscore.statements import Statement, stated_in, statements

_LOOK = 160  # characters behind a clause in which it may be settled
_BACK = 2  # characters of the clause itself: a Korean one ends in its "but"
_OPEN = {Kind.DOUBT, Kind.CONDITION, Kind.REPORT}
_UNCLEAR = {Kind.DOUBT, Kind.CONDITION, Kind.NEGATION}
_MOST = 8  # clauses that are looked at, from the end: the last of them decides
_SHORT = 4  # characters that say nothing more
_TAIL = 3  # sentences at the end of an explanation that may conclude without a word of hate


class _Patterns(NamedTuple):
    """What settles a clause, of all languages."""

    dissent: re.Pattern[str]
    assent: re.Pattern[str]
    elided_no: re.Pattern[str]
    elided_yes: re.Pattern[str]
    actual: re.Pattern[str]
    former: re.Pattern[str]
    latter: re.Pattern[str]
    opening: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    # A clause begins behind a stop or a word such as "but", and what settles another stands at its beginning.
    begins = rf"(?:[,;:.!?。\n—\x01)]|{any_of('contrast')})[\s,'\"]*(?:{any_of('contrast')}[\s,]*)*"
    ends = r"[,;:.!?。\n—\x01)][^.?!\n。]{0,90}?"
    return _Patterns(
        dissent=re.compile(begins + any_of("dissent")),
        assent=re.compile(begins + any_of("assent")),
        elided_no=re.compile(ends + any_of("elided_no")),
        elided_yes=re.compile(ends + any_of("elided_yes")),
        actual=re.compile(begins + any_of("actual")),
        former=re.compile(any_of("former")),
        latter=re.compile(any_of("latter")),
        opening=re.compile(
            rf"[\s\x01—>-]*(?:{any_of('answer_before')}\s*)?"
            r"(?:(?P<yes>yes|네|예|是的?|对)|(?P<no>no|아니요|아니오|아닙니다|아뇨|否|不是的?|不))\s*(?=[.,!。\n—])"
        ),
    )


def implied(text: str, segments: Sequence[Segment], quoted: Sequence[Statement]) -> list[Conclusion]:
    """Return the conclusions that the plain text implies; `quoted` is what its quotations state, where they stand."""
    found = [*_chosen(text, segments), *_settled(text, segments, quoted), *_unnamed(text, segments)]
    return found or _opening(text)


def _settled(text: str, segments: Sequence[Segment], quoted: Sequence[Statement]) -> Iterator[Conclusion]:
    """Yield what becomes of clauses that were left open, by what follows them."""
    left_open: list[Statement] = []
    for segment in reversed(segments):
        left_open = [*(each for each in statements(text, segment) if each.left_open), *left_open][-_MOST:]
        if len(left_open) == _MOST:
            break
    for said, word, kind in (*left_open, *quoted[-_MOST:]):
        settled = _settles(text, said, word, kind)
        if settled is not None:
            yield Conclusion(said.start, said.end, settled)


def _settles(text: str, said: Conclusion, word: bool, kind: Kind | None) -> bool | None:
    """Return what is concluded of a clause that was left open. Returns None if what follows does not settle it."""
    patterns, following = _patterns(), text[said.end - _BACK : said.end + _LOOK]
    if patterns.dissent.search(following):
        return not said.hateful
    if patterns.assent.search(following):
        return said.hateful
    for pattern, settled in ((patterns.elided_no, not word), (patterns.elided_yes, word)):
        if elided := pattern.search(following):
            return None if _kinds(text, said.end, said.end - _BACK + elided.end()) & _OPEN else settled
    actual = patterns.actual.search(following) if kind is Kind.CONDITION else None
    if actual is None:
        return None
    is_clear = not _kinds(text, said.end - _BACK + actual.start(), said.end + 2 * _LOOK) & _UNCLEAR
    return not said.hateful if is_clear else None


def _kinds(text: str, start: int, end: int) -> set[Kind]:
    return {sign.kind for tongue in tongues() for sign in tongue.signs(text, start, min(end, len(text)), ())}


def _chosen(text: str, segments: Sequence[Segment]) -> Iterator[Conclusion]:
    """Yield the label that is named as the former or the latter of two."""
    hateful_first = None
    for segment in segments:
        if (first := labels.hateful_first(text, segment)) is not None:
            hateful_first = first
            continue
        former, latter = (
            pattern.search(text, segment.start, segment.end) is not None
            for pattern in (_patterns().former, _patterns().latter)
        )
        if hateful_first is not None and former is not latter:
            yield Conclusion(segment.start, segment.end, hateful_first is former)


def _unnamed(text: str, segments: Sequence[Segment]) -> Iterator[Conclusion]:
    """Yield what the first or the last sentences say in words such as harmless or violation.

    A sentence that speaks of hate and states nothing by it states nothing by these words either.
    """
    for segment in {*segments[:1], *segments[-_TAIL:]}:
        if next(statements(text, segment), None) is None:
            yield from stated_in(text, segment, UNNAMED)


def _opening(text: str) -> list[Conclusion]:
    """Return what the explanation says if it begins with yes or no and leaves nothing open behind it."""
    said = _patterns().opening.match(text)
    if (
        said is None
        or said.end() + _SHORT >= len(text)
        or _kinds(text, said.end(), len(text)) & {Kind.DOUBT, Kind.CONDITION}
    ):
        return []
    return [Conclusion(*said.span(), said["yes"] is not None)]
