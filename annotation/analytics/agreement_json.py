"""Agreement as JSON values: what the command, the API and the manifests of releases say."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.analytics.agreement import Agreement, AgreementAccount
from annotation.analytics.question_agreement import MEASURES, PoolAgreement, QuestionAgreement
from annotation.domain.statistics.agreement import Figure, Measured, Undefined, Why

WORDS: Mapping[Why, Promise] = {
    Why.NO_ITEMS: gettext_lazy("There is no such item yet."),
    Why.ONE_CATEGORY: gettext_lazy("Only one category was used, so agreement beyond chance is not defined."),
    Why.TOO_FEW_RATINGS: gettext_lazy("No item has two ratings that could be compared."),
    Why.FREE_TEXT: gettext_lazy("Texts in people's own words have no figure of agreement."),
}


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
    figures = account.figures()
    value: dict[str, Any] = {"total": account.total, "items": account.items, "ratings": account.ratings}
    value |= {name: figure.value if isinstance(figure, Measured) else None for name, figure in figures.items()}
    if account.measure != "nominal":
        value["measure"] = account.measure
    value["levels"] = {level.value: n for level, n in account.levels.items()}
    value["intervals"] = {name: _interval_json(figure) for name, figure in figures.items()}
    value["counts"] = {name: dict(zip(("items", "ratings"), account.counts(name), strict=True)) for name in figures}
    why = {name: str(WORDS[figure.why]) for name, figure in figures.items() if isinstance(figure, Undefined)}
    return value | ({"why": why} if why else {})


def _question_json(agreement: QuestionAgreement) -> dict[str, Any]:
    """Return the agreement on a question; `earlier` has the versions that ask something else, the newest first."""
    kind = agreement.question.kind
    value = {"kind": kind.value, "measure": MEASURES[kind]} | _pool_json(agreement.newest)
    if agreement.earlier:
        value["earlier"] = [_pool_json(pool) for pool in agreement.earlier]
    return value


def _pool_json(pool: PoolAgreement) -> dict[str, Any]:
    figure = pool.alpha.figure
    value: dict[str, Any] = {
        "alpha": figure.value if isinstance(figure, Measured) else None,
        "interval": _interval_json(figure),
        "items": pool.alpha.items,
        "ratings": pool.alpha.ratings,
        "answers": pool.answers,
        "versions": list(pool.versions),
    }
    return value | ({"why": question_reason(figure)} if isinstance(figure, Undefined) else {})


def question_reason(figure: Undefined) -> str:
    """Return the reason why a question has no alpha, as a text."""
    if figure.why is Why.ONE_CATEGORY:
        return _("Everybody gave the same answer, so agreement beyond chance is not defined.")
    return str(WORDS[figure.why])


def _interval_json(figure: Figure) -> list[float] | None:
    match figure:
        case Measured(_value, interval) if interval is not None:
            return [interval.low, interval.high]
        case _:
            return None
