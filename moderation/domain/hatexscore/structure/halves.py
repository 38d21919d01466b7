"""A part against the whole: which half of "the text alone is not hateful, but with the picture it is" decides.

The half behind "but" decides, and its verb stands for the word it leaves out. A part taken by itself and what is only
conceded decide nothing beside another half.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from moderation.domain.hatexscore.clauses.clause import Statement
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment
from moderation.domain.hatexscore.normalize import Span
from moderation.domain.hatexscore.signs import SignKind, any_of, kinds_of
from moderation.domain.hatexscore.statements import statements

_FAR = 220  # characters between a verb and the word that it leaves out
_ENDS = r"(?=\s*(?:$|[.,;:!)\n。—\x02]))"
_CLAUSE = re.compile(r"[,.;:!?\n。—\x02()|]")
_HALF_ENDS = re.compile("[,;()]")
_NEXT = 40  # characters of the next sentence in which it goes on
_DENIALS = {SignKind.NEGATION, SignKind.DISTANT}


class _Patterns(NamedTuple):
    """What halves consist of, in all languages."""

    ellipsis: re.Pattern[str]
    asks_back: re.Pattern[str]
    contrast: re.Pattern[str]
    conceded: re.Pattern[str]
    part: re.Pattern[str]
    whole: re.Pattern[str]
    undecided: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    return _Patterns(
        ellipsis=re.compile(rf"(?:(?P<no>{any_of('elided_no')})|{any_of('elided_yes')}){_ENDS}"),
        asks_back=re.compile(any_of("asks_back")),
        contrast=re.compile(any_of("contrast")),
        conceded=re.compile(rf"[\s,>*-]*{any_of('concedes')}"),
        part=re.compile(any_of("part")),
        whole=re.compile(any_of("whole")),
        undecided=re.compile(any_of("undecided")),
    )


def ellipses(text: str, segments: Sequence[Segment], quoted: Sequence[Statement]) -> list[Conclusion]:
    """Return what verbs state that leave out their word, as in "this one certainly is"."""
    verbs = [
        (segment, verb)
        for segment in segments
        for verb in _patterns().ellipsis.finditer(text, segment.start, segment.end)
        if _has_subject(text, segment, verb)
    ]
    if not verbs:
        return []
    told = [*quoted, *(each for segment in segments for each in statements(text, segment))]
    bare = text
    for _, verb in verbs:
        bare = bare[: verb.start()] + " " * len(verb[0]) + bare[verb.end() :]
    said = (_filled(text, bare, segment, verb, told) for segment, verb in verbs)
    return [conclusion for conclusion in said if conclusion]


def _filled(
    text: str, bare: str, segment: Segment, verb: re.Match[str], told: Sequence[Statement]
) -> Conclusion | None:
    """Return what the verb states with the word of the clause before it. Returns None if that is unsure.

    `bare` is the text without such verbs.
    """
    half, begin = _beginnings(text, segment, verb.start())
    last = max((each for each in told if each.said.end <= begin), key=lambda each: each.said.end, default=None)
    if last is None or begin - last.said.end > _FAR or _is_open(text, max(half, last.said.end), begin, verb.end()):
        return None
    if last.said.end <= segment.start and not _is_tied(text, bare, segment, verb):
        return None
    is_denied = bool(kinds_of(bare, begin, verb.start()) & _DENIALS)
    if is_denied and not verb[0].isascii():
        return None
    return Conclusion(begin, verb.end(), last.word is ((verb["no"] is None) is not is_denied))


def _is_tied(text: str, bare: str, segment: Segment, verb: re.Match[str]) -> bool:
    """Whether the sentence of the verb speaks of the one before it: no other predicate or field stands between."""
    _, begin = _beginnings(text, segment, verb.start())
    is_field = text[begin - 1 : begin] == ":" and not text[begin : verb.start()].strip()
    return not is_field and SignKind.COPULA not in kinds_of(bare, segment.start, begin)


def _beginnings(text: str, segment: Segment, before: int) -> Span:
    """Return where the half and where the clause begin that end there."""
    half = max([segment.start, *(hit.end() for hit in _patterns().contrast.finditer(text, segment.start, before))])
    return half, max([half, *(stop.end() for stop in _CLAUSE.finditer(text, segment.start, before))])


def _has_subject(text: str, segment: Segment, verb: re.Match[str]) -> bool:
    """Whether the verb has a subject in its sentence, and is no "what it is"."""
    _, begin = _beginnings(text, segment, verb.start())
    is_told = _patterns().asks_back.search(text, max(segment.start, begin - 1), verb.end()) is None
    return is_told and re.search(r"\w", text[segment.start : verb.start()]) is not None


def _is_open(text: str, since: int, begin: int, end: int) -> bool:
    """Whether a condition is set since the clause before, or this one doubts or tells what others say."""
    is_supposed = SignKind.CONDITION in kinds_of(text, since, end) and not _patterns().whole.search(text, since, end)
    return is_supposed or bool(kinds_of(text, begin, end) & {SignKind.DOUBT, SignKind.REPORT})


def deciding(text: str, segments: Sequence[Segment], stated: Sequence[Conclusion]) -> list[Conclusion]:
    """Return these without the parts and concessions beside which another half decides; none where it is unsure."""
    halves = [_half(text, segments, said, before) for before, said in zip([None, *stated], stated, strict=False)]
    whole = [said for said, half in zip(stated, halves, strict=True) if not _is_aside(text, half)]
    if whole:
        return whole
    return [] if halves and _goes_on(text, segments, stated[-1]) else list(stated)


def is_undecided(text: str, segments: Sequence[Segment], said: Conclusion) -> bool:
    """Whether the rest of the sentence or the next one says that it cannot be decided."""
    behind = [one.end for one in segments if one.end > said.end][:2]
    return bool(behind) and _patterns().undecided.search(text, said.end, behind[-1]) is not None


def _half(text: str, segments: Sequence[Segment], said: Conclusion, before: Conclusion | None) -> Span:
    """Return the half of its sentence that this is said in: behind and before a contrast and other conclusions."""
    segment = _sentence(segments, said)
    contrasts = [hit.end() for hit in _patterns().contrast.finditer(text, segment.start, said.start)]
    start = max([segment.start, *contrasts, before.end if before else 0])
    ends = _HALF_ENDS.search(text, said.end, segment.end)
    contrast = _patterns().contrast.search(text, said.end, ends.start() if ends else segment.end)
    return start, contrast.start() if contrast else ends.start() if ends else segment.end


def _sentence(segments: Sequence[Segment], said: Conclusion) -> Segment:
    return next((one for one in segments if one.end >= said.end), segments[-1])


def _is_aside(text: str, half: Span) -> bool:
    """Whether the half speaks of a part by itself, or only concedes something."""
    return bool(_patterns().part.search(text, *half) or _patterns().conceded.match(text, *half))


def _goes_on(text: str, segments: Sequence[Segment], said: Conclusion) -> bool:
    """Whether another half follows that states nothing, in the sentence or as the next one."""
    segment = _sentence(segments, said)
    following = text[said.end : segment.end + _NEXT]
    return any(pattern.search(following) for pattern in (_patterns().contrast, _patterns().whole))
