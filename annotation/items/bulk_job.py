"""Changes of many items at once: the items that an admin chose, or all that a search finds.

The admin sees a count first; `order` counts again and refuses if it differs. Items are changed in short transactions of
some items each, by the same functions that change one item. The order's row stores the last changed item, so a crash
neither loses nor repeats a change. Items that cannot be changed are skipped and counted by reason.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.core.jobs import Heartbeat, JobKind, Phase
from annotation.core.transactions import short_transaction
from annotation.core.visible_items import visible_items
from annotation.domain.choices import EventVerb, Role, Stage
from annotation.items.bulk_actions import ACTS, Act, Passed
from annotation.items.search import UnknownFilter, asked_in, find_items
from annotation.models import BulkOrder, Item, JobState, Membership, record

SMALL = 2000
"""The maximum number of items that are changed while the page waits; a worker changes more."""
AT_ONCE = 100
"""The number of items in one transaction."""


class ListChanged(Exception):
    """The search finds another number of items than the admin was shown."""

    code = "list_changed"

    def __init__(self, now: int) -> None:
        super().__init__(f"{now} items now")
        self.now = now


# ── Ordering ────────────────────────────────────────────────────────────────────


def targets(admin: Membership, query: str, chosen: Sequence[str] | None) -> QuerySet[Item]:
    """Return the items to change: those chosen by public id, or all that the query finds.

    Raises UnknownFilter if the query names a filter that does not exist.
    """
    if chosen is not None:
        return visible_items(admin).filter(public_id__in=[_id for _id in map(_uuid, chosen) if _id])
    return find_items(admin, asked_in(query)).order_by()


def stages_of(items: QuerySet[Item]) -> dict[str, int]:
    """Count the items by stage, in the order of the stages."""
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
    """Order the change of `count` items. The same key again returns the same order.

    A small order is done, or has failed, when this returns; a larger one is enqueued.
    Raises ListChanged if the search finds another number of items than the person was shown.
    """
    row = BulkOrder.objects.filter(project=admin.project, key=key).first()
    if row is None:
        now = targets(admin, query, chosen).count()
        if now != count:
            raise ListChanged(now)
        newest = Item.objects.filter(project=admin.project).aggregate(newest=Max("pk"))["newest"] or 0
        values = {"ordered_by": admin, "act": act.key, "options": dict(options), "query": query, "until": newest}
        values |= {"chosen": None if chosen is None else list(chosen), "items_total": now}
        row, new = BulkOrder.objects.get_or_create(project=admin.project, key=key, defaults=values)
        if new:
            BULK_CHANGES.begin(row)
    row.refresh_from_db()
    return row


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


# ── Carrying out ──────────────────────────────────────────────────────────────


def _change_all(row: BulkOrder, heartbeat: Heartbeat[BulkOrder]) -> None:
    while _change_next(row.pk):
        heartbeat.note()  # the figures are written with the changes that they count


@short_transaction
def _change_next(order_id: int) -> bool:
    """Change the next items of the order. Return False if it has ended."""
    rows = BulkOrder.objects.filter(pk=order_id, state=JobState.WORKING)
    row = rows.select_for_update(of=("self",), no_key=True).select_related("project", "ordered_by").first()
    if row is None:
        return False
    row.ordered_by.project = row.project
    if problem := _why_stop(row):
        return _end(row, JobState.FAILED, problem)
    if row.cancel_requested:
        return _end(row, JobState.CANCELLED)
    try:
        items = _next_items(row)
    except UnknownFilter as unknown:  # a category or batch of the search does not exist any more
        return _end(row, JobState.FAILED, unknown.sentence)
    if not items:
        return _end(row, JobState.DONE)
    passed = Passed({why: n for why, n in ACTS[row.act].carry_out(row, items).items() if n})
    rows.update(
        last=items[-1].pk,
        items_done=row.items_done + len(items) - passed.total(),
        passed_over=dict(Passed(row.passed_over) + passed),
        beat_at=Now(),
    )
    return True


def _why_stop(row: BulkOrder) -> str:
    if row.project.is_closed:
        return _("The project was archived or deleted in the meantime; the rest was not changed.")
    if not row.ordered_by.has(Role.ADMIN):
        return _("The person who asked for it is no longer an admin; the rest was not changed.")
    return ""


def _next_items(row: BulkOrder) -> list[Item]:
    rest = targets(row.ordered_by, row.query, row.chosen).filter(pk__gt=row.last, pk__lte=row.until)
    items = list(rest.select_related("project").order_by("pk")[:AT_ONCE])
    for item in items:
        item.project = row.project
    return items


def _end(row: BulkOrder, state: JobState, problem: str = "") -> bool:
    """End the order, and record its result. Return False."""
    BULK_CHANGES.end(row, state, problem)
    record(
        EventVerb.BULK_CHANGE,
        project=row.project,
        actor=row.ordered_by,
        row=row.public_id,
        act=row.act,
        done=row.items_done,
        passed_over=row.passed_over,
        ended=state,
    )
    return False


BULK_CHANGES = JobKind(
    "bulk_change", BulkOrder, phases=(Phase(_change_all),), is_small=lambda row: row.items_total <= SMALL
)
