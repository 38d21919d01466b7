"""The agreement on further questions as the dashboard shows it: a table with its CSV, and the rows of a chart."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy

from annotation.analytics.agreement_json import question_reason
from annotation.analytics.question_agreement import MEASURES, PoolAgreement, QuestionAgreement
from annotation.domain.statistics.agreement import Undefined
from annotation.pages.svg import axis_start, whisker

MEASURE_WORDS: dict[str, Promise] = {
    "nominal": gettext_lazy("nominal"),
    "masi": gettext_lazy("sets (MASI)"),
    "ordinal": gettext_lazy("ordinal"),
    "none": gettext_lazy("none"),
    "unitizing": gettext_lazy("passages (unitizing)"),
}
COLUMNS = (
    *(
        gettext_lazy("question"),
        gettext_lazy("wording"),
        gettext_lazy("kind"),
        gettext_lazy("measure"),
        gettext_lazy("versions"),
    ),
    *(gettext_lazy("items"), gettext_lazy("ratings"), gettext_lazy("answers")),
)


def question_rows(questions: Sequence[QuestionAgreement]) -> Iterator[tuple[str | int | float | None, ...]]:
    """Yield the rows of the table: the newest versions of each question, then earlier ones that ask something else."""
    for agreement in questions:
        question = agreement.question
        about = (question.code, question.title(get_language() or ""), question.kind.value)
        for pool in (agreement.newest, *agreement.earlier):
            versions = ", ".join(map(str, pool.versions))
            counts = (pool.alpha.items, pool.alpha.ratings, pool.answers)
            yield (*about, str(MEASURE_WORDS[MEASURES[question.kind]]), versions, *counts, *_figure_cells(pool))


def _figure_cells(pool: PoolAgreement) -> tuple[str | float | None, ...]:
    figure = pool.alpha.figure
    if isinstance(figure, Undefined):
        return None, None, None, question_reason(figure)
    low, high = (figure.interval.low, figure.interval.high) if figure.interval else (None, None)
    return figure.value, low, high, None


def question_chart(questions: Sequence[QuestionAgreement]) -> dict[str, Any]:
    """Return the rows of the chart of alphas and its axis; a text has none and is left out."""
    pools = [
        (agreement, pool)
        for agreement in questions
        if MEASURES[agreement.question.kind] != "none"
        for pool in (agreement.newest, *agreement.earlier)
    ]
    start = axis_start([pool.alpha.figure for _agreement, pool in pools])
    rows = [_chart_row(agreement, pool, start) for agreement, pool in pools]
    return {"rows": rows, "axis": ["0", "0.5", "1"] if start == 0 else ["−1", "0", "1"]}


def _chart_row(agreement: QuestionAgreement, pool: PoolAgreement, start: int) -> dict[str, Any]:
    figure = pool.alpha.figure
    row: dict[str, Any] = {
        "name": agreement.question.title(get_language() or ""),
        "measure": MEASURE_WORDS[MEASURES[agreement.question.kind]],
        "earlier": pool is not agreement.newest and ", ".join(map(str, pool.versions)),
        "items": pool.alpha.items,
        "ratings": pool.alpha.ratings,
        "mark": whisker(figure, start),
    }
    if isinstance(figure, Undefined):
        return row | {"why": question_reason(figure)}
    return row | {"value": figure.value, "interval": figure.interval}
