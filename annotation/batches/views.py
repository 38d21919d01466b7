"""The campaign's batches for its admins: how far each is, who is needed, and what can be done about it."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.batches import open_items, quotas, state
from annotation.batches.forms import CampaignForm, PeopleForm, PriorityForm, QuotaForm
from annotation.batches.open_items import AT_MOST
from annotation.batches.presenters import annotator_rows, batch_card, batch_name
from annotation.batches.progress import BatchOverview, read_batch_overview
from annotation.core.found import found
from annotation.core.snapshots import snapshot
from annotation.domain.choices import BatchState, Role
from annotation.models import Batch, Membership, Project
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page

LISTED = 100
"""Items named on a page that nobody is left for."""


@require_GET
def batches(request: PersonRequest, slug: str) -> HttpResponse:
    """Every batch with its state, progress, pace, people and what comes next."""
    member = member_of(request, slug, Role.ADMIN)
    return _page(request, member, CampaignForm(instance=member.project))


@require_POST
def campaign(request: PersonRequest, slug: str) -> HttpResponse:
    """Set the quota that holds for everybody, people's own, and what becomes of batches that imports bring."""
    member = member_of(request, slug, Role.ADMIN)
    form = CampaignForm(request.POST, instance=Project.objects.get(pk=member.project_id))
    if not form.is_valid():
        return _page(request, member, form, status=422)
    quotas.change_campaign(member, form.cleaned_data["quota"], form.cleaned_data["new_batches"])
    messages.success(request, _("Saved."))
    return redirect("annotation:batches", slug)


@require_POST
def own_quotas(request: PersonRequest, slug: str) -> HttpResponse:
    """Set people's own quotas: a field `quota-ID` a person, empty for the project's."""
    member = member_of(request, slug, Role.ADMIN)
    new_quotas, wrong = _read_quotas(request)
    if wrong:
        messages.error(request, _("A quota is a whole number from 0 up, or empty: nothing was saved."))
        return _page(request, member, CampaignForm(instance=member.project), status=422, typed=request.POST)
    changed = quotas.change_quotas(member, new_quotas)
    text = ngettext("%(count)d quota is changed.", "%(count)d quotas are changed.", changed)
    messages.success(request, text % {"count": changed})
    return redirect("annotation:batches", slug)


@require_GET
def batch(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """One batch; with `do` what an act would mean, and the button that does it."""
    member, row = _batch(request, slug, public_id)
    return _batch_page(request, member, row)


@require_http_methods(["POST"])
def act(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Open, pause, resume or close a batch, make it the pilot, say whom it is for, give it a priority (`do`)."""
    member, row = _batch(request, slug, public_id)
    do = request.POST.get("do", "")
    try:
        if do == "open":
            say_opened(request, open_items.open_items(member.project, member, row.name, at_most=AT_MOST))
        elif do == "people":
            return _set_people(request, member, row)
        elif do == "priority":
            return _set_priority(request, member, row)
        elif do in state.ACTS:
            state.ACTS[do](row, member)
            messages.success(request, _DONE()[do] % {"name": batch_name(row.name)})
        else:
            raise BadRequest("no batch can be asked for that")
    except state.WrongBatchState:
        messages.warning(request, _("That was no longer possible. This is the current state."))
    return redirect("annotation:batch", slug, public_id)


def say_opened(request: PersonRequest, done: open_items.OpenedItems) -> None:
    """Tell how many items went to labelling."""
    if done.opened:
        count = done.opened
        text = ngettext("%(count)d item is open for labelling.", "%(count)d items are open for labelling.", count)
        messages.success(request, text % {"count": count})
    else:
        messages.info(request, _("Nothing was ready to be opened."))
    if done.opened == AT_MOST:
        messages.info(request, _("More are ready: open again for the rest."))


def _DONE() -> dict[str, str]:
    return {
        "pause": _("“%(name)s” is paused. Items that people have open may still be answered."),
        "resume": _("“%(name)s” is handed out again."),
        "close": _("“%(name)s” is closed."),
        "pilot": _("“%(name)s” is the pilot: the other batches wait until it is closed."),
        "no-pilot": _("“%(name)s” is an ordinary batch again: nothing waits for it."),
    }


def _batch(request: PersonRequest, slug: str, public_id: UUID) -> tuple[Membership, Batch]:
    member = member_of(request, slug, Role.ADMIN)
    row = found(state.batch_of(member.project, public_id=public_id))
    row.project = member.project
    return member, row


def _set_people(request: PersonRequest, member: Membership, row: Batch) -> HttpResponse:
    overview = read_batch_overview(member.project)
    form = PeopleForm(overview.people, request.POST)
    if form.is_valid():
        try:
            if form.cleaned_data["limited"] == "1":
                chosen = Membership.objects.filter(
                    project=member.project_id, public_id__in=form.cleaned_data["members"]
                )
                state.limit_batch(row, member, chosen)
            else:
                state.unlimit_batch(row, member)
        except state.NotAnAnnotator:
            form.add_error("members", _("One of them is no longer an active annotator."))
        else:
            messages.success(request, _("Saved who may get “%(name)s”.") % {"name": batch_name(row.name)})
            return redirect("annotation:batch", row.project.slug, row.public_id)
    return _batch_page(request, member, row, people_form=form, status=422)


def _set_priority(request: PersonRequest, member: Membership, row: Batch) -> HttpResponse:
    form = PriorityForm(request.POST)
    if not form.is_valid():
        return _batch_page(request, member, row, priority_form=form, status=422)
    changed = state.set_priority(row, member, form.cleaned_data["priority"])
    text = ngettext("%(count)d item has the priority now.", "%(count)d items have the priority now.", changed)
    messages.success(request, text % {"count": changed})
    return redirect("annotation:batch", row.project.slug, row.public_id)


def _page(
    request: PersonRequest, member: Membership, form: CampaignForm, *, status: int = 200, typed: Any = None
) -> HttpResponse:
    with snapshot():
        overview = read_batch_overview(member.project)
    context = {
        "overview": overview,
        "cards": [batch_card(figures) for figures in overview.batches],
        "whole": batch_card(overview.whole),
        "form": form,
        "people": annotator_rows(overview, typed),
        "reached": [person for person in overview.people if person.left == 0],
        **_nobody_left(overview),
    }
    return project_page(request, member, "annotation/batches.html", context, status=status)


def _batch_page(
    request: PersonRequest,
    member: Membership,
    row: Batch,
    *,
    people_form: PeopleForm | None = None,
    priority_form: PriorityForm | None = None,
    status: int = 200,
) -> HttpResponse:
    with snapshot():
        overview = read_batch_overview(member.project)
    figures = overview.named(row.name)
    if figures is None or figures.row is None:
        raise Http404
    people = {
        "limited": "1" if row.limited else "0",
        "members": [str(person.public_id) for person in figures.members],
    }
    context = {
        "batch": row,
        "its": figures,
        "card": batch_card(figures),
        "asked": _confirmation(request.GET.get("do", ""), row),
        "people_form": people_form or PeopleForm(overview.people, initial=people),
        "priority_form": priority_form or PriorityForm(initial={"priority": figures.priorities[1]}),
        **_nobody_left(overview, row.name),
    }
    return project_page(request, member, "annotation/batch.html", context, status=status)


def _nobody_left(overview: BatchOverview, name: str | None = None) -> dict[str, Any]:
    stuck = [item for item in overview.nobody_left if name is None or item.batch == name]
    return {"nobody_left": stuck[:LISTED], "nobody_left_count": len(stuck)}


def _confirmation(do: str, row: Batch) -> dict[str, str] | None:
    """Return what the act would mean, for the panel that asks before it is done; None for an unknown one."""
    acts = {
        "open": (
            _("Open this batch?"),
            _("Its ready items go to labelling, and they are handed out from now on."),
            _("Open the batch"),
        ),
        "pause": (
            _("Pause this batch?"),
            _("Nothing more of it is handed out. Items that people have open may still be answered."),
            _("Pause the batch"),
        ),
        "resume": (_("Hand this batch out again?"), _("Its open items are handed out again."), _("Resume the batch")),
        "close": (
            _("Close this batch?"),
            _("Nothing more of it is handed out, and its unfinished items stay unfinished. It can be resumed."),
            _("Close the batch"),
        ),
        "pilot": (
            _("Make this batch the pilot?"),
            _("Until it is closed nothing of the other batches is handed out. There is one pilot at most."),
            _("Make it the pilot"),
        ),
        "no-pilot": (
            _("Make this an ordinary batch again?"),
            _("The other batches do not wait for it any more."),
            _("Make it ordinary"),
        ),
    }
    if do not in acts:
        return None
    title, text, button = acts[do]
    danger = "1" if do == "close" and row.state != BatchState.CLOSED else ""
    return {"do": do, "title": title, "text": text, "button": button, "danger": danger}


def _read_quotas(request: PersonRequest) -> tuple[dict[UUID, int | None], bool]:
    """Return the quotas that were sent by person, and whether one of them is none."""
    new_quotas: dict[UUID, int | None] = {}
    for name, value in request.POST.items():
        if not name.startswith("quota-"):
            continue
        form = QuotaForm({"quota": value})
        try:
            key = UUID(name.removeprefix("quota-"))
        except ValueError:
            return {}, True
        if not form.is_valid():
            return {}, True
        new_quotas[key] = form.cleaned_data["quota"]
    return new_quotas, False
