"""The agreement on further questions as the dashboard shows it: a table with its CSV, and the rows of a chart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy

from annotation.analytics.agreement.questions import PoolAgreement, QuestionAgreement
from annotation.analytics.declared_figures import FigurePart, Part
from annotation.analytics.figure_words import ABOUT_ANSWERS, reason_of
from annotation.domain.questions.kinds.kind import Measure
from annotation.domain.questions.kinds.registry import kind_of
from annotation.domain.questions.question import Question
from annotation.domain.statistics.figure import Undefined
from annotation.pages.svg import axis_marks, axis_start, whisker
from annotation.projects.forms_questions import KIND_NAMES

MEASURE_WORDS: dict[Measure, Promise] = {
    "nominal": gettext_lazy("nominal"),
    "masi": gettext_lazy("sets (MASI)"),
    "ordinal": gettext_lazy("ordinal"),
    "none": gettext_lazy("none"),
    "unitizing": gettext_lazy("passages (unitizing)"),
}


@dataclass(frozen=True)
class PoolRow:
    """The agreement on versions of a question that ask the same."""

    question: Question
    pool: PoolAgreement
    earlier: bool

    @property
    def measure(self) -> Measure:
        return kind_of(self.question).measure


_VERSIONS = Part(attrgetter("versions"), gettext_lazy("versions"), "versions", list[int])
_COUNTS = (
    Part(attrgetter("alpha.items"), gettext_lazy("items"), "items"),
    Part(attrgetter("alpha.ratings"), gettext_lazy("ratings"), "ratings"),
    Part(attrgetter("answers"), gettext_lazy("answers"), "answers"),
)
_ALPHA = FigurePart(attrgetter("alpha.figure"), key="alpha", words=ABOUT_ANSWERS)

POOL_PARTS = (_ALPHA, *_COUNTS, _VERSIONS)
"""The parts of a pool in the order of its JSON."""
QUESTION_PARTS = (
    Part(attrgetter("question.code"), gettext_lazy("question")),
    Part(lambda row: row.question.title(get_language() or ""), gettext_lazy("wording")),
    Part(lambda row: KIND_NAMES[row.question.kind], gettext_lazy("kind")),
    Part(lambda row: MEASURE_WORDS[row.measure], gettext_lazy("measure")),
    *(part.within(attrgetter("pool")) for part in (_VERSIONS, *_COUNTS, _ALPHA)),
)
"""The columns of the table."""


def question_rows(questions: Sequence[QuestionAgreement]) -> Iterator[PoolRow]:
    """Yield the newest versions of each question, then earlier ones that ask something else."""
    for agreement in questions:
        for pool in (agreement.newest, *agreement.earlier):
            yield PoolRow(agreement.question, pool, pool is not agreement.newest)


def question_chart(rows: Sequence[PoolRow]) -> dict[str, Any]:
    """Return the rows of the chart of alphas and its axis; a text has none and is left out."""
    shown = [row for row in rows if row.measure != "none"]
    start = axis_start([row.pool.alpha.figure for row in shown])
    return {"rows": [_chart_row(row, start) for row in shown], "axis": axis_marks(start)}


def _chart_row(row: PoolRow, start: int) -> dict[str, Any]:
    figure = row.pool.alpha.figure
    chart_row: dict[str, Any] = {
        "name": row.question.title(get_language() or ""),
        "measure": MEASURE_WORDS[row.measure],
        "earlier": row.earlier and ", ".join(map(str, row.pool.versions)),
        "items": row.pool.alpha.items,
        "ratings": row.pool.alpha.ratings,
        "mark": whisker(figure, start),
    }
    if isinstance(figure, Undefined):
        return chart_row | {"why": reason_of(figure, ABOUT_ANSWERS)}
    return chart_row | {"value": figure.value, "interval": figure.interval}
