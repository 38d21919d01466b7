"""HateXScore in a report: means of the four parts and of the score of an arm on a data set (paper, Tables 1, 9)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from moderation.domain.evaluation.intervals import mean_interval
from moderation.domain.evaluation.repeats import spread
from moderation.domain.hatexscore.score import PARTS, Measure, Scored, combined

FIGURES = (*PARTS, "score")
SCORED = "scored"


@dataclass(frozen=True)
class ScoredExplanation:
    """How one explanation was scored; `state` says why it has no parts where it has none."""

    state: str
    parts: Scored | None = None


def score_figures(repeats: Sequence[Mapping[str, ScoredExplanation]], measure: Measure) -> dict[str, Any]:
    """Item id → how its explanation was scored, a mapping for each repeat. What has no score stands in no mean."""
    rows = [
        {
            name: combined(each.parts.htc, each.parts.qf, each.parts.tgi, each.parts.prediction, measure)
            for name, each in repeat.items()
            if each.parts is not None
        }
        for repeat in repeats
    ]
    figures: dict[str, Any] = {}
    for part in FIGURES:
        found = spread([fmean(getattr(one, part) for one in row.values()) if row else None for row in rows])
        figures[part] = found.as_json() if found else None
    items = sorted({name for row in rows for name in row})
    interval = mean_interval([[row[name].score for row in rows if name in row] for name in items])
    return {
        "figures": figures,
        "interval": interval.as_json() if interval else None,
        "counts": dict(Counter(each.state for repeat in repeats for each in repeat.values())),
    }
