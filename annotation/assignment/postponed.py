"""Seats that an annotator has put aside for the end of the sitting.

They stay the annotator's: every act of theirs renews them, as it does the seat in front. When the acts end they lapse
as any other, and others get them; the annotator is told so once. An item that was counted when it was first shown is
not counted again when it comes back.
"""

from django.db.models import F, QuerySet

from annotation.assignment.annotator_state import ClaimRequest
from annotation.assignment.item_query import UnwantedContent, is_item_wanted
from annotation.assignment.take_seat import STAGES_WITH_SEATS, clock_fields, lease_end
from annotation.domain.wellbeing import breaks
from annotation.domain.wellbeing.breaks import NothingMore
from annotation.models import Membership, PostponedSeat, Seat, Skip


def held_seats(member: Membership) -> QuerySet[Seat]:
    """Return the member's held seats at items in a stage with seats."""
    seats = Seat.objects.filter(annotator=member, expires_at__isnull=False)
    return seats.filter(item__stage__in=STAGES_WITH_SEATS, round=F("item__round")).select_related("item__picture")


def postponed_seats(member: Membership) -> QuerySet[Seat]:
    """Return the seats that the member has put aside and still holds, those put aside first at the start."""
    return held_seats(member).filter(postponed__member=member).order_by("postponed__pk")


def keep_postponed(request: ClaimRequest) -> None:
    """Renew the leases of the seats put aside, and note which of them were lost meanwhile."""
    if not request.state.postponed:
        return
    member = request.member
    kept = list(postponed_seats(member).values_list("pk", flat=True))
    if kept:
        until = lease_end(request.project, request.now)
        Seat.objects.filter(pk__in=kept, annotator=member, expires_at__isnull=False).update(expires_at=until)
    if len(kept) < request.state.postponed:
        _note_lost(member, kept)


def _note_lost(member: Membership, kept: list[int]) -> None:
    """Empty the rows of seats that others may have now, and delete those of posts that the member has dealt with."""
    rows = PostponedSeat.objects.filter(member=member, seat__isnull=False).exclude(seat__in=kept)
    skipped = Skip.objects.filter(annotator=member).values("item")
    rows.filter(seat__annotator=member).delete()
    rows.filter(seat__item__in=skipped).delete()
    rows.update(seat=None)


def take_up_postponed(request: ClaimRequest, seat_id: int | None = None) -> Seat | None:
    """Put the seat that was put aside first, or the one given, in front of the annotator; its clock starts anew.

    Returns None if there is none that may be shown now.
    """
    if not request.state.postponed or isinstance(breaks.allowance(request.pace, request.caps), NothingMore):
        return None
    unwanted = request.unwanted_now
    seats = postponed_seats(request.member)
    for seat in seats if seat_id is None else seats.filter(pk=seat_id):
        if unwanted != UnwantedContent() and not is_item_wanted(seat.item_id, unwanted):
            continue
        fields = clock_fields(request.project, request.now, seat.prior_arm)
        fields |= {"expires_at": lease_end(request.project, request.now)}
        if not Seat.objects.filter(pk=seat.pk, annotator=request.member, expires_at__isnull=False).update(**fields):
            continue
        PostponedSeat.objects.filter(seat=seat, member=request.member).delete()
        for name, value in fields.items():
            setattr(seat, name, value)
        seat.item.project = request.project
        return seat
    return None
