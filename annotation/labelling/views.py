"""Views of the annotator: the next post, an answer, a correction, an undo, a skip, a report.

Everything is a plain form; the scripts only press its buttons. A refused answer is always shown again as typed.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.assignment.outcomes import (
    AlreadyLabelled,
    FirstAnswerNeeded,
    FirstAnswerNotAsked,
    FirstAnswerStands,
    ItemClosed,
    KeyReused,
    NoSuchLabel,
    NoSuchSeat,
    Postponed,
    PriorsOpened,
    Replayed,
    Reported,
    SeatLost,
    Skipped,
    Stored,
    TakenBack,
    TooLate,
    TooManyPostponed,
)
from annotation.assignment.seat_lookup import can_change_label
from annotation.consensus.report_notices import who_is_told
from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.labelling.forms import AnswerForm, IllegalContentForm, SkipForm, initial_from
from annotation.labelling.further_answers import questions_for
from annotation.labelling.next_post import (
    already_labelled,
    answer_not_stored,
    go_on,
    next_post,
    post_gone,
    same_post,
    text_to_name,
)
from annotation.labelling.postpone import bring_back, fresh_postponed, postpone_seat
from annotation.labelling.submit import (
    correct_label,
    report_seat,
    skip_seat,
    submit_first_answer,
    submit_label,
    take_back_label,
)
from annotation.labelling.take_back_skip import fresh_skip, take_back_skip
from annotation.labelling.views_post import annotator, ensure_reportable, own_seat
from annotation.labelling.workspace import PageNotice, Workspace, categories_of, show_workspace, swaps_post
from annotation.models import Label, Membership, PostponedSeat, Seat, Skip
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from runs.sql.database_clock import database_now

STAYS_SKIPPED = gettext_lazy(
    "The post stays skipped: it has no free place for you any more, or the time for that is over."
)
NONE_COMES = gettext_lazy("None of the posts that you put aside can come now.")


@require_GET
def label(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the post in front of this annotator, or why there is none. Other members are told who labels."""
    member = member_of(request, slug)
    if not member.has(Role.ANNOTATOR):
        return project_page(request, member, "annotation/label_closed.html", status=403)
    return next_post(request, member)


# ── Answers ───────────────────────────────────────────────────────────────────


@require_POST
def submit(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Store the answer and go on to the next post."""
    member = annotator(request, slug)
    project = member.project
    questions = questions_for(project, request.POST)
    form = AnswerForm(request.POST, categories=categories_of(project), choose=project.choose, questions=questions)
    outcome = form.store(
        lambda answer: submit_label(
            member,
            seat,
            form.cleaned_data["key"],
            answer,
            seconds=form.cleaned_data["seconds"],
            questions=questions,
            go_on=swaps_post(request),
        )
    )
    return _after_answer(request, member, seat, form, outcome)


@require_POST
def first_answer(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Store the annotator's own view, then open the priors."""
    member = annotator(request, slug)
    form = AnswerForm(request.POST, categories=categories_of(member.project), choose=member.project.choose)
    outcome = form.store(lambda answer: submit_first_answer(member, seat, answer))
    return _after_answer(request, member, seat, form, outcome)


def _after_answer(
    request: PersonRequest,
    member: Membership,
    seat: UUID,
    form: AnswerForm,
    outcome: (
        Stored
        | Replayed
        | PriorsOpened
        | KeyReused
        | AlreadyLabelled
        | SeatLost
        | FirstAnswerNeeded
        | FirstAnswerStands
        | FirstAnswerNotAsked
        | NoSuchSeat
        | None
    ),
) -> HttpResponse:
    """Go on after an answer; after one that the form refused, show the same post again."""
    match outcome:
        case None | KeyReused():
            return same_post(request, member, seat, form)
        case Stored(following=next_seat):
            return go_on(member, request, form, next_seat)
        case Replayed() | PriorsOpened() | FirstAnswerStands() | FirstAnswerNotAsked():
            return go_on(member, request, form)
        case AlreadyLabelled(stored):
            return next_post(request, member, already_labelled(member, stored, form), status=409)
        case SeatLost():
            return next_post(request, member, answer_not_stored(form, member, seat), status=409)
        case FirstAnswerNeeded():
            return redirect("annotation:label", member.project.slug)
        case NoSuchSeat():
            raise Http404


@require_http_methods(["GET", "POST"])
def correct(request: PersonRequest, slug: str, label: UUID) -> HttpResponse:
    """Change the annotator's own label while it can be changed."""
    member = annotator(request, slug)
    seat = own_seat(member, labels__public_id=label)
    stored = seat.label
    if stored is None:
        return _correct_nothing(request, member)
    workspace = Workspace(member, seat, correcting=stored)
    if request.method == "GET":
        if not can_change_label(seat, database_now()):
            return _too_late(request, member)
        return show_workspace(
            request,
            workspace,
            AnswerForm(
                categories=workspace.categories,
                choose=member.project.choose,
                questions=workspace.questions,
                initial=initial_from(stored),
            ),
        )
    questions = questions_for(member.project, request.POST)
    form = AnswerForm(request.POST, categories=workspace.categories, choose=member.project.choose, questions=questions)
    outcome = form.store(
        lambda answer: correct_label(member, stored.public_id, form.cleaned_data["key"], answer, questions=questions)
    )
    match outcome:
        case None | KeyReused():
            return show_workspace(request, workspace, form, status=422)
        case Stored() | Replayed():
            messages.success(request, _("Your label is changed."))
            return go_on(member)
        case ItemClosed():
            return next_post(request, member, _change_not_stored(member, stored, form), status=409)
        case NoSuchLabel():
            return _correct_nothing(request, member)


@require_POST
def undo(request: PersonRequest, slug: str, label: UUID | None = None) -> HttpResponse:
    """Go back one step: to the post skipped or put aside a moment ago, or to the last label, to correct it.

    With a `label`, which is open now, the one before it opens. A label that has just closed its item is taken back.
    """
    member = annotator(request, slug)
    given = Seat.objects.filter(annotator=member, label__isnull=False).select_related("item", "label")
    if label is not None:
        given = given.filter(filled_at__lt=own_seat(member, labels__public_id=label).filled_at)
    last = given.order_by("-filled_at").first()
    if label is None and _undo_leaving(request, member, last.filled_at if last is not None else None):
        return go_on(member)
    if last is None or last.label is None:
        first = _("That was your first answer. This is the open post again.")
        messages.info(request, _("There is nothing to undo yet.") if label is None else first)
        return go_on(member)
    if can_change_label(last, database_now()):
        return redirect("annotation:label-correct", slug, last.label.public_id)
    match take_back_label(member, last.label.public_id):
        case TakenBack() | NoSuchLabel():  # of two presses at once the second finds it taken back
            return HttpResponseRedirect(reverse("annotation:label", args=[slug]) + "?again=1")
        case TooLate():
            return _too_late(request, member)


def _undo_leaving(request: PersonRequest, member: Membership, answered_at: datetime | None) -> bool:
    """Bring back the post that was left without an answer a moment ago. Return False if there was an answer since."""
    left = [row for row in (fresh_skip(member), fresh_postponed(member)) if row is not None]
    newest = max(left, key=lambda row: row.created_at, default=None)
    if newest is None or (answered_at is not None and newest.created_at <= answered_at):
        return False
    if isinstance(newest, PostponedSeat):
        back = bring_back(member, newest) is not None
        messages.info(request, _("The post that you put aside is here again.") if back else NONE_COMES)
    elif take_back_skip(member, newest) is None:
        messages.info(request, STAYS_SKIPPED)
    else:
        messages.info(request, _("The skip is taken back."))
    return True


@require_POST
def skip(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Skip the post; nothing follows from it."""
    member = annotator(request, slug)
    form = SkipForm(request.POST)
    if not form.is_valid():
        own_seat(member, public_id=seat)
        notice = PageNotice(_("The post was not skipped"), str(form.errors["reason"][0]))
        return next_post(request, member, notice, status=422)
    match skip_seat(member, seat, form.cleaned_data["reason"]):
        case Skipped():
            return go_on(member)
        case AlreadyLabelled(stored):
            return next_post(request, member, already_labelled(member, stored, None), status=409)
        case NoSuchSeat():
            raise Http404


@require_POST
def take_skip_back(request: PersonRequest, slug: str, item: UUID) -> HttpResponse:
    """Take a skip of the history back: its post comes next."""
    member = annotator(request, slug)
    skipped = found(Skip.objects.filter(annotator=member, item__public_id=item).first())
    if take_back_skip(member, skipped) is None:
        messages.info(request, STAYS_SKIPPED)
        return redirect("annotation:history", slug)
    return go_on(member)


@require_POST
def later(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Put the post aside for the end of the sitting."""
    member = annotator(request, slug)
    match postpone_seat(member, seat):
        case Postponed():
            return go_on(member)
        case TooManyPostponed(limit):
            sentence = _("You have put %(limit)s posts aside, which is the most: answer one of them first.")
            notice = PageNotice(_("This post stays here"), sentence % {"limit": limit})
            return next_post(request, member, notice, status=409)
        case AlreadyLabelled(stored):
            return next_post(request, member, already_labelled(member, stored, None), status=409)
        case SeatLost():
            return next_post(request, member, post_gone(), status=409)
        case NoSuchSeat():
            raise Http404


@require_POST
def open_postponed(request: PersonRequest, slug: str) -> HttpResponse:
    """Bring the post back that was put aside first; the one in front comes after it."""
    member = annotator(request, slug)
    if bring_back(member) is None:
        messages.info(request, NONE_COMES)
    return go_on(member)


@require_http_methods(["GET", "POST"])
def report(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Report illegal content after one confirmation; the post is then gone for everybody."""
    member = annotator(request, slug)
    form = IllegalContentForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"seat": seat, "form": form}
    if not form.is_valid():
        ensure_reportable(member, seat)
        context["told"] = who_is_told(member.project)
        return project_page(request, member, "annotation/report.html", context, status=422 if form.is_bound else 200)
    match report_seat(member, seat, form.cleaned_data["note"]):
        case Reported(told=told):
            return project_page(request, member, "annotation/reported.html", **context, told=told)
        case NoSuchSeat():
            raise Http404


# ── Shared ────────────────────────────────────────────────────────────────────


def _change_not_stored(member: Membership, stored: Label, form: AnswerForm) -> PageNotice:
    others_answered = _(
        "Everybody has answered for that post, so its labels are final. A reviewer looks at notes and doubts."
    )
    why = _why_it_is_final(member, others_answered)
    return PageNotice(_("Your change was not stored"), why, kept=form, post=text_to_name(stored.item))


def _correct_nothing(request: PersonRequest, member: Membership) -> HttpResponse:
    """Go on from a label that was taken back, in another tab perhaps; what was typed for it is shown."""
    if request.method != "POST":
        return redirect("annotation:label", member.project.slug)
    project, questions = member.project, questions_for(member.project, request.POST)
    form = AnswerForm(request.POST, categories=categories_of(project), choose=project.choose, questions=questions)
    notice = PageNotice(
        _("Your change was not stored"),
        _("That label was taken back, so there is none to change. Here is the next post; it may be the same one."),
        kept=form,
    )
    return next_post(request, member, notice, status=409)


def _too_late(request: PersonRequest, member: Membership) -> HttpResponse:
    others_answered = _(
        "Everybody has answered for that post. The label that closes a post can be taken back for 30 seconds."
    )
    notice = PageNotice(_("That label is final"), _why_it_is_final(member, others_answered))
    return next_post(request, member, notice, status=409)


def _why_it_is_final(member: Membership, others_answered: str) -> str:
    if member.project.changes_end_by_clock:
        return _("An answer of this project can be changed for 30 minutes after it was first given.")
    return others_answered
