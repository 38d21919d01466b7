"""The dashboard's numbers as tables: each chart has one, shown below it and downloadable as CSV."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.analytics import influence_tables as analytics_influence_tables
from annotation.analytics.agreement import AgreementAccount
from annotation.analytics.agreement_json import WORDS
from annotation.analytics.dashboard import Dashboard
from annotation.analytics.gold_matrix import gold_rows
from annotation.analytics.influence import Influence
from annotation.analytics.question_tables import COLUMNS as QUESTION_COLUMNS
from annotation.analytics.question_tables import question_rows
from annotation.domain.patterns import pattern_of
from annotation.domain.statistics.agreement import Figure, Measured, Undefined

Cell = str | int | float | None


@dataclass(frozen=True)
class FigureTable:
    """Columns and rows of plain values; None is an empty cell."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


Rows = Iterator[tuple[Cell, ...]]


def dashboard_tables(shown: Dashboard, *, with_people: bool) -> dict[str, FigureTable]:
    """Return all tables by name; those about single annotators only if `with_people`."""
    named = {
        name: FigureTable(name, str(title), tuple(str(column) for column in columns), tuple(rows(shown)))
        for name, (title, columns, rows, personal) in _TABLES.items()
        if with_people or not personal
    }
    return named | influence_tables(shown.influence)


def influence_tables(influence: Influence) -> dict[str, FigureTable]:
    """Return the tables about the influence of priors, which contain no names."""
    return {
        name: FigureTable(name, str(title), tuple(str(column) for column in columns), tuple(rows(influence)))
        for name, (title, columns, rows) in _OF_PRIORS.items()
    }


def accounts(shown: Dashboard) -> list[tuple[str, AgreementAccount]]:
    """Return the sets of items with agreement figures, in the order of an item's stages."""
    agreement = shown.agreement
    named = [
        (_("Raw"), agreement.raw),
        (_("After quality"), agreement.quality),
        (_("After consensus"), agreement.consensus),
        (_("After alignment"), agreement.alignment),
        (_("Final"), agreement.final),
        (_("Final, with adjudicated"), agreement.final_with_adjudicated),
    ]
    if agreement.first_answers is not None:
        named.insert(1, (_("First answers, before priors"), agreement.first_answers))
    return named


def agreement_reason(figure: Figure) -> str | None:
    """Return the reason why a figure is undefined, as a text. Returns None if it is defined."""
    return str(WORDS[figure.why]) if isinstance(figure, Undefined) else None


def _funnel(shown: Dashboard) -> Rows:
    counts, agreement = shown.counts, shown.agreement
    yield _("Imported"), counts.items
    yield _("Ready"), counts.ready
    yield _("Closed"), counts.closed
    yield _("Quality"), agreement.quality.total
    yield _("Consensus"), agreement.consensus.total
    yield _("Aligned"), agreement.alignment.total
    yield _("Gold"), counts.gold
    yield _("Disputed, open"), counts.disputed
    yield _("Excluded"), counts.excluded
    if counts.known:
        yield _("With a known answer, not counted"), counts.known


def _levels(shown: Dashboard) -> Rows:
    for level, n in shown.counts.levels.items():
        yield level.value, n


def _reasons(shown: Dashboard) -> Rows:
    for reason, n in shown.counts.open_reasons.items():
        yield _("disputed"), reason.value.replace("_", " "), n
    for reason, n in shown.counts.excluded_reasons.items():
        yield _("excluded"), reason.value.replace("_", " "), n


def _patterns(shown: Dashboard) -> Rows:
    for code, n in shown.agreement.patterns.items():
        pattern = pattern_of(code)
        yield code, pattern.difficulty.value, pattern.mechanism.value, n
    yield _("undefined"), None, None, shown.agreement.undefined


def _gold(shown: Dashboard) -> Rows:
    for pattern, row in gold_rows(shown):
        for cell in row:
            if cell is not None:
                yield pattern.code, cell.category.code, cell.category.name, cell.gold, cell.wanted or None


def _agreement(shown: Dashboard) -> Rows:
    for name, account in accounts(shown):
        for kind, figure in account.figures().items():
            yield name, kind.replace("_", " "), *account.counts(kind), *_figure_cells(figure)


def _questions(shown: Dashboard) -> Rows:
    return question_rows(shown.agreement.questions)


def _by_category(shown: Dashboard) -> Rows:
    for row in shown.labels.by_category:
        gold = shown.counts.gold_categories.get(row.category.code, 0)
        yield row.category.code, row.category.name, row.chosen, gold, *_figure_cells(row.kappa)


def _confusions(shown: Dashboard) -> Rows:
    categories = shown.labels.categories
    for (first, second), n in sorted(shown.labels.confusions.items()):
        yield categories[first].name, categories[second].name, n, shown.labels.named[first], shown.labels.named[second]


def _annotators(shown: Dashboard) -> Rows:
    for person in shown.people:
        for index, category in enumerate(shown.labels.categories):
            alike = person.by_category.get(index)
            if alike:
                yield person.name, person.labels, category.name, alike.others, alike.agreeing
        yield person.name, person.labels, _("all"), person.others, person.agreeing


def _pairs(shown: Dashboard) -> Rows:
    names = [person.name for person in shown.people]
    place = {name: number for number, name in enumerate(names)}
    for (first, second), pair in sorted(
        shown.pairs.items(), key=lambda named: (place[named[0][0]], place[named[0][1]])
    ):
        if place[first] < place[second]:
            kappa = pair.kappa.value if isinstance(pair.kappa, Measured) else None
            yield first, second, pair.items, pair.agreeing, kappa, agreement_reason(pair.kappa)


def _days(shown: Dashboard) -> Rows:
    for day in shown.days:
        yield day.day.isoformat(), day.labels, day.disputed, day.settled


def _figure_cells(figure: Figure) -> tuple[Cell, ...]:
    match figure:
        case Measured(value, None):
            return value, None, None, None
        case Measured(value, interval):
            assert interval is not None
            return value, interval.low, interval.high, None
        case Undefined():
            return None, None, None, agreement_reason(figure)


_FIGURE = (gettext_lazy("value"), gettext_lazy("low, 95 %"), gettext_lazy("high, 95 %"), gettext_lazy("why undefined"))

_TABLES: Mapping[str, tuple[Promise, tuple[Promise, ...], Callable[[Dashboard], Rows], bool]] = {
    "funnel": (gettext_lazy("Funnel"), (gettext_lazy("step"), gettext_lazy("items")), _funnel, False),
    "levels": (gettext_lazy("Levels"), (gettext_lazy("level"), gettext_lazy("items")), _levels, False),
    "reasons": (
        gettext_lazy("Reasons"),
        (gettext_lazy("stage"), gettext_lazy("reason"), gettext_lazy("items")),
        _reasons,
        False,
    ),
    "patterns": (
        gettext_lazy("Patterns"),
        (gettext_lazy("pattern"), gettext_lazy("difficulty"), gettext_lazy("mechanism"), gettext_lazy("gold items")),
        _patterns,
        False,
    ),
    "gold": (
        gettext_lazy("Gold by pattern and category"),
        (
            gettext_lazy("pattern"),
            gettext_lazy("code"),
            gettext_lazy("category"),
            gettext_lazy("gold items"),
            gettext_lazy("wanted"),
        ),
        _gold,
        False,
    ),
    "agreement": (
        gettext_lazy("Agreement"),
        (gettext_lazy("labels"), gettext_lazy("figure"), gettext_lazy("items"), gettext_lazy("ratings"), *_FIGURE),
        _agreement,
        False,
    ),
    "questions": (gettext_lazy("Further questions"), (*QUESTION_COLUMNS, *_FIGURE), _questions, False),
    "categories": (
        gettext_lazy("Categories"),
        (gettext_lazy("code"), gettext_lazy("category"), gettext_lazy("chosen"), gettext_lazy("gold"), *_FIGURE),
        _by_category,
        False,
    ),
    "confusions": (
        gettext_lazy("Categories side by side"),
        (
            gettext_lazy("category"),
            gettext_lazy("and"),
            gettext_lazy("items"),
            gettext_lazy("items with the first"),
            gettext_lazy("items with the second"),
        ),
        _confusions,
        False,
    ),
    "annotators": (
        gettext_lazy("Annotators"),
        (
            gettext_lazy("annotator"),
            gettext_lazy("labels"),
            gettext_lazy("category chosen"),
            gettext_lazy("labels of others on these items"),
            gettext_lazy("of them equal"),
        ),
        _annotators,
        True,
    ),
    "pairs": (
        gettext_lazy("Pairs of annotators"),
        (
            gettext_lazy("annotator"),
            gettext_lazy("and"),
            gettext_lazy("items of both"),
            gettext_lazy("equal"),
            gettext_lazy("Cohen's kappa"),
            gettext_lazy("why undefined"),
        ),
        _pairs,
        True,
    ),
    "days": (
        gettext_lazy("Labels and disputes per day"),
        (
            gettext_lazy("day"),
            gettext_lazy("labels"),
            gettext_lazy("items disputed"),
            gettext_lazy("disputed items settled"),
        ),
        _days,
        False,
    ),
}

_OF_PRIORS: Mapping[str, tuple[Promise, tuple[Promise, ...], Callable[[Influence], Rows]]] = {
    "prior_shares": (
        gettext_lazy("Prior influence"),
        analytics_influence_tables.SHARES,
        analytics_influence_tables.shares,
    ),
    "prior_differences": (
        gettext_lazy("Prior influence: differences"),
        analytics_influence_tables.DIFFERENCES,
        analytics_influence_tables.differences,
    ),
    "prior_changes": (
        gettext_lazy("Prior influence: changed answers"),
        analytics_influence_tables.CHANGES,
        analytics_influence_tables.changes,
    ),
}


def table_csv_rows(table: FigureTable) -> Iterator[list[Any]]:
    """Yield the table's header and rows for a CSV writer, before cells are made safe."""
    yield list(table.columns)
    for row in table.rows:
        yield list(row)
