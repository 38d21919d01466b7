"""The table of who read the explanations: the rules, or the reader where the rules were not sure."""

from collections.abc import Iterator, Mapping
from typing import Any

from moderation.domain.evaluation.tables.table import Column, ColumnForm, EvaluationTable, Phrase, Report, Value
from moderation.domain.evaluation.tables.table import gettext_noop as _
from moderation.domain.hatexscore.second_reading import ReadBy


def readings_table(report: Report) -> Iterator[EvaluationTable]:
    """Yield how many explanations were read by whom: of the verdicts, and of their scores."""
    rows: list[list[Value]] = []
    for result in report["results"]:
        scores = result.get("explanations", {})
        names = {"readings": result["arm"], "scores": Phrase.of(_("%(arm)s: scores"), arm=result["arm"])}
        found = {"readings": result.get("readings"), "scores": scores.get("readings")}
        rows += [_row(names[part], result["dataset"], readings) for part, readings in found.items() if readings]
    columns = [Column(_("Method")), Column(_("Data set")), Column(_("Reader"))]
    columns += [Column(title, ColumnForm.COUNT) for title in (_("By the rules"), _("By the reader"), _("By nobody"))]
    note = _(
        "Who read the conclusion of an explanation or a reason, or that it is a refusal. The reader is asked where the "
        "rules read no conclusion or a refusal. Prose that nobody read has no verdict; a form has it beside the reason."
    )
    if rows:
        yield EvaluationTable("readings", _("Who read the explanations"), columns, rows, note)


def _row(name: str, dataset: str, readings: Mapping[str, Any]) -> list[Value]:
    return [name, dataset, readings["reader"], *(readings["counts"][reader] for reader in ReadBy)]
