"""Pages of evidence on an item: its cards, removing and restoring them, starting investigations, new judgments."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.domain.text_rules import BadText
from annotation.models import Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from moderation.debates.forms import answered_sentence
from moderation.debates.posts import ReadPost, item_for, item_post, post_for, text_post
from moderation.debates.presenters import debate_runs
from moderation.domain.antihateagent.actions import LONGEST_CLAIM
from moderation.evidence import edit
from moderation.evidence.forms import InvestigateForm
from moderation.methods import local_documents
from moderation.methods.debate_method import BadChoice
from moderation.models import Evidence
from runs.models import Run


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
    return show_evidence(request, member, item_post(member, public_id), _empty_form(request, member))


@require_GET
def text_evidence(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the investigations of a pasted text, as of an item."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    return show_evidence(request, member, text_post(member, public_id), _empty_form(request, member))


def show_evidence(
    request: PersonRequest, member: Membership, post: ReadPost, form: InvestigateForm, status: int = 200
) -> HttpResponse:
    """Render the evidence page of a post."""
    investigations = edit.investigations_about(member.project, post.public_id)
    run_id = request.GET.get("run", "")
    local_documents.add_document_links(
        member.project, [card for investigation in investigations for card in investigation.cards]
    )
    shown = next(
        (investigation for investigation in investigations if str(investigation.run.public_id) == run_id),
        investigations[0] if investigations else None,
    )
    context = {
        "item": post.item,
        "post": post,
        "here": post.page(member.project.slug),
        "start_here": post.start(member.project.slug),
        "investigation": shown,
        "others": [investigation for investigation in investigations if investigation is not shown],
        "form": form,
        "has_no_documents": local_documents.has_no_documents(member.project.public_id),
    }
    return project_page(request, member, "moderation/evidence.html", context, status=status)


@require_POST
def start_investigation(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Start an investigation of an item."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    return _started(request, member, item_post(member, public_id))


@require_POST
def start_on_text(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Start an investigation of a pasted text."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    return _started(request, member, text_post(member, public_id))


def _started(request: PersonRequest, member: Membership, post: ReadPost) -> HttpResponse:
    form = InvestigateForm(request.POST, project=member.project)
    if not form.is_valid():
        return show_evidence(request, member, post, form, status=422)
    try:
        run, is_new = edit.investigate(post, form.wish(), member)
    except BadChoice as bad:
        form.add_error(None, str(bad))
        return show_evidence(request, member, post, form, status=422)
    if not is_new:
        messages.info(request, answered_sentence(run))
    if post.item is None:
        response = redirect(post.page(member.project.slug))
        response["Location"] += f"?run={run.public_id}"
        return response
    return redirect("moderation:run", member.project.slug, run.public_id)


@require_POST
def strike_evidence(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Remove a card, with a reason."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    card = card_for(member, public_id)
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
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    card = card_for(member, public_id)
    if edit.restore_card(card, member):
        messages.success(request, _("Card %(number)d stands again.") % {"number": card.number})
    return _back(slug, card)


@require_POST
def judge_remaining(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Enqueue a new judgment of the cards that count."""
    member, run, post = judged_for(request, slug, public_id)
    try:
        edit.judge_remaining_evidence(run, member.project, member)
        messages.success(request, _("A new judgment was asked for; it costs one call."))
    except edit.CannotJudge as fault:
        messages.error(request, str(fault))
    return redirect(post.page(slug))


def judged_for(request: PersonRequest, slug: str, public_id: UUID) -> tuple[Membership, Run, ReadPost]:
    """Return an investigation that the viewer may have judged again, and its post. Raises Http404."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    run = found(debate_runs(member.project).filter(public_id=public_id).select_related("forked_from").first())
    return member, run, post_for(member, run.subject)


def card_for(member: Membership, public_id: UUID) -> Evidence:
    """Return a card of the project about a pasted text, or an item whose votes the viewer may see. Raises Http404."""
    own = Q(item__project=member.project) | Q(project=member.project)
    card = found(Evidence.objects.filter(own, public_id=public_id).select_related("item", "project").first())
    if card.item is not None:
        card.item = item_for(member, card.item.public_id)
    return card


def _empty_form(request: PersonRequest, member: Membership) -> InvestigateForm:
    claim = request.GET.get("claim", "")[:LONGEST_CLAIM]
    return InvestigateForm(project=member.project, initial={"claim": claim})


def _back(slug: str, card: Evidence) -> HttpResponse:
    post = Run.objects.values_list("subject", flat=True).filter(public_id=card.run).first()
    if card.item is not None or post is None:
        response = redirect("moderation:evidence", slug, found(card.item).public_id)
    else:
        response = redirect("moderation:text-evidence", slug, post)
    response["Location"] += f"?run={card.run}#card-{card.number}"
    return response
