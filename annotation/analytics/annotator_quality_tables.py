"""The figures of quality as tables: shown below their charts and downloadable as CSV."""

from collections.abc import Callable, Iterator, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.analytics.annotator_quality import AnnotatorQuality, QualityReport, UnderVersion
from annotation.analytics.dashboard_tables import Cell, FigureTable, Rows
from annotation.domain.statistics.annotator_quality import Axis, Lack, Nothing, Rate, Trend
from annotation.domain.statistics.equal_posts import EqualPosts
from annotation.models import CompetenceEstimate

WORDS: Mapping[Lack, Promise] = {
    Lack.NO_LABELS: gettext_lazy("There is no such label yet."),
    Lack.NO_OTHERS: gettext_lazy("On none of these items have the others a majority yet."),
    Lack.NO_FINAL: gettext_lazy("None of these items is gold yet."),
    Lack.NO_KNOWN: gettext_lazy("No item with a known answer was mixed in yet."),
    Lack.NO_TIMES: gettext_lazy("No label says how long it took."),
    Lack.TOO_FEW_LABELS: gettext_lazy("Fewer than 30 labels can be compared, too few for a trend."),
    Lack.TOO_FEW_WEEKS: gettext_lazy("The labels lie in fewer than three weeks (or blocks), too few for a trend."),
    Lack.ALWAYS_ALIKE: gettext_lazy("They always agreed, or never did, so there is no change to measure."),
    Lack.ONE_CATEGORY: gettext_lazy("Only one category was used, so agreement beyond chance is not defined."),
}


def quality_tables(shown: QualityReport) -> dict[str, FigureTable]:
    """Return the tables about the labels, by name."""
    return {
        name: FigureTable(name, str(title), tuple(str(column) for column in columns(shown)), tuple(rows(shown)))
        for name, (title, columns, rows) in _TABLES.items()
    }


def competence_table(estimate: CompetenceEstimate, names: Mapping[str, str]) -> FigureTable:
    """Return the table of an estimate's annotators; `names` are pseudonyms by public id."""
    codes = estimate.result["categories"]
    columns = (
        *(_("annotator"), _("labels"), _("expected right"), _("knows")),
        *(_("says %(code)s where it is %(code)s") % {"code": code} for code in codes),
    )
    rows = sorted(
        (
            names.get(figures["member"], ""),
            figures["labels"],
            figures["accuracy"],
            figures["competence"],
            *figures["diagonal"],
        )
        for figures in estimate.result["people"]
    )
    return FigureTable("competence", _("Competence by the model"), columns, tuple(rows))


def differing_table(estimate: CompetenceEstimate, items: Mapping[str, str]) -> FigureTable:
    """Return the table of items where the model differs from the majority; `items` are external ids by public id."""
    columns = (_("item"), _("majority"), _("model"), _("probability"))
    rows = tuple(
        (items.get(difference["item"], ""), difference["majority"], difference["model"], difference["probability"])
        for difference in estimate.result["differing"]
    )
    return FigureTable("differing", _("Items where model and majority differ"), columns, rows)


def quality_reason(figure: object) -> str | None:
    """Return the reason why a figure is undefined, as a text. Returns None if it is defined."""
    return str(WORDS[figure.why]) if isinstance(figure, Nothing) else None


def _people(shown: QualityReport) -> Rows:
    for person in shown.people:
        for name, figure in person_rates(person):
            yield person.name, person.labels, name, *_rate_cells(figure)
        if shown.mixed and isinstance(equal := person.on_equal_posts, EqualPosts):
            name = _("that of the others on equally informative posts")
            yield person.name, person.labels, name, None, equal.own.n, equal.others, None, None, None


def _work(shown: QualityReport) -> Rows:
    for person in shown.people:
        shares = (None if isinstance(of, Nothing) else of.value for of in (person.not_sure, person.low_quality))
        seconds = None if isinstance(person.seconds, Nothing) else person.seconds.median
        yield person.name, person.labels, *person.by_category, *shares, seconds


def person_rates(person: AnnotatorQuality) -> Iterator[tuple[str, Rate | Nothing]]:
    """Yield a person's three shares by their names."""
    yield _("with the majority of the others"), person.with_others
    yield _("with the final category"), person.with_final
    yield _("with known answers"), person.known


def _drift(shown: QualityReport) -> Rows:
    for person in shown.people:
        for point in person.drift.points:
            place = point.monday.isoformat() if point.monday else point.place
            yield person.name, axis_name(person.drift.axis), place, *_rate_cells(point.rate)[:5]


def _trends(shown: QualityReport) -> Rows:
    for person in shown.people:
        trend = person.drift.trend
        if isinstance(trend, Trend):
            figures: tuple[Cell, ...] = (trend.n, trend.slope, trend.interval.low, trend.interval.high)
            yield person.name, axis_name(person.drift.axis), *figures, _("yes") if trend.changed else _("no"), None
        else:
            yield person.name, axis_name(person.drift.axis), None, None, None, None, None, quality_reason(trend)


def _pairs(shown: QualityReport) -> Rows:
    for pair in shown.pairs:
        like = pair.likeness
        kappa = None if isinstance(like.kappa, Nothing) else like.kappa
        interval = (like.interval.low, like.interval.high) if like.interval else (None, None)
        flags = (_("yes") if like.identical else _("no"), _("yes") if like.stands_out else _("no"))
        yield (
            pair.one,
            pair.two,
            like.same.n,
            like.same.part,
            kappa,
            *interval,
            like.others,
            *flags,
            quality_reason(like.kappa),
        )


def _versions(shown: QualityReport) -> Rows:
    for under in shown.versions:
        yield version_name(under), under.labels, *_rate_cells(under.with_others), *_rate_cells(under.not_sure)[:2]


def version_name(under: UnderVersion) -> str | int:
    """Return the version's number, or a word for none."""
    return under.version or _("none")


def axis_name(axis: Axis) -> str:
    """Return the name of the axis of a drift."""
    return _("week") if axis is Axis.WEEKS else _("block of 20")


def _rate_cells(figure: Rate | Nothing) -> tuple[Cell, ...]:
    if isinstance(figure, Nothing):
        return None, None, None, None, None, quality_reason(figure)
    return figure.part, figure.n, figure.value, figure.interval.low, figure.interval.high, None


_RATE = (
    *(gettext_lazy("agreeing"), gettext_lazy("of"), gettext_lazy("share")),
    *(gettext_lazy("low, 95 %"), gettext_lazy("high, 95 %")),
)
_WHY = gettext_lazy("why undefined")
_WHO = gettext_lazy("annotator")

_Shape = tuple[Promise, Callable[[QualityReport], tuple[str | Promise, ...]], Callable[[QualityReport], Rows]]


def _work_columns(shown: QualityReport) -> tuple[str | Promise, ...]:
    names = (category.name for category in shown.categories)
    shares = (gettext_lazy("share of not sure"), gettext_lazy("share of low quality"))
    return _WHO, gettext_lazy("labels"), *names, *shares, gettext_lazy("seconds, median")


_TABLES: Mapping[str, _Shape] = {
    "people": (
        gettext_lazy("Agreement by annotator"),
        lambda _shown: (_WHO, gettext_lazy("labels"), gettext_lazy("agreement"), *_RATE, _WHY),
        _people,
    ),
    "work": (gettext_lazy("What people chose and how long it took"), _work_columns, _work),
    "trends": (
        gettext_lazy("Change of agreement"),
        lambda _shown: (
            *(_WHO, gettext_lazy("along"), gettext_lazy("labels"), gettext_lazy("change per week or block")),
            *(gettext_lazy("low, 95 %"), gettext_lazy("high, 95 %"), gettext_lazy("flagged"), _WHY),
        ),
        _trends,
    ),
    "drift": (
        gettext_lazy("Agreement by week"),
        lambda _shown: (_WHO, gettext_lazy("along"), gettext_lazy("from"), *_RATE),
        _drift,
    ),
    "pairs": (
        gettext_lazy("Pairs of annotators"),
        lambda _shown: (
            *(_WHO, gettext_lazy("and"), gettext_lazy("items of both"), gettext_lazy("equal")),
            *(gettext_lazy("Cohen's kappa"), gettext_lazy("low, 95 %"), gettext_lazy("high, 95 %")),
            *(gettext_lazy("share equal with everybody else"), gettext_lazy("all equal"), gettext_lazy("stands out")),
            _WHY,
        ),
        _pairs,
    ),
    "versions": (
        gettext_lazy("Versions of the guidelines"),
        lambda _shown: (
            *(gettext_lazy("version"), gettext_lazy("labels"), *_RATE, _WHY),
            *(gettext_lazy("not sure"), gettext_lazy("of")),
        ),
        _versions,
    ),
}
