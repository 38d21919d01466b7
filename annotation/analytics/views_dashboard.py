"""The dashboard of a project: charts drawn on the server, each with its table and its CSV.

For admins. Reviewers who do not annotate see it too, without anything about single annotators: annotators must not see
the agreement of others before their own work is finished.
"""

from datetime import date, timedelta
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation.analytics import stored_figures
from annotation.analytics.agreement import AgreementAccount
from annotation.analytics.dashboard import Dashboard
from annotation.analytics.dashboard_tables import (
    accounts,
    agreement_reason,
    dashboard_tables,
)
from annotation.analytics.funnel_notes import closed_note, gold_note
from annotation.analytics.heat_tables import annotator_table, confusion_table, gold_table, pair_table
from annotation.analytics.question_tables import question_chart
from annotation.analytics.views_figures import figure_reader, table_file, waiting
from annotation.analytics.views_influence import charts
from annotation.core.extensions import gold_wanted
from annotation.domain.choices import Difficulty, Source
from annotation.domain.patterns import pattern_of
from annotation.domain.statistics.agreement import Figure, Measured
from annotation.pages.access import PersonRequest
from annotation.pages.svg import axis_start, day_bars, round_above, share, whisker

DAYS = 28


@require_GET
def show(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the dashboard."""
    member = figure_reader(request, slug)
    moment = stored_figures.dashboard(member.project)
    if moment.value is None:
        return waiting(request, member, _("Dashboard"), moment, tabs=False)
    shown = moment.value
    context = {
        "project": member.project,
        "membership": member,
        "moment": moment,
        "shown": shown,
        "tables": dashboard_tables(shown, with_people=member.administers),
        "funnel": _funnel(shown),
        "levels": _bars(shown.counts.levels),
        "reasons": _bars(shown.counts.open_reasons),
        "excluded": _bars(shown.counts.excluded_reasons),
        "tiles": _tiles(shown),
        "gold": gold_table(shown),
        "wanted_at": where.url_name if (where := gold_wanted()) else None,
        "agreements": [_agreement_chart(shown, "kappa"), _agreement_chart(shown, "alpha")],
        "questions": question_chart(shown.agreement.questions),
        "categories": _categories(shown),
        "confusions": confusion_table(shown),
        "kappas": axis_start([figure.kappa for figure in shown.labels.by_category]),
        "influence": charts(shown.influence, brief=True),
        "days": _days(shown),
    }
    if member.administers:
        context |= {"annotators": annotator_table(shown), "pairs": pair_table(shown)}
    return render(request, "annotation/dashboard.html", context)


@require_GET
def table(request: PersonRequest, slug: str, name: str) -> HttpResponse:
    """Return one table of the dashboard as CSV, safe in a spreadsheet."""
    member = figure_reader(request, slug)
    moment = stored_figures.dashboard(member.project)
    if moment.value is None:
        return redirect("annotation:dashboard", slug)
    figure_table = dashboard_tables(moment.value, with_people=member.administers).get(name)
    return table_file(f"{slug}-{name}.csv", figure_table, moment)


def _funnel(shown: Dashboard) -> list[dict[str, Any]]:
    counts, agreement = shown.counts, shown.agreement
    of_gold = gold_note(counts.sources[Source.ADJUDICATED], counts.sources[Source.IMPORTED])
    return [
        _step(_("Imported"), counts.items, counts.items, _percent(counts.items, counts.items)),
        _step(_("Ready"), counts.ready, counts.items, _percent(counts.ready, counts.items)),
        _step(_("Closed"), counts.closed, counts.items, _closed_note(shown)),
        _step(_("Quality"), agreement.quality.total, counts.items, _percent(agreement.quality.total, counts.closed)),
        _step(
            _("Consensus"), agreement.consensus.total, counts.items, _percent(agreement.consensus.total, counts.closed)
        ),
        _step(
            _("Aligned"), agreement.alignment.total, counts.items, _percent(agreement.alignment.total, counts.closed)
        ),
        _step(_("Gold"), counts.gold, counts.items, of_gold, accent=True),
        _step(_("Disputed, open"), counts.disputed, counts.items, _oldest(shown), side=True),
        _step(_("Excluded"), counts.excluded, counts.items, "", side=True),
    ]


def _step(label: str, n: int, whole: int, note: str, *, accent: bool = False, side: bool = False) -> dict[str, Any]:
    return {"label": label, "n": n, "width": share(n, whole), "note": note, "accent": accent, "side": side}


def _percent(part: int, whole: int) -> str:
    return _("%(percent)s %%") % {"percent": round(100 * part / whole)} if whole else "–"


def _closed_note(shown: Dashboard) -> str:
    percent = _percent(shown.counts.closed, shown.counts.ready)
    return ", ".join(filter(None, [percent, closed_note(shown.agreement.closed_excluded)]))


def _oldest(shown: Dashboard) -> str:
    opened = shown.counts.oldest_dispute
    if opened is None:
        return ""
    days = (timezone.now() - opened).days
    return _("oldest %(days)s d") % {"days": days} if days else _("oldest today")


def _bars(counted: Any) -> list[dict[str, Any]]:
    most = max(counted.values(), default=0)
    return [{"word": word.value, "n": n, "width": share(n, most)} for word, n in counted.items()]


def _tiles(shown: Dashboard) -> list[dict[str, Any]]:
    """Return the eight patterns, easy ones first; bars are relative to the largest."""
    order = list(Difficulty)
    patterns = [(pattern_of(code), n) for code, n in shown.agreement.patterns.items()]
    patterns.sort(key=lambda counted: (order.index(counted[0].difficulty), counted[0].combined, counted[0].code))
    whole, most = sum(n for _pattern, n in patterns), max(n for _pattern, n in patterns)
    return [
        {"pattern": pattern, "n": n, "width": share(n, most), "percent": _percent(n, whole)} for pattern, n in patterns
    ]


def _agreement_chart(shown: Dashboard, kind: str) -> dict[str, Any]:
    named = accounts(shown)
    figures = [figure for _name, account in named for figure in _figures(account, kind)]
    start = axis_start(figures)
    rows = []
    for name, account in named:
        fine, hateful = _figures(account, kind)
        items = account.items if kind == "kappa" else account.alpha_items
        rows.append(_figure_row(name, fine, start) | {"items": items})
        rows.append(_figure_row(_("hateful or not"), hateful, start) | {"binary": True})
    return {"kind": kind, "rows": rows, "axis": ["0", "0.5", "1"] if start == 0 else ["−1", "0", "1"]}


def _figures(account: AgreementAccount, kind: str) -> tuple[Figure, Figure]:
    if kind == "kappa":
        return account.fleiss_kappa, account.fleiss_kappa_binary
    return account.krippendorff_alpha, account.krippendorff_alpha_binary


def _figure_row(name: str, figure: Figure, start: int) -> dict[str, Any]:
    row: dict[str, Any] = {"name": name, "mark": whisker(figure, start), "why": agreement_reason(figure)}
    if isinstance(figure, Measured):
        row |= {"value": figure.value, "interval": figure.interval}
    return row


def _categories(shown: Dashboard) -> list[dict[str, Any]]:
    most = max((row.chosen for row in shown.labels.by_category), default=0)
    start = axis_start([row.kappa for row in shown.labels.by_category])
    return [
        {
            "category": row.category,
            "chosen": row.chosen,
            "gold": shown.counts.gold_categories.get(row.category.code, 0),
            "width": share(row.chosen, most),
        }
        | _figure_row(row.category.name, row.kappa, start)
        for row in shown.labels.by_category
    ]


def _days(shown: Dashboard) -> dict[str, Any]:
    """Return the bars of the last weeks: labels, items that became disputed, items with a settled dispute."""
    today = timezone.localdate()
    labels = {day.day: day.labels for day in shown.days}
    disputed = {day.day: day.disputed for day in shown.days}
    settled = {day.day: day.settled for day in shown.days}
    bars = day_bars(labels, today, DAYS)
    busy = sorted(bar.count for bar in bars if bar.count)
    of_disputes = max(_top(disputed, today), _top(settled, today))
    return {
        "bars": bars,
        "disputed": day_bars(disputed, today, DAYS, top=of_disputes, parts=2),
        "settled": day_bars(settled, today, DAYS, top=of_disputes, part=1, parts=2),
        "labels_read": _("Labels per day: %(days)s") % {"days": _read(labels, today)},
        "disputes_read": _("Items disputed per day: %(days)s. Settled: %(settled)s")
        % {"days": _read(disputed, today), "settled": _read(settled, today)},
        "top": _top(labels, today),
        "half": _top(labels, today) // 2,
        "top_of_disputes": of_disputes,
        "median": busy[len(busy) // 2] if busy else 0,
    }


def _read(counts: dict[date, int], today: date) -> str:
    """Return the counts of the last weeks for people who hear the page."""
    first = today - timedelta(days=DAYS)
    return ", ".join(f"{day.isoformat()} {n}" for day, n in counts.items() if n and day > first) or _("none")


def _top(counts: dict[date, int], today: date) -> int:
    """Return the upper end of the scale for the counts of the last weeks."""
    return round_above(max((n for day, n in counts.items() if day > today - timedelta(days=DAYS)), default=0))
