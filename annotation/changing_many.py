"""Changing many items at once: those an admin chose, or all that a search finds.

Whoever asks was shown a count; `order` counts again and refuses where it differs. Items are changed some at a time in
short transactions, each with the verb that changes one item; the order's row remembers up to which item it is done,
so that a kill loses and doubles nothing. What cannot be changed is passed over and counted by reason.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.domain.words import Role, Stage
from annotation.finding import UnknownFilter, asked_in, find_items, visible_items
from annotation.many_acts import ACTS, Act, Passed
from annotation.models import BulkOrder, Item, Membership, OrderState, record
from annotation.project_life import is_closed
from annotation.transactions import short_transaction

log = logging.getLogger(__name__)

SMALL = 2000
"""Items that are changed while the page waits; more are left to a worker."""
AT_ONCE = 100
"""Items of one transaction."""
LAPSE = timedelta(minutes=2)
"""Without a sign of life for so long, a worker is taken to be dead."""
_WAITING = timedelta(seconds=30)

ACTIVE = (OrderState.QUEUED, OrderState.BUILDING)


class ListChanged(Exception):
    """The search finds another number of items than the person was shown."""

    code = "list_changed"

    def __init__(self, now: int) -> None:
        super().__init__(f"{now} items now")
        self.now = now


# ── Asking ────────────────────────────────────────────────────────────────────


def targets(admin: Membership, query: str, chosen: Sequence[str] | None) -> QuerySet[Item]:
    """The items meant: those chosen by public id, or all that the query finds. Raises UnknownFilter."""
    if chosen is not None:
        return visible_items(admin).filter(public_id__in=[_id for _id in map(_uuid, chosen) if _id])
    return find_items(admin, asked_in(query)).order_by()


def stages_of(items: QuerySet[Item]) -> dict[str, int]:
    """How many of the items stand where, in the order of the stages."""
    counts = dict(items.order_by().values_list("stage").annotate(n=Count("pk")))
    return {stage.value: counts[stage] for stage in Stage if stage in counts}


def order(
    admin: Membership,
    act: Act,
    options: Mapping[str, Any],
    *,
    query: str,
    chosen: Sequence[str] | None,
    count: int,
    key: UUID,
) -> BulkOrder:
    """Ask for the change of so many items. The same key again is the same order.

    A small one is done, or has failed, when this returns; for a larger one the caller rings for a worker
    (`annotation.tasks`). Raises ListChanged where the items are not as many as the person was shown.
    """
    row = BulkOrder.objects.filter(project=admin.project, key=key).first()
    if row is None:
        now = targets(admin, query, chosen).count()
        if now != count:
            raise ListChanged(now)
        newest = Item.objects.filter(project=admin.project).aggregate(newest=Max("pk"))["newest"] or 0
        given = {"ordered_by": admin, "act": act.key, "options": dict(options), "query": query, "until": newest}
        given |= {"chosen": None if chosen is None else list(chosen), "items_total": now}
        row, new = BulkOrder.objects.get_or_create(project=admin.project, key=key, defaults=given)
        if new and is_small(row):
            perform(row.pk)
    row.refresh_from_db()
    return row


def is_small(row: BulkOrder) -> bool:
    """Whether the items are changed while the page waits."""
    return row.items_total <= SMALL


def cancel(row: BulkOrder) -> bool:
    """Stop an order; what is changed stays changed. False where it has ended already."""
    idle = BulkOrder.objects.filter(pk=row.pk, state=OrderState.QUEUED)
    if idle.update(state=OrderState.CANCELLED, finished_at=timezone.now()):
        return True
    return bool(BulkOrder.objects.filter(pk=row.pk, state=OrderState.BUILDING).update(cancel_requested=True))


def active(project_id: int) -> list[BulkOrder]:
    """The project's orders that are not done yet, oldest first."""
    return list(BulkOrder.objects.filter(project=project_id, state__in=ACTIVE).order_by("pk"))


def left_behind() -> list[int]:
    """Orders that wait for a worker although nobody is at them."""
    now = timezone.now()
    waiting = Q(state=OrderState.QUEUED, created_at__lt=now - _WAITING)
    stuck = Q(state=OrderState.BUILDING, beat_at__lt=now - LAPSE)
    return list(BulkOrder.objects.filter(waiting | stuck).values_list("pk", flat=True))


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


# ── Carrying out ──────────────────────────────────────────────────────────────


def perform(order_id: int) -> None:
    """Change what was ordered, from where it stands; nothing if it is not due, or somebody is at it."""
    now = timezone.now()
    rows = BulkOrder.objects.filter(pk=order_id)
    due = rows.filter(Q(state=OrderState.QUEUED) | Q(state=OrderState.BUILDING, beat_at__lt=now - LAPSE))
    if not due.update(state=OrderState.BUILDING, beat_at=now):
        return
    try:
        while _some(order_id):
            pass
    except Exception:
        log.exception("Changing many items failed: order %s", order_id)
        told = _("Something went wrong on our side. Whoever runs this site finds it in the log.")
        rows.filter(state=OrderState.BUILDING).update(state=OrderState.FAILED, problem=told, finished_at=timezone.now())


@short_transaction
def _some(order_id: int) -> bool:
    """Change the next items of the order; False once it has ended."""
    rows = BulkOrder.objects.filter(pk=order_id, state=OrderState.BUILDING)
    row = rows.select_for_update(of=("self",), no_key=True).select_related("project", "ordered_by").first()
    if row is None:
        return False
    row.ordered_by.project = row.project
    if problem := _why_stop(row):
        return _end(row, OrderState.FAILED, problem)
    if row.cancel_requested:
        return _end(row, OrderState.CANCELLED)
    try:
        items = _next_items(row)
    except UnknownFilter as unknown:  # a category or batch of the search is gone
        return _end(row, OrderState.FAILED, unknown.sentence)
    if not items:
        return _end(row, OrderState.DONE)
    passed = Passed({why: n for why, n in ACTS[row.act].carry_out(row, items).items() if n})
    rows.update(
        last=items[-1].pk,
        items_done=row.items_done + len(items) - passed.total(),
        passed_over=dict(Passed(row.passed_over) + passed),
        beat_at=timezone.now(),
    )
    return True


def _why_stop(row: BulkOrder) -> str:
    if is_closed(row.project):
        return _("The project was archived or deleted meanwhile; the rest stays as it was.")
    if not row.ordered_by.has(Role.ADMIN):
        return _("Who asked for it is no admin any more; the rest stays as it was.")
    return ""


def _next_items(row: BulkOrder) -> list[Item]:
    rest = targets(row.ordered_by, row.query, row.chosen).filter(pk__gt=row.last, pk__lte=row.until)
    items = list(rest.select_related("project").order_by("pk")[:AT_ONCE])
    for item in items:
        item.project = row.project
    return items


def _end(row: BulkOrder, state: OrderState, problem: str = "") -> bool:
    """End the order, and write down once what it did."""
    with transaction.atomic():
        BulkOrder.objects.filter(pk=row.pk).update(state=state, problem=problem[:500], finished_at=timezone.now())
        record(
            "bulk_change",
            project=row.project,
            actor=row.ordered_by,
            row=row.public_id,
            act=row.act,
            done=row.items_done,
            passed_over=row.passed_over,
            ended=state,
        )
    return False
