"""What people do, for listeners that count it. Without a listener a signal costs nothing.

Listeners hear of it after the commit. They must not raise and must not use the database.
"""

from functools import partial
from typing import Any

from django.db import transaction
from django.dispatch import Signal

seat_claimed = Signal()
"""An annotator was given a new seat. Facts: `ahead`, whether the page fetched it in advance."""
label_stored = Signal()
"""A seat was filled with a label. Facts: `closed`, whether it was the last one of its item."""


def send_after_commit(signal: Signal, sender: type, **facts: Any) -> None:
    """Tell the listeners once the caller's transaction is committed, and not at all if it is undone."""
    if signal.has_listeners(sender):
        transaction.on_commit(partial(signal.send_robust, sender, **facts))
