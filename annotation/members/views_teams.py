"""Pages for teams: choose people and a batch, see the plan, and carry it out."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from annotation.batches.forms import TeamsForm
from annotation.batches.presenters import batch_name
from annotation.batches.progress import BatchOverview, read_batch_overview
from annotation.domain.choices import BatchState, Role
from annotation.members import teams as member_teams
from annotation.models import Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page


@require_http_methods(["GET", "POST"])
def teams(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the form; after it was sent, show the plan; with `seen`, carry the plan out if it is still the same."""
    member = member_of(request, slug, Role.ADMIN)
    overview = read_batch_overview(member.project)
    names = _batches(overview)
    form = TeamsForm(
        overview.people,
        [(key, batch_name(name)) for key, name in names.items()],
        request.POST if request.method == "POST" else None,
        initial={"size": member.project.seats, "people": [str(person.public_id) for person in overview.people]},
    )
    plan = None
    if form.is_valid():
        plan = _plan(member, form.cleaned_data, names)
        seen_digest = request.POST.get("seen")
        if seen_digest and not plan.is_empty:
            try:
                member_teams.carry_out(member.project, member, plan, seen_digest)
            except member_teams.PlanChanged:
                messages.warning(request, _("Something has changed: look at the plan again."))
            else:
                count = len(plan.teams)
                text = ngettext("%(count)d team is made.", "%(count)d teams are made.", count)
                messages.success(request, text % {"count": count})
                return redirect("annotation:batches", slug)
    context = {
        "form": form,
        "plan": plan,
        "teams": _rows(plan) if plan else [],
        "is_too_small": any(len(team.people) < member.project.seats for team in plan.teams) if plan else False,
        "origin": batch_name(plan.split) if plan and plan.split is not None else "",
    }
    return project_page(request, member, "annotation/teams.html", context, status=422 if form.errors else 200)


def _batches(overview: BatchOverview) -> dict[str, str]:
    """Return the batches that can be distributed, by form value: a name may be empty, a form value may not."""
    return {
        f"b:{batch.name}": batch.name
        for batch in overview.batches
        if batch.state is not BatchState.CLOSED and batch.items
    }


def _plan(member: Membership, chosen: dict[str, Any], names: dict[str, str]) -> member_teams.Plan:
    people = Membership.objects.filter(project=member.project_id, public_id__in=chosen["people"])
    batches = [names[key] for key in chosen["batches"]]
    return member_teams.plan(member.project, list(people), chosen["size"], batches, split=chosen["how"] == "split")


def _rows(plan: member_teams.Plan) -> list[dict[str, Any]]:
    return [{"team": team, "batches": [batch_name(name) for name in team.batches]} for team in plan.teams]
