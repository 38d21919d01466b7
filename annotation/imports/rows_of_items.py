"""Rows of a file beside the items of a project that they name: for files that change items which are here."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from annotation.domain.formats.base import BadValue, Row, RowError, Unreadable, stands_twice
from annotation.imports.report import ImportReport
from annotation.models import Item, Project

BATCH = 500


def rows_of_items(
    project: Project, rows: Iterable[Row | RowError], report: ImportReport, tick: Callable[[], None]
) -> Iterator[tuple[Row, Item]]:
    """Yield rows with the items that they name; errors of the file, and rows without an item, go to the report."""
    batch: list[Row] = []
    earlier: dict[str, tuple[int, int]] = {}
    try:
        for row in rows:
            report.rows += 1
            tick()
            if isinstance(row, RowError):
                report.errors.append(row)
            elif first := earlier.get(row.external_id):
                report.errors.append(stands_twice(row, *first).at(row.line, row.external_id, row.entry))
            else:
                earlier[row.external_id] = (row.line, row.entry)
                batch.append(row)
            if len(batch) >= BATCH:
                yield from _with_items(project, batch, report)
                batch = []
    except Unreadable as fault:
        report.give_up(fault.error)
    yield from _with_items(project, batch, report)


def _with_items(project: Project, rows: Sequence[Row], report: ImportReport) -> Iterator[tuple[Row, Item]]:
    names = [row.external_id for row in rows]
    with_relations = Item.objects.select_related("project", "intended", "category")
    items = {item.external_id: item for item in with_relations.filter(project=project, external_id__in=names)}
    for row in rows:
        if row.external_id in items:
            yield row, items[row.external_id]
        else:
            reason = f"The project has no item {row.external_id}; import it first."
            report.errors.append(BadValue("unknown_id", reason, "id").at(row.line, row.external_id, row.entry))
