"""The disagreement inside the debates held against that of people on the same items."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from annotation.domain.statistics.figure import SENTENCES, Figure, Measured, Undefined, Why
from annotation.domain.statistics.rank_correlation import spearman
from moderation.domain.disagreement import Inner
from moderation.domain.evaluation.outcomes import Repeat
from moderation.domain.evaluation.tables.table import Column, ColumnForm, EvaluationTable, Phrase, Report, Value
from moderation.domain.evaluation.tables.table import gettext_noop as _
from moderation.domain.evaluation.tables.table_by_dataset import results_by_dataset, table_key, titled


def disagreement_figures(people: Mapping[str, Figure], repeats: Sequence[Repeat]) -> list[dict[str, Any]]:
    """Return Spearman's ρ of each figure of the debates with the entropy of people's votes, over the items with both.

    `people` maps item → entropy of its votes. A debate's figure is its mean over the repeats that have it. Methods
    without a debate have no such figures.
    """
    figures = []
    for name in Inner:
        ends = [
            (item, end.disagreement[name])
            for repeat in repeats
            for item, end in repeat.items()
            if name in end.disagreement
        ]
        if ends:
            pairs = _pairs(people, ends)
            rho = spearman(pairs) if _any_measured(people) else Undefined(Why.NO_VOTES)
            figures.append({"figure": name.value, "items": len(pairs)} | _as_json(rho))
    return figures


def _pairs(people: Mapping[str, Figure], ends: Sequence[tuple[str, Figure]]) -> list[tuple[float, float]]:
    inner: dict[str, list[float]] = {}
    for item, figure in ends:
        if isinstance(figure, Measured):
            inner.setdefault(item, []).append(figure.value)
    outer = {item: votes.value for item, votes in people.items() if isinstance(votes, Measured)}
    return [(fmean(values), outer[item]) for item, values in inner.items() if item in outer]


def _any_measured(figures: Mapping[str, Figure]) -> bool:
    return any(isinstance(figure, Measured) for figure in figures.values())


def _as_json(rho: Figure) -> dict[str, Any]:
    interval = rho.interval.as_json() if isinstance(rho, Measured) and rho.interval else None
    return {"rho": getattr(rho, "value", None), "interval": interval, "why": rho.why}


def disagreement_table(report: Report) -> Iterator[EvaluationTable]:
    """Yield the table of each data set on which a debate was held; older reports have none."""
    columns = [
        Column(_("Method")),
        Column(_("Disagreement inside the debate")),
        Column(_("Items"), ColumnForm.COUNT),
        Column(_("Spearman's ρ"), ColumnForm.SHARE),
        *(Column(title, ColumnForm.SHARE) for title in (_("Low (95 %)"), _("High (95 %)"))),
        Column(_("Why undefined")),
    ]
    note = _(
        "Whether debates disagree where people do: the rank correlation of a debate's figure with the entropy of "
        "people's votes for hateful or not, over the items with both. Its sign for conceded cues is expected to be "
        "negative. The interval is a percentile bootstrap over items."
    )
    for dataset, results in results_by_dataset(report):
        rows = [_row(result["arm"], figure) for result in results for figure in result.get("disagreement", ())]
        if rows:
            title = titled(report, _("Disagreement of debates and of people"), dataset)
            yield EvaluationTable(table_key(report, "disagreement", dataset), title, columns, rows, note)


def _row(arm: str, figure: Mapping[str, Any]) -> list[Value]:
    undefined = Phrase.of(_("not defined"))
    rho = undefined if figure["rho"] is None else figure["rho"]
    ends = figure["interval"] or [undefined] * 2
    why = Phrase.of(SENTENCES[Why(figure["why"])]) if figure["why"] else ""
    return [arm, Inner(figure["figure"]), figure["items"], rho, *ends, why]
