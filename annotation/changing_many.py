"""Changing many items at once: those an admin chose, or all that a search finds.

Whoever asks was shown a count; `order` counts again and refuses where it differs. Items are changed some at a time in
short transactions, each with the verb that changes one item; the order's row remembers up to which item it is done,
so that a kill loses and doubles nothing. What cannot be changed is passed over and counted by reason.
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation import adjudicating, batching, opening, priors
from annotation.domain.words import Reason, Role, Stage
from annotation.finding import UnknownFilter, asked_in, find_items, visible_items
from annotation.models import BulkOrder, Item, Membership, OrderState, record
from annotation.project_life import is_closed
from annotation.removing import withdraw_item
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

Passed = Counter[str]
"""Why items were not changed, and how many of each."""

REASONS: Mapping[str, Promise] = {
    "unchanged": gettext_lazy("as it should be already"),
    "already_out": gettext_lazy("taken out already"),
    "reported": gettext_lazy("reported as illegal: reopened one by one, with care"),
    "still_open": gettext_lazy("not closed yet"),
    "needs_reviewer": gettext_lazy("disputed: only reviewers send it to a new round"),
    "own_label": gettext_lazy("labelled by yourself: somebody else has to settle it"),
    "has_priors": gettext_lazy("has its priors, or nothing a model can be asked about"),
    "picture_missing": gettext_lazy("its picture is missing"),
    "waits_for_priors": gettext_lazy("waits for its priors"),
    "batch_closed": gettext_lazy("its batch is closed"),
    "not_ready": gettext_lazy("open or further already"),
    "changed": gettext_lazy("somebody changed it at the same moment"),
}
"""Why an item is passed over, in words."""


class ListChanged(Exception):
    """The search finds another number of items than the person was shown."""

    code = "list_changed"

    def __init__(self, now: int) -> None:
        super().__init__(f"{now} items now")
        self.now = now


# ── What can be done ──────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Act:
    """One thing that can be done to many items; `needs` names what has to be given."""

    key: str
    name: Promise
    means: Promise
    needs: str
    carry_out: Callable[[BulkOrder, Sequence[Item]], Passed]
    destroys: bool = False


def _set_batch(row: BulkOrder, items: Sequence[Item]) -> Passed:
    batch = row.options["batch"]
    batching.ensure(row.project, [batch] if batch else [])
    changed = [item.pk for item in items if item.batch != batch]
    Item.objects.filter(pk__in=changed).update(batch=batch)
    batching.settle_queues(row.project, [item.pk for item in items])
    return Passed(unchanged=len(items) - len(changed))


def _set_priority(row: BulkOrder, items: Sequence[Item]) -> Passed:
    priority = row.options["priority"]
    changed = Item.objects.filter(pk__in=[item.pk for item in items]).exclude(priority=priority)
    return Passed(unchanged=len(items) - changed.update(priority=priority))


def _withdraw(row: BulkOrder, items: Sequence[Item]) -> Passed:
    done = sum(withdraw_item(item, row.ordered_by, row.options["reason"]) for item in items)
    return Passed(already_out=len(items) - done)


def _label_again(row: BulkOrder, items: Sequence[Item]) -> Passed:
    return Passed(why for item in items if (why := _again(item, row.ordered_by, row.options["reason"])))


def _again(item: Item, admin: Membership, reason: str) -> str:
    """Send one item to labelling again; or why not."""
    disputed = item.stage == Stage.DISPUTED
    if disputed and not admin.has(Role.REVIEWER):
        return "needs_reviewer"
    if item.excluded_for == Reason.REPORTED:
        return "reported"
    try:
        (adjudicating.label_again if disputed else adjudicating.reopen)(item, admin, item.version, reason)
    except adjudicating.OwnItem:
        return "own_label"
    except adjudicating.NotAllowed:
        return "still_open"
    except adjudicating.Stale:
        return "changed"
    return ""


def _compute_priors(row: BulkOrder, items: Sequence[Item]) -> Passed:
    chosen = Item.objects.filter(pk__in=[item.pk for item in items])
    asked = priors.request_missing_of(row.project, chosen, row.ordered_by)
    return Passed(has_priors=len(items) - asked)


def _open(row: BulkOrder, items: Sequence[Item]) -> Passed:
    opened = opening.open_these(row.project, row.ordered_by, [item.pk for item in items])
    left = [item for item in items if item.pk not in opened]
    return Passed(_why_not_open(item) for item in left)


def _why_not_open(item: Item) -> str:
    if item.stage not in (Stage.IMPORTED, Stage.READY):
        return "not_ready"
    if item.picture_missing:
        return "picture_missing"
    waits = item.stage == Stage.IMPORTED and item.project.priors_wanted
    return "waits_for_priors" if waits else "batch_closed"


ACTS = {
    act.key: act
    for act in (
        Act(
            "batch",
            gettext_lazy("Put into a batch"),
            gettext_lazy("They leave the batch they are in; who gets them follows the new one."),
            "batch",
            _set_batch,
        ),
        Act(
            "priority",
            gettext_lazy("Set the priority"),
            gettext_lazy("Only the order in which they are handed out changes."),
            "priority",
            _set_priority,
        ),
        Act(
            "open",
            gettext_lazy("Open for labelling"),
            gettext_lazy("Ready items get their seats and go to labelling; the others are passed over."),
            "",
            _open,
        ),
        Act(
            "priors",
            gettext_lazy("Compute priors"),
            gettext_lazy("The models of this project are asked for every prior that is missing; that costs calls."),
            "",
            _compute_priors,
        ),
        Act(
            "again",
            gettext_lazy("Label again"),
            gettext_lazy("Gold, excluded and disputed items go to a new round; the votes so far stay in the history."),
            "reason",
            _label_again,
            destroys=True,
        ),
        Act(
            "withdraw",
            gettext_lazy("Take out"),
            gettext_lazy("They leave every queue and every later release; their labels stay in the records."),
            "reason",
            _withdraw,
            destroys=True,
        ),
    )
}
"""What can be done to many items, by key."""


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
