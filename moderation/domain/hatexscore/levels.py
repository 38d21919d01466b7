"""A field that holds a level by its name: "hate level: low (low / medium / high)". Its own name states nothing."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment, label_start
from moderation.domain.hatexscore.signs import any_of, tongues

_SIGN = re.compile("[:=|]")


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


def level_field(text: str, segment: Segment) -> re.Match[str] | None:
    """Return the name of a field that holds how hateful the post is. Returns None if the segment is none."""
    if _SIGN.search(text, segment.start, segment.end) is None:
        return None
    mentions = filter(None, (tongue.word(text, segment.start, segment.end) for tongue in tongues()))
    return next(filter(None, (_levels().of_hate.match(text, mention.end) for mention in mentions)), None)


def levels_of_risk(text: str, segments: Sequence[Segment]) -> Iterator[Conclusion]:
    """Yield what fields for the risk say, which speak of hate only where nothing else does."""
    for segment in segments:
        field = _levels().of_risk.match(text, label_start(text, segment), segment.end)
        if field and (said := level(text, segment, field)):
            yield said


def level(text: str, segment: Segment, field: re.Match[str]) -> Conclusion | None:
    """Return what the value of the field says. Returns None if it is neither high nor low."""
    for pattern, hateful in ((_levels().high, True), (_levels().low, False)):
        if pattern.match(text, field.end()):
            return Conclusion(label_start(text, segment), segment.end, hateful)
    return None
