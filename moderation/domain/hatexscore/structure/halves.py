"""A part against the whole: which half of "the text alone is not hateful, but with the picture it is" decides.

The half behind "but" decides, and its verb stands for the word it leaves out. A part taken by itself and what is only
conceded decide nothing beside another half.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from moderation.domain.hatexscore.clauses.clause import Statement
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment
from moderation.domain.hatexscore.normalize import Span
from moderation.domain.hatexscore.quotations import BLANK
from moderation.domain.hatexscore.signs import SignKind, any_of, is_named, kinds_of
from moderation.domain.hatexscore.statements import statements

_FAR = 220  # characters between a verb and the word that it leaves out
_ENDS = r"(?=\s*(?:$|[.,;:!)\n。—\x02]))"
_CLAUSE = re.compile(r"[,.;:!?\n。—\x02()|]")
_HALF_ENDS = re.compile("[,;()]")
_NEXT = 40  # characters of the next sentence in which it goes on
_OPEN = {SignKind.DOUBT, SignKind.REPORT}
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
    quoted: re.Pattern[str]
    opposes: re.Pattern[str]
    unseen: re.Pattern[str]
    of_part: re.Pattern[str]
    of_post: re.Pattern[str]


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
        quoted=re.compile(rf"{BLANK}|{any_of('quoted')}"),
        opposes=re.compile(any_of("opposes")),
        unseen=re.compile(any_of("unseen")),
        of_part=re.compile(any_of("of_part")),
        of_post=re.compile(rf"[\s,>*—-]*{any_of('of_post')}"),
    )


class Verb(NamedTuple):
    """What a verb says that leaves out its word, and whether that is sure: of which word it speaks."""

    said: Conclusion
    is_sure: bool


def ellipses(text: str, segments: Sequence[Segment], quoted: Sequence[Statement]) -> list[Verb]:
    """Return the verbs that leave out their word, as in "this one certainly is"."""
    verbs = [
        (segment, verb)
        for segment in segments
        for verb in _patterns().ellipsis.finditer(text, segment.start, segment.end)
        if _has_subject(text, segment, verb)
    ]
    if not verbs:
        return []
    stated = (each for segment in segments for each in statements(text, segment))
    told = sorted([*quoted, *stated], key=_end_of_said)
    signs = list(text)
    for _, verb in verbs:
        signs[verb.start() : verb.end()] = " " * len(verb[0])
    bare = "".join(signs)
    said = (_filled(text, bare, segment, verb, told) for segment, verb in verbs)
    return [each for each in said if each]


def _filled(text: str, bare: str, segment: Segment, verb: re.Match[str], told: Sequence[Statement]) -> Verb | None:
    """Return what the verb says with the word of the clause before it. Returns None if there is none, or a condition.

    `bare` is the text without such verbs.
    """
    half, begin = _beginnings(text, segment, verb.start())
    before = bisect_right(told, begin, key=_end_of_said)
    last = told[before - 1] if before else None
    if last is None or begin - last.said.end > _FAR or _is_field(text, begin, last, segment, verb):
        return None
    if _is_supposed(text, max(half, last.said.end), verb.end()):
        return None
    is_denied = bool(kinds_of(bare, begin, verb.start()) & _DENIALS)
    is_sure = not (is_denied and not verb[0].isascii()) and not kinds_of(text, begin, verb.end()) & _OPEN
    if last.said.end <= segment.start:
        is_sure = is_sure and SignKind.COPULA not in kinds_of(bare, segment.start, begin)
    return Verb(Conclusion(begin, verb.end(), last.word is ((verb["no"] is None) is not is_denied)), is_sure)


def _is_field(text: str, begin: int, last: Statement, segment: Segment, verb: re.Match[str]) -> bool:
    """Whether the verb answers a field that does not name the word."""
    return last.said.end <= segment.start and text[begin - 1 : begin] == ":" and not text[begin : verb.start()].strip()


def _beginnings(text: str, segment: Segment, before: int) -> Span:
    """Return where the half and where the clause begin that end there."""
    start = max(segment.start, before - _FAR)
    half = max([start, *(hit.end() for hit in _patterns().contrast.finditer(text, start, before))])
    return half, max([half, *(stop.end() for stop in _CLAUSE.finditer(text, half, before))])


def _has_subject(text: str, segment: Segment, verb: re.Match[str]) -> bool:
    """Whether the verb has a subject in its sentence, and is no "what it is"."""
    _, begin = _beginnings(text, segment, verb.start())
    is_told = _patterns().asks_back.search(text, max(segment.start, begin - 1), verb.end()) is None
    return is_told and re.search(r"\w", text[max(segment.start, begin - _FAR) : verb.start()]) is not None


def _is_supposed(text: str, start: int, end: int) -> bool:
    """Whether a condition is set there, other than that the parts are taken together."""
    return SignKind.CONDITION in kinds_of(text, start, end) and not _patterns().whole.search(text, start, end)


def deciding(text: str, segments: Sequence[Segment], stated: Sequence[Conclusion]) -> list[Conclusion]:
    """Return these without the parts and concessions beside which another half decides; none where it is unsure."""
    halves = [_half(text, segments, said, before) for before, said in zip([None, *stated], stated, strict=False)]
    whole = [said for said, half in zip(stated, halves, strict=True) if not _is_aside(text, half)]
    if whole:
        return whole
    return [] if halves and _goes_on(text, segments, stated[-1]) else list(stated)


def is_undecided(
    text: str,
    segments: Sequence[Segment],
    final: Sequence[Conclusion],
    verbs: Sequence[Verb],
    chosen: Sequence[Conclusion],
) -> bool:
    """Whether the explanation leaves open what it says last; `chosen` are those that a choice or a verb decides.

    The rest of the sentence or the next one may say so, oppose what is quoted, or end in a verb that says the opposite
    of what nobody knows. Two halves may say both, or one may speak of a part while the other was never seen.
    """
    said, patterns = final[-1], _patterns()
    behind = segments[bisect_right(segments, said.end, key=_end_of) :][:2]
    end = behind[-1].end if behind else said.end
    half = _half(text, segments, said, None)
    is_of_quote = said.hateful and patterns.quoted.search(text, *half) is not None
    is_of_part = patterns.of_part.search(text, *half) is not None and patterns.unseen.search(text) is not None
    return (
        is_of_part
        or patterns.undecided.search(text, said.end, end) is not None
        or (is_of_quote and patterns.opposes.search(text, said.end, end) is not None)
        or any(
            not verb.is_sure and said.end < verb.said.start < end and verb.said.hateful is not said.hateful
            for verb in verbs
        )
        or (said not in chosen and _says_both(text, segments, final))
        or _is_qualified(text, _sentence(segments, said), said)
    )


def is_turned(text: str, segments: Sequence[Segment], said: Conclusion) -> bool:
    """Whether the sentence goes on with "but" behind a conclusion without a word of hate, and denies something."""
    if is_named(text, said.start, said.end):
        return False
    end = min(_sentence(segments, said).end, said.end + _FAR)
    contrast = _patterns().contrast.search(text, max(said.start, said.end - 3), end)
    return contrast is not None and bool(kinds_of(text, contrast.end(), end) & _DENIALS)


def _says_both(text: str, segments: Sequence[Segment], final: Sequence[Conclusion]) -> bool:
    """Whether the last two say the opposite side by side, and nothing tells which of them decides."""
    if len(final) < 2 or final[-1].hateful is final[-2].hateful:
        return False
    first, second = final[-2:]
    if _sentence(segments, first) != _sentence(segments, second) and not _are_rows(text, first, second):
        return False
    half = _half(text, segments, second, first)
    decides = SignKind.CONTRAST in kinds_of(text, first.start, second.end) or SignKind.TURN in kinds_of(text, *half)
    return not (decides or _patterns().whole.search(text, *half) or _patterns().of_post.match(text, *half))


def _are_rows(text: str, first: Conclusion, second: Conclusion) -> bool:
    """Whether they stand in neighbouring rows of a table."""
    starts = [text.rfind("\n", 0, said.start) + 1 for said in (first, second)]
    between = text[first.end : second.start]
    return between.count("\n") == 1 and all(text[start : start + 1] == "|" for start in starts)


def _is_qualified(text: str, sentence: Segment, said: Conclusion) -> bool:
    """Whether the sentence goes on with "but" to a condition under which the opposite would hold."""
    rest = Segment(min(said.end, sentence.end), min(sentence.end, said.end + _FAR), sentence.stop)
    return any(
        statement.left_open is SignKind.CONDITION
        and statement.said.hateful is not said.hateful
        and SignKind.CONTRAST in kinds_of(text, said.start, statement.said.start)
        for statement in statements(text, rest)
    )


def _half(text: str, segments: Sequence[Segment], said: Conclusion, before: Conclusion | None) -> Span:
    """Return the half of its sentence that this is said in: behind and before a contrast and other conclusions."""
    segment = _sentence(segments, said)
    since = max(segment.start, said.start - _FAR, before.end if before else 0)
    start = max([since, *(hit.end() for hit in _patterns().contrast.finditer(text, since, said.start))])
    until = min(segment.end, max(said.end, since) + _FAR)
    ends = _HALF_ENDS.search(text, said.end, until)
    contrast = _patterns().contrast.search(text, said.end, ends.start() if ends else until)
    return start, contrast.start() if contrast else ends.start() if ends else until


def _sentence(segments: Sequence[Segment], said: Conclusion) -> Segment:
    return segments[min(bisect_left(segments, said.end, key=_end_of), len(segments) - 1)]


def _end_of(segment: Segment) -> int:
    return segment.end


def _end_of_said(statement: Statement) -> int:
    return statement.said.end


def _is_aside(text: str, half: Span) -> bool:
    """Whether the half speaks of a part by itself, or only concedes something."""
    return bool(_patterns().part.search(text, *half) or _patterns().conceded.match(text, *half))


def _goes_on(text: str, segments: Sequence[Segment], said: Conclusion) -> bool:
    """Whether another half follows that states nothing, in the sentence or as the next one."""
    segment = _sentence(segments, said)
    goes_on = _patterns().contrast.search(text, said.end, segment.end + _NEXT) or _patterns().whole.search(
        text, said.end
    )
    return goes_on is not None
