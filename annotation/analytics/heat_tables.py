"""The four heat tables of the dashboard, as `components/heat_table.html` draws them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.analytics.dashboard import AnnotatorAgreement, Dashboard
from annotation.analytics.figure_words import reason_of
from annotation.analytics.gold_matrix import GoldCell, gold_rows
from annotation.domain.patterns import Pattern
from annotation.domain.statistics.figure import Measured
from annotation.pages.svg import heat

PEOPLE_SHOWN = 40
PAIRS_SHOWN = 15


@dataclass(frozen=True)
class HeatCell:
    """A square of a heat table."""

    text: str = "–"
    step: int | str = "none"
    """The step of its colour; `none` for a frame alone, "" for neither."""
    says: str = ""
    """What it says in words."""
    query: str = ""
    """The query that finds its posts among the items."""
    after: str = ""
    """What follows its number."""


UNFIT = HeatCell("", "")
"""A square that cannot hold anything."""


@dataclass(frozen=True)
class HeatRow:
    """A row with its name, or with its pattern in place of one."""

    name: str
    cells: Sequence[HeatCell]
    pattern: Pattern | None = None


@dataclass(frozen=True)
class HeatTable:
    """A heat table; `more` rows are left out."""

    columns: Sequence[str]
    rows: Sequence[HeatRow]
    more: int = 0


def gold_table(shown: Dashboard) -> HeatTable:
    """Return the gold items by pattern and category, beside what the project wants."""
    rows = [HeatRow("", [_gold_cell(cell) for cell in cells], pattern) for pattern, cells in gold_rows(shown)]
    return HeatTable(_category_names(shown), rows)


def _gold_cell(cell: GoldCell | None) -> HeatCell:
    if cell is None:
        return UNFIT
    after = f"/ {intcomma(cell.wanted)}" if cell.wanted else ""
    if not cell.gold:
        return HeatCell("0", after=after)
    says = ngettext("%(n)s gold item", "%(n)s gold items", cell.gold) % {"n": intcomma(cell.gold)}
    return HeatCell(intcomma(cell.gold), cell.heat or "none", says, cell.query, after)


def confusion_table(shown: Dashboard) -> HeatTable:
    """Return for each category the items that people put into it and into that of the column."""
    names, places = _category_names(shown), range(len(shown.labels.categories))
    rows = [HeatRow(names[row], [_confusion_cell(shown, row, column) for column in places]) for row in places]
    return HeatTable(names, rows if shown.labels.named else [])


def _confusion_cell(shown: Dashboard, row: int, column: int) -> HeatCell:
    low, high = min(row, column), max(row, column)
    n, whole = shown.labels.confusions.get((low, high), 0), shown.labels.named.get(row, 0)
    if not n:
        return HeatCell("0")
    categories = shown.labels.categories
    percent = _("%(percent)s %%") % {"percent": round(100 * n / whole)}
    says = ngettext(
        "%(n)s post: one person gave “%(one)s”, another “%(other)s”; %(percent)s of the posts with “%(one)s”",
        "%(n)s posts: one person gave “%(one)s”, another “%(other)s”; %(percent)s of the posts with “%(one)s”",
        n,
    ) % {"n": n, "one": categories[row].name, "other": categories[column].name, "percent": percent}
    query = urlencode({"named_both": f"{categories[low].code}-{categories[high].code}"})
    return HeatCell(intcomma(n), heat(n / whole), says, query)


def annotator_table(shown: Dashboard) -> HeatTable:
    """Return the agreement of each annotator with the other seats, by the category they chose."""
    rows = [HeatRow(person.name, list(_person_cells(person, shown))) for person in shown.people[:PEOPLE_SHOWN]]
    return HeatTable([*_category_names(shown), _("All"), _("Labels")], rows, max(0, len(shown.people) - PEOPLE_SHOWN))


def _person_cells(person: AnnotatorAgreement, shown: Dashboard) -> Iterator[HeatCell]:
    for index in range(len(shown.labels.categories)):
        alike = person.by_category.get(index)
        yield _share_cell(alike.agreeing, alike.others) if alike else HeatCell()
    yield _share_cell(person.agreeing, person.others)
    yield HeatCell(intcomma(person.labels), "")


def _share_cell(part: int, whole: int) -> HeatCell:
    if not whole:
        return HeatCell()
    says = ngettext("of %(n)s label of others", "of %(n)s labels of others", whole) % {"n": whole}
    return HeatCell(f"{round(100 * part / whole)}", heat(part / whole), says)


def pair_table(shown: Dashboard) -> HeatTable:
    """Return the agreement of each two annotators, of those with most labels."""
    names = [person.name for person in shown.people[:PAIRS_SHOWN]]
    rows = [HeatRow(row, [_pair_cell(shown, row, column) for column in names]) for row in names]
    return HeatTable(names, rows, max(0, len(shown.people) - PAIRS_SHOWN))


def _pair_cell(shown: Dashboard, first: str, second: str) -> HeatCell:
    pair = shown.pairs.get((first, second))
    if first == second or pair is None:
        return UNFIT if first == second else HeatCell()
    items = ngettext("%(n)s item", "%(n)s items", pair.items) % {"n": pair.items}
    if isinstance(pair.kappa, Measured):
        return HeatCell(f"{pair.kappa.value:.2f}", heat(pair.kappa.value), items)
    return HeatCell("?", says=f"{items}. {reason_of(pair.kappa)}")


def _category_names(shown: Dashboard) -> list[str]:
    return [str(category) for category in shown.labels.categories]
