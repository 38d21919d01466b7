"""Agreement as JSON values, with their types: what the command, the API and the manifests of releases say."""

from typing import Any, Literal, NotRequired, TypedDict

from annotation.analytics.agreement.labels import ACCOUNT_FIGURES, Agreement, AgreementAccount
from annotation.analytics.agreement.question_tables import POOL_PARTS
from annotation.analytics.agreement.questions import QuestionAgreement
from annotation.analytics.declared_figures import FigurePart, json_of, type_of
from annotation.domain.choices import Difficulty, Level, Order, Stage
from annotation.domain.questions.kinds.kind import Measure
from annotation.domain.questions.kinds.registry import KINDS
from annotation.domain.questions.question import QuestionKind
from vocabulary.answers import object_type

# ── Types ─────────────────────────────────────────────────────────────────────


def _of_each(kind: Any) -> Any:
    """Return a type of objects with an entry for each figure of an account."""
    return object_type({each.name: kind for each in ACCOUNT_FIGURES})


class FigureIntervals(_of_each(list[float] | None)):  # type: ignore[misc]  # its fields are the declared figures
    """The lower and upper bound of each figure, null where there is none."""


class FigureCount(TypedDict):
    """The items and ratings that a figure is computed from."""

    items: int
    ratings: int


class FigureCounts(_of_each(FigureCount)):  # type: ignore[misc]  # as above
    """What each figure is computed from: kappa from complete items, alpha from items with at least two ratings."""


class _Sizes(TypedDict):
    total: int
    items: int
    ratings: int


class _Further(TypedDict):
    levels: dict[Level, int]
    intervals: FigureIntervals
    counts: FigureCounts
    measure: NotRequired[Literal["masi"]]
    why: NotRequired[dict[str, str]]


class AgreementAccountJson(_Sizes, _of_each(float | None), _Further):  # type: ignore[misc]  # as above
    """Agreement on one set of items; `why` names the reason of every figure that is null.

    `total` counts all items; `items` and `ratings` are those of kappa, and `counts` has those of each figure.
    `measure` is there where ratings are sets of categories: `krippendorff_alpha` then weighs how much they differ.
    """


class PoolAgreementJson(type_of(POOL_PARTS)):  # type: ignore[misc]  # as above
    """Agreement on versions of a question that ask the same; `why` says why alpha is null.

    `items` and `ratings` are those with at least two answers, from which alpha is computed; `answers` are all.
    """


class _OfQuestion(TypedDict):
    kind: QuestionKind
    measure: Measure
    earlier: NotRequired[list[PoolAgreementJson]]


class QuestionAgreementJson(PoolAgreementJson, _OfQuestion):  # type: ignore[misc]  # as above
    """Agreement on a further question, on its newest version; `earlier` are versions that ask something else."""


class AgreementSteps(TypedDict):
    """Agreement on the items that pass each step."""

    quality: AgreementAccountJson
    consensus: AgreementAccountJson
    alignment: AgreementAccountJson


class AgreementFigures(TypedDict):
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


# ── Values ────────────────────────────────────────────────────────────────────


def as_json(agreement: Agreement) -> dict[str, Any]:
    """Return the agreement as the `agreement` command prints it."""
    value: dict[str, Any] = {
        "raw": account_json(agreement.raw),
        "final": account_json(agreement.final),
        "final_with_adjudicated": account_json(agreement.final_with_adjudicated),
        "steps": {
            "quality": account_json(agreement.quality),
            "consensus": account_json(agreement.consensus),
            "alignment": account_json(agreement.alignment),
        },
        "patterns": dict(agreement.patterns),
        "difficulties": {difficulty.value: n for difficulty, n in agreement.difficulties.items()},
        "undefined": agreement.undefined,
        "stages": {stage.value: n for stage, n in agreement.stages.items()},
    }
    if agreement.first_answers is not None:
        value["first_answers"] = account_json(agreement.first_answers)
    value["questions"] = {question.question.code: _question_json(question) for question in agreement.questions}
    return value | {"order": agreement.order.value}


def account_json(account: AgreementAccount) -> dict[str, Any]:
    """Return one account as JSON values.

    `measure` says how alpha compares ratings if that is not nominal. `total` counts all items; `items` and `ratings`
    are those of kappa, and `counts` has those of each figure. `why` has the reason of every figure that is null, if
    there is one.
    """
    value: dict[str, Any] = {"total": account.total, "items": account.items, "ratings": account.ratings}
    told = {each.name: FigurePart(each.of).json(account) for each in ACCOUNT_FIGURES}
    value |= {name: each["value"] for name, each in told.items()}
    if account.measure != "nominal":
        value["measure"] = account.measure
    value["levels"] = {level.value: n for level, n in account.levels.items()}
    value["intervals"] = {name: each["interval"] for name, each in told.items()}
    value["counts"] = {
        each.name: dict(zip(("items", "ratings"), each.counts(account), strict=True)) for each in ACCOUNT_FIGURES
    }
    why = {name: each["why"] for name, each in told.items() if "why" in each}
    return value | ({"why": why} if why else {})


def _question_json(agreement: QuestionAgreement) -> dict[str, Any]:
    """Return the agreement on a question; `earlier` has the versions that ask something else, the newest first."""
    kind = agreement.question.kind
    value = {"kind": kind.value, "measure": KINDS[kind].measure} | json_of(POOL_PARTS, agreement.newest)
    if agreement.earlier:
        value["earlier"] = [json_of(POOL_PARTS, pool) for pool in agreement.earlier]
    return value
