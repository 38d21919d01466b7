"""What tables of a report share that stand there once for each data set: results, titles, keys, names of levels."""

from collections.abc import Iterator, Mapping
from typing import Any

from moderation.domain.evaluation.tables.table import Phrase, Report
from moderation.domain.evaluation.tables.table import gettext_noop as _

LEVELS = ("easy", "normal", "hard", "normal_hard")
LEVEL_NAMES = {"easy": _("Easy"), "normal": _("Normal"), "hard": _("Hard"), "normal_hard": _("Normal + hard")}


def results_by_dataset(report: Report) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Yield each data set with its results, one for each arm."""
    for dataset in report["datasets"]:
        yield dataset["name"], [result for result in report["results"] if result["dataset"] == dataset["name"]]


def titled(report: Report, title: str, dataset: str) -> str:
    """Return the title, with the data set if the report has several."""
    if len(report["datasets"]) < 2:
        return title
    return Phrase.of(_("%(title)s: %(dataset)s"), title=title, dataset=dataset)


def table_key(report: Report, key: str, dataset: str) -> str:
    """Return the table's key, with the number of the data set if the report has several."""
    names = [row["name"] for row in report["datasets"]]
    return f"{key}-{names.index(dataset) + 1}" if len(names) > 1 else key
