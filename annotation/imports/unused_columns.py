"""What became of the columns of a file. One that looks like labels and was not used stops the import."""

from collections import Counter

from annotation.domain.formats import fields
from annotation.domain.formats.base import ANSWERS, RowError
from annotation.domain.formats.columns import PASSED_OVER, Column, ColumnTally
from annotation.domain.formats.kept_columns import Keeping
from annotation.domain.formats.labels.likely_columns import label_like, of_one_category_each, tells_of_refused_work
from annotation.domain.imports.read_row import Terms
from annotation.imports.report import ImportReport, category_columns_reason, refused_work_reason, unused_labels_reason

_ANNOTATOR = "annotator"


def check_columns(report: ImportReport, columns: ColumnTally, terms: Terms, keeping: Keeping) -> None:
    """Tell the report what became of each column, and of those that stop the import.

    The report is stored: its values are masked as the posts are, and hold no address of an annotator.
    """
    report.sheet, report.other_sheets, report.left = columns.sheet, columns.other_sheets, columns.left
    undecided = label_like(columns, terms.categories, keeping.decides)
    report.category_columns = of_one_category_each(columns, undecided, keeping.decides)
    stopping = {column.name for column in undecided} | set(report.category_columns)
    for column in columns:
        column.values = _as_stored(column, terms)
        if column.name in stopping:
            column.became = PASSED_OVER
    report.columns = columns.as_json()
    for column in undecided:
        if column.name not in report.category_columns:
            report.give_up(RowError(0, "unused_labels", unused_labels_reason(column), column.name, status=422))
    refused = None if report.format in ANSWERS else tells_of_refused_work(columns, keeping.decides)
    if refused:
        report.give_up(RowError(0, "refused_work", refused_work_reason(refused), refused.name, status=422))
    if report.category_columns:
        reason = category_columns_reason(report.category_columns)
        report.give_up(RowError(0, "category_columns", reason, status=422))


def _as_stored(column: Column, terms: Terms) -> dict[str, int]:
    """Return the values of a column with their rows, without what is not stored of the rows themselves."""
    told = Counter[str]()
    for value, rows in column.values.items():
        told[fields.without_mail(value) if column.became == _ANNOTATOR else terms.masked(value)[0]] += rows
    return dict(told)
