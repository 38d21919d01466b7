"""The annotator's own pages: consent, guidelines, history, a break, help, leaving."""

import time
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.assignment.seat_lookup import can_change_label
from annotation.domain.choices import Reason, Role
from annotation.domain.wellbeing import breaks
from annotation.guidelines.versions import examples_of
from annotation.labelling import withdraw_labels
from annotation.labelling.workspace import categories_of, done_today
from annotation.members import participation
from annotation.members.roles import LastAdmin
from annotation.models import Guideline, Label, Membership, Seat
from annotation.pages.access import PersonRequest, annotator_past_or_present, member_of
from annotation.pages.answers_shown import answers_shown, questions_answered
from annotation.pages.long_lists import MOST_COSTLY, BoundedPaginator, listed_page
from annotation.pages.project_page import project_page
from annotation.projects import consent_texts
from annotation.training.results import own_totals
from annotation.wellbeing import preferences
from annotation.wellbeing.forms import MOODS
from runs.sql.database_clock import database_now

AT_ONCE_SECONDS = 2.0
"""The maximum time for removing labels before the page responds; the sweeper removes the rest."""
PAGE = 25
"""The number of labels on a page of the history."""


@require_http_methods(["GET", "POST"])
def consent(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the content warning and the consent form that come before the first post."""
    member = member_of(request, slug, Role.ANNOTATOR)
    project = member.project
    if request.method == "POST":
        if request.POST.get("version") != str(project.consent_version):
            messages.warning(request, _("The text has changed since you opened it: please read it again."))
            return redirect("annotation:consent", slug)
        if request.POST.get("agree") != "on":
            messages.error(request, _("Tick the box to agree, or leave: nothing happens without your agreement."))
            return redirect("annotation:consent", slug)
        participation.consent(member)
        return redirect("annotation:label", slug)
    context = {
        "given": member.consent_version >= project.consent_version,
        "warning": consent_texts.warning(project),
        "text": consent_texts.text(project),
        "seen": (consent_texts.who_can_tell(), consent_texts.seen_of_each()),
        "leaving": consent_texts.sentence(project.on_withdrawal),
    }
    return project_page(request, member, "annotation/consent.html", context)


@require_GET
def guidelines(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the valid guidelines and the categories with their definitions, also in the annotator's page."""
    member = member_of(request, slug)
    newest = Guideline.objects.filter(project=member.project).order_by("-number").first()
    context = {
        "guideline": newest,
        "examples": examples_of(newest) if newest else [],
        "categories": categories_of(member.project),
    }
    return project_page(request, member, "annotation/guidelines.html", context)


@require_GET
def history(request: PersonRequest, slug: str) -> HttpResponse:
    """List the annotator's own labels, newest first; those that can be changed have a link.

    Somebody whose access has ended reads them all, also those that were taken out, and changes none.
    """
    member = annotator_past_or_present(request, slug)
    if not member.active:
        return project_page(request, member, "annotation/history.html", _past_history(request, member))
    filled = (
        Seat.objects.filter(annotator=member, label__isnull=False)
        .exclude(item__excluded_for=Reason.REPORTED)
        .select_related("item", "label__category")
        .order_by("-filled_at", "-pk")
    )
    pages = BoundedPaginator(filled, PAGE, MOST_COSTLY, key="label__public_id")
    page = listed_page(pages, Seat.objects.filter(annotator=member), request.GET)
    questions = questions_answered(member.project, (seat.label for seat in page.object_list))
    now = database_now()
    rows = [
        {
            "seat": seat,
            "label": seat.label,
            "item": seat.item,
            "at": seat.filled_at,
            "open": can_change_label(seat, now),
            "answers": answers_shown(seat.label.answers if seat.label else {}, questions, seat.item.text),
        }
        for seat in page.object_list
    ]
    context = {
        "rows": rows,
        "page": page,
        "done_today": done_today(member),
        "checked": own_totals(member),
    }
    return project_page(request, member, "annotation/history.html", context)


def _past_history(request: PersonRequest, member: Membership) -> dict[str, Any]:
    """Return what the history shows to somebody whose access has ended: the last label of each of their seats."""
    corrected = Label.objects.filter(seat=OuterRef("seat"), annotator=member, revision__gt=OuterRef("revision"))
    labels = (
        Label.objects.filter(annotator=member)
        .exclude(Exists(corrected))
        .exclude(item__excluded_for=Reason.REPORTED)
        .select_related("item", "category", "seat")
        .order_by("-created_at", "-pk")
    )
    pages = BoundedPaginator(labels, PAGE, MOST_COSTLY)
    page = listed_page(pages, Label.objects.filter(annotator=member), request.GET)
    questions = questions_answered(member.project, page.object_list)
    rows = [
        {
            "seat": label.seat,
            "label": label,
            "item": label.item,
            "at": label.created_at,
            "taken_out": label.seat.label_id != label.pk,
            "answers": answers_shown(label.answers, questions, label.item.text),
        }
        for label in page.object_list
    ]
    return {
        "rows": rows,
        "page": page,
        "checked": own_totals(member),
    }


@require_GET
def pause(request: PersonRequest, slug: str) -> HttpResponse:
    """Show a page for a break: the held seats and until when; once on a working day, the check-in."""
    member = member_of(request, slug, Role.ANNOTATOR)
    held_seats = Seat.objects.filter(annotator=member, label__isnull=True, expires_at__gt=Now())
    context = {
        "held": held_seats.order_by("expires_at", "pk"),
        "asks": preferences.is_check_in_due(member),
        "moods": MOODS,
        "done_today": done_today(member),
        "break_minutes": breaks.BREAK // timedelta(minutes=1),
        "session_minutes": breaks.SESSION_GAP // timedelta(minutes=1),
    }
    return project_page(request, member, "annotation/pause.html", context)


@require_GET
def resources(request: PersonRequest, slug: str) -> HttpResponse:
    """Show help and contacts."""
    member = member_of(request, slug)
    return project_page(request, member, "annotation/resources.html")


@require_http_methods(["GET", "POST"])
def withdraw(request: PersonRequest, slug: str) -> HttpResponse:
    """Leave the project; the page first shows what happens to the labels and to the name.

    Open to somebody whose access an admin ended too: their name is hidden then.
    """
    member = annotator_past_or_present(request, slug)
    if member.withdrawn_at is not None and not member.active:
        raise Http404
    if request.method == "POST":
        try:
            participation.withdraw(member)
        except LastAdmin:
            messages.error(request, _("You are the only admin of this project. Make somebody else admin, then leave."))
            return redirect("annotation:withdraw", slug)
        withdraw_labels.withdraw_labels_of(member, until=time.monotonic() + AT_ONCE_SECONDS)
        sentence = _(
            "You have left %(project)s. Your name is no longer shown there; your answers stay under My history. "
            "Thank you for your work."
        ) % {"project": member.project}
        messages.success(request, sentence)
        return redirect("annotation:projects")
    return project_page(
        request, member, "annotation/withdraw.html", leaving=consent_texts.sentence(consent_texts.policy_for(member))
    )
