"""A field that holds a level by its name: "hate level: low (low / medium / high)". Its own name states nothing."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment, label_start
from moderation.domain.hatexscore.signs import any_of, tongues


class _Levels(NamedTuple):
    """A field that holds a level, and the levels, of all languages."""

    of_hate: re.Pattern[str]
    of_risk: re.Pattern[str]
    high: re.Pattern[str]
    low: re.Pattern[str]


@cache
def _levels() -> _Levels:
    sign = r"\s*[:=|]['\"\s|]*+(?!\d)"
    ends = r"(?=['\"\s]*(?:$|[.,;(|}\n。—]))"
    return _Levels(
        of_hate=re.compile(rf"(?:ness|도)?\s?(?:{any_of('level')}){sign}"),
        of_risk=re.compile(rf"{any_of('risk')}(?:\s?{any_of('level')})?{sign}"),
        high=re.compile(any_of("level_high") + ends),
        low=re.compile(any_of("level_low") + ends),
    )


def is_level(text: str, segment: Segment) -> bool:
    """Whether the segment is a field that holds how hateful the post is: its name states nothing."""
    return _level_of_hate(text, segment) is not None


def level(text: str, segment: Segment) -> Conclusion | None:
    """Return what a field for the level of hate says. Returns None if it is none, or neither high nor low."""
    return _said(text, segment, _level_of_hate(text, segment))


def levels_of_risk(text: str, segments: Sequence[Segment]) -> Iterator[Conclusion]:
    """Yield what fields for the risk say, which speak of hate only where nothing else does."""
    for segment in segments:
        if said := _said(text, segment, _levels().of_risk.match(text, label_start(text, segment), segment.end)):
            yield said


def _level_of_hate(text: str, segment: Segment) -> re.Match[str] | None:
    mentions = filter(None, (tongue.word(text, segment.start, segment.end) for tongue in tongues()))
    return next(filter(None, (_levels().of_hate.match(text, mention.end) for mention in mentions)), None)


def _said(text: str, segment: Segment, field: re.Match[str] | None) -> Conclusion | None:
    if field is None:
        return None
    for pattern, hateful in ((_levels().high, True), (_levels().low, False)):
        if pattern.match(text, field.end()):
            return Conclusion(label_start(text, segment), segment.end, hateful)
    return None
