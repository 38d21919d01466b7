"""Figures that the API answers, as types: its description is generated from them.

Every key is always there unless it is `NotRequired`, and a key that is not named is never there.
"""

from datetime import date, datetime
from typing import NotRequired, TypedDict
from uuid import UUID

from annotation.analytics.agreement.agreement_json import AgreementFigures
from annotation.analytics.influence.influence_json import InfluenceFigures
from annotation.analytics.quality.quality_json import EstimateJson, QualityFigures
from annotation.domain.choices import BatchState, Stage
from annotation.domain.workforce.staffing import Verdict

# ── Batches ───────────────────────────────────────────────────────────────────


class SeatCounts(TypedDict):
    """Seats by what became of them."""

    filled: int
    held: int
    free: int
    not_open: int


class Pace(TypedDict):
    """How fast labels come: labels a day, on so many of the last days."""

    labels_a_day: float
    days: int
    of_last_days: int


class Staffing(TypedDict):
    """Whether the people of the project can fill the seats that are left, and who is missing."""

    verdict: Verdict
    stuck_items: int
    more_people: int
    labels_short: int


class BatchNumbers(TypedDict):
    """The numbers of a batch or of all; `finish` is the first and the last likely day, or null."""

    items: int
    stages: dict[Stage, int]
    ready: int
    pictures_missing: int
    seats: SeatCounts
    pace: Pace | None
    finish: list[date] | None
    people_to_ask: int
    staffing: Staffing


class BatchJson(BatchNumbers):
    """One batch. `id` and `name` are empty for items without one; `members` is null where everybody is asked."""

    id: UUID | None
    name: str
    state: BatchState
    pilot: bool
    waits_for_pilot: bool
    members: list[str] | None
    priority: list[int]


class Person(TypedDict):
    """An annotator's labels, the posts held, and how many labels more they may give."""

    name: str
    labels: int
    held: int
    quota: int | None
    left: int | None


class BatchOverviewJson(TypedDict):
    """Every batch of a project, all of them together, and the people; `nobody_left` are items that lack people.

    `waiting` counts items with all their labels, which close once none of these can be changed any more.
    """

    batches: list[BatchJson]
    all: BatchNumbers
    people: list[Person]
    nobody_left: list[str]
    looked_at_all: bool
    waiting: int


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


class SpreadJson(TypedDict):
    """The median and the highest of a figure over the days of people."""

    median: float
    most: int


class WeekOfMoodsJson(TypedDict):
    """A week of check-ins; null for fewer than five people."""

    monday: date
    people: int | None
    mood: float | None


class CareFiguresJson(TypedDict):
    """How people fare, of the last 28 days; null where fewer than five people would stand behind a figure."""

    person_days: int
    shown: int | None
    severe_shown: int | None
    severe: SpreadJson | None
    active_minutes: SpreadJson | None
    breaks: int | None
    skips: int | None
    opted_out: int | None
    weeks: list[WeekOfMoodsJson]


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

    figures: CareFiguresJson


class WithheldJson(TypedDict):
    """The share of (annotator, post) that is shown without priors, in percent."""

    percent: int
