"""Pages about runs, for reviewers and admins: the queue, an item's runs side by side, one run live, two compared.

Nobody who may still be asked for a view of their own on an item sees what models said about it.
"""

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation import glossing
from annotation.domain.words import Role
from annotation.models import Item, Membership
from annotation.reviewing import may_see_intent, may_see_votes
from annotation.views.bench import categories_of
from annotation.views.scope import PersonRequest, member_of
from moderation import debating, repeats, showing
from moderation.forms import METHOD_NAMES, JudgeForm, StageForm, StartForm
from runs import billing, pausing
from runs.domain.states import OPEN, RunState
from runs.models import Run

PAGE_LENGTH = 50


@require_GET
def runs(request: PersonRequest, slug: str) -> HttpResponse:
    """The queue: what waits, runs, and has ended, newest first."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    found = showing.runs_of(member.project)
    state, method = request.GET.get("state", ""), request.GET.get("method", "")
    if state in list(RunState):
        found = found.filter(state=state)
    if method in METHOD_NAMES:
        found = found.filter(method=method)
    page = Paginator(found, PAGE_LENGTH).get_page(request.GET.get("page"))
    shown = list(page.object_list)
    items = showing.items_by_id(shown)
    any_open = any(each.state in OPEN for each in shown)
    context = {
        "project": member.project,
        "membership": member,
        "page": page,
        "rows": [_row(each, items.get(each.subject), member) for each in shown],
        "any_open": any_open,
        "waiting": showing.open_runs(member.project).count() if any_open else 0,
        "state": state,
        "method": method,
        "states": list(RunState),
        "methods": METHOD_NAMES,
        "form": StageForm(project=member.project),
        "pauses": pausing.in_force(),
        "spent": showing.spent(member.project),
        "bill": billing.bill(member.project.public_id),
    }
    return render(request, "moderation/runs.html", context)


@require_GET
def item_runs(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """What was held on one item, side by side, and a form to start more."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    return show_item(request, member, item_for(member, public_id), StartForm(project=member.project))


def show_item(
    request: PersonRequest, member: Membership, item: Item, form: StartForm, status: int = 200
) -> HttpResponse:
    """The item's runs, newest first, twenty of them."""
    found = list(showing.runs_of(member.project).filter(subject=item.public_id)[:20])
    context = {
        "project": member.project,
        "membership": member,
        "item": item,
        "shown": showing.shown_all(found, categories_of(member.project)),
        "form": form,
        "methods": METHOD_NAMES,
        "any_open": any(each.state in ("queued", "running") for each in found),
    }
    return render(request, "moderation/item_runs.html", context, status=status)


@require_GET
def run(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """One run, live while it goes on."""
    return show_run(request, *run_for(request, slug, public_id))


def show_run(
    request: PersonRequest, member: Membership, found: Run, item: Item, form: JudgeForm | None = None, status: int = 200
) -> HttpResponse:
    """The page of a run."""
    return render(request, "moderation/run.html", _about(member, found, item, form or JudgeForm()), status=status)


@require_GET
def progress(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """The parts of the page that follow a run under way: the run, and which entries of the glossary it was given."""
    member, found, item = run_for(request, slug, public_id)
    return render(request, "moderation/_run_progress.html", _about(member, found, item, JudgeForm()))


@require_GET
def compare(request: PersonRequest, slug: str) -> HttpResponse:
    """Two runs of one item beside each other."""
    both = []
    for name in ("a", "b"):
        try:
            public_id = UUID(request.GET.get(name, ""))
        except ValueError:
            raise Http404 from None
        both.append(run_for(request, slug, public_id))
    (member, first, item), (_member, second, other) = both
    if item != other or first == second:
        raise Http404
    shown = showing.shown_all([first, second], categories_of(member.project))
    context = {"project": member.project, "membership": member, "item": item, "both": shown, "methods": METHOD_NAMES}
    return render(request, "moderation/compare.html", context)


def item_for(member: Membership, public_id: UUID) -> Item:
    """An item of the project whose votes the viewer may see, or 404."""
    item = Item.objects.filter(project=member.project, public_id=public_id).select_related("picture").first()
    if item is None or item.excluded_for == "reported" or not may_see_votes(item, member):
        raise Http404
    item.project = member.project
    return item


def run_for(request: PersonRequest, slug: str, public_id: UUID) -> tuple[Membership, Run, Item]:
    """A run of the project whose item's votes the viewer may see, or 404."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    found = showing.runs_of(member.project).filter(public_id=public_id).select_related("forked_from").first()
    if found is None:
        raise Http404
    return member, found, item_for(member, found.subject)


def _row(found: Run, item: Item | None, viewer: Membership) -> dict[str, Any]:
    """A line of the queue; it leads to the run where its item is decided, so that no list needs a query a line."""
    return {"run": found, "item": item, "opens": item is not None and may_see_intent(item, viewer)}


def _about(member: Membership, found: Run, item: Item, form: JudgeForm) -> dict[str, Any]:
    known = debating.METHODS[found.method]
    return {
        "project": member.project,
        "membership": member,
        "item": item,
        "shown": showing.shown(found, categories_of(member.project)),
        "most_calls": showing.most_calls(found),
        "method_name": METHOD_NAMES[found.method],
        "repeats": repeats.on_post(found),
        "judge_form": form if known.judge is not None else None,
        "others": list(showing.runs_of(member.project).filter(subject=found.subject).exclude(pk=found.pk)[:10]),
        "pauses": pausing.in_force(),
        "given": glossing.uses_of(found.public_id),
    }
