"""The first step at the desk of a post: decided by one click, and changed at any time. It stops nobody from writing."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.domain.text_rules import BadText
from annotation.models import Membership
from annotation.pages.access import PersonRequest
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.access import desk_member, exchange_for, item_for
from generation.counterspeech.first_step_box import first_step_of
from generation.counterspeech.views import begin_page, show_desk
from generation.models import Exchange
from generation.practice import first_steps
from generation.practice.forms import AboutForm, FirstStepForm


@require_POST
def decide(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Store what is done about a post at whose desk somebody is."""
    member = desk_member(request, slug)
    return _decided(request, member, exchange_for(member, public_id))


@require_POST
def decide_on_item(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Store what is done about an item that nobody has answered yet."""
    member = desk_member(request, slug)
    item, form = item_for(member, public_id), FirstStepForm(request.POST)
    if not form.is_valid():
        return begin_page(request, member, item, first_step_of(member, None, typed=form), 422)
    return _decided(request, member, counterspeech_request.open_on_item(item, member))


@require_POST
def about(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Store whom a post is about and its theme. The group that the item itself names stays."""
    member = desk_member(request, slug)
    exchange, form = exchange_for(member, public_id), AboutForm(request.POST)
    if not form.is_valid():
        return show_desk(request, member, exchange, status=422, about_form=form)
    exchange.say_about(**form.cleaned_data)
    messages.success(request, _("Saved."))
    return redirect("generation:exchange", slug, exchange.public_id)


def _decided(request: PersonRequest, member: Membership, exchange: Exchange) -> HttpResponse:
    form = FirstStepForm(request.POST)
    if not form.is_valid():
        return show_desk(request, member, exchange, status=422, box=first_step_of(member, exchange, typed=form))
    try:
        first_steps.decide(exchange, member, form.decided, form.stated, form.cleaned_data["note"])
    except BadText as bad:
        form.add_error("note", bad.sentence)
        return show_desk(request, member, exchange, status=422, box=first_step_of(member, exchange, typed=form))
    messages.success(request, _("Saved. You can decide anew at any time."))
    return redirect("generation:exchange", member.project.slug, exchange.public_id)
