"""Figures that the API answers, as types: its description is generated from them.

Every key is always there unless it is `NotRequired`, and a key that is not named is never there.
"""

from datetime import datetime
from typing import NotRequired, TypedDict

from annotation.analytics.agreement.agreement_json import AgreementFigures
from annotation.analytics.influence.influence_json import InfluenceFigures
from annotation.analytics.quality.quality_json import EstimateJson, QualityFigures
from annotation.wellbeing.statistics import CareFigures

# ── Figures ───────────────────────────────────────────────────────────────────


class FiguresMoment(TypedDict):
    """When figures were computed, and whether a worker computes them anew."""

    as_of: datetime
    being_computed: bool


class FiguresAwaited(TypedDict):
    """There are no figures yet: a worker computes them."""

    as_of: None
    being_computed: bool


class AgreementJson(FiguresMoment, AgreementFigures):
    """How far annotators agree. `first_answers` is there where priors are hidden at first.

    `questions` has the further questions by their codes. `order` says which items are handed out first.
    """


class InfluenceJson(FiguresMoment, InfluenceFigures):
    """How far the priors sway answers: labels by arm, and every group with answers."""


class QualityJson(FiguresMoment, QualityFigures):
    """The quality of labels by annotator, in the order of their names: this is no ranking."""


class CompetenceJson(TypedDict):
    """What a model of competence says: the newest finished estimate, or null.

    `why` says why the newest one failed, or why none can be asked for.
    """

    estimate: EstimateJson | None
    as_of: datetime | None
    being_computed: bool
    why: NotRequired[str]


class CareLimits(TypedDict):
    """The limits of what is shown to people; null: no limit."""

    severe_from: int
    severe_in_row: int
    severe_a_session: int | None
    severe_a_day: int | None
    minutes_a_day: int | None
    break_after_minutes: int
    support_text: str


class CareJson(CareLimits):
    """The limits, and how people fare, without anybody's name."""

    figures: CareFigures


class WithheldJson(TypedDict):
    """The share of (annotator, post) that is shown without priors, in percent."""

    percent: int
