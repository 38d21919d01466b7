"""API of an annotator's own work: the next item, answers, their labels. It calls the same functions as the pages."""

from typing import assert_never
from uuid import UUID

from django.http import Http404
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.access import member, problem, valid
from annotation.api.answers import HeldSeatJson, LabelPage, PictureAddresses
from annotation.api.pages import BY_KEY, page_by_key_of
from annotation.api.problems import LabelRefused, NoSeat
from annotation.api.serializers import (
    AnswerShape,
    BlindPriorShape,
    CorrectedShape,
    LabelShape,
    ReportShape,
    SkipShape,
    SubmissionShape,
)
from annotation.assignment import claim
from annotation.assignment.outcomes import (
    AlreadyLabelled,
    BreakDue,
    ConsentNeeded,
    DoneForToday,
    FirstAnswerNeeded,
    FirstAnswerNotAsked,
    FirstAnswerStands,
    GuidelinesChanged,
    HeldSeat,
    ItemClosed,
    KeyReused,
    NoSuchLabel,
    NoSuchSeat,
    NothingLeft,
    NotOpen,
    Postponed,
    PriorsOpened,
    QuotaReached,
    Replayed,
    Reported,
    SeatLost,
    Skipped,
    Stored,
    TooManyPostponed,
    TrainingNeeded,
)
from annotation.assignment.prior_display import first_answer_is_due, visible_picture_text, visible_priors
from annotation.domain.answer import BadAnswer
from annotation.domain.choices import Role
from annotation.domain.questions.design_rows import question_row
from annotation.domain.questions.kinds.registry import kind_of
from annotation.domain.reports import ReportTold
from annotation.labelling import submit
from annotation.labelling.postpone import bring_back, postpone_seat
from annotation.media.pictures import unlocked
from annotation.media.responses import picture_file
from annotation.models import Label, Membership, Picture, Seat
from vocabulary.answers import answer

_GONE = {409: LabelRefused, 422: LabelRefused}
_SENTENCES = {
    "seat_lost": "Your seat lapsed and somebody else took it, or labelling stopped; ask for the next item.",
    "already_labelled": "Your label for this item is stored already; you may correct it.",
    "key_reused": "This key was used for another answer; make a new key for each answer.",
    "first_answer_needed": "Give your own view first; the priors open after it.",
    "first_answer_stands": "Your first answer for this item is stored already and stays; label the item now.",
    "first_answer_not_asked": "No first answer is asked for here, and none was stored; label the item.",
    "too_many_postponed": "As many items as you may put aside are put aside: answer one of them first.",
    "item_closed": "This label is final and can no longer be changed.",
}

_CODES: dict[type, str] = {
    SeatLost: "seat_lost",
    AlreadyLabelled: "already_labelled",
    KeyReused: "key_reused",
    FirstAnswerNeeded: "first_answer_needed",
    FirstAnswerStands: "first_answer_stands",
    FirstAnswerNotAsked: "first_answer_not_asked",
    TooManyPostponed: "too_many_postponed",
    ItemClosed: "item_closed",
}


def _seat_json(seat: Seat, *, break_offered: bool) -> HeldSeatJson:
    """Return a held seat without anything that could tell what others or the data's source think."""
    item = seat.item
    shown, words = visible_priors(item.project, seat), visible_picture_text(item.project, seat)
    return answer(
        HeldSeatJson,
        seat,
        seat=seat,
        text=item.text,
        picture=_addresses(item.project.slug, seat) if item.picture else None,
        priors_hidden=first_answer_is_due(item.project, seat),
        priors=BlindPriorShape(shown, many=True).data,
        picture_text=words.text if words else None,
        extra=dict(item.shown_columns),
        questions=[
            question_row(question) | {"version": question.version}
            for question in item.project.asked_questions()
            if kind_of(question).has_subject(item.text)
        ],
        break_offered=break_offered,
    )


def _addresses(slug: str, seat: Seat) -> PictureAddresses:
    """Where the seat's picture is: blurred at first, whole for who asks for it (which counts as a reveal)."""
    return {
        "blurred": reverse("api:seat-blurred", args=[slug, seat.public_id]),
        "whole": reverse("api:seat-picture", args=[slug, seat.public_id]),
    }


def _refused(code: str, label: Label | None = None) -> Response:
    more = {} if label is None else {"label": LabelShape(label).data}
    return problem(422 if code == "key_reused" else 409, code, _SENTENCES[code], **more)


_Outcome = (
    Stored
    | Replayed
    | KeyReused
    | AlreadyLabelled
    | SeatLost
    | FirstAnswerNeeded
    | FirstAnswerStands
    | FirstAnswerNotAsked
    | ItemClosed
    | PriorsOpened
    | Skipped
    | Postponed
    | TooManyPostponed
    | Reported
    | NoSuchSeat
    | NoSuchLabel
)


def _outcome_response(outcome: _Outcome) -> Response:
    """Return the response for an outcome.

    Raises Http404 for a seat or label that is not the caller's.
    """
    match outcome:
        case Stored(label=label) | Replayed(label=label):
            return Response(LabelShape(label).data)
        case PriorsOpened(priors=priors):
            return Response(BlindPriorShape(priors, many=True).data)
        case Skipped() | Postponed():
            return Response(status=204)
        case Reported(told=told):
            return Response(told)
        case KeyReused() | AlreadyLabelled() | ItemClosed():
            return _refused(_CODES[type(outcome)], outcome.label)
        case SeatLost() | FirstAnswerNeeded() | FirstAnswerStands() | FirstAnswerNotAsked() | TooManyPostponed():
            return _refused(_CODES[type(outcome)])
        case NoSuchSeat() | NoSuchLabel():
            raise Http404
        case unforeseen:
            assert_never(unforeseen)


def _annotator(request: Request, slug: str) -> Membership:
    return member(request, slug, Role.ANNOTATOR)


class OwnWork(APIView):
    """What an annotator does; an answer that cannot be stored is refused with its field."""

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, BadAnswer):
            return problem(422 if exc.field == "seconds" else 400, exc.code, exc.sentence, field=exc.field)
        return super().handle_exception(exc)


class Next(OwnWork):
    """The item in front of one."""

    rate = "next"

    @extend_schema(request=None, responses={200: HeldSeatJson, 204: None, 403: NoSeat})
    def post(self, request: Request, slug: str) -> Response:
        """Hold a seat: the one that is held already, or a new one. 204: nothing is left."""
        match claim.claim(_annotator(request, slug)):
            case HeldSeat(seat=seat, offers_break=offers):
                return Response(_seat_json(seat, break_offered=offers))
            case NothingLeft():
                return Response(status=204)
            case NotOpen():
                return problem(403, "not_open", "The project is not open for labelling.")
            case ConsentNeeded():
                return problem(403, "consent_needed", "Read and accept the content warning on the site first.")
            case TrainingNeeded():
                return problem(403, "training_needed", "Pass the project's training on the site first.")
            case GuidelinesChanged():
                return problem(403, "guidelines_changed", "Read the new version of the guidelines on the site first.")
            case QuotaReached(quota=quota):
                return problem(403, "quota_reached", f"This project takes {quota} labels from one person.")
            case DoneForToday(reason=reason):
                return problem(403, "limit_reached", "A limit is reached; come back later.", limit=reason)
            case BreakDue():
                return problem(403, "break_due", "Only severe items are left: take a break of ten minutes first.")
            case unforeseen:
                assert_never(unforeseen)


class SeatLabel(OwnWork):
    """Answer for a held seat."""

    rate = "label"

    @extend_schema(request=SubmissionShape, responses={200: LabelShape, **_GONE})
    def post(self, request: Request, slug: str, seat: UUID) -> Response:
        """Store the answer. The same key with the same answer gives the stored label again."""
        mine = _annotator(request, slug)
        shape = valid(SubmissionShape(data=request.data))
        values = shape.validated_data
        return _outcome_response(
            submit.submit_label(mine, seat, values["key"], shape.answer(), seconds=values["seconds"])
        )


class SeatFirstAnswer(OwnWork):
    """One's own view before hidden priors open."""

    rate = "label"

    @extend_schema(request=AnswerShape, responses={200: BlindPriorShape(many=True), **_GONE})
    def post(self, request: Request, slug: str, seat: UUID) -> Response:
        """Keep the first answer and show the priors. 409: another one is stored already, or none is asked for."""
        mine = _annotator(request, slug)
        shape = valid(AnswerShape(data=request.data))
        return _outcome_response(submit.submit_first_answer(mine, seat, shape.answer()))


class SeatSkip(OwnWork):
    """Pass an item by, without penalty."""

    rate = "label"

    @extend_schema(request=SkipShape, responses={204: None})
    def post(self, request: Request, slug: str, seat: UUID) -> Response:
        """Skip the item; it is not offered again."""
        mine = _annotator(request, slug)
        shape = valid(SkipShape(data=request.data))
        return _outcome_response(submit.skip_seat(mine, seat, shape.validated_data["reason"]))


class SeatLater(OwnWork):
    """Put an item aside for the end of the sitting."""

    rate = "label"

    @extend_schema(request=None, responses={204: None, 409: LabelRefused})
    def post(self, request: Request, slug: str, seat: UUID) -> Response:
        """Put the item aside, up to five. Its seat stays yours; it comes back when nothing else is left."""
        return _outcome_response(postpone_seat(_annotator(request, slug), seat))


class Later(OwnWork):
    """The items that one has put aside."""

    rate = "next"

    @extend_schema(request=None, responses={200: HeldSeatJson, 204: None})
    def post(self, request: Request, slug: str) -> Response:
        """Bring back the item that was put aside first, in front of the one that is held. 204: none can come now."""
        mine = _annotator(request, slug)
        seat = bring_back(mine)
        return Response(status=204) if seat is None else Response(_seat_json(seat, break_offered=False))


class SeatReport(OwnWork):
    """Report illegal content."""

    @extend_schema(request=ReportShape, responses={200: ReportTold})
    def post(self, request: Request, slug: str, seat: UUID) -> Response:
        """Stop the labelling of the item and lock its picture; the answer says who is told of it."""
        mine = _annotator(request, slug)
        shape = valid(ReportShape(data=request.data))
        return _outcome_response(submit.report_seat(mine, seat, shape.validated_data["note"]))


class OwnLabels(APIView):
    """One's own labels in force, newest first."""

    @extend_schema(operation_id="projects_labels_list", parameters=[*BY_KEY], responses={200: LabelPage})
    def get(self, request: Request, slug: str) -> Response:
        """List the caller's own labels, newest first."""
        mine = _annotator(request, slug)
        labels = Label.objects.filter(in_force_at__annotator=mine, annotator=mine).select_related("category", "item")
        among = Label.objects.filter(annotator=mine)
        return page_by_key_of(request, labels.order_by("-id"), among, lambda rows: LabelShape(rows, many=True).data)


class OwnLabel(OwnWork):
    """One of one's own labels."""

    rate = "label"

    @extend_schema(request=CorrectedShape, responses={200: LabelShape, **_GONE})
    def put(self, request: Request, slug: str, label: UUID) -> Response:
        """Correct a label until its item closes; where checks are mixed in, for 30 minutes after the first answer."""
        mine = _annotator(request, slug)
        shape = valid(CorrectedShape(data=request.data))
        return _outcome_response(submit.correct_label(mine, label, shape.validated_data["key"], shape.answer()))


class SeatBlurred(APIView):
    """The blurred picture of a seat's item."""

    @extend_schema(responses={(200, "image/jpeg"): bytes})
    def get(self, request: Request, slug: str, seat: UUID) -> HttpResponseBase:
        """Show the picture of a seat as it is before a reveal."""
        return picture_file(_picture(_annotator(request, slug), seat).blurred, "private, max-age=1800")


class SeatPicture(APIView):
    """The whole picture of a seat's item."""

    @extend_schema(responses={(200, "image/png", "image/jpeg"): bytes})
    def get(self, request: Request, slug: str, seat: UUID) -> HttpResponseBase:
        """Show the whole picture of a seat; this counts as a reveal."""
        mine = _annotator(request, slug)
        picture = _picture(mine, seat)
        submit.count_reveal(mine, seat)
        return picture_file(picture.file, "no-store")


def _picture(member: Membership, seat: UUID) -> Picture:
    """Return the picture at a seat of this member's, unless an item with it was reported."""
    seat_row = (
        Seat.objects.filter(unlocked("item__picture"), public_id=seat, annotator=member, item__picture__isnull=False)
        .select_related("item__picture")
        .first()
    )
    if seat_row is None or seat_row.item.picture is None:
        raise Http404
    return seat_row.item.picture
