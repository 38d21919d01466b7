"""Figures that the API answers, as types: its description is generated from them.

Every key is always there unless it is `NotRequired`, and a key that is not named is never there.
"""

from datetime import date
from typing import NotRequired, TypedDict
from uuid import UUID

from annotation.domain.choices import BatchState, Difficulty, Level, Modality, PriorArm, Stage
from annotation.domain.statistics.influence import Change, Contrast, Scope, View
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
    """An annotator's labels, and how many more they may give."""

    name: str
    labels: int
    quota: int | None
    left: int | None


class BatchOverviewJson(TypedDict):
    """Every batch of a project, all of them together, and the people; `nobody_left` are items that lack people."""

    batches: list[BatchJson]
    all: BatchNumbers
    people: list[Person]
    nobody_left: list[str]
    looked_at_all: bool


# ── Figures ───────────────────────────────────────────────────────────────────


class FigureIntervals(TypedDict):
    """The lower and upper bound of each figure, null where there is none."""

    fleiss_kappa: list[float] | None
    fleiss_kappa_binary: list[float] | None
    krippendorff_alpha: list[float] | None
    krippendorff_alpha_binary: list[float] | None


class AgreementAccountJson(TypedDict):
    """Agreement on one set of items; `why` names the reason of every figure that is null."""

    items: int
    ratings: int
    fleiss_kappa: float | None
    fleiss_kappa_binary: float | None
    krippendorff_alpha: float | None
    krippendorff_alpha_binary: float | None
    levels: dict[Level, int]
    intervals: FigureIntervals
    why: NotRequired[dict[str, str]]


class AgreementSteps(TypedDict):
    """Agreement on the items that pass each step."""

    quality: AgreementAccountJson
    consensus: AgreementAccountJson
    alignment: AgreementAccountJson


class AgreementJson(TypedDict):
    """How far annotators agree. `first_answers` is there where priors are hidden at first."""

    raw: AgreementAccountJson
    final: AgreementAccountJson
    final_with_adjudicated: AgreementAccountJson
    steps: AgreementSteps
    patterns: dict[str, int]
    difficulties: dict[Difficulty, int]
    undefined: int
    stages: dict[Stage, int]
    first_answers: NotRequired[AgreementAccountJson]


class ShareJson(TypedDict):
    """How many answers agree with the prior; `why` says what is undefined."""

    answers: int
    agreeing: int
    without_category: int
    value: float | None
    interval: list[float] | None
    why: NotRequired[str]


class DifferenceJson(TypedDict):
    """The difference of two shares; `why` says what is undefined."""

    answers: int
    others: int
    value: float | None
    interval: list[float] | None
    why: NotRequired[str]


class InfluenceGroup(TypedDict):
    """The influence of the priors in one group of answers."""

    modality: Modality
    scope: Scope
    category: int | None
    shares: dict[View, ShareJson]
    differences: dict[Contrast, DifferenceJson]
    changes: dict[Change, int]


class InfluenceJson(TypedDict):
    """How far the priors sway answers: labels by arm, and every group with answers."""

    labels: dict[PriorArm, int]
    labels_without_arm: int
    groups: list[InfluenceGroup]
