"""Pages about prior influence: the withheld share, and how the priors influence answers. For admins.

Reviewers who do not annotate see the chart on the dashboard. Annotators see none of it.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.db.models import Exists, OuterRef, QuerySet, Sum
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.analytics import stored_figures
from annotation.analytics.declared_figures import tables
from annotation.analytics.figure_words import reason_of
from annotation.analytics.influence.figures import Influence, set_withheld_share
from annotation.analytics.influence.forms import WithheldForm
from annotation.analytics.influence.tables import CONTRASTS, INFLUENCE_FIGURES, VIEWS, group_name, with_answers
from annotation.analytics.views_figures import waiting
from annotation.assignment.prior_display import priors_for_people
from annotation.domain.choices import Modality, PriorArm, PriorDisplay, PriorState, Role, Stage
from annotation.domain.statistics.figure import Measured, Undefined, Why
from annotation.domain.statistics.influence import Account, Change, Contrast, Scope, View
from annotation.domain.statistics.influence_planning import detectable, half_width
from annotation.domain.statistics.intervals import Interval
from annotation.models import Item, Project
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from annotation.pages.svg import share, whisker

PLANNED = (5, 10, 20, 30, 50)
"""Percentages for which the page shows the precision that they would give."""
AN_EXAMPLE = 3000
"""The number of answers that the plan assumes for a project without items."""

_REACHES = (10, 20, 50, 100)
_BRIEF = (Scope.ALL, Scope.CONFLICT)
_ORDER = (View.WITHHELD, View.OWN, View.SHOWN, View.AFTER)
_SEEING = (View.SHOWN, View.AFTER)


@require_http_methods(["GET", "POST"])
def show(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the report, the meaning of the arms, and the form for the withheld share."""
    member = member_of(request, slug, Role.ADMIN)
    project = member.project
    form = WithheldForm(request.POST or None, initial={"withheld_percent": project.withheld_percent})
    if request.method == "POST" and form.is_valid():
        if set_withheld_share(member, form.cleaned_data["withheld_percent"]):
            messages.success(request, _("Saved. It applies to posts that are handed out from now on."))
        else:
            messages.info(request, _("That share is already withheld."))
        return redirect("annotation:influence", slug)
    moment = stored_figures.influence(project)
    if moment.value is None:
        for faults in form.errors.values():
            messages.error(request, " ".join(map(str, faults)))
        return waiting(request, member, _("Prior influence"), moment)
    influence, with_priors = moment.value, _items_with_priors(project)
    planned = with_priors.exclude(stage__in=(Stage.EXCLUDED, Stage.KNOWN)).aggregate(n=Sum("seats"))["n"] or 0
    context = {
        "moment": moment,
        "form": form,
        "found": influence,
        "has_priors": bool(planned) or with_priors.exists(),
        "arms": _arms(project, influence),
        "plan": _plan(planned or AN_EXAMPLE, project.withheld_percent),
        "planned": planned or AN_EXAMPLE,
        "is_example": not planned,
        "charts": charts(influence),
        "tables": tables(INFLUENCE_FIGURES, influence),
    }
    return project_page(request, member, "annotation/influence.html", context, status=422 if form.errors else 200)


def charts(influence: Influence, *, brief: bool = False) -> list[dict[str, Any]]:
    """Return, for each modality with answers, bars by view and differences; without categories if `brief`."""
    modality_charts = []
    for modality in Modality:
        accounts = [account for account in with_answers(influence.accounts) if account.group.modality is modality]
        if brief:
            accounts = [account for account in accounts if account.group.scope in _BRIEF]
        if accounts:
            wide = [account for account in accounts if account.group.scope is not Scope.CATEGORY]
            reach = _reach(wide)
            modality_charts.append(
                {
                    "modality": modality.value,
                    "groups": [_group(account, influence) for account in wide],
                    "categories": [_group(account, influence) for account in accounts if account not in wide],
                    "reach": reach,
                    "differences": [row for account in wide for row in _differences(account, influence, reach)],
                    "changes": _changes(accounts[0]),
                }
            )
    return modality_charts


def _reach(accounts: Iterable[Account]) -> int:
    """Return the range of the axis of the differences on both sides, as one of a few round numbers of points."""
    figures = [difference.difference for account in accounts for difference in account.differences.values()]
    ends = [
        abs(end)
        for figure in figures
        if isinstance(figure, Measured)
        for end in (figure.value, *((figure.interval.low, figure.interval.high) if figure.interval else ()))
    ]
    return next(reach for reach in _REACHES if 100 * max(ends, default=0) <= reach)


def _group(account: Account, influence: Influence) -> dict[str, Any]:
    bars = [_bar(account, view) for view in _ORDER if account.shares[view].answers]
    return {"name": group_name(account.group, influence.categories), "bars": bars}


def _bar(account: Account, view: View) -> dict[str, Any]:
    of_view = account.shares[view]
    figure = of_view.share
    interval = figure.interval if isinstance(figure, Measured) else None
    return {
        "name": VIEWS[view],
        "width": share(of_view.agreeing, of_view.answers),
        "percent": round(100 * of_view.agreeing / of_view.answers),
        "low": interval and round(100 * interval.low),
        "high": interval and round(100 * interval.high),
        "why": reason_of(figure),
        "n": of_view.answers,
        "seeing": view in _SEEING,
    }


def _differences(account: Account, influence: Influence, reach: int) -> Iterable[dict[str, Any]]:
    """Yield the comparisons that have answers. The main one is always shown if no other is, with the reason."""
    for contrast, difference in account.differences.items():
        figure = difference.difference
        main = contrast is Contrast.SHOWN_WITHHELD and account.group.scope is Scope.ALL
        if figure == Undefined(Why.NO_ANSWERS) and not (main and not _compared(account)):
            continue
        row: dict[str, Any] = {"name": CONTRASTS[contrast], "posts": group_name(account.group, influence.categories)}
        row |= {"why": reason_of(figure), "mark": None}
        if isinstance(figure, Measured):
            row["points"] = _points(figure.value)
            if figure.interval:
                ends = [100 * end / reach for end in (figure.value, figure.interval.low, figure.interval.high)]
                row["mark"] = whisker(Measured(ends[0], Interval(ends[1], ends[2])), -1)
                row |= {"low": _points(figure.interval.low), "high": _points(figure.interval.high)}
        yield row


def _compared(account: Account) -> bool:
    return any(difference.difference != Undefined(Why.NO_ANSWERS) for difference in account.differences.values())


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


def _arms(project: Project, influence: Influence) -> list[dict[str, Any]]:
    """Return the meaning of the arms, the number of their answers, and the shares drawn now."""
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
        {"name": name, "text": text, "n": influence.labels[arm], "now": now.get(arm, 0)}
        for arm, (name, text) in meaning.items()
    ]


def _items_with_priors(project: Project) -> QuerySet[Item]:
    """Return the items with a prior that people may see and that names a category: the others do not count."""
    priors = priors_for_people(project).filter(item=OuterRef("pk"), state=PriorState.OK, category__isnull=False)
    return Item.objects.filter(Exists(priors), project=project)


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
