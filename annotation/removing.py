"""Taking an item out: reported as illegal, or withdrawn on request. From any stage, at once.

`Item.excluded_for` says why. A picture that a reported item uses is shown to nobody, in any item
(`annotation.pictures` asks for that).
"""

from annotation.consensus import hold, move_held, settle_disputes
from annotation.domain.words import Reason, Stage
from annotation.freeing import free_held_seats
from annotation.models import Item, Membership, Report, record
from annotation.transactions import short_transaction


@short_transaction
def report_item(item: Item, reporter: Membership, note: str = "") -> Report:
    """Store a report of illegal content and take the item out of labelling, queues and releases; its media lock.

    Also where the item is excluded already, for whatever reason: the report is the graver one.
    """
    held = hold(item)
    report = Report.objects.create(item=held, reporter=reporter, note=note)
    record("report", project=held.project, actor=reporter, item=held)
    _take_out(held, Reason.REPORTED)
    return report


@short_transaction
def withdraw_item(item: Item, by: Membership, reason: str) -> bool:
    """Take the item out because somebody who may ask for it did; False where it is out already.

    A reported item stays reported, so that its media stay locked.
    """
    held = hold(item)
    if held.excluded_for in (Reason.REPORTED, Reason.WITHDRAWN):
        return False
    record("withdraw_item", project=held.project, actor=by, item=held, reason=reason)
    _take_out(held, Reason.WITHDRAWN)
    return True


def _take_out(item: Item, reason: Reason) -> None:
    """Exclude the held item; whoever looks at it loses the seat, and nothing they send later is stored."""
    free_held_seats(item)
    settle_disputes(item)
    move_held(item, Stage.EXCLUDED, excluded_for=reason, category_source=None, gold_at=None)
