"""Releases that admins ask for on a page: small ones are built while the page waits, larger ones by a worker.

The `ReleaseOrder` row is the truth. A worker takes it by a guarded UPDATE and shows that it lives by `beat_at`; the
release and the end of its order are stored in one transaction, so no order makes two releases.
"""

import logging
import threading
from datetime import timedelta
from functools import partial
from uuid import UUID

from django.db import connection
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Membership, OrderState, Release, ReleaseOrder
from annotation.release_selection import Selection
from annotation.releasing import CannotRelease, nothing_fits, release

log = logging.getLogger(__name__)

SMALL = 3000
"""Items of a release that is built while the page waits: a second or two."""
LAPSE = timedelta(minutes=2)
"""Without a sign of life for so long, a worker is taken to be dead."""
_WAITING = timedelta(seconds=30)
_BEAT = 1.0  # seconds

ACTIVE = (OrderState.QUEUED, OrderState.BUILDING)


class Cancelled(Exception):
    """Somebody asked to stop, or another worker has taken the order over."""


def order(member: Membership, key: UUID, selection: Selection) -> ReleaseOrder:
    """Ask for a release. The same key again is the same order.

    Raises CannotRelease where nothing fits. A small release is done, or has failed, when this returns; for a
    larger one the caller rings for a worker (`annotation.tasks`).
    """
    total = selection.items(member.project).count()
    if total == 0:
        raise CannotRelease("nothing_to_release", nothing_fits(selection))
    given = {"ordered_by": member, "options": selection.as_json(), "items_total": total}
    row, new = ReleaseOrder.objects.get_or_create(project=member.project, key=key, defaults=given)
    if new and is_small(row):
        perform(row.pk)
        row.refresh_from_db()
    return row


def is_small(row: ReleaseOrder) -> bool:
    """Whether the release is built while the page waits."""
    return row.items_total <= SMALL


def cancel(row: ReleaseOrder) -> bool:
    """Stop an order; nothing is released then. False where it has ended already."""
    now = timezone.now()
    idle = ReleaseOrder.objects.filter(pk=row.pk, state=OrderState.QUEUED)
    if idle.update(state=OrderState.CANCELLED, finished_at=now):
        return True
    going = ReleaseOrder.objects.filter(pk=row.pk, state=OrderState.BUILDING)
    return bool(going.update(cancel_requested=True))


def perform(order_id: int) -> None:
    """Build what was ordered; nothing if it is not due, or somebody is at it."""
    now = timezone.now()
    rows = ReleaseOrder.objects.filter(pk=order_id)
    due = rows.filter(Q(state=OrderState.QUEUED) | Q(state=OrderState.BUILDING, beat_at__lt=now - LAPSE))
    if not due.update(state=OrderState.BUILDING, begun_at=now, beat_at=now, items_done=0):
        return
    row = rows.select_related("project", "ordered_by").get()
    if is_small(row):
        _build(row, _Quiet())
    else:
        with _Heart(row) as heart:
            _build(row, heart)


def left_behind() -> list[int]:
    """Orders that wait for a worker although nobody is at them."""
    now = timezone.now()
    waiting = Q(state=OrderState.QUEUED, created_at__lt=now - _WAITING)
    stuck = Q(state=OrderState.BUILDING, beat_at__lt=now - LAPSE)
    return list(ReleaseOrder.objects.filter(waiting | stuck).values_list("pk", flat=True))


def active(project_id: int) -> list[ReleaseOrder]:
    """The project's orders that are not done yet, oldest first."""
    return list(ReleaseOrder.objects.filter(project=project_id, state__in=ACTIVE).order_by("pk"))


class _Quiet:
    """Nobody watches: the release is built before anybody could look."""

    def progress(self, done: int, total: int) -> None:
        """Say nothing."""


class _Heart:
    """Says every second how far the worker is, on a connection of its own: its own one is inside a snapshot."""

    def __init__(self, row: ReleaseOrder) -> None:
        self._row = row
        self._done, self._total = 0, row.items_total
        self._stop, self._cancelled = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"release-{row.pk}", daemon=True)

    def __enter__(self) -> "_Heart":
        self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._stop.set()
        self._thread.join()

    def progress(self, done: int, total: int) -> None:
        """Note how far it is. Raises Cancelled where somebody asked for it."""
        self._done, self._total = done, total
        if self._cancelled.is_set():
            raise Cancelled

    def _beat(self) -> None:
        going = ReleaseOrder.objects.filter(pk=self._row.pk, state=OrderState.BUILDING, cancel_requested=False)
        try:
            while not self._stop.wait(_BEAT):
                said = going.update(items_done=self._done, items_total=self._total, beat_at=timezone.now())
                if not said:
                    self._cancelled.set()
                    return
        finally:
            connection.close()


def _build(row: ReleaseOrder, watcher: _Quiet | _Heart) -> None:
    selection = Selection.from_json(row.options)
    try:
        release(row.project, row.ordered_by, selection, watcher.progress, on_stored=partial(_stored, row))
    except Cancelled:
        _end(row, OrderState.CANCELLED)
    except CannotRelease as fault:
        _end(row, OrderState.FAILED, fault.sentence)
    except Exception:
        log.exception("Release order %s failed", row.public_id)
        _end(row, OrderState.FAILED, _("Something went wrong on our side. Whoever runs this site finds it in the log."))


def _stored(row: ReleaseOrder, made: Release) -> None:
    """End the order in the transaction that stores the release. Raises Cancelled at the last moment."""
    going = ReleaseOrder.objects.filter(pk=row.pk, state=OrderState.BUILDING, cancel_requested=False)
    fields = {"release": made, "items_done": made.items, "items_total": made.items, "finished_at": timezone.now()}
    if not going.update(state=OrderState.DONE, **fields):
        raise Cancelled


def _end(row: ReleaseOrder, state: OrderState, problem: str = "") -> None:
    going = ReleaseOrder.objects.filter(pk=row.pk, state=OrderState.BUILDING)
    going.update(state=state, problem=problem[:500], finished_at=timezone.now())
