"""The quality of labels as JSON values, with their types: what the API says, by pseudonym, from the page's figures."""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from django.utils.translation import override

from annotation.analytics.figure_words import reason_of
from annotation.analytics.quality.annotators import AnnotatorPair, AnnotatorQuality, QualityReport, UnderVersion
from annotation.domain.statistics.annotator_quality import Rate, Trend, Typical
from annotation.domain.statistics.equal_posts import EqualPosts
from annotation.domain.statistics.figure import Undefined
from annotation.models import CompetenceEstimate


class QualityRate(TypedDict):
    """The share `part` of `n` with its 95 % interval; `why` says why it is null."""

    value: float | None
    part: int | None
    n: int | None
    interval: list[float] | None
    why: NotRequired[str]


class QualityTrend(TypedDict):
    """The change of a share from one week (or block of 20 labels) to the next; `why` says why it is null."""

    slope: float | None
    interval: list[float] | None
    changed: bool | None
    why: NotRequired[str]


class UnderVersionJson(TypedDict):
    """The labels made under one version of the guidelines; null: without a version, or imported."""

    version: int | None
    labels: int
    with_others: QualityRate
    not_sure: QualityRate


class AnnotatorQualityJson(TypedDict):
    """An annotator's labels in force. `categories` has counts by code, `about` what came in about the person.

    `with_others` is the agreement with the majority of the others, `others_on_equal_posts` theirs on equally
    informative posts; `with_final` is too high, since the own vote is part of it; `known`: with known answers.
    """

    name: str
    imported: bool
    labels: int
    categories: dict[str, int]
    not_sure: QualityRate
    low_quality: QualityRate
    seconds: float | None
    with_others: QualityRate
    others_on_equal_posts: float | None
    with_final: QualityRate
    known: QualityRate
    trend: QualityTrend
    versions: list[UnderVersionJson]
    about: dict[str, str]


class AnnotatorPairJson(TypedDict):
    """Two annotators with enough common items; `others` is the higher share of agreement with everybody else."""

    one: str
    two: str
    same: QualityRate
    kappa: float | None
    interval: list[float] | None
    others: float | None
    identical: bool
    stands_out: bool
    why: NotRequired[str]


class QualityFigures(TypedDict):
    """The quality of labels by annotator, in the order of their names: this is no ranking."""

    people: list[AnnotatorQualityJson]
    pairs: list[AnnotatorPairJson]
    versions: list[UnderVersionJson]


class JudgedJson(TypedDict):
    """What a model of competence says of an annotator: labels, and the expected share of right ones.

    `right_by_category` is how often the person says a category where it is the true one, by its code.
    """

    name: str
    labels: int
    accuracy: float | None
    right_by_category: dict[str, float | None]


class DifferingJson(TypedDict):
    """An item where model and majority differ; null: no majority."""

    item: str
    majority: int | None
    model: int | None
    probability: float | None


class EstimateJson(TypedDict):
    """The newest finished estimate of competence; no decision about an item depends on it."""

    method: str
    labels: int
    items: int
    people: list[JudgedJson]
    differing: list[DifferingJson]


def as_json(report: QualityReport, about: Mapping[int, Mapping[str, str]]) -> QualityFigures:
    """Return the figures; `about` has what came in about people, by their keys. Reasons are in English."""
    with override("en"):
        return {
            "people": [_person(person, report, about.get(person.key, {})) for person in report.people],
            "pairs": [_pair(pair) for pair in report.pairs],
            "versions": [_under(under) for under in report.versions],
        }


def estimate_json(estimate: CompetenceEstimate, names: Mapping[str, str]) -> EstimateJson:
    """Return a finished estimate; `names` are pseudonyms by public id."""
    result = estimate.result
    codes = [str(code) for code in result["categories"]]
    return {
        "method": estimate.method,
        "labels": result["labels"],
        "items": result["items"],
        "people": [
            {
                "name": name,
                "labels": figures["labels"],
                "accuracy": figures["accuracy"],
                "right_by_category": dict(zip(codes, figures["diagonal"], strict=True)),
            }
            for name, figures in sorted((names.get(one["member"], ""), one) for one in result["people"])
        ],
        "differing": result["differing"],
    }


def _person(person: AnnotatorQuality, report: QualityReport, about: Mapping[str, str]) -> AnnotatorQualityJson:
    equal = person.on_equal_posts if report.mixed else None
    codes = (str(category.code) for category in report.categories)
    return {
        "name": person.name,
        "imported": person.imported,
        "labels": person.labels,
        "categories": dict(zip(codes, person.by_category, strict=True)),
        "not_sure": _rate(person.not_sure),
        "low_quality": _rate(person.low_quality),
        "seconds": person.seconds.median if isinstance(person.seconds, Typical) else None,
        "with_others": _rate(person.with_others),
        "others_on_equal_posts": equal.others if isinstance(equal, EqualPosts) else None,
        "with_final": _rate(person.with_final),
        "known": _rate(person.known),
        "trend": _trend(person.drift.trend),
        "versions": [_under(under) for under in person.versions],
        "about": dict(about),
    }


def _rate(figure: Rate | Undefined) -> QualityRate:
    if isinstance(figure, Undefined):
        return {"value": None, "part": None, "n": None, "interval": None, "why": _why(figure)}
    return {"value": figure.value, "part": figure.part, "n": figure.n, "interval": figure.interval.as_json()}


def _trend(figure: Trend | Undefined) -> QualityTrend:
    if isinstance(figure, Undefined):
        return {"slope": None, "interval": None, "changed": None, "why": _why(figure)}
    return {"slope": figure.slope, "interval": figure.interval.as_json(), "changed": figure.changed}


def _under(under: UnderVersion) -> UnderVersionJson:
    return {
        "version": under.version,
        "labels": under.labels,
        "with_others": _rate(under.with_others),
        "not_sure": _rate(under.not_sure),
    }


def _pair(pair: AnnotatorPair) -> AnnotatorPairJson:
    like = pair.likeness
    shown: AnnotatorPairJson = {
        "one": pair.one,
        "two": pair.two,
        "same": _rate(like.same),
        "kappa": None if isinstance(like.kappa, Undefined) else like.kappa,
        "interval": like.interval.as_json() if like.interval else None,
        "others": like.others,
        "identical": like.identical,
        "stands_out": like.stands_out,
    }
    if isinstance(like.kappa, Undefined):
        shown["why"] = _why(like.kappa)
    return shown


def _why(figure: Undefined) -> str:
    return reason_of(figure) or ""
