"""Tables that compare the lines of a report: paired differences, patterns and difficulty, accuracy against cost.

Reports that were written before these figures existed have none of these tables.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.domain.patterns import PATTERNS
from moderation.domain.evaluation.paired_tests import holm
from moderation.domain.evaluation.tables.table import Column, ColumnForm, EvaluationTable, Phrase, Report, Value
from moderation.domain.evaluation.tables.table import gettext_noop as _
from moderation.domain.evaluation.tables.table_by_dataset import (
    LEVEL_NAMES,
    LEVELS,
    results_by_dataset,
    table_key,
    titled,
)


def paired_tables(report: Report) -> Iterator[EvaluationTable]:
    """Yield the differences of every two lines on the same items, with intervals and McNemar's test."""
    rows: list[list[Value]] = []
    for dataset in report["datasets"]:
        comparisons = [
            row for row in report["comparisons"] if row["dataset"] == dataset["name"] and row.get("paired") is not None
        ]
        adjusted = holm([row["exact_p"] for row in comparisons])
        rows += [_compared(row, p) for row, p in zip(comparisons, adjusted, strict=True)]
    if not rows:
        return
    columns = [Column(_("Data set")), Column(_("First")), Column(_("Second")), Column(_("Items"), ColumnForm.COUNT)]
    for figure in (_("Accuracy"), _("Macro F1")):
        columns += [
            Column(Phrase.of(template, figure=Phrase.of(figure)), ColumnForm.PERCENT)
            for template in (_("%(figure)s, difference"), _("%(figure)s, low (95 %%)"), _("%(figure)s, high (95 %%)"))
        ]
    columns += [Column(_("Exact p"), ColumnForm.P), Column(_("p, adjusted (Holm)"), ColumnForm.P)]
    note = _(
        "First minus second, in percentage points, over all repeats of the items that both answered. The interval is a "
        "paired percentile bootstrap over items; p is McNemar's, on the first repeat."
    )
    yield EvaluationTable("paired", _("Paired differences"), columns, rows, note)


def _compared(row: Mapping[str, Any], adjusted: float) -> list[Value]:
    paired = row["paired"]
    cells: list[Value] = [row["dataset"], row["first"], row["second"], paired["items"]]
    for figure in ("accuracy", "macro_f1"):
        cells += [paired[figure]["value"], *(paired[figure]["interval"] or [None] * 2)]
    return [*cells, row["exact_p"], adjusted]


def kind_tables(report: Report) -> Iterator[EvaluationTable]:
    """Yield the answers by pattern and by difficulty, with refused and unreadable ones apart."""
    columns = [
        Column(_("Method")),
        Column(_("Pattern or difficulty")),
        Column(_("Answered"), ColumnForm.COUNT),
        Column(_("Right"), ColumnForm.COUNT),
        Column(_("Accuracy"), ColumnForm.PERCENT),
        Column(_("Refused"), ColumnForm.COUNT),
        Column(_("Unusable answer"), ColumnForm.COUNT),
    ]
    for dataset, results in results_by_dataset(report):
        rows = [row for result in results for row in _kind_rows(result)]
        note = _(
            "Answered includes unreadable answers, which are wrong; refused ones are in no accuracy. All repeats "
            "together. Patterns are text, picture, both together."
        )
        if rows:
            key, title = table_key(report, "patterns", dataset), titled(report, _("By pattern and difficulty"), dataset)
            yield EvaluationTable(key, title, columns, rows, note)


def _kind_rows(result: Mapping[str, Any]) -> list[list[Value]]:
    if "patterns" not in result:
        return []
    kinds = [(code, result["patterns"][code]) for code in PATTERNS]
    kinds += [(Phrase.of(LEVEL_NAMES[level]), result["levels"][level]) for level in LEVELS]
    return [
        [
            result["arm"],
            name,
            row["total"],
            row["right"],
            row["right"] / row["total"] if row["total"] else None,
            row["refused"],
            row["unreadable"],
        ]
        for name, row in kinds
        if row["total"] + row["refused"]
    ]


def cost_tables(report: Report) -> Iterator[EvaluationTable]:
    """Yield accuracy beside what one item costs a line that holds its own debate."""
    columns = [
        Column(_("Method")),
        Column(_("Accuracy"), ColumnForm.PERCENT),
        Column(_("Low (95 %)"), ColumnForm.PERCENT),
        Column(_("High (95 %)"), ColumnForm.PERCENT),
        Column(_("Calls per item"), ColumnForm.SHARE),
        Column(_("Tokens per item"), ColumnForm.SHARE),
        Column(Phrase.of(_("Cost of 1,000 items, %(currency)s"), currency=report["currency"]), ColumnForm.MONEY),
    ]
    note = _("A line that judges the debate of another line is counted with that debate, as if it had held it itself.")
    for dataset, results in results_by_dataset(report):
        rows = [
            [
                result["arm"],
                result["figures"]["accuracy"],
                *(result["intervals"]["accuracy"] or [None] * 2),
                result["alone"]["calls"],
                result["alone"]["tokens"],
                _thousand(result["alone"]["cost"]),
            ]
            for result in results
            if result.get("alone")
        ]
        if rows:
            key, title = table_key(report, "cost", dataset), titled(report, _("Accuracy and cost"), dataset)
            yield EvaluationTable(key, title, columns, rows, note)


def _thousand(cost: float | None) -> float | None:
    return None if cost is None else 1000 * cost
