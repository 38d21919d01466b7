"""A report as a page draws it: tables in words, bars by difficulty, the confusion as a map of shades."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.charts import heat, share
from moderation.domain.evaluation.rendering import written
from moderation.domain.evaluation.table_shapes import Form, Phrase, Report, Table
from moderation.domain.evaluation.tables import LEVEL_NAMES, LEVELS, tables_of
from moderation.domain.evaluation.tables import confusion_names as names_of
from moderation.models import Evaluation

_LABELLED = "labelled "


@dataclass(frozen=True)
class Shown:
    """A table in the reader's language: headings and cells as text, each with whether it is a number's place."""

    key: str
    title: str
    columns: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[tuple[str, bool]]]
    note: str


@dataclass(frozen=True)
class Bar:
    """The accuracy at one level of difficulty: its length, and what stands beside it."""

    level: str
    width: str
    accuracy: str
    total: int
    refused: int


@dataclass(frozen=True)
class Square:
    """A cell of the confusion: how often, its share of the row, its shade (1 to 5)."""

    count: int
    share: str
    shade: int | None
    right: bool


@dataclass(frozen=True)
class Pictures:
    """The drawings of one arm on one data set."""

    arm: str
    dataset: str
    bars: Sequence[Bar]
    labels: Sequence[str]
    confusion: Sequence[tuple[str, Sequence[Square]]]


def shown_tables(report: Report) -> list[Shown]:
    """All tables; the confusions are drawn instead."""
    return [_shown(table) for table in tables_of(report) if not table.key.startswith("confusion")]


def pictures(report: Report) -> list[Pictures]:
    """The drawings of every arm on every data set."""
    return [_pictures(report, each) for each in report["results"]]


def told(text: str) -> str:
    """A text of the report in the reader's language; files keep the English one."""
    if isinstance(text, Phrase):
        values = {name: told(value) if isinstance(value, str) else value for name, value in text.values.items()}
        return str(_(text.template) % values)
    return str(_(text)) if text else ""


def left_out(evaluation: Evaluation) -> list[tuple[str, list[tuple[str, int]]]]:
    """Why rows of the sources were left out, in the reader's language, and how many."""
    return [
        (source, [(_why(why), count) for why, count in reasons.items()])
        for source, reasons in evaluation.left_out.items()
    ]


def _why(why: str) -> str:
    known = {"no text": _("no text"), "bad row": _("bad row"), "no majority": _("no majority")}
    if why.startswith(_LABELLED):
        return _("labelled %(label)s") % {"label": why.removeprefix(_LABELLED)}
    return known.get(why, why)


def _shown(table: Table) -> Shown:
    columns = [(told(column.title), column.form is not Form.TEXT) for column in table.columns]
    rows = [
        [
            (told(said) if isinstance(said, Phrase) else shown, is_number)
            for said, shown, (_title, is_number) in zip(row, cells, columns, strict=True)
        ]
        for row, cells in zip(table.rows, written(table), strict=True)
    ]
    return Shown(table.key, told(table.title), columns, rows, told(table.note))


def _pictures(report: Report, result: Mapping[str, Any]) -> Pictures:
    labels = [told(name) if isinstance(name, Phrase) else name for name in names_of(report, result)]
    counts = result["confusion"]["counts"]
    return Pictures(
        result["arm"],
        result["dataset"] if len(report["datasets"]) > 1 else "",
        [bar for level in LEVELS if (bar := _bar(told(LEVEL_NAMES[level]), result["levels"][level]))],
        labels,
        [(label, _squares(row, at)) for at, (label, row) in enumerate(zip(labels, counts, strict=True))],
    )


def _bar(name: str, counts: Mapping[str, int]) -> Bar | None:
    if not counts["total"] + counts["refused"]:
        return None
    accuracy = f"{100 * counts['right'] / counts['total']:.1f} %" if counts["total"] else "–"
    return Bar(name, share(counts["right"], counts["total"]), accuracy, counts["total"], counts["refused"])


def _squares(row: Sequence[int], place: int) -> list[Square]:
    whole = sum(row)
    return [
        Square(count, share(count, whole), heat(count / whole) if whole and count else None, at == place)
        for at, count in enumerate(row)
    ]
