"""Exclude an item from any stage at once: reported as illegal, or withdrawn on request.

`Item.excluded_for` holds the reason. A picture of a reported item is shown to nobody, in any item
(`annotation.media.pictures` checks that).
"""

from annotation.assignment.release_seats import free_seats_of_item
from annotation.consensus.close import close_disputes, lock_item, move_locked_item
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, Reason, Stage
from annotation.models import Item, Membership, Report, record


@short_transaction
def report_item(item: Item, reporter: Membership, note: str = "") -> Report:
    """Store a report of illegal content, exclude the item from labelling, queues and releases, and lock its media.

    An item that is excluded already is reported too: the report is the graver reason.
    """
    locked = lock_item(item)
    report = Report.objects.create(item=locked, reporter=reporter, note=note)
    record(EventVerb.REPORT, project=locked.project, actor=reporter, item=locked)
    _take_out(locked, Reason.REPORTED)
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
    _take_out(locked, Reason.WITHDRAWN)
    return True


def _take_out(item: Item, reason: Reason) -> None:
    """Exclude the locked item; annotators lose their seats, and what they send later is not stored."""
    free_seats_of_item(item)
    close_disputes(item)
    move_locked_item(item, Stage.EXCLUDED, excluded_for=reason, category_source=None, gold_at=None)
