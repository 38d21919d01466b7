"""Pages of evidence on an item: its cards, removing and restoring them, starting investigations, new judgments."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.domain.text_rules import BadText
from annotation.models import Item, Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from moderation.debates import start as debate_start
from moderation.debates.forms import answered_sentence
from moderation.debates.views import item_for, run_for
from moderation.domain.antihateagent.actions import LONGEST_CLAIM
from moderation.evidence import edit
from moderation.evidence.forms import InvestigateForm
from moderation.methods import local_documents
from moderation.methods.debate_method import BadChoice
from moderation.models import Evidence


class StrikeForm(forms.Form):
    """The reason for removing a card."""

    reason = forms.CharField(
        label=gettext_lazy("Why it is no evidence"),
        max_length=edit.REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


@require_GET
def item_evidence(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the investigations of an item: the newest in full, or the requested one.

    A `claim` in the address fills the form; replies link here to have a claim checked.
    """
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    item, claim = item_for(member, public_id), request.GET.get("claim", "")[:LONGEST_CLAIM]
    return show_evidence(request, member, item, InvestigateForm(project=member.project, initial={"claim": claim}))


def show_evidence(
    request: PersonRequest, member: Membership, item: Item, form: InvestigateForm, status: int = 200
) -> HttpResponse:
    """Render the evidence page of an item."""
    investigations = edit.investigations_of(item)
    run_id = request.GET.get("run", "")
    local_documents.add_document_links(
        member.project, [card for investigation in investigations for card in investigation.cards]
    )
    shown = next(
        (investigation for investigation in investigations if str(investigation.run.public_id) == run_id),
        investigations[0] if investigations else None,
    )
    context = {
        "item": item,
        "investigation": shown,
        "others": [investigation for investigation in investigations if investigation is not shown],
        "form": form,
        "has_no_documents": local_documents.has_no_documents(member.project.public_id),
    }
    return project_page(request, member, "moderation/evidence.html", context, status=status)


@require_POST
def start_investigation(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Start an investigation."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    item = item_for(member, public_id)
    form = InvestigateForm(request.POST, project=member.project)
    if not form.is_valid():
        return show_evidence(request, member, item, form, status=422)
    try:
        items = Item.objects.filter(pk=item.pk)
        queued = debate_start.start_runs(member.project, items, form.wish(), member)
        answer = None if queued else debate_start.answer_to(member.project, items, form.wish())
    except BadChoice as bad:
        form.add_error(None, str(bad))
        return show_evidence(request, member, item, form, status=422)
    if answer is not None:
        messages.info(request, answered_sentence(answer))
        return redirect("moderation:run", slug, answer.public_id)
    newest = edit.investigations_of(item, most=1)[0]
    return redirect("moderation:run", slug, newest.run.public_id)


@require_POST
def strike_evidence(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Remove a card, with a reason."""
    member, card = _card(request, slug, public_id)
    form = StrikeForm(request.POST)
    try:
        reason = form.cleaned_data["reason"] if form.is_valid() else ""
        if not reason:
            messages.error(request, _("Write in one sentence why the card is no evidence."))
        elif edit.strike_card(card, reason, member):
            text = _("Card %(number)d is struck. The verdict is still based on it: ask for a new judgment without it.")
            messages.success(request, text % {"number": card.number})
        else:
            messages.info(request, _("The card was struck already."))
    except BadText as bad:
        messages.error(request, bad.sentence)
    return _back(slug, card)


@require_POST
def restore_evidence(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Restore a removed card."""
    member, card = _card(request, slug, public_id)
    if edit.restore_card(card, member):
        messages.success(request, _("Card %(number)d stands again.") % {"number": card.number})
    return _back(slug, card)


@require_POST
def judge_remaining(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Enqueue a new judgment of the cards that count."""
    member, run, item = run_for(request, slug, public_id)
    try:
        edit.judge_remaining_evidence(run, member.project, member)
        messages.success(request, _("A new judgment was asked for; it costs one call."))
    except edit.CannotJudge as fault:
        messages.error(request, str(fault))
    return redirect("moderation:evidence", slug, item.public_id)


def _card(request: PersonRequest, slug: str, public_id: UUID) -> tuple[Membership, Evidence]:
    """Return a card of the project whose item's votes the viewer may see, with the viewer's membership.

    Raises Http404.
    """
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    card = found(
        Evidence.objects.filter(public_id=public_id, item__project=member.project).select_related("item").first()
    )
    card.item = item_for(member, card.item.public_id)
    return member, card


def _back(slug: str, card: Evidence) -> HttpResponse:
    response = redirect("moderation:evidence", slug, card.item.public_id)
    response["Location"] += f"?run={card.run}#card-{card.number}"
    return response
