"""The annotator's way: the next post, an answer, a skip, an undo, a correction.

Everything is a plain form; the scripts only press its buttons. What was typed survives every refusal.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import handing_out, labelling
from annotation.domain.answers import BadAnswer
from annotation.forms.labelling import AnswerForm, IllegalContentForm, SkipForm, initial_from, initial_of
from annotation.handing_out import ConsentNeeded, Held
from annotation.models import Category, Label, Membership, Seat
from annotation.places import is_open
from annotation.views.bench import Bench, Notice, categories_of, show_bench, swaps_post
from annotation.views.looking import annotator, own_seat
from annotation.views.no_post import no_post
from annotation.views.scope import PersonRequest


@require_GET
def label(request: PersonRequest, slug: str) -> HttpResponse:
    """The post in front of this person, or why there is none."""
    return next_post(request, annotator(request, slug))


def next_post(
    request: PersonRequest, member: Membership, notice: Notice | None = None, status: int = 200
) -> HttpResponse:
    """Claim a seat and show its post, with what there is to say about the last one."""
    match handing_out.claim(member):
        case Held() as held:
            return _shown(request, Bench(member, held.seat, notice=notice, held=held), status)
        case ConsentNeeded():
            return redirect("annotation:consent", member.project.slug)
        case why:
            return no_post(request, member, why, notice, status)


def _draft(request: PersonRequest, bench: Bench) -> dict[str, Any]:
    """What the fields hold at first: the first answer to keep or change, or the label that was taken back."""
    if "again" in request.GET:
        given = Label.objects.filter(seat=bench.seat, annotator=bench.member).select_related("category")
        last = given.order_by("-revision").first()
        if last is not None:
            return initial_from(last)
    return initial_of(bench.seat.first_answer) if bench.seat.first_answer is not None else {}


# ── Answers ───────────────────────────────────────────────────────────────────


@require_POST
def submit(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Store the answer and go on to the next post."""
    member = annotator(request, slug)
    form = AnswerForm(request.POST, categories=categories_of(member.project))
    if not form.is_valid():
        return _ask_again(request, member, seat, form)
    values = form.cleaned_data
    try:
        outcome = labelling.submit(member, seat, values["key"], form.answer(), seconds=values["seconds"])
    except BadAnswer as bad:
        form.refuse(bad)
        return _ask_again(request, member, seat, form)
    match outcome:
        case labelling.Stored() | labelling.Replayed():
            return _on(member, request, form.categories)
        case labelling.KeyReused():
            form.add_error(None, _("This form was sent before with another answer. Load the page again."))
            return _ask_again(request, member, seat, form)
        case labelling.AlreadyLabelled(stored):
            return next_post(request, member, _already(member, stored, form), status=409)
        case labelling.SeatLost():
            return next_post(request, member, _lost(form), status=409)
        case labelling.FirstAnswerNeeded():
            return redirect("annotation:label", slug)
        case labelling.NoSuchSeat():
            raise Http404


@require_POST
def first_answer(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Keep one's own view, then open the priors."""
    member = annotator(request, slug)
    form = AnswerForm(request.POST, categories=categories_of(member.project))
    if not form.is_valid():
        return _ask_again(request, member, seat, form)
    try:
        outcome = labelling.give_first_answer(member, seat, form.answer())
    except BadAnswer as bad:
        form.refuse(bad)
        return _ask_again(request, member, seat, form)
    match outcome:
        case labelling.PriorsOpened():
            return _on(member, request, form.categories)
        case labelling.AlreadyLabelled(stored):
            return next_post(request, member, _already(member, stored, form), status=409)
        case labelling.SeatLost():
            return next_post(request, member, _lost(form), status=409)
        case labelling.NoSuchSeat():
            raise Http404


@require_http_methods(["GET", "POST"])
def correct(request: PersonRequest, slug: str, label: UUID) -> HttpResponse:
    """Change one's own label while its item is open."""
    member = annotator(request, slug)
    seat = own_seat(member, labels__public_id=label)
    stored = seat.label
    if stored is None:
        return redirect("annotation:label", slug)
    bench = Bench(member, seat, correcting=stored)
    if request.method == "GET":
        if not is_open(seat, timezone.now()):
            return _too_late(request, member, stored)
        return show_bench(request, bench, AnswerForm(categories=bench.categories, initial=initial_from(stored)))
    form = AnswerForm(request.POST, categories=bench.categories)
    if not form.is_valid():
        return show_bench(request, bench, form, status=422)
    try:
        outcome = labelling.correct(member, stored.public_id, form.cleaned_data["key"], form.answer())
    except BadAnswer as bad:
        form.refuse(bad)
        return show_bench(request, bench, form, status=422)
    match outcome:
        case labelling.Stored() | labelling.Replayed():
            messages.success(request, _("Your label is changed."))
            return _on(member)
        case labelling.KeyReused():
            form.add_error(None, _("This form was sent before with another answer. Load the page again."))
            return show_bench(request, bench, form, status=422)
        case labelling.ItemClosed():
            return next_post(request, member, _closed(form), status=409)
        case labelling.NoSuchLabel():
            raise Http404


@require_POST
def undo(request: PersonRequest, slug: str) -> HttpResponse:
    """Open one's last label again: to be corrected while its item is open, taken back if it has just closed it."""
    member = annotator(request, slug)
    last = (
        Seat.objects.filter(annotator=member, label__isnull=False)
        .select_related("item", "label")
        .order_by("-filled_at")
        .first()
    )
    if last is None or last.label is None:
        messages.info(request, _("There is nothing to undo yet."))
        return _on(member)
    if is_open(last, timezone.now()):
        return redirect("annotation:label-correct", slug, last.label.public_id)
    match labelling.take_back(member, last.label.public_id):
        case labelling.TakenBack():
            return HttpResponseRedirect(reverse("annotation:label", args=[slug]) + "?again=1")
        case labelling.TooLate():
            return _too_late(request, member, last.label)
        case labelling.NoSuchLabel():
            raise Http404


@require_POST
def skip(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Pass the post by; nothing follows from it."""
    member = annotator(request, slug)
    form = SkipForm(request.POST)
    if not form.is_valid():
        own_seat(member, public_id=seat)
        notice = Notice(_("The post was not skipped"), str(form.errors["reason"][0]))
        return next_post(request, member, notice, status=422)
    match labelling.skip(member, seat, form.cleaned_data["reason"]):
        case labelling.Skipped():
            return _on(member)
        case labelling.AlreadyLabelled(stored):
            return next_post(request, member, _already(member, stored, None), status=409)
        case labelling.NoSuchSeat():
            raise Http404


@require_http_methods(["GET", "POST"])
def report(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Report illegal content: asked once, then the post is gone for everybody."""
    member = annotator(request, slug)
    form = IllegalContentForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"project": member.project, "membership": member, "seat": seat, "form": form}
    if not form.is_valid():
        own_seat(member, public_id=seat)
        return render(request, "annotation/report.html", context, status=422 if form.is_bound else 200)
    match labelling.report(member, seat, form.cleaned_data["note"]):
        case labelling.Reported(contact=contact):
            return render(request, "annotation/reported.html", {**context, "contact": contact})
        case labelling.NoSuchSeat():
            raise Http404


# ── Shared ────────────────────────────────────────────────────────────────────


def _on(
    member: Membership, request: PersonRequest | None = None, categories: tuple[Category, ...] = ()
) -> HttpResponse:
    """Go on to the next post; where a script swaps it in, it is in this answer and no second request is needed."""
    if request is not None and swaps_post(request):
        match handing_out.claim(member):
            case Held() as held:
                return _shown(request, Bench(member, held.seat, categories=categories, held=held))
    return redirect("annotation:label", member.project.slug)


def _shown(request: PersonRequest, bench: Bench, status: int = 200) -> HttpResponse:
    form = AnswerForm(categories=bench.categories, initial=_draft(request, bench))
    return show_bench(request, bench, form, status)


def _ask_again(request: PersonRequest, member: Membership, seat: UUID, form: AnswerForm) -> HttpResponse:
    """The same post with the answer as typed and what is wrong with it; another one if the seat is lost."""
    mine = handing_out.held_seat(member, seat)
    if mine is None:
        stored = Seat.objects.filter(annotator=member, public_id=seat).select_related("label").first()
        if stored is None:
            raise Http404
        notice = _already(member, stored.label, form) if stored.label else _lost(form)
        return next_post(request, member, notice, status=409)
    return show_bench(request, Bench(member, mine, categories=form.categories), form, status=422)


def _lost(form: AnswerForm) -> Notice:
    return Notice(
        _("Your answer was not stored"),
        _("The post is no longer open to you: others answered it meanwhile, or it was taken out. Here is the next."),
        kept=form,
    )


def _already(member: Membership, stored: Label, form: AnswerForm | None) -> Notice:
    return Notice(
        _("You have labelled that post already"),
        _("Your first answer stands. It can be changed while the post is open."),
        kept=form,
        link=reverse("annotation:label-correct", args=[member.project.slug, stored.public_id]),
        link_text=_("Change that answer"),
    )


def _closed(form: AnswerForm) -> Notice:
    return Notice(
        _("Your change was not stored"),
        _("Everybody has answered for that post, so its labels are final. A reviewer looks at notes and doubts."),
        kept=form,
    )


def _too_late(request: PersonRequest, member: Membership, stored: Label) -> HttpResponse:
    notice = Notice(
        _("That label is final"),
        _("Everybody has answered for that post. The label that closes a post can be taken back for 30 seconds."),
    )
    return next_post(request, member, notice, status=409)
