"""The figures of the dashboard, each declared once: title, rows, columns, drawing and who may see it.

The page, the tables below the charts and the CSV files follow. `PAGE` says where a figure stands.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.analytics.agreement.labels import ACCOUNT_FIGURES
from annotation.analytics.agreement.question_tables import QUESTION_PARTS, question_chart, question_rows
from annotation.analytics.dashboard import Dashboard
from annotation.analytics.dashboard_charts import agreement_charts, category_rows, day_chart, percent, tiles
from annotation.analytics.declared_figures import (
    DeclaredFigure,
    Drawn,
    FigurePart,
    FigureTable,
    Rows,
    columns_of,
    tables,
    value_at,
)
from annotation.analytics.figure_words import reason_of
from annotation.analytics.funnel_notes import closed_note, gold_note
from annotation.analytics.gold_matrix import gold_rows
from annotation.analytics.heat_tables import annotator_table, confusion_table, gold_table, pair_table
from annotation.analytics.influence.tables import CHANGES, DIFFERENCES, SHARES
from annotation.analytics.influence.views_influence import charts
from annotation.core.extensions import gold_wanted
from annotation.domain.choices import Source, Stage
from annotation.domain.patterns import pattern_of
from annotation.domain.statistics.figure import Measured
from annotation.pages.svg import share

# ── Funnel ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Step:
    """A step of the funnel: its items, what is said beside them, and how its bar looks."""

    label: Promise
    items: Callable[[Dashboard], int]
    note: Callable[[Dashboard], str] = lambda _shown: ""
    accent: bool = False
    side: bool = False
    """It leaves the way to gold."""


def _of_items(items: Callable[[Dashboard], int]) -> Callable[[Dashboard], str]:
    return lambda shown: percent(items(shown), shown.counts.items)


def _of_closed(items: Callable[[Dashboard], int]) -> Callable[[Dashboard], str]:
    return lambda shown: percent(items(shown), shown.counts.closed)


def _closed_note(shown: Dashboard) -> str:
    ready = percent(shown.counts.closed, shown.counts.ready)
    return ", ".join(filter(None, [ready, closed_note(shown.agreement.closed_excluded)]))


def _gold_note(shown: Dashboard) -> str:
    return gold_note(shown.counts.sources[Source.ADJUDICATED], shown.counts.sources[Source.IMPORTED])


def _oldest(shown: Dashboard) -> str:
    opened = shown.counts.oldest_dispute
    if opened is None:
        return ""
    days = (timezone.now() - opened).days
    return _("oldest %(days)s d") % {"days": days} if days else _("oldest today")


_imported, _ready = attrgetter("counts.items"), attrgetter("counts.ready")
_quality, _consensus = attrgetter("agreement.quality.total"), attrgetter("agreement.consensus.total")
_aligned = attrgetter("agreement.alignment.total")

STEPS = (
    Step(gettext_lazy("Imported"), _imported, _of_items(_imported)),
    Step(gettext_lazy("Ready"), _ready, _of_items(_ready)),
    Step(gettext_lazy("Closed"), attrgetter("counts.closed"), _closed_note),
    Step(gettext_lazy("Quality"), _quality, _of_closed(_quality)),
    Step(gettext_lazy("Consensus"), _consensus, _of_closed(_consensus)),
    Step(gettext_lazy("Aligned"), _aligned, _of_closed(_aligned)),
    Step(gettext_lazy("Gold"), attrgetter("counts.gold"), _gold_note, accent=True),
    Step(gettext_lazy("Disputed, open"), attrgetter("counts.disputed"), _oldest, side=True),
    Step(gettext_lazy("Excluded"), attrgetter("counts.excluded"), side=True),
)


def _funnel(shown: Dashboard) -> Rows:
    for step in STEPS:
        yield step.label, step.items(shown), step
    if shown.counts.known:
        yield _("With a known answer, not counted"), shown.counts.known, None


def _funnel_chart(shown: Dashboard, rows: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {"name": name, "n": n, "width": share(n, shown.counts.items), "note": step.note(shown), "step": step}
        for name, n, step in rows
        if step
    ]


FUNNEL = DeclaredFigure(
    "funnel",
    gettext_lazy("Funnel"),
    _funnel,
    columns_of(gettext_lazy("step"), gettext_lazy("items")),
    chart=_funnel_chart,
    drawing="annotation/_dashboard_funnel.html",
)

# ── Levels and reasons ────────────────────────────────────────────────────────


def _bars(_shown: Dashboard, rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Return a bar for each row that ends with a word and its count."""
    most = max((row[-1] for row in rows), default=0)
    return [{"word": row[-2].value, "n": row[-1], "width": share(row[-1], most)} for row in rows]


LEVELS = DeclaredFigure[Dashboard](
    "levels",
    gettext_lazy("Levels"),
    lambda shown: shown.counts.levels.items(),
    columns_of(gettext_lazy("level"), gettext_lazy("items")),
    note=gettext_lazy("of the votes, closed items"),
    foot=gettext_lazy(
        "Perfect: all equal. Strong: all hateful, not all equal. Weak: a strict majority for one category. None: no "
        "such majority."
    ),
    chart=_bars,
)


def _reasons(shown: Dashboard) -> Rows:
    for stage, reasons in (
        (Stage.DISPUTED, shown.counts.open_reasons),
        (Stage.EXCLUDED, shown.counts.excluded_reasons),
    ):
        for reason, n in reasons.items():
            yield stage, reason, n


def _reason_chart(shown: Dashboard, rows: Sequence[Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    titles = {Stage.DISPUTED: _("Disputed, open"), Stage.EXCLUDED: _("Excluded")}
    return [(title, _bars(shown, [row for row in rows if row[0] is stage])) for stage, title in titles.items()]


REASONS = DeclaredFigure(
    "reasons",
    gettext_lazy("Reasons"),
    _reasons,
    columns_of(gettext_lazy("stage"), gettext_lazy("reason"), gettext_lazy("items")),
    note=gettext_lazy("an item can be disputed for several"),
    foot=gettext_lazy(
        "Disputes that wait for a reviewer now, and items that were excluded so far. Their sum can exceed the items."
    ),
    chart=_reason_chart,
    drawing="annotation/_dashboard_reasons.html",
)

# ── Gold items ────────────────────────────────────────────────────────────────


def _patterns(shown: Dashboard) -> Rows:
    for code, n in shown.agreement.patterns.items():
        pattern = pattern_of(code)
        yield code, pattern.difficulty, pattern.mechanism, n
    yield _("undefined"), None, None, shown.agreement.undefined


PATTERNS = DeclaredFigure(
    "patterns",
    gettext_lazy("Patterns"),
    _patterns,
    columns_of(
        gettext_lazy("pattern"), gettext_lazy("difficulty"), gettext_lazy("mechanism"), gettext_lazy("gold items")
    ),
    note=gettext_lazy("T text, I picture, C together; filled means hateful; gold items with both priors"),
    chart=lambda shown, _rows: {"tiles": tiles(shown), "undefined": shown.agreement.undefined},
    drawing="annotation/_dashboard_patterns.html",
)


def _gold(shown: Dashboard) -> Rows:
    for pattern, row in gold_rows(shown):
        for cell in row:
            if cell is not None:
                yield pattern.code, cell.category.code, cell.category.name, cell.gold, cell.wanted or None


def _gold_chart(shown: Dashboard, _rows: Sequence[Any]) -> dict[str, Any]:
    return {"heat": gold_table(shown), "wanted_at": where.url_name if (where := gold_wanted()) else None}


GOLD = DeclaredFigure(
    "gold",
    gettext_lazy("Gold by pattern and category"),
    _gold,
    columns_of(
        *(gettext_lazy("pattern"), gettext_lazy("code"), gettext_lazy("category")),
        *(gettext_lazy("gold items"), gettext_lazy("wanted")),
    ),
    note=gettext_lazy("gold items; after the stroke, how many are wanted"),
    chart=_gold_chart,
    drawing="annotation/_dashboard_gold.html",
)

# ── Agreement ─────────────────────────────────────────────────────────────────


def _agreement(shown: Dashboard) -> Rows:
    for name, account in shown.agreement.accounts():
        for each in ACCOUNT_FIGURES:
            yield name, each.label, *each.counts(account), each.of(account)


AGREEMENT = DeclaredFigure(
    "agreement",
    gettext_lazy("Agreement"),
    _agreement,
    (
        *columns_of(gettext_lazy("labels"), gettext_lazy("figure"), gettext_lazy("items"), gettext_lazy("ratings")),
        FigurePart(value_at(4)),
    ),
    chart=lambda shown, _rows: agreement_charts(shown),
    drawing="annotation/_dashboard_agreement.html",
)
QUESTIONS = DeclaredFigure[Dashboard](
    "questions",
    gettext_lazy("Further questions"),
    lambda shown: question_rows(shown.agreement.questions),
    QUESTION_PARTS,
    hidden_if_empty=True,
    # xgettext:no-python-format
    note=gettext_lazy("Krippendorff’s α of each kind, 95 % interval; first-round answers"),
    chart=lambda _shown, rows: question_chart(rows),
    drawing="annotation/_dashboard_questions.html",
)


def _by_category(shown: Dashboard) -> Rows:
    for row in shown.labels.by_category:
        gold = shown.counts.gold_categories.get(row.category.code, 0)
        yield row.category.code, row.category.name, row.chosen, gold, row.kappa


CATEGORIES = DeclaredFigure(
    "categories",
    gettext_lazy("Categories"),
    _by_category,
    (
        *columns_of(gettext_lazy("code"), gettext_lazy("category"), gettext_lazy("chosen"), gettext_lazy("gold")),
        FigurePart(value_at(4)),
    ),
    note=gettext_lazy("chosen in raw labels; κ of each against all others"),
    chart=lambda shown, _rows: category_rows(shown),
    drawing="annotation/_dashboard_categories.html",
)


def _confusions(shown: Dashboard) -> Rows:
    categories = shown.labels.categories
    for (first, second), n in sorted(shown.labels.confusions.items()):
        yield categories[first].name, categories[second].name, n, shown.labels.named[first], shown.labels.named[second]


CONFUSIONS = DeclaredFigure(
    "confusions",
    gettext_lazy("Categories side by side"),
    _confusions,
    columns_of(
        *(gettext_lazy("category"), gettext_lazy("and"), gettext_lazy("items")),
        *(gettext_lazy("items with the first"), gettext_lazy("items with the second")),
    ),
    note=gettext_lazy("posts to which people gave both; the stronger the colour, the more often"),
    chart=lambda shown, _rows: confusion_table(shown),
    drawing="annotation/_dashboard_confusions.html",
)
PRIORS = SHARES.within(
    attrgetter("influence"),
    title=gettext_lazy("Prior influence"),
    note=gettext_lazy("how often answers are what the prior says; in colour: after seeing it"),
    chart=lambda shown, _rows: charts(shown.influence, brief=True),
    drawing="annotation/_dashboard_priors.html",
)

# ── Single annotators ─────────────────────────────────────────────────────────


def _annotators(shown: Dashboard) -> Rows:
    for person in shown.people:
        for index, category in enumerate(shown.labels.categories):
            alike = person.by_category.get(index)
            if alike:
                yield person.name, person.labels, category.name, alike.others, alike.agreeing
        yield person.name, person.labels, _("all"), person.others, person.agreeing


ANNOTATORS = DeclaredFigure(
    "annotators",
    gettext_lazy("Annotators"),
    _annotators,
    columns_of(
        *(gettext_lazy("annotator"), gettext_lazy("labels"), gettext_lazy("category chosen")),
        *(gettext_lazy("labels of others on these items"), gettext_lazy("of them equal")),
    ),
    personal=True,
    chart=lambda shown, _rows: annotator_table(shown),
    drawing="annotation/_dashboard_annotators.html",
)


def _pairs(shown: Dashboard) -> Rows:
    names = [person.name for person in shown.people]
    place = {name: number for number, name in enumerate(names)}
    for (first, second), pair in sorted(
        shown.pairs.items(), key=lambda named: (place[named[0][0]], place[named[0][1]])
    ):
        if place[first] < place[second]:
            kappa = pair.kappa.value if isinstance(pair.kappa, Measured) else None
            yield first, second, pair.items, pair.agreeing, kappa, reason_of(pair.kappa)


PAIRS = DeclaredFigure(
    "pairs",
    gettext_lazy("Pairs of annotators"),
    _pairs,
    columns_of(
        *(gettext_lazy("annotator"), gettext_lazy("and"), gettext_lazy("items of both"), gettext_lazy("equal")),
        *(gettext_lazy("Cohen's kappa"), gettext_lazy("why undefined")),
    ),
    personal=True,
    note=gettext_lazy("Cohen’s κ on the items of both; ? where it is undefined"),
    chart=lambda shown, _rows: pair_table(shown),
    drawing="annotation/_dashboard_pairs.html",
)

# ── Days ──────────────────────────────────────────────────────────────────────

DAYS = DeclaredFigure[Dashboard](
    "days",
    gettext_lazy("Labels and disputes per day"),
    lambda shown: ((day.day, day.labels, day.disputed, day.settled) for day in shown.days),
    columns_of(
        *(gettext_lazy("day"), gettext_lazy("labels")),
        *(gettext_lazy("items disputed"), gettext_lazy("disputed items settled")),
    ),
    note=gettext_lazy("the last four weeks"),
    chart=lambda shown, _rows: day_chart(shown.days),
    drawing="annotation/_dashboard_days.html",
)

PAGE: tuple[tuple[DeclaredFigure[Dashboard], ...], ...] = (
    (FUNNEL,),
    (LEVELS, REASONS),
    (PATTERNS,),
    (GOLD,),
    (AGREEMENT,),
    (QUESTIONS,),
    (CATEGORIES,),
    (CONFUSIONS,),
    (PRIORS,),
    (ANNOTATORS,),
    (PAIRS,),
    (DAYS,),
)
"""The figures of the page, line by line."""
_ELSEWHERE = (DIFFERENCES.within(attrgetter("influence")), CHANGES.within(attrgetter("influence")))
"""Figures of the dashboard that another page shows."""


def dashboard_tables(shown: Dashboard, *, with_people: bool) -> dict[str, FigureTable]:
    """Return all tables by name; those about single annotators only if `with_people`."""
    figures = [figure for line in PAGE for figure in line]
    return tables((*figures, *_ELSEWHERE), shown, with_people=with_people)


def drawn_lines(shown: Dashboard, *, with_people: bool) -> list[list[Drawn]]:
    """Return the page line by line; figures about single annotators only if `with_people`."""
    lines = [[figure.drawn(shown) for figure in line if with_people or not figure.personal] for line in PAGE]
    return [[drawn for drawn in line if drawn is not None] for line in lines]
