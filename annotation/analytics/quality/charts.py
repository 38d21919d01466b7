"""Cells, bars and lines of the quality pages, with their numbers as text."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.analytics.figure_words import reason_of
from annotation.analytics.quality.annotators import AnnotatorPair, AnnotatorQuality, QualityReport, UnderVersion
from annotation.analytics.quality.tables import person_rates, version_name
from annotation.domain.statistics.annotator_quality import TREND_LABELS, Axis, Drift, Rate, Trend, Typical
from annotation.domain.statistics.figure import Measured, Undefined
from annotation.domain.votes import Category
from annotation.models import CompetenceEstimate, Item
from annotation.pages.svg import heat, share, whisker

FEW = 10
"""The minimum number of labels for a coloured cell."""
_WIDTH, _HEIGHT = 96, 24  # size of a small line chart
_TALL = 120


def percent(value: float) -> str:
    """Return a share as whole percent."""
    return f"{round(100 * value)}"


def rate_cell(figure: Rate | Undefined) -> dict[str, Any]:
    """Return a cell of the heat map: the share and its denominator, without colour if that is small."""
    if isinstance(figure, Undefined):
        return {"why": reason_of(figure)}
    few = figure.n < FEW
    return {"text": percent(figure.value), "n": figure.n, "heat": None if few else heat(figure.value)}


def person_row(person: AnnotatorQuality) -> dict[str, Any]:
    """Return a person's row of the heat map, with the small line of their drift."""
    return {
        "person": person,
        "cells": [rate_cell(figure) for figure in (person.with_others, person.with_final, person.known)],
        "equal": equal_cell(person),
        "by_category": [rate_cell(figure) for figure in person.with_others_by_category],
        "spark": spark(person.drift),
        "trend": trend_of(person),
    }


def equal_cell(person: AnnotatorQuality) -> dict[str, Any]:
    """Return a cell without colour: what the others reach on equally informative posts, and of how many labels."""
    equal = person.on_equal_posts
    if isinstance(equal, Undefined):
        return {"why": reason_of(equal)}
    return {"text": percent(equal.others), "n": equal.own.n, "heat": None}


def rate_rows(person: AnnotatorQuality) -> list[dict[str, Any]]:
    """Return a person's three shares on an axis from 0 to 1."""
    return [{"name": name, **_on_axis(figure)} for name, figure in person_rates(person)]


def version_row(under: UnderVersion) -> dict[str, Any]:
    """Return the agreement under a version of the guidelines on an axis from 0 to 1."""
    unsure = under.not_sure
    return {
        "name": version_name(under),
        "version": under.version,
        "labels": under.labels,
        "unsure": percent(unsure.value) if isinstance(unsure, Rate) else None,
        **_on_axis(under.with_others),
    }


def category_rows(person: AnnotatorQuality, shown: QualityReport) -> list[dict[str, Any]]:
    """Return the choices of one annotator and of everybody, as shares of the labels with a category."""
    own_total = sum(person.by_category)
    everybody = [
        sum(annotator.by_category[index] for annotator in shown.people) for index in range(len(shown.categories))
    ]
    total = sum(everybody)
    return [
        {
            "category": category,
            "n": n,
            "width": share(n, own_total),
            "percent": percent(n / own_total) if own_total else None,
            "all_width": share(of_all, total),
            "all_percent": percent(of_all / total) if total else None,
        }
        for category, n, of_all in zip(shown.categories, person.by_category, everybody, strict=True)
    ]


def trend_of(person: AnnotatorQuality) -> dict[str, Any]:
    """Return the change of a person's agreement in percentage points, with its interval, or why there is none."""
    trend, weeks = person.drift.trend, person.drift.axis is Axis.WEEKS
    if isinstance(trend, Undefined):
        return {"why": reason_of(trend), "weeks": weeks}
    low, high = 100 * trend.interval.low, 100 * trend.interval.high
    return {
        "slope": 100 * trend.slope,
        "low": low,
        "high": high,
        "changed": trend.changed,
        "n": trend.n,
        "weeks": weeks,
    }


def drift_row(person: AnnotatorQuality) -> dict[str, Any]:
    """Return the row of a person whose agreement has changed."""
    return {"person": person, "spark": spark(person.drift), "trend": trend_of(person)}


def spark(drift: Drift) -> dict[str, Any] | None:
    """Return a small line of the shares by week, from 0 at the bottom to 1. Returns None if too little was compared."""
    if len(drift.points) < 2 or sum(point.rate.n for point in drift.points) < TREND_LABELS:
        return None
    xs = _places(drift)
    ys = [_HEIGHT - 2 - (_HEIGHT - 4) * point.rate.value for point in drift.points]
    line = " ".join(f"{2 + (_WIDTH - 4) * x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
    first, last = drift.points[0].rate, drift.points[-1].rate
    return {"line": line, "first": percent(first.value), "last": percent(last.value), "points": len(drift.points)}


def drift_chart(drift: Drift) -> dict[str, Any]:
    """Return every week (or block) with its interval, and the fitted line if there is one, for a plot 120 high."""
    xs = _places(drift)
    points = [
        {
            "x": f"{4 + 92 * x:.2f}%",
            "y": f"{_TALL * (1 - point.rate.value):.1f}",
            "top": f"{_TALL * (1 - point.rate.interval.high):.1f}",
            "foot": f"{_TALL * (1 - point.rate.interval.low):.1f}",
            "monday": point.monday,
            "place": point.place,
            "part": point.rate.part,
            "n": point.rate.n,
            "percent": percent(point.rate.value),
        }
        for point, x in zip(drift.points, xs, strict=True)
    ]
    return {"points": points, "weeks": drift.axis is Axis.WEEKS, "line": _fitted(drift)}


def pair_row(pair: AnnotatorPair) -> dict[str, Any]:
    """Return the row of two people and their agreement."""
    like = pair.likeness
    defined = not isinstance(like.kappa, Undefined)
    return {
        "pair": pair,
        "like": like,
        "kappa": like.kappa if defined else None,
        "why": reason_of(like.kappa),
        "percent": percent(like.same.value),
        "others": None if like.others is None else percent(like.others),
    }


def judged_rows(estimate: CompetenceEstimate, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return an estimate's annotators in the order of their names."""
    rows = [
        {"name": names[figures["member"]], **_judged(figures)}
        for figures in estimate.result["people"]
        if figures["member"] in names
    ]
    return sorted(rows, key=lambda row: str(row["name"]))


def judged_of(estimate: CompetenceEstimate, member: str) -> dict[str, Any] | None:
    """Return what an estimate says about one annotator. Returns None if it does not contain them."""
    return next((_judged(figures) for figures in estimate.result["people"] if figures["member"] == member), None)


def differing_rows(
    differences: Sequence[Mapping[str, Any]], items: Mapping[str, Item], categories: Sequence[Category]
) -> list[dict[str, Any]]:
    """Return the items on which a model differs from the majority, with their present state."""
    by_code = {category.code: category for category in categories}
    return [
        {
            "item": items[difference["item"]],
            "majority": by_code.get(difference["majority"]),
            "model": by_code.get(difference["model"]),
            "percent": percent(difference["probability"]),
        }
        for difference in differences
        if difference["item"] in items
    ]


def _judged(figures: Mapping[str, Any]) -> dict[str, Any]:
    diagonal = [
        None if value is None else {"text": percent(value), "heat": heat(value)} for value in figures["diagonal"]
    ]
    return {
        "member": figures["member"],
        "labels": figures["labels"],
        "accuracy": percent(figures["accuracy"]),
        "width": share(figures["accuracy"], 1),
        "competence": None if figures.get("competence") is None else percent(figures["competence"]),
        "diagonal": diagonal,
    }


def _on_axis(figure: Rate | Undefined) -> dict[str, Any]:
    if isinstance(figure, Undefined):
        return {"mark": None, "why": reason_of(figure)}
    interval = figure.interval
    return {
        "mark": whisker(Measured(figure.value, interval), 0),
        "n": figure.n,
        "part": figure.part,
        "percent": percent(figure.value),
        "low": percent(interval.low),
        "high": percent(interval.high),
    }


def _places(drift: Drift) -> list[float]:
    """Return the positions of the points from 0 (first) to 1 (last), by their distance in time."""
    if not drift.points:
        return []
    first, last = drift.points[0].place, drift.points[-1].place
    return [(point.place - first) / (last - first) if last > first else 0.5 for point in drift.points]


def _fitted(drift: Drift) -> dict[str, str] | None:
    """Return the fitted line from the first to the last point, through the mean of all labels.

    Returns None if there is no trend.
    """
    trend = drift.trend
    if not isinstance(trend, Trend):
        return None
    n = sum(point.rate.n for point in drift.points)
    middle = sum(point.place * point.rate.n for point in drift.points) / n
    level = sum(point.rate.part for point in drift.points) / n
    ends = [level + trend.slope * (point.place - middle) for point in (drift.points[0], drift.points[-1])]
    y1, y2 = (f"{_TALL * (1 - min(max(end, 0), 1)):.1f}" for end in ends)
    return {"x1": "4%", "x2": "96%", "y1": y1, "y2": y2}


def seconds_words(seconds: Typical | Undefined) -> str:
    """Return the typical time as a phrase."""
    if isinstance(seconds, Undefined):
        return reason_of(seconds) or ""
    return _("%(seconds)s s") % {"seconds": f"{seconds.median:.0f}"}


def share_words(figure: Rate | Undefined) -> str:
    """Return a share as whole percent, without its counts."""
    return f"{percent(figure.value)} %" if isinstance(figure, Rate) else reason_of(figure) or ""
