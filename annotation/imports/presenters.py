"""The tables on the page of an import: errors, doubles, columns, first rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Import, ImportState, Project

_FREQUENT = 8
"""The number of values that are shown of a column."""
Head = tuple[tuple[str | Promise, bool], ...]
"""The names of columns, and whether they are of numbers."""
_LINE, _ID = (gettext_lazy("Line"), True), (gettext_lazy("Id"), False)
_ERRORS: Head = (_LINE, _ID, (gettext_lazy("Field"), False), (gettext_lazy("What is wrong"), False))
_DOUBLES: Head = (_LINE, _ID, (gettext_lazy("The same"), False))
_COLUMNS: Head = (
    *((gettext_lazy("Column"), False), (gettext_lazy("Read as"), False)),
    *((gettext_lazy("Rows"), True), (gettext_lazy("Values"), False)),
)
_FIRST_ROWS: Head = (
    *(_LINE, _ID, (gettext_lazy("Text"), False), (gettext_lazy("Intended"), False), (gettext_lazy("Labels"), True)),
    *((gettext_lazy("Priors"), True), (gettext_lazy("Final"), False), (gettext_lazy("Picture"), False)),
)


@dataclass(frozen=True)
class ReportTable:
    """One table: its rows are drawn by `annotation/import_rows/NAME.html`."""

    name: str
    title: str
    note: str
    head: Head
    rows: Sequence[Mapping[str, Any]]
    csv: str = ""
    """The address of the whole table."""

    @property
    def row_template(self) -> str:
        return f"annotation/import_rows/{self.name}.html"


def tables(project: Project, row: Import, preview: Sequence[Mapping[str, Any]]) -> list[ReportTable]:
    """Return the tables that have rows. `preview` are the first rows, with their categories."""
    outcome = row.outcome
    errors = outcome.get("errors", [])
    shown = _("%(shown)s of %(all)s") % {"shown": f"{len(errors):,}", "all": f"{outcome.get('error_count', 0):,}"}
    csv = reverse("annotation:import-errors", args=[project.slug, row.public_id]) if row.error_list else ""
    doubles = _("kept: another item has the same text or picture")
    columns = [_with_frequent(column) for column in outcome.get("columns", ())]
    stored = _("as they are stored") if row.state == ImportState.DONE else _("as they would be stored")
    every = (
        ReportTable("error", _("Errors"), shown, _ERRORS, errors, csv),
        ReportTable("double", _("Duplicates"), doubles, _DOUBLES, outcome.get("twins", [])),
        ReportTable("column", _("Columns"), _("what each was read as"), _COLUMNS, columns),
        ReportTable("first_row", _("First rows"), stored, _FIRST_ROWS, preview),
    )
    return [table for table in every if table.rows]


def _with_frequent(column: Mapping[str, Any]) -> dict[str, Any]:
    """Return a column with its most frequent values, and whether there are others."""
    counts = Counter(column["values"])
    return {**column, "frequent": counts.most_common(_FREQUENT), "others": len(counts) > _FREQUENT}
