"""A project's scores together: means by method, and the sweep of the threshold."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from annotation.core import svg
from annotation.core.display_names import name_of
from annotation.models import Project
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.score import PARTS, Measure, Scored, sweep
from moderation.models import Score, ScoreSource, ScoreState

NAMES = (*PARTS, "score")


@dataclass(frozen=True)
class Figures:
    """Means over scores of one kind; `left_out` counts those without numbers, which are in no mean."""

    name: str
    count: int
    left_out: int
    means: Sequence[float | None]


@dataclass(frozen=True)
class Sweep:
    """Mean CC and score at nine thresholds, and the lines of the plot."""

    rows: Sequence[dict[str, Any]]
    cc: str
    score: str


def figures(project: Project) -> list[Figures]:
    """Means by method or source, those of most scores first."""
    rows = Score.objects.filter(project=project).exclude(state=ScoreState.WAITING)
    kinds: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows.values_list("method", "source", "state", *NAMES):
        name = name_of(row[0]) if row[0] else str(ScoreSource(row[1]).label)
        kinds.setdefault(name, []).append(row[2:])
    return sorted((_figures(name, scores) for name, scores in kinds.items()), key=lambda line: -line.count)


def _figures(name: str, scores: Sequence[tuple[Any, ...]]) -> Figures:
    scored = [row[1:] for row in scores if row[0] == ScoreState.SCORED]
    means = [fmean(row[place] for row in scored) if scored else None for place in range(len(NAMES))]
    return Figures(name, len(scored), len(scores) - len(scored), means)


def swept(project: Project, rule: Rule) -> Sweep | None:
    """Return the sweep over all scores of the project. Returns None if there are none."""
    rows = Score.objects.filter(project=project, state=ScoreState.SCORED)
    parts = rows.values_list("htc", "qf", "tgi", "prediction")
    scores = [Scored(htc or 0, qf or 0.0, tgi or 0, prediction) for htc, qf, tgi, prediction in parts]
    points = sweep(scores, Measure(rule))
    if not points:
        return None
    lines = {name: svg.line([row[name] for row in points]) for name in ("cc", "score")}
    return Sweep(points, lines["cc"], lines["score"])
