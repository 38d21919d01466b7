"""Views of the post in front of the annotator except the answer: its picture, its seat's lease, the post ahead."""

from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from annotation.assignment import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.assignment.release_seats import last_loss
from annotation.core.found import found
from annotation.domain.choices import Reason, Role
from annotation.labelling import submit
from annotation.labelling.workspace import Workspace, show_workspace, typed_again
from annotation.media.pictures import unlocked
from annotation.media.responses import picture_file
from annotation.models import Membership, Seat, User
from annotation.pages.access import PersonRequest, member_of


def annotator(request: PersonRequest, slug: str) -> Membership:
    """Return the viewer's membership as an annotator of the project.

    Raises Http404 if they are none.
    """
    return member_of(request, slug, Role.ANNOTATOR)


def own_seat(member: Membership, *conditions: Q, **which: Any) -> Seat:
    """Return a seat of this member's, with its item and picture; one that lapsed is taken again while nobody has it.

    Raises Http404 for others' seats and for reported items.
    """
    seats = (
        Seat.objects.filter(*conditions, annotator=member, **which)
        .exclude(item__excluded_for=Reason.REPORTED)
        .select_related("item__picture", "label__category")
    )
    seat = seats.first()
    if seat is None and "public_id" in which and submit.renew_lease(member, which["public_id"]):
        seat = seats.first()
    own = found(seat)
    own.item.project = member.project
    return own


def ensure_reportable(member: Membership, seat: UUID) -> None:
    """Raise Http404 for a seat that never was this member's, and for an item that is reported already."""
    rows = Seat.objects.filter(public_id=seat, item__project=member.project_id)
    row = rows.exclude(item__excluded_for=Reason.REPORTED).first()
    if row is None or (row.annotator_id != member.pk and last_loss(row, member) is None):
        raise Http404


def picture_address(member: Membership, seat: Seat) -> str:
    """Return the address of a seat's revealed picture; it responds only after a reveal was counted."""
    return reverse("annotation:seat-picture", args=[member.project.slug, seat.public_id])


@require_POST
def look(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Reveal or hide the picture, or remove its colour, and keep the answer typed so far.

    A request for JSON gets the picture's address; any other gets the page with the picture shown or hidden.
    """
    member = annotator(request, slug)
    mine = own_seat(member, public_id=seat)
    shown = request.POST.get("show") == "1"
    if request.POST.get("grey") in ("0", "1"):
        request.user.grey = request.POST["grey"] == "1"
        User.objects.filter(pk=request.user.pk).update(grey=request.user.grey)
        shown = request.POST.get("shown") == "1"
    elif shown and mine.item.picture_id and not submit.count_reveal(member, seat):
        raise Http404
    if request.accepts("application/json") and not request.accepts("text/html"):
        return JsonResponse({"picture": picture_address(member, mine) if shown else None})
    bench = Workspace(member, mine, revealed=shown, correcting=mine.label)
    form = typed_again(request, bench)
    return show_workspace(request, bench, form)


@require_GET
def seat_picture(request: PersonRequest, slug: str, seat: UUID) -> HttpResponseBase:
    """Send the original to an annotator who has revealed it or wants no blur; no cache keeps it."""
    mine = own_seat(annotator(request, slug), unlocked("item__picture"), public_id=seat)
    if mine.item.picture is None or (request.user.blur and not mine.reveals):
        raise Http404
    return picture_file(mine.item.picture.file, "no-store")


@require_GET
def seat_blurred(request: PersonRequest, slug: str, seat: UUID) -> HttpResponseBase:
    """Send the blurred derivative of the post's picture; the browser may keep it for the time of a seat."""
    mine = own_seat(annotator(request, slug), unlocked("item__picture"), public_id=seat)
    if mine.item.picture is None:
        raise Http404
    return picture_file(mine.item.picture.blurred, "private, max-age=1800")


@require_GET
def ahead(request: PersonRequest, slug: str) -> HttpResponse:
    """Hold the next post and load its blurred picture in advance; its clock starts when it is shown."""
    member = annotator(request, slug)
    outcome = claim.claim(member, ahead=True)
    seat = outcome.seat if isinstance(outcome, HeldSeat) else None
    answer = render(request, "annotation/_workspace_preload.html", {"seat": seat, "slug": slug})
    answer["Cache-Control"] = "no-store"
    return answer


@require_POST
def renew(request: PersonRequest, slug: str, seat: UUID) -> HttpResponse:
    """Renew the seat's lease while the annotator works; 409 if the seat is lost."""
    return HttpResponse(status=204 if submit.renew_lease(annotator(request, slug), seat) else 409)
