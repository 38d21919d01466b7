"""A dash in a table says why it stands there, below the table."""

import pytest

from moderation.domain.evaluation.tables import report_tables
from moderation.domain.evaluation.tables.table import Column, EvaluationTable


@pytest.mark.parametrize(("value", "says"), [(None, True), (0, False), ("", False)])
def test_a_table_with_a_dash_says_what_it_means(value: object, says: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    table = EvaluationTable("k", "t", [Column("a"), Column("b")], [["x", value]], "A note.")
    monkeypatch.setattr(report_tables, "_TABLES", (lambda report: iter([table]),))
    (shown,) = report_tables.tables_of({})
    assert shown.note.startswith("A note.") and ("A dash stands where nothing was counted" in shown.note) is says
