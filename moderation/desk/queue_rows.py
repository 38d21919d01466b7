"""The rows of the queue as its pages show them: votes, runs, scores, and who or what a post waits for."""

from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Prefetch
from django.db.models.functions import Now

from annotation.domain.choices import Reason
from annotation.models import Item, Membership, Seat
from annotation.review.expert_replacement import waiting_for_expert
from moderation.desk.dispute_reasons import REASON_NAMES
from moderation.methods.registry import METHODS
from moderation.models import Lease, Score
from moderation.models.scores import ScoreState
from runs.domain.states import RunState
from runs.models import Run


def queued(viewer: Membership, items: Any, length: int, start: int = 0) -> list[Item]:
    """Return some items of the queue with their votes, marked where the viewer should give their own category first.

    `filled_seats` are sorted by category, so the order of arrival stays hidden. `wants_me` hides them on the page.
    `kept`: the post is parked, or assigned to somebody else.
    """
    seats = with_votes(Seat.objects.filter(round=F("item__round"), label__isnull=False))
    by_category = seats.order_by(F("label__category__code").asc(nulls_last=True), "public_id")
    at_somebody = Exists(Lease.objects.filter(item=OuterRef("pk"), expires_at__gt=Now()))
    # The order is computed from all that waits; all else is read of the page alone. `waits` may be a constant, by which
    # PostgreSQL sorts only what it selects.
    in_order = [key for key, _ in items.values_list("pk", "waits")[start : start + length]]
    shown = items.filter(pk__in=in_order).order_by().select_related("desk_lease__reviewer")
    votes = Prefetch("seat_rows", by_category, to_attr="filled_seats")
    rows = {item.pk: item for item in shown.annotate(at_somebody=at_somebody).prefetch_related(votes)}
    page = [rows[key] for key in in_order if key in rows]
    keys = [item.public_id for item in page]
    ran = Run.objects.filter(subject__in=keys, method__in=list(METHODS), state=RunState.SUCCEEDED)
    runs = dict(ran.values_list("subject").annotate(count=Count("pk")).order_by())
    scored = Score.objects.filter(item__in=page, state=ScoreState.SCORED)
    scores = dict(scored.values_list("item").annotate(count=Count("pk")).order_by())
    expert_items = set(
        waiting_for_expert(viewer).filter(pk__in=[item.pk for item in page]).values_list("pk", flat=True)
    )
    for item in page:
        item.wants_me = viewer.reviews and item.pk in expert_items
        item.runs_done = runs.get(item.public_id, 0)
        item.scores_done = scores.get(item.pk, 0)
        item.at = item.desk_lease if item.at_somebody else None
        item.at_other = item.at is not None and item.at.reviewer_id != viewer.pk
        item.set_aside = next(iter(item.set_aside_rows), None)
        item.kept = item.set_aside is not None and item.set_aside.reviewer_id != viewer.pk
        item.reason_names = [REASON_NAMES[Reason(row.reason)] for row in item.open_disputes]
    return page


def with_votes(seats: Any) -> Any:
    """Return the seats with the rows that a vote is shown from."""
    return seats.select_related("label__category", "label__replacement__category")
