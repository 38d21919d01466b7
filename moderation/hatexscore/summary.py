"""A project's scores together: means by method, and the sweep of the threshold.

An explanation that was scored several times counts once, by its newest score with numbers. CC and HateXScore are
computed again by one rule with equal weights: scores by other rules, thresholds and weights have no common mean.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from django.db.models.functions import MD5

from annotation.models import Project
from annotation.pages import svg
from annotation.pages.display_names import name_of
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.score import Measure, Scored, combined, sweep
from moderation.domain.hatexscore.second_reading import ReadBy, SecondReading, counted_readings, read_by
from moderation.hatexscore.method import REFUSED
from moderation.models import Score, ScoreSource, ScoreState

NAMES = ("htc", "qf", "tgi", "cc", "score")
_EXPLANATION = ("item", "source", "about_run", "about", "prediction", MD5("explanation"))
"""What tells the explanations of a project apart."""


@dataclass(frozen=True)
class Figures:
    """Means over explanations of one kind; `left_out` counts those without numbers, which are in no mean."""

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


def figures(project: Project, rule: Rule) -> list[Figures]:
    """Means by method or source, those of most scores first."""
    kinds: dict[str, list[Scored | None]] = {}
    for (method, source), scored in _explanations(project):
        name = name_of(method) if method else str(ScoreSource(source).label)
        kinds.setdefault(name, []).append(scored)
    lines = (_figures(name, scores, Measure(rule)) for name, scores in kinds.items())
    return sorted(lines, key=lambda line: -line.count)


def _explanations(project: Project) -> Iterator[tuple[tuple[str, str], Scored | None]]:
    """Yield method and source of each explanation, with the parts of its newest score; None if no score has numbers."""
    rows = Score.objects.filter(project=project).exclude(state=ScoreState.WAITING).order_by("id")
    newest: dict[tuple[Any, ...], tuple[tuple[str, str], Scored | None]] = {}
    columns = ("method", "source", "state", "htc", "qf", "tgi", "prediction", *_EXPLANATION)
    for method, source, state, htc, qf, tgi, prediction, *explanation in rows.values_list(*columns):
        key = (method, *explanation)
        if state == ScoreState.SCORED:
            newest[key] = ((method, source), Scored(htc or 0, qf or 0.0, tgi or 0, prediction))
        else:
            newest.setdefault(key, ((method, source), None))
    yield from newest.values()


def readings(project: Project) -> Mapping[str, int] | None:
    """Return how many explanations were read by whom (`ReadBy`), each by its newest score.

    Returns None if no model has read any.
    """
    rows = Score.objects.filter(project=project, state__in=(ScoreState.SCORED, ScoreState.REFUSED))
    if not rows.filter(reading__has_key="second").exists():
        return None
    newest: dict[tuple[Any, ...], ReadBy] = {}
    columns = ("state", "run", "reason", "reading__conclusions", "reading__second", "method", *_EXPLANATION)
    for state, run, reason, conclusions, second, *explanation in rows.order_by("id").values_list(*columns):
        is_refused = state == ScoreState.REFUSED
        if is_refused and run is not None and reason != REFUSED:
            continue  # the estimator refused, not who explained
        read = SecondReading.of(second["model"], second) if second else None
        newest[tuple(explanation)] = read_by(bool(conclusions), is_refused, read)
    return counted_readings(newest.values())


def _figures(name: str, scores: Sequence[Scored | None], measure: Measure) -> Figures:
    scored = [combined(row.htc, row.qf, row.tgi, row.prediction, measure) for row in scores if row is not None]
    means = [fmean(getattr(row, part) for row in scored) if scored else None for part in NAMES]
    return Figures(name, len(scored), len(scores) - len(scored), means)


def swept(project: Project, rule: Rule) -> Sweep | None:
    """Return the sweep over all scored explanations of the project. Returns None if there are none."""
    points = sweep([scored for _kind, scored in _explanations(project) if scored is not None], Measure(rule))
    if not points:
        return None
    lines = {name: svg.line([row[name] for row in points]) for name in ("cc", "score")}
    return Sweep(points, lines["cc"], lines["score"])
