"""HateXScore in a report: means of the four parts and the score, of an arm on a data set (paper, Tables 1, 9)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from moderation.domain.evaluation.intervals import mean_interval
from moderation.domain.evaluation.repeats import spread
from moderation.domain.hatexscore.score import PARTS, Measure, Scored, combined
from moderation.domain.hatexscore.second_reading import counted_readings

FIGURES = (*PARTS, "score")
SCORED = "scored"


@dataclass(frozen=True)
class ScoredExplanation:
    """The score of one explanation; if it has no parts, `state` is the reason."""

    state: str
    parts: Scored | None = None
    read_by: str = ""
    """Who read it (`ReadBy`); empty where no reader is bound, and where nothing was read."""


def score_figures(repeats: Sequence[Mapping[str, ScoredExplanation]], measure: Measure) -> dict[str, Any]:
    """Return the figures of scored explanations. Each repeat maps item id → scored explanation.

    Explanations without a score are in no mean.
    """
    rows = [
        {
            name: combined(
                explanation.parts.htc,
                explanation.parts.qf,
                explanation.parts.tgi,
                explanation.parts.prediction,
                measure,
            )
            for name, explanation in repeat.items()
            if explanation.parts is not None
        }
        for repeat in repeats
    ]
    figures: dict[str, Any] = {}
    for part in FIGURES:
        figure = spread([fmean(getattr(score, part) for score in row.values()) if row else None for row in rows])
        figures[part] = figure.as_json() if figure else None
    items = sorted({name for row in rows for name in row})
    interval = mean_interval([[row[name].score for row in rows if name in row] for name in items])
    explanations = [explanation for repeat in repeats for explanation in repeat.values()]
    return {
        "figures": figures,
        "interval": interval.as_json() if interval else None,
        "counts": dict(Counter(explanation.state for explanation in explanations)),
    }


def readings_of(repeats: Sequence[Mapping[str, ScoredExplanation]]) -> dict[str, int]:
    """Return how many explanations were read by whom."""
    return counted_readings(explanation.read_by for repeat in repeats for explanation in repeat.values())
