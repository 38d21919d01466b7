"""The tables on the page of an import: errors, doubles, columns, first rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.domain.formats.base import NotCounted
from annotation.models import Import, ImportState, Project
from annotation.pages.job_progress import JobProgress

_FREQUENT = 8
"""The number of values that are shown of a column."""
STATES: Mapping[str, Promise] = {
    ImportState.UPLOADED: gettext_lazy("waits"),
    ImportState.CHECKING: gettext_lazy("is checked"),
    ImportState.CHECKED: gettext_lazy("checked, not imported"),
    ImportState.IMPORTING: gettext_lazy("is imported"),
    ImportState.DONE: gettext_lazy("imported"),
    ImportState.REFUSED: gettext_lazy("refused"),
    ImportState.CANCELLED: gettext_lazy("cancelled"),
    ImportState.FAILED: gettext_lazy("failed"),
}
NOT_COUNTED: Mapping[str, Promise] = {
    NotCounted.REJECTED: gettext_lazy("rejected"),
    NotCounted.UNFINISHED: gettext_lazy("given back, or not ended"),
    NotCounted.DRAFT: gettext_lazy("drafts"),
    NotCounted.DISCARDED: gettext_lazy("discarded"),
    NotCounted.NOT_THIS: gettext_lazy("a category was rejected"),
    NotCounted.LABELLED: gettext_lazy("of people who labelled the post already"),
    NotCounted.NO_SEAT: gettext_lazy("of posts without a free seat"),
    NotCounted.PASSAGES: gettext_lazy("marked passages, which the project does not ask for"),
    NotCounted.TWICE: gettext_lazy("given twice by one person"),
}
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


def progress_of(row: Import) -> JobProgress:
    """Return how far the reading of an import's file is."""
    percent, read = round(row.share * 100), row.share * row.rate
    return JobProgress(
        row,
        what=_("Importing") if row.state == ImportState.IMPORTING else _("Checking every row"),
        state=str(STATES[row.state]),
        done=percent,
        total=100,
        part=_("Part of the file that is read"),
        sentence=_("%(rows)s rows read, %(percent)s %%") % {"rows": f"{row.rows_done:,}", "percent": percent},
        if_cancelled=_("It is being cancelled; nothing will be stored."),
        page="annotation:import-show",
        poll="annotation:import-progress",
        cancel="annotation:import-act",
        rate=row.rate,
        seconds_left=round((1 - row.share) * row.rows_done / read) if read else None,
    )


def tables(project: Project, row: Import, preview: Sequence[Mapping[str, Any]]) -> list[ReportTable]:
    """Return the tables that have rows. `preview` are the first rows, with their categories."""
    outcome = row.outcome
    errors = outcome.get("errors", [])
    shown = _("%(shown)s of %(all)s") % {"shown": f"{len(errors):,}", "all": f"{outcome.get('error_count', 0):,}"}
    csv = reverse("annotation:import-errors", args=[project.slug, row.public_id]) if row.error_list else ""
    doubles = _("kept: another item has the same text or picture")
    act = reverse("annotation:import-act", args=[project.slug, row.public_id])
    rests = row.state in (ImportState.CHECKED, ImportState.REFUSED) and bool(row.file)
    columns = [
        _with_frequent(column) | {"may_leave_out": rests and column["rows"], "act": act}
        for column in outcome.get("columns", ())
    ]
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
