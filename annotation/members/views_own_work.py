"""The annotator's own pages: consent, guidelines, history, a break, help, leaving."""

import time
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.db.models.functions import Now
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.assignment.annotator_state import count_reading
from annotation.assignment.postponed import postponed_seats
from annotation.assignment.training_gate import training_items
from annotation.domain.choices import Role
from annotation.domain.wellbeing import breaks
from annotation.guidelines.versions import examples_of
from annotation.labelling import withdraw_labels
from annotation.labelling.forms import HistoryForm
from annotation.labelling.own_history import history_page
from annotation.labelling.workspace import categories_of, done_today
from annotation.members import participation
from annotation.members.roles import LastAdmin
from annotation.models import Guideline, Membership, Seat, TrainingAttempt
from annotation.pages.access import PersonRequest, annotator_past_or_present, member_of
from annotation.pages.project_page import project_page
from annotation.projects import consent_texts
from annotation.training.attempts import begin_attempt
from annotation.training.results import own_totals
from annotation.wellbeing import preferences
from annotation.wellbeing.forms import MOODS

AT_ONCE_SECONDS = 2.0
"""The maximum time for removing labels before the page responds; the sweeper removes the rest."""


@require_http_methods(["GET", "POST"])
def consent(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the content warning and the consent form that come before the first post."""
    member = member_of(request, slug, Role.ANNOTATOR)
    project = member.project
    waits = _first_training(member)
    if request.method == "POST":
        if request.POST.get("version") != str(project.consent_version):
            messages.warning(request, _("The text has changed since you opened it: please read it again."))
            return redirect("annotation:consent", slug)
        if request.POST.get("agree") != "on":
            messages.error(request, _("Tick the box to agree, or leave: nothing happens without your agreement."))
            return redirect("annotation:consent", slug)
        participation.consent(member)
        if waits and begin_attempt(member) is not None:
            return redirect("annotation:training", slug)
        return redirect("annotation:label", slug)
    context = {
        "given": member.consent_version >= project.consent_version,
        "warning": consent_texts.warning(project),
        "text": consent_texts.text(project),
        "seen": (consent_texts.who_can_tell(), consent_texts.seen_of_each()),
        "leaving": consent_texts.sentence(project.on_withdrawal),
        "training_posts": waits,
    }
    return project_page(request, member, "annotation/consent.html", context)


def _first_training(member: Membership) -> int:
    """Return how many posts the training has that begins with the consent; 0 if none does."""
    is_due = member.project.training_required and member.trained_at is None
    if not is_due or TrainingAttempt.objects.filter(member=member).exists():
        return 0
    return len(training_items(member))


@require_GET
def guidelines(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the valid guidelines and the categories with their definitions, also in the annotator's page."""
    member = member_of(request, slug)
    if member.annotates and not member.project.is_closed:
        count_reading(member)
    newest = Guideline.objects.filter(project=member.project).order_by("-number").first()
    context = {
        "guideline": newest,
        "examples": examples_of(newest) if newest else [],
        "categories": categories_of(member.project),
    }
    return project_page(request, member, "annotation/guidelines.html", context)


@require_GET
def history(request: PersonRequest, slug: str) -> HttpResponse:
    """List the annotator's own labels and skips, newest first; what can be changed or taken back says so.

    Somebody whose access has ended reads them all, also those that were taken out, and changes none.
    """
    member = annotator_past_or_present(request, slug)
    form = HistoryForm(request.GET, categories=categories_of(member.project))
    page, rows = history_page(member, request.GET, form.wanted)
    context: dict[str, Any] = {"rows": rows, "page": page, "form": form, "checked": own_totals(member)}
    if member.active:
        context["done_today"] = done_today(member)
    return project_page(request, member, "annotation/history.html", context)


@require_GET
def pause(request: PersonRequest, slug: str) -> HttpResponse:
    """Show a page for a break: the held seats and until when; once on a working day, the check-in.

    Between two posts it says what is said once (`annotation.labelling.interlude`).
    """
    member = member_of(request, slug, Role.ANNOTATOR)
    held_seats = Seat.objects.filter(annotator=member, label__isnull=True, expires_at__gt=Now())
    held = list(held_seats.exclude(pk__in=postponed_seats(member).values("pk")).order_by("expires_at", "pk"))
    context = {
        "held": held,
        "opened": [seat for seat in held if seat.shown_at],
        "ahead": [seat for seat in held if not seat.shown_at],
        "said": request.GET.get("said", ""),
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
