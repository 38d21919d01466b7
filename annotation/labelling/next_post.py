"""The annotator's next page: the next post, the same post again, or the reason why there is none."""

from dataclasses import dataclass
from typing import Any, assert_never
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import (
    BreakDue,
    ConsentNeeded,
    DoneForToday,
    GuidelinesChanged,
    HeldSeat,
    NothingLeft,
    NotOpen,
    QuotaReached,
    TrainingNeeded,
)
from annotation.assignment.seat_lookup import is_held
from annotation.domain.choices import Stage
from annotation.domain.questions.question import in_force
from annotation.domain.training import attempts_left
from annotation.domain.wellbeing.breaks import Limit
from annotation.guidelines.versions import news_for
from annotation.labelling.forms import AnswerForm, initial_from, initial_of
from annotation.labelling.interlude import go_to_interlude, interlude_before
from annotation.labelling.postpone import forget_lost
from annotation.labelling.take_back_skip import fresh_skip
from annotation.labelling.views_post import own_seat
from annotation.labelling.workspace import PageNotice, Workspace, done_today, show_workspace, swaps_post
from annotation.models import Item, Label, Membership, Seat, TrainingAttempt
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page

NoPost = NothingLeft | NotOpen | TrainingNeeded | GuidelinesChanged | QuotaReached | DoneForToday | BreakDue
"""The outcomes of a claim that gives no seat and has a page of its own."""


@dataclass(frozen=True)
class RestPage:
    """A page that says: enough for now. `again` is True if the annotator may come back today."""

    title: str
    text: str
    again: bool = False


def next_post(
    request: PersonRequest, member: Membership, notice: PageNotice | None = None, status: int = 200
) -> HttpResponse:
    """Claim a seat and show its post, with a notice about the last one; without a seat, show the reason."""
    match claim(member):
        case HeldSeat() as held_seat:
            return _show_held(request, Workspace(member, held_seat.seat, notice=notice, held=held_seat), status)
        case ConsentNeeded():
            return redirect("annotation:consent", member.project.slug)
        case outcome:
            return show_no_post(request, member, outcome, notice, status)


def go_on(
    member: Membership,
    request: PersonRequest | None = None,
    answered: AnswerForm | None = None,
    following: HeldSeat | None = None,
) -> HttpResponse:
    """Go on to the next post; where a script swaps it in, it is in this response and no second request is needed.

    The next post is asked about as the one `answered`: its categories and questions need no second query. `following`
    is its seat, if the answer has claimed it.
    """
    if request is not None and answered is not None and swaps_post(request):
        match following or claim(member):
            case HeldSeat() as held_seat:
                workspace = Workspace(member, held_seat.seat, categories=answered.categories, held=held_seat)
                if answered.questions:
                    workspace.known_questions = in_force(answered.questions)
                return _show_held(request, workspace)
    return redirect("annotation:label", member.project.slug)


def same_post(request: PersonRequest, member: Membership, seat: UUID, form: AnswerForm) -> HttpResponse:
    """Show the post of the seat again with the answer as typed and what is wrong with it.

    If the seat is not held any more, show the next post with a notice. Raises Http404 for a seat that is not theirs.
    """
    row = own_seat(member, public_id=seat)
    if row.label is not None:
        return next_post(request, member, already_labelled(member, row.label, form), status=409)
    if not is_held(row):
        return next_post(request, member, answer_not_stored(form, member, seat), status=409)
    return show_workspace(request, Workspace(member, row, categories=form.categories), form, status=422)


def post_gone() -> PageNotice:
    """Return the notice that a post which the annotator wanted to put aside is no longer theirs."""
    text = _("It is no longer open to you: others have answered it, or it was taken out. Here is the next one.")
    return PageNotice(_("The post was not put aside"), text)


def answer_not_stored(form: AnswerForm, member: Membership, seat: UUID) -> PageNotice:
    """Return the notice that the seat is lost, with the answer as typed.

    Its text and words marked in it are repeated, unless it was taken out: such a post is shown to nobody.
    """
    rows = Seat.objects.filter(public_id=seat, item__project=member.project_id).exclude(item__stage=Stage.EXCLUDED)
    text = rows.values_list("item__text", flat=True).first() or ""
    return PageNotice(
        _("Your answer was not stored"),
        _("The post is no longer open to you: others have answered it, or it was taken out. Here is the next one."),
        kept=form,
        post=text,
        quotes=tuple(quote for question in form.further for quote in question.quoted_from(text)),
    )


def text_to_name(item: Item) -> str:
    """Return the text by which a notice names a post that was answered before; empty for one that was taken out."""
    return "" if item.stage == Stage.EXCLUDED else item.text


def already_labelled(member: Membership, label: Label, form: AnswerForm | None) -> PageNotice:
    """Return the notice that the annotator's label is stored already, with the link to change it."""
    if member.project.changes_end_by_clock:
        sentence = _("Your first answer stands. It can be changed for 30 minutes after it was given.")
    else:
        sentence = _("Your first answer stands. It can be changed while the post is open.")
    return PageNotice(
        _("You have labelled that post already"),
        sentence,
        kept=form,
        stands=label,
        post=text_to_name(label.item),
        link=reverse("annotation:label-correct", args=[member.project.slug, label.public_id]),
        link_text=_("Change that answer"),
    )


def _say_what_was_lost(request: PersonRequest, member: Membership) -> None:
    """Say once that posts which the annotator had put aside are no longer theirs."""
    if lost := forget_lost(member):
        sentence = ngettext(
            "The time of %(count)s post that you had put aside is over. Others may answer it now; while it has a free "
            "place, it may come to you again.",
            "The time of %(count)s posts that you had put aside is over. Others may answer them now; while they have "
            "a free place, they may come to you again.",
            lost,
        )
        messages.info(request, sentence % {"count": lost})


def show_no_post(
    request: PersonRequest, member: Membership, outcome: NoPost, notice: PageNotice | None = None, status: int = 200
) -> HttpResponse:
    """Show why there is no post. The page is this annotator's alone, so no cache may keep it."""
    _say_what_was_lost(request, member)
    context: dict[str, Any] = {"notice": notice, "skipped": fresh_skip(member) is not None}
    match outcome:
        case NothingLeft(until):
            page = "nothing_left"
            context["until"] = until
            context["opted_out"] = member.opt_outs.filter(ended_at=None).exists()
        case NotOpen():
            page = "nothing_left"
            context["closed"] = True
        case TrainingNeeded():
            page = "training_needed"
            context["training"] = _training_address(member)
            context["exhausted"] = _has_no_attempt_left(member)
        case GuidelinesChanged():
            page = "guidelines_changed"
            context["news"] = news_for(member)
            if context["news"] is None:  # read in another tab just now
                return redirect("annotation:label", member.project.slug)
        case QuotaReached() | DoneForToday() | BreakDue():
            page = "done_for_today"
            context["rest"] = _rest_page(outcome)
        case unforeseen:
            assert_never(unforeseen)
    response = project_page(request, member, f"annotation/{page}.html", context, status, done_today=done_today(member))
    response["Cache-Control"] = "no-store"
    return response


def _show_held(request: PersonRequest, workspace: Workspace, status: int = 200) -> HttpResponse:
    if workspace.notice is None and workspace.held is not None:
        interlude = interlude_before(request, workspace.member, workspace.held)
        if interlude is not None:
            return go_to_interlude(request, workspace.project.slug, interlude)
    if workspace.held is not None and workspace.held.postponed:
        _say_what_was_lost(request, workspace.member)
    initial, choose = _initial(request, workspace), workspace.project.choose
    form = AnswerForm(categories=workspace.categories, choose=choose, questions=workspace.questions, initial=initial)
    return show_workspace(request, workspace, form, status)


def _initial(request: PersonRequest, workspace: Workspace) -> dict[str, Any]:
    """Return the first values of the fields: the label that was taken back, or the first answer to keep or change."""
    if "again" in request.GET:
        labels = Label.objects.filter(seat=workspace.seat, annotator=workspace.member).select_related("category")
        last = labels.order_by("-revision").first()
        if last is not None:
            return initial_from(last)
    return initial_of(workspace.seat.first_answer) if workspace.seat.first_answer is not None else {}


def _rest_page(outcome: QuotaReached | DoneForToday | BreakDue) -> RestPage:
    match outcome:
        case QuotaReached():
            text = _("You have given as many labels as this project takes from one person. Thank you.")
            return RestPage(_("Your share is done"), text)
        case BreakDue():
            text = _(
                "The last posts were severe, and only severe ones are left at the moment. Take a break of "
                "about ten minutes; nobody is waiting for you."
            )
            return RestPage(_("Time for a short break"), text, again=True)
        case DoneForToday(Limit.MINUTES):
            text = _("You have reached the working time that you or this project set for one day.")
            return RestPage(_("Done for today"), text)
        case DoneForToday(Limit.SEVERE_SESSION):
            text = _(
                "You have seen as many severe posts in one session as this project allows, and only severe "
                "ones are left. Come back after a break of half an hour or more, or another day."
            )
            return RestPage(_("Enough for now"), text, again=True)
        case DoneForToday():
            text = _(
                "You have seen as many severe posts as you or this project set for one day, and only severe "
                "ones are left. There are others tomorrow."
            )
            return RestPage(_("Done for today"), text)


def _has_no_attempt_left(member: Membership) -> bool:
    """Return whether the member's training can go on only after an admin opens another attempt."""
    begun = [attempt.finished_at for attempt in TrainingAttempt.objects.filter(member=member)]
    return None not in begun and attempts_left(member.project.training_attempts, member.training_extra, len(begun)) == 0


def _training_address(member: Membership) -> str:
    """Return the address of the training; empty where this installation has no such page."""
    try:
        return reverse("annotation:training", args=[member.project.slug])
    except NoReverseMatch:
        return ""
