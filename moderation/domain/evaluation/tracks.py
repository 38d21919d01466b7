"""How ARCADE came to its verdicts: by which way, after how many rounds, and what that did to which posts."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from moderation.domain.arcade import Way
from moderation.domain.evaluation.answers import Gold
from moderation.domain.evaluation.outcomes import Repeat, RunEnd

_OPEN = ("011", "101", "111")
"""Patterns of hateful posts that show their attack in one part alone, which the gatekeeper should see."""
_EMERGENT = "001"


def track_figures(gold: Sequence[Gold], repeats: Sequence[Repeat]) -> dict[str, Any] | None:
    """Return the counts of ways over all repeats, of dismissed posts, and the mean rounds of the deep dive.

    Returns None for methods that know no ways.
    """
    ends = list(_ends(gold, repeats))
    if not ends:
        return None
    ways = [run_end.way for _item, run_end in ends]
    rounds = [run_end.rounds for _item, run_end in ends if run_end.way == Way.DEEP and run_end.rounds]
    return {
        "verdicts": len(ends),
        **{way.value: ways.count(way) for way in Way},
        "hateful_dismissed": sum(item.hateful and run_end.way == Way.DISMISSED for item, run_end in ends),
        "open": sum(item.pattern in _OPEN for item, _end in ends),
        "open_deep": sum(item.pattern in _OPEN and run_end.way != Way.FAST for item, run_end in ends),
        "emergent": sum(item.pattern == _EMERGENT for item, _end in ends),
        "emergent_dismissed": sum(item.pattern == _EMERGENT and run_end.way == Way.DISMISSED for item, run_end in ends),
        "rounds": fmean(rounds) if rounds else None,
    }


def _ends(gold: Sequence[Gold], repeats: Sequence[Mapping[str, RunEnd]]) -> Iterator[tuple[Gold, RunEnd]]:
    """Yield each item with its end in each repeat, where that tells a way."""
    for item in gold:
        for repeat in repeats:
            if (run_end := repeat.get(item.id)) is not None and run_end.way:
                yield item, run_end
