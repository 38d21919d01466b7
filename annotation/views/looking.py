"""The post in front of the annotator, but for the answer: its picture, the seat it is held by, the post ahead."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from annotation import handing_out, labelling
from annotation.domain.words import Reason, Role
from annotation.forms.labelling import AnswerForm
from annotation.handing_out import Held
from annotation.models import Membership, Seat, User
from annotation.serving import picture_file
from annotation.views.bench import Bench, show_bench
from annotation.views.scope import PersonRequest, member_of


def annotator(request: PersonRequest, slug: str) -> Membership:
    """The viewer as an annotator of the project, or 404."""
    return member_of(request, slug, Role.ANNOTATOR)


def own_seat(member: Membership, **which: Any) -> Seat:
    """A seat that is or was this person's, with its item and picture; 404 for others' and reported items."""
    seat = (
        Seat.objects.filter(annotator=member, **which)
        .exclude(item__excluded_for=Reason.REPORTED)
        .select_related("item__picture", "label__category")
        .first()
    )
    if seat is None:
        raise Http404
    seat.item.project = member.project
    return seat


def picture_address(member: Membership, seat: Seat) -> str:
    """Where the revealed picture of a seat is fetched; it answers only after a reveal was counted."""
    return reverse("annotation:seat-picture", args=[member.project.slug, seat.public_id])


@require_POST
def look(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Reveal or hide the picture, or take its colour out, with the answer typed so far kept.

    Who asks for JSON gets the picture's address; else the page comes again, the picture shown or hidden.
    """
    member = annotator(request, slug)
    mine = own_seat(member, public_id=seat)
    shown = request.POST.get("show") == "1"
    if request.POST.get("grey") in ("0", "1"):
        request.user.grey = request.POST["grey"] == "1"
        User.objects.filter(pk=request.user.pk).update(grey=request.user.grey)
        shown = request.POST.get("shown") == "1"
    elif shown and mine.item.picture_id and not labelling.count_reveal(member, seat):
        raise Http404
    if request.accepts("application/json") and not request.accepts("text/html"):
        return JsonResponse({"picture": picture_address(member, mine) if shown else None})
    bench = Bench(member, mine, revealed=shown, correcting=mine.label)
    form = AnswerForm(categories=bench.categories, initial=request.POST.dict())
    return show_bench(request, bench, form)


@require_GET
def seat_picture(request: PersonRequest, slug: str, seat: UUID) -> HttpResponseBase:
    """The original, for who has revealed it (or wants no blur); no cache keeps it."""
    mine = own_seat(annotator(request, slug), public_id=seat)
    if mine.item.picture is None or (request.user.blur and not mine.reveals):
        raise Http404
    return picture_file(mine.item.picture.file, "no-store")


@require_GET
def seat_blurred(request: PersonRequest, slug: str, seat: UUID) -> HttpResponseBase:
    """The blurred derivative of the post's picture; the browser may keep it for the time of a seat."""
    mine = own_seat(annotator(request, slug), public_id=seat)
    if mine.item.picture is None:
        raise Http404
    return picture_file(mine.item.picture.blurred, "private, max-age=1800")


@require_GET
def ahead(request: PersonRequest, slug: str) -> HttpResponse:
    """Hold the next post and warm its blurred picture; its clock starts when it is shown."""
    member = annotator(request, slug)
    seat = None
    match handing_out.claim(member, ahead=True):
        case Held(found):
            seat = found
    answer = render(request, "annotation/_ahead.html", {"seat": seat, "slug": slug})
    answer["Cache-Control"] = "no-store"
    return answer


@require_POST
def renew(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Hold the seat longer while the person works; 409 where it is lost."""
    return HttpResponse(status=204 if labelling.renew(annotator(request, slug), seat) else 409)
