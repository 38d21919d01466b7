"""Figures that the API answers, as types: its description is generated from them.

Every key is always there unless it is `NotRequired`, and a key that is not named is never there.
"""

from datetime import date, datetime
from typing import Literal, NotRequired, TypedDict
from uuid import UUID

from annotation.domain.choices import BatchState, Difficulty, Level, Modality, Order, PriorArm, Stage
from annotation.domain.questions.question import QuestionKind
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
    """An annotator's labels, the posts held, and how many labels more they may give."""

    name: str
    labels: int
    held: int
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


class FigureCount(TypedDict):
    """The items and ratings that a figure is computed from."""

    items: int
    ratings: int


class FigureCounts(TypedDict):
    """What each figure is computed from: kappa from complete items, alpha from items with at least two ratings."""

    fleiss_kappa: FigureCount
    fleiss_kappa_binary: FigureCount
    krippendorff_alpha: FigureCount
    krippendorff_alpha_binary: FigureCount


class AgreementAccountJson(TypedDict):
    """Agreement on one set of items; `why` names the reason of every figure that is null.

    `total` counts all items; `items` and `ratings` are those of kappa, and `counts` has those of each figure.
    `measure` is there where ratings are sets of categories: `krippendorff_alpha` then weighs how much they differ.
    """

    total: int
    items: int
    ratings: int
    fleiss_kappa: float | None
    fleiss_kappa_binary: float | None
    krippendorff_alpha: float | None
    krippendorff_alpha_binary: float | None
    levels: dict[Level, int]
    intervals: FigureIntervals
    counts: FigureCounts
    measure: NotRequired[Literal["masi"]]
    why: NotRequired[dict[str, str]]


class PoolAgreementJson(TypedDict):
    """Agreement on versions of a question that ask the same; `why` says why alpha is null.

    `items` and `ratings` are those with at least two answers, from which alpha is computed; `answers` are all.
    """

    alpha: float | None
    interval: list[float] | None
    items: int
    ratings: int
    answers: int
    versions: list[int]
    why: NotRequired[str]


class QuestionAgreementJson(PoolAgreementJson):
    """Agreement on a further question, on its newest version; `earlier` are versions that ask something else."""

    kind: QuestionKind
    measure: Literal["nominal", "masi", "ordinal", "none", "unitizing"]
    earlier: NotRequired[list[PoolAgreementJson]]


class AgreementSteps(TypedDict):
    """Agreement on the items that pass each step."""

    quality: AgreementAccountJson
    consensus: AgreementAccountJson
    alignment: AgreementAccountJson


class FiguresMoment(TypedDict):
    """When figures were computed, and whether a worker computes them anew."""

    as_of: datetime
    being_computed: bool


class FiguresAwaited(TypedDict):
    """There are no figures yet: a worker computes them."""

    as_of: None
    being_computed: bool


class AgreementJson(FiguresMoment):
    """How far annotators agree. `first_answers` is there where priors are hidden at first.

    `questions` has the further questions by their codes. `order` says which items are handed out first.
    """

    raw: AgreementAccountJson
    final: AgreementAccountJson
    final_with_adjudicated: AgreementAccountJson
    steps: AgreementSteps
    patterns: dict[str, int]
    difficulties: dict[Difficulty, int]
    undefined: int
    stages: dict[Stage, int]
    first_answers: NotRequired[AgreementAccountJson]
    questions: dict[str, QuestionAgreementJson]
    order: Order


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


class InfluenceJson(FiguresMoment):
    """How far the priors sway answers: labels by arm, and every group with answers."""

    labels: dict[PriorArm, int]
    labels_without_arm: int
    groups: list[InfluenceGroup]
