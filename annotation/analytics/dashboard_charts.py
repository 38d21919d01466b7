"""Charts of the dashboard as values that its templates draw: tiles, agreement, categories and days."""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.analytics.agreement.labels import ACCOUNT_FIGURES, AccountFigure, AgreementAccount
from annotation.analytics.dashboard import CampaignDay, Dashboard
from annotation.analytics.figure_words import reason_of
from annotation.domain.choices import Difficulty
from annotation.domain.patterns import pattern_of
from annotation.domain.statistics.figure import Figure, Measured
from annotation.pages.svg import axis_marks, axis_start, day_bars, round_above, share, whisker

DAYS = 28


def percent(part: int, whole: int) -> str:
    """Return a share as whole percent, a dash without a whole."""
    return _("%(percent)s %%") % {"percent": round(100 * part / whole)} if whole else "–"


def tiles(shown: Dashboard) -> list[dict[str, Any]]:
    """Return the eight patterns, easy ones first; bars are relative to the largest."""
    order = list(Difficulty)
    patterns = [(pattern_of(code), n) for code, n in shown.agreement.patterns.items()]
    patterns.sort(key=lambda counted: (order.index(counted[0].difficulty), counted[0].combined, counted[0].code))
    whole, most = sum(n for _pattern, n in patterns), max(n for _pattern, n in patterns)
    return [
        {"pattern": pattern, "n": n, "width": share(n, most), "percent": percent(n, whole)} for pattern, n in patterns
    ]


def agreement_charts(shown: Dashboard) -> list[dict[str, Any]]:
    """Return a chart for each kind of figure of an account: its name, rows and axis."""
    return [
        _agreement_chart(shown, kind, tuple(each)) for kind, each in groupby(ACCOUNT_FIGURES, lambda one: one.chart)
    ]


def _agreement_chart(shown: Dashboard, kind: str, figures: Sequence[AccountFigure]) -> dict[str, Any]:
    named = shown.agreement.accounts()
    start = axis_start([each.of(account) for _name, account in named for each in figures])
    rows = [_account_row(name, account, each, start) for name, account in named for each in figures]
    return {"kind": kind, "title": figures[0].label, "rows": rows, "axis": axis_marks(start)}


def _account_row(name: str, account: AgreementAccount, figure: AccountFigure, start: int) -> dict[str, Any]:
    if figure.binary:
        return _figure_row(_("hateful or not"), figure.of(account), start) | {"binary": True}
    return _figure_row(name, figure.of(account), start) | {"items": figure.counts(account)[0]}


def _figure_row(name: str, figure: Figure, start: int) -> dict[str, Any]:
    row: dict[str, Any] = {"name": name, "mark": whisker(figure, start), "why": reason_of(figure)}
    if isinstance(figure, Measured):
        row |= {"value": figure.value, "interval": figure.interval}
    return row


def category_rows(shown: Dashboard) -> dict[str, Any]:
    """Return the categories with bars and with kappa on an axis, and where that begins."""
    most = max((row.chosen for row in shown.labels.by_category), default=0)
    start = axis_start([row.kappa for row in shown.labels.by_category])
    rows = [
        {
            "category": row.category,
            "chosen": row.chosen,
            "gold": shown.counts.gold_categories.get(row.category.code, 0),
            "width": share(row.chosen, most),
        }
        | _figure_row(row.category.name, row.kappa, start)
        for row in shown.labels.by_category
    ]
    return {"rows": rows, "start": start}


def day_chart(days: Sequence[CampaignDay]) -> dict[str, Any]:
    """Return the bars of the last weeks: labels, items that became disputed, items with a settled dispute."""
    today = timezone.localdate()
    labels = {day.day: day.labels for day in days}
    disputed = {day.day: day.disputed for day in days}
    settled = {day.day: day.settled for day in days}
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
