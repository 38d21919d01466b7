"""Exclude an item from any stage at once: reported as illegal, or withdrawn on request.

`Item.excluded_for` holds the reason. A picture of a reported item is shown to nobody, in any item
(`annotation.media.pictures` checks that).
"""

from typing import Any

from annotation.assignment.release_seats import free_seats_of_item
from annotation.consensus.close import close_disputes, lock_item, move_locked_item
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, Reason, Stage
from annotation.models import Item, Membership, Report, Seat, record


@short_transaction
def report_item(item: Item, reporter: Membership, note: str = "") -> Report:
    """Store a report of illegal content, exclude the item from labelling, queues and releases, and lock its media.

    An item that is excluded already is reported too: the report is the graver reason.
    """
    locked = lock_item(item)
    report = Report.objects.create(item=locked, reporter=reporter, note=note, **_standing(locked))
    record(EventVerb.REPORT, project=locked.project, actor=reporter, item=locked)
    take_out(locked, Reason.REPORTED)
    return report


@short_transaction
def withdraw_item(item: Item, by: Membership, reason: str) -> bool:
    """Exclude the item on the request of somebody who may ask for it.

    A reported item stays reported, so that its media stay locked.

    Returns False if it is reported or withdrawn already.
    """
    locked = lock_item(item)
    if locked.excluded_for in (Reason.REPORTED, Reason.WITHDRAWN):
        return False
    record(EventVerb.WITHDRAW_ITEM, project=locked.project, actor=by, item=locked, reason=reason)
    take_out(locked, Reason.WITHDRAWN)
    return True


def filled_seats(item: Item) -> int:
    """Return how many seats of the item's round hold a label."""
    return Seat.objects.filter(item=item, round=item.round, label__isnull=False).count()


def _standing(item: Item) -> dict[str, Any]:
    """Return the fields of a report that say where the locked item stands; of one that is reported, where it stood."""
    if item.excluded_for == Reason.REPORTED:
        earlier = Report.objects.filter(item=item).order_by("-pk").first()
        return {"stage_before": earlier.stage_before, "before": earlier.before} if earlier else {}
    before = {
        "excluded_for": item.excluded_for,
        "category_source": item.category_source,
        "gold_at": item.gold_at.isoformat() if item.gold_at else None,
        "disputes": list(item.disputes.filter(settled_at__isnull=True).values_list("pk", flat=True)),
        "labels": filled_seats(item),
    }
    return {"stage_before": item.stage, "before": before}


def take_out(item: Item, reason: Reason) -> None:
    """Exclude the locked item; annotators lose their seats, and what they send later is not stored."""
    free_seats_of_item(item)
    close_disputes(item)
    move_locked_item(item, Stage.EXCLUDED, excluded_for=reason, category_source=None, gold_at=None)
