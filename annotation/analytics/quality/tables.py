"""The figures of quality as tables: shown below their charts and downloadable as CSV."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.analytics.declared_figures import Cell, DeclaredFigure, FigureTable, Part, Rows, columns_of
from annotation.analytics.figure_words import reason_of
from annotation.analytics.quality.annotators import AnnotatorQuality, QualityReport, UnderVersion
from annotation.domain.choices import CompetenceMethod
from annotation.domain.statistics.annotator_quality import Axis, Rate, Trend
from annotation.domain.statistics.equal_posts import EqualPosts
from annotation.domain.statistics.figure import Undefined
from annotation.models import CompetenceEstimate


def competence_table(estimate: CompetenceEstimate, names: Mapping[str, str]) -> FigureTable:
    """Return the table of an estimate's annotators; `names` are pseudonyms by public id."""
    codes = estimate.result["categories"]
    knows = estimate.method == CompetenceMethod.MACE
    columns = (
        *(_("annotator"), _("labels"), _("expected right")),
        *([_("knows")] if knows else []),
        *(_("says %(code)s where it is %(code)s") % {"code": code} for code in codes),
    )
    rows = sorted(
        (
            names.get(figures["member"], ""),
            figures["labels"],
            figures["accuracy"],
            *([figures["competence"]] if knows else []),
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


def _people(shown: QualityReport) -> Rows:
    for person in shown.people:
        for name, figure in person_rates(person):
            yield person.name, person.labels, name, *_rate_cells(figure)
        if shown.mixed and isinstance(equal := person.on_equal_posts, EqualPosts):
            name = _("that of the others on equally informative posts")
            yield person.name, person.labels, name, None, equal.own.n, equal.others, None, None, None


def _work(shown: QualityReport) -> Rows:
    for person in shown.people:
        shares = (None if isinstance(of, Undefined) else of.value for of in (person.not_sure, person.low_quality))
        seconds = None if isinstance(person.seconds, Undefined) else person.seconds.median
        yield person.name, person.labels, *person.by_category, *shares, seconds


def person_rates(person: AnnotatorQuality) -> Iterator[tuple[str, Rate | Undefined]]:
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
            yield person.name, axis_name(person.drift.axis), *figures, trend.changed, None
        else:
            yield person.name, axis_name(person.drift.axis), None, None, None, None, None, reason_of(trend)


def _pairs(shown: QualityReport) -> Rows:
    for pair in shown.pairs:
        like = pair.likeness
        kappa = None if isinstance(like.kappa, Undefined) else like.kappa
        interval = (like.interval.low, like.interval.high) if like.interval else (None, None)
        yield (
            pair.one,
            pair.two,
            like.same.n,
            like.same.part,
            kappa,
            *interval,
            like.others,
            like.identical,
            like.stands_out,
            reason_of(like.kappa),
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


def _rate_cells(figure: Rate | Undefined) -> tuple[Cell, ...]:
    if isinstance(figure, Undefined):
        return None, None, None, None, None, reason_of(figure)
    return figure.part, figure.n, figure.value, figure.interval.low, figure.interval.high, None


_RATE = (
    *(gettext_lazy("agreeing"), gettext_lazy("of"), gettext_lazy("share")),
    *(gettext_lazy("low, 95 %"), gettext_lazy("high, 95 %")),
)
_WHY = gettext_lazy("why undefined")
_WHO = gettext_lazy("annotator")


def _work_columns(shown: QualityReport) -> tuple[Part, ...]:
    names = (category.name for category in shown.categories)
    shares = (gettext_lazy("share of not sure"), gettext_lazy("share of low quality"))
    return columns_of(_WHO, gettext_lazy("labels"), *names, *shares, gettext_lazy("seconds, median"))


QUALITY_FIGURES: tuple[DeclaredFigure[QualityReport], ...] = (
    DeclaredFigure(
        "people",
        gettext_lazy("Agreement by annotator"),
        _people,
        columns_of(_WHO, gettext_lazy("labels"), gettext_lazy("agreement"), *_RATE, _WHY),
    ),
    DeclaredFigure("work", gettext_lazy("What people chose and how long it took"), _work, _work_columns),
    DeclaredFigure(
        "trends",
        gettext_lazy("Change of agreement"),
        _trends,
        columns_of(
            *(_WHO, gettext_lazy("along"), gettext_lazy("labels"), gettext_lazy("change per week or block")),
            *(gettext_lazy("low, 95 %"), gettext_lazy("high, 95 %"), gettext_lazy("flagged"), _WHY),
        ),
    ),
    DeclaredFigure(
        "drift",
        gettext_lazy("Agreement by week"),
        _drift,
        columns_of(_WHO, gettext_lazy("along"), gettext_lazy("from"), *_RATE),
    ),
    DeclaredFigure(
        "pairs",
        gettext_lazy("Pairs of annotators"),
        _pairs,
        columns_of(
            *(_WHO, gettext_lazy("and"), gettext_lazy("items of both"), gettext_lazy("equal")),
            *(gettext_lazy("Cohen's kappa"), gettext_lazy("low, 95 %"), gettext_lazy("high, 95 %")),
            *(gettext_lazy("share equal with everybody else"), gettext_lazy("all equal"), gettext_lazy("stands out")),
            _WHY,
        ),
    ),
    DeclaredFigure(
        "versions",
        gettext_lazy("Versions of the guidelines"),
        _versions,
        columns_of(
            *(gettext_lazy("version"), gettext_lazy("labels"), *_RATE, _WHY),
            *(gettext_lazy("not sure"), gettext_lazy("of")),
        ),
    ),
)
"""The figures about the labels, all for admins."""
