"""Conclusions that no clause states with a word of hate: read only where none does.

What a clause left open may be settled by what follows it: somebody's opinion by "I disagree", a condition by "here it
is about a fungus". A text is said to be harmless or against the rules without a word of hate, and an explanation may
simply begin with yes or no.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from moderation.domain.hatexscore.clauses.clause import Statement
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment
from moderation.domain.hatexscore.levels import levels_of_risk
from moderation.domain.hatexscore.signs import UNNAMED, SignKind, any_of, kinds_of
from moderation.domain.hatexscore.statements import stated_in, statements

_LOOK = 160  # characters behind a clause in which it may be settled
_BACK = 2  # characters of the clause itself: a Korean one ends in its "but"
_UNCLEAR = {SignKind.DOUBT, SignKind.CONDITION, SignKind.NEGATION}
_MOST = 8  # clauses that are looked at, from the end: the last of them decides
_SHORT = 4  # characters that say nothing more
_TAIL = 3  # sentences at the end of an explanation that may conclude without a word of hate


class _Patterns(NamedTuple):
    """What settles a clause, of all languages."""

    dissent: re.Pattern[str]
    assent: re.Pattern[str]
    actual: re.Pattern[str]
    opening: re.Pattern[str]
    of_part: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    # A clause begins behind a stop or a word such as "but", and what settles another stands at its beginning.
    begins = rf"(?:[,;:.!?。\n—\x01)]|{any_of('contrast')})[\s,'\"]*(?:{any_of('contrast')}[\s,]*)*"
    return _Patterns(
        dissent=re.compile(begins + any_of("dissent")),
        assent=re.compile(begins + any_of("assent")),
        actual=re.compile(f"{begins}{any_of('actual')}|^(?:지만|으나)"),
        of_part=re.compile(any_of("of_part")),
        opening=re.compile(
            rf"[\s\x01—>-]*(?:{any_of('answer_before')}[\s:,]*)?"
            rf"(?:(?P<yes>{any_of('opening_yes')})|(?P<no>{any_of('opening_no')}))\s*(?=[.,!。\n—])"
        ),
    )


def implied(text: str, segments: Sequence[Segment], quoted: Sequence[Statement]) -> list[Conclusion]:
    """Return the conclusions that the plain text implies; `quoted` is what its quotations state, where they stand."""
    found = [*_settled(text, segments, quoted), *_unnamed(text, segments)]
    return found or list(levels_of_risk(text, segments)) or _opening(text)


def _settled(text: str, segments: Sequence[Segment], quoted: Sequence[Statement]) -> Iterator[Conclusion]:
    """Yield what becomes of clauses that were left open, by what follows them."""
    left_open: list[Statement] = []
    for segment in reversed(segments):
        left_open = [*(each for each in statements(text, segment) if each.left_open), *left_open][-_MOST:]
        if len(left_open) == _MOST:
            break
    told = [each for each in left_open if each.left_open is SignKind.REPORT][-2:]
    if len(told) > 1 and told[0].said.hateful is not told[1].said.hateful:  # whom does "I agree" agree with?
        return
    for said, _, kind in (*left_open, *quoted[-_MOST:]):
        settled = _settles(text, said, kind)
        if settled is not None:
            yield Conclusion(said.start, said.end, settled)


def _settles(text: str, said: Conclusion, kind: SignKind | None) -> bool | None:
    """Return what is concluded of a clause that was left open. Returns None if what follows does not settle it."""
    patterns, following = _patterns(), text[said.end - _BACK : said.end + _LOOK]
    if patterns.dissent.search(following):
        return not said.hateful
    if patterns.assent.search(following):
        return said.hateful
    actual = patterns.actual.search(following) if kind is SignKind.CONDITION else None
    if actual is None:
        return None
    is_clear = not kinds_of(text, said.end - _BACK + actual.start(), said.end + 2 * _LOOK) & _UNCLEAR
    return not said.hateful if is_clear else None


def _unnamed(text: str, segments: Sequence[Segment]) -> Iterator[Conclusion]:
    """Yield what the first or the last sentences say in words such as harmless or violation.

    Where a sentence speaks of hate and states nothing by it, neither it nor those before it state anything.
    """
    speaks = [segment.end for segment in segments if next(statements(text, segment), None)]
    for segment in {*segments[:1], *segments[-_TAIL:]}:
        if segment.end > max(speaks, default=0) and not _is_of_one_part(text, segment):
            yield from stated_in(text, segment, UNNAMED)


def _is_of_one_part(text: str, segment: Segment) -> bool:
    """Whether the segment speaks of one part of the post, and it or what follows of another."""
    here = _patterns().of_part.search(text, segment.start, segment.end)
    others = _patterns().of_part.finditer(text, here.end(), here.end() + _LOOK) if here else ()
    return here is not None and any(other[0] != here[0] for other in others)


def _opening(text: str) -> list[Conclusion]:
    """Return what the explanation says if it begins with yes or no and leaves nothing open behind it."""
    said = _patterns().opening.match(text)
    if (
        said is None
        or said.end() + _SHORT >= len(text)
        or kinds_of(text, said.end(), len(text)) & {SignKind.DOUBT, SignKind.CONDITION}
    ):
        return []
    return [Conclusion(*said.span(), said["yes"] is not None)]
