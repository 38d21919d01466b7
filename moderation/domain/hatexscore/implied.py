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
from moderation.domain.hatexscore.clauses.clause import Statement
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment
from moderation.domain.hatexscore.signs import UNNAMED, SignKind, any_of, tongues
from moderation.domain.hatexscore.statements import stated_in, statements

_LOOK = 160  # characters behind a clause in which it may be settled
_BACK = 2  # characters of the clause itself: a Korean one ends in its "but"
_OPEN = {SignKind.DOUBT, SignKind.CONDITION, SignKind.REPORT}
_UNCLEAR = {SignKind.DOUBT, SignKind.CONDITION, SignKind.NEGATION}
_MOST = 8  # clauses that are looked at, from the end: the last of them decides
_SHORT = 4  # characters that say nothing more
_TAIL = 3  # sentences at the end of an explanation that may conclude without a word of hate


_ASKED = re.compile(r"[^.?!\n。]{0,90}\?")


class _Patterns(NamedTuple):
    """What settles a clause, of all languages."""

    dissent: re.Pattern[str]
    assent: re.Pattern[str]
    elided_no: re.Pattern[str]
    elided_yes: re.Pattern[str]
    takes_back: re.Pattern[str]
    actual: re.Pattern[str]
    former: re.Pattern[str]
    latter: re.Pattern[str]
    refused: re.Pattern[str]
    opening: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    # A clause begins behind a stop or a word such as "but", and what settles another stands at its beginning.
    begins = rf"(?:[,;:.!?。\n—\x01)]|{any_of('contrast')})[\s,'\"]*(?:{any_of('contrast')}[\s,]*)*"
    # One of two, with what denies it on either side.
    option = rf"(?:{any_of('refused')}\s?)?{{}}(?:\s?{any_of('refused')})?"
    ends = r"[,;:.!?。\n—\x01)][^.?!\n。]{0,90}?"
    return _Patterns(
        dissent=re.compile(begins + any_of("dissent")),
        assent=re.compile(begins + any_of("assent")),
        elided_no=re.compile(ends + any_of("elided_no")),
        elided_yes=re.compile(ends + any_of("elided_yes")),
        takes_back=re.compile(
            rf"[^.?!\n。]{{0,60}}?(?:[,;—]|{any_of('conceded')})\s*(?:{any_of('contrast')}[\s,]*)?{any_of('takes_back')}"
        ),
        actual=re.compile(f"{begins}{any_of('actual')}|^{any_of('conceded')}"),
        former=re.compile(option.format(any_of("former"))),
        latter=re.compile(option.format(any_of("latter"))),
        refused=re.compile(any_of("refused")),
        opening=re.compile(
            rf"[\s\x01—>-]*(?:{any_of('answer_before')}[\s:,]*)?"
            rf"(?:(?P<yes>{any_of('opening_yes')})|(?P<no>{any_of('opening_no')}))\s*(?=[.,!。\n—])"
        ),
    )


def implied(text: str, segments: Sequence[Segment], quoted: Sequence[Statement]) -> list[Conclusion]:
    """Return the conclusions that the plain text implies; `quoted` is what its quotations state, where they stand."""
    found = [*_chosen(text, segments), *_settled(text, segments, quoted), *_unnamed(text, segments)]
    return found or _opening(text)


def is_taken_back(text: str, said: Conclusion) -> bool:
    """Whether the rest of the sentence says of the text at hand that it is not so."""
    denial = _patterns().takes_back.match(text, max(said.start, said.end - _BACK))
    return denial is not None and not _kinds(text, said.end, denial.end()) & _OPEN


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


def _settles(text: str, said: Conclusion, word: bool, kind: SignKind | None) -> bool | None:
    """Return what is concluded of a clause that was left open. Returns None if what follows does not settle it."""
    patterns, following = _patterns(), text[said.end - _BACK : said.end + _LOOK]
    if patterns.dissent.search(following):
        return not said.hateful
    if patterns.assent.search(following):
        return said.hateful
    for pattern, settled in ((patterns.elided_no, not word), (patterns.elided_yes, word)):
        if elided := pattern.search(following):
            # What a question leaves open is answered with it.
            begin = said.end - _BACK + elided.start() if _ASKED.match(text, said.end) else said.end
            return None if _kinds(text, begin, said.end - _BACK + elided.end()) & _OPEN else settled
    actual = patterns.actual.search(following) if kind is SignKind.CONDITION else None
    if actual is None:
        return None
    is_clear = not _kinds(text, said.end - _BACK + actual.start(), said.end + 2 * _LOOK) & _UNCLEAR
    return not said.hateful if is_clear else None


def _kinds(text: str, start: int, end: int) -> set[SignKind]:
    return {sign.kind for tongue in tongues() for sign in tongue.signs(text, start, min(end, len(text)), ())}


def _chosen(text: str, segments: Sequence[Segment]) -> Iterator[Conclusion]:
    """Yield what is named as the former or the latter of two."""
    patterns, hateful_first = _patterns(), None
    for segment in segments:
        named = {
            (option is patterns.former) is (patterns.refused.search(text, *hit.span()) is None)
            for option in (patterns.former, patterns.latter)
            for hit in option.finditer(text, segment.start, segment.end)
        }
        if hateful_first is not None and len(named) == 1:
            yield Conclusion(segment.start, segment.end, hateful_first in named)
        elif (first := labels.hateful_first_of_two(text, segment)) is not None:
            hateful_first = first


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
        or _kinds(text, said.end(), len(text)) & {SignKind.DOUBT, SignKind.CONDITION}
    ):
        return []
    return [Conclusion(*said.span(), said["yes"] is not None)]
