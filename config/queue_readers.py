"""Queues of the site from which no worker takes: what is sent there waits for ever, although all workers look well.

Each worker tells in the database which queues it takes from, with its other signs of life
(`runs.queue.worker_load`). So one question serves for all brokers, and needs none of them.
"""

import logging
import time

from runs.queue import worker_load
from runs.queue.task_messages import needed_queues

log = logging.getLogger(__name__)

_BEGUN = time.monotonic()


class _Told:
    """The queues that the log has named last."""

    names: tuple[str, ...] = ()


def unread_queues() -> list[str]:
    """Return the names of the site's queues from which no worker takes."""
    names = needed_queues()
    return sorted(names[work] for work, readers in worker_load.queue_readers().items() if not readers)


def note_unread_queues() -> list[str]:
    """Return the same, and write a line to the log when it has changed.

    A process that is younger than `UNREAD_SECONDS` names none: the workers of the site may start at the same time.
    """
    if time.monotonic() - _BEGUN < worker_load.UNREAD_SECONDS:
        return []
    unread = unread_queues()
    if (now := tuple(unread)) != _Told.names:
        _Told.names = now
        if unread:
            log.error("No worker takes from %s: start one whose WORKER_QUEUES has it.", ", ".join(unread))
        else:
            log.warning("Each queue has a worker again.")
    return unread
