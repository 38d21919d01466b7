"""Prior influence: how much is withheld, and how far the priors sway answers. For admins.

Reviewers who do not annotate see the chart on the dashboard. Nobody who labels sees any of it.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.db.models import Sum
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.analytics.dashboard_tables import influence_tables
from annotation.analytics.forms_influence import WithheldForm
from annotation.analytics.influence import Influence, read_influence, set_withheld_share
from annotation.analytics.influence_tables import CONTRASTS, VIEWS, group_name, influence_reason, with_answers
from annotation.core.access import PersonRequest, member_of
from annotation.core.snapshots import snapshot
from annotation.core.svg import share, whisker
from annotation.domain.choices import Modality, PriorArm, PriorDisplay, Role, Stage
from annotation.domain.statistics.agreement import Interval, Measured
from annotation.domain.statistics.influence import (
    Account,
    Change,
    Contrast,
    Estimate,
    Scope,
    Undefined,
    View,
    Why,
    detectable,
    half_width,
)
from annotation.models import Item, Project

PLANNED = (5, 10, 20, 30, 50)
"""Percent withheld for which the page says what could be told."""
AN_EXAMPLE = 3000
"""Answers that the plan assumes for a project without items."""

_REACHES = (10, 20, 50, 100)
_BRIEF = (Scope.ALL, Scope.CONFLICT)
_ORDER = (View.WITHHELD, View.OWN, View.SHOWN, View.AFTER)
_SEEING = (View.SHOWN, View.AFTER)


@require_http_methods(["GET", "POST"])
def show(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the report, what the arms mean, and the share that is withheld from now on."""
    member = member_of(request, slug, Role.ADMIN)
    project = member.project
    form = WithheldForm(request.POST or None, initial={"withheld_percent": project.withheld_percent})
    if request.method == "POST" and form.is_valid():
        if set_withheld_share(member, form.cleaned_data["withheld_percent"]):
            messages.success(request, _("Stored. It holds for posts that are handed out from now on."))
        else:
            messages.info(request, _("That share is withheld already."))
        return redirect("annotation:influence", slug)
    with snapshot():
        found, planned = read_influence(project), _answers_planned(project)
    context = {
        "project": project,
        "membership": member,
        "form": form,
        "found": found,
        "arms": _arms(project, found),
        "plan": _plan(planned or AN_EXAMPLE, project.withheld_percent),
        "planned": planned or AN_EXAMPLE,
        "is_example": not planned,
        "charts": charts(found),
        "tables": influence_tables(found),
    }
    return render(request, "annotation/influence.html", context, status=422 if form.errors else 200)


def charts(found: Influence, *, brief: bool = False) -> list[dict[str, Any]]:
    """For each modality with answers: bars by view and differences as whiskers; without categories if `brief`."""
    drawn = []
    for modality in Modality:
        accounts = [each for each in with_answers(found.accounts) if each.group.modality is modality]
        if brief:
            accounts = [each for each in accounts if each.group.scope in _BRIEF]
        if accounts:
            wide = [each for each in accounts if each.group.scope is not Scope.CATEGORY]
            reach = _reach(wide)
            drawn.append(
                {
                    "modality": modality.value,
                    "groups": [_group(each, found) for each in wide],
                    "categories": [_group(each, found) for each in accounts if each not in wide],
                    "reach": reach,
                    "differences": [row for each in wide for row in _differences(each, found, reach)],
                    "changes": _changes(accounts[0]),
                }
            )
    return drawn


def _reach(accounts: Iterable[Account]) -> int:
    """How far the axis of the differences goes to both sides: the least of a few round numbers of points."""
    figures = [each.difference for account in accounts for each in account.differences.values()]
    ends = [
        abs(end)
        for figure in figures
        if isinstance(figure, Estimate)
        for end in (figure.value, *((figure.interval.low, figure.interval.high) if figure.interval else ()))
    ]
    return next(reach for reach in _REACHES if 100 * max(ends, default=0) <= reach)


def _group(account: Account, found: Influence) -> dict[str, Any]:
    bars = [_bar(account, view) for view in _ORDER if account.shares[view].answers]
    return {"name": group_name(account.group, found.categories), "bars": bars}


def _bar(account: Account, view: View) -> dict[str, Any]:
    of_view = account.shares[view]
    figure = of_view.share
    interval = figure.interval if isinstance(figure, Estimate) else None
    return {
        "name": VIEWS[view],
        "width": share(of_view.agreeing, of_view.answers),
        "percent": round(100 * of_view.agreeing / of_view.answers),
        "low": interval and round(100 * interval.low),
        "high": interval and round(100 * interval.high),
        "why": influence_reason(figure),
        "n": of_view.answers,
        "seeing": view in _SEEING,
    }


def _differences(account: Account, found: Influence, reach: int) -> Iterable[dict[str, Any]]:
    """Return the comparisons that have answers; the main one always, so that its absence is explained."""
    for contrast, each in account.differences.items():
        figure = each.difference
        main = contrast is Contrast.SHOWN_WITHHELD and account.group.scope is Scope.ALL
        if figure == Undefined(Why.NO_ANSWERS) and not (main and not _compared(account)):
            continue
        row: dict[str, Any] = {"name": CONTRASTS[contrast], "posts": group_name(account.group, found.categories)}
        row |= {"why": influence_reason(figure), "mark": None}
        if isinstance(figure, Estimate):
            row["points"] = _points(figure.value)
            if figure.interval:
                ends = [100 * end / reach for end in (figure.value, figure.interval.low, figure.interval.high)]
                row["mark"] = whisker(Measured(ends[0], Interval(ends[1], ends[2])), -1)
                row |= {"low": _points(figure.interval.low), "high": _points(figure.interval.high)}
        yield row


def _compared(account: Account) -> bool:
    return any(each.difference != Undefined(Why.NO_ANSWERS) for each in account.differences.values())


def _points(value: float) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    points = round(100 * value)
    return f"{'−' if points < 0 else '+' if points > 0 else ''}{abs(points)}"


def _changes(account: Account) -> dict[str, int] | None:
    if not account.asked_twice:
        return None
    return {
        "asked": account.asked_twice,
        "changed": account.changed,
        "percent": round(100 * account.changed / account.asked_twice),
        "towards": account.changes[Change.TOWARDS],
    }


def _arms(project: Project, found: Influence) -> list[dict[str, Any]]:
    """Return what the arms mean, how many answers each has, and what is drawn now."""
    first = PriorArm.HIDDEN if project.prior_display == PriorDisplay.AFTER_FIRST_ANSWER else PriorArm.SHOWN
    now = {first: 100 - project.withheld_percent, PriorArm.WITHHELD: project.withheld_percent}
    meaning = {
        PriorArm.SHOWN: (_("Shown"), _("The priors stand beside the post from the start.")),
        PriorArm.HIDDEN: (
            _("Hidden first"),
            _("The person answers, then the priors open, and the answer may be kept or changed."),
        ),
        PriorArm.WITHHELD: (_("Withheld"), _("This person never sees the priors of this post; others may.")),
    }
    return [
        {"name": name, "text": text, "n": found.labels[arm], "now": now.get(arm, 0)}
        for arm, (name, text) in meaning.items()
    ]


def _answers_planned(project: Project) -> int:
    """Return the answers that the project's items ask for in a round."""
    items = Item.objects.filter(project=project).exclude(stage__in=(Stage.EXCLUDED, Stage.KNOWN))
    return items.aggregate(n=Sum("seats"))["n"] or 0


def _plan(answers: int, now: int) -> list[dict[str, Any]]:
    percents = sorted({*PLANNED, *([now] if now else [])})
    return [
        {
            "percent": percent,
            "withheld": round(answers * percent / 100),
            "half": 100 * (half_width(answers, percent / 100) or 0),
            "detectable": 100 * (detectable(answers, percent / 100) or 0),
            "now": percent == now,
        }
        for percent in percents
    ]
