"""Enqueue tasks by their names. A message may come late, twice or never; the rows are the truth.

This is the only module of the apps below `config` that sends to the broker. Celery is loaded when the first task is
enqueued: most commands enqueue none.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import celery
import kombu.exceptions
from django.conf import settings
from django.db.models.functions import Now

from runs.models import Run

log = logging.getLogger(__name__)

PERFORM_RUN = "runs.tasks.perform_run"


def enqueue_task(name: str, *arguments: Any) -> bool:
    """Enqueue the task of this name. Return False if the broker is down; the sweeper enqueues it later."""
    try:
        celery.current_app.send_task(name, args=list(arguments))
    except (kombu.exceptions.OperationalError, OSError) as fault:
        log.warning("the broker is down (%s); the sweeper enqueues %s %s", type(fault).__name__, name, arguments)
        return False
    return True


def enqueue_runs(run_ids: Sequence[int]) -> int:
    """Enqueue a task for each of these runs. Return how many were enqueued.

    If the broker is down, stop at once; the sweeper enqueues the others later.
    """
    enqueued = []
    for run_id in run_ids:
        if not enqueue_task(PERFORM_RUN, run_id):
            break
        enqueued.append(run_id)
    Run.objects.filter(pk__in=enqueued).update(rung_at=Now())
    return len(enqueued)


def needed_queues() -> dict[str, str]:
    """Return the names of the queues that the site sends to, by their kinds of work. With files there is one."""
    names = {str(work): name for work, name in settings.QUEUES.names.items()}
    if not settings.QUEUE_FOLDERS:
        return names
    return {work: name for work, name in names.items() if name == settings.CELERY_TASK_DEFAULT_QUEUE}


def queue_lengths() -> Mapping[str, int] | None:
    """Return how many messages wait in the broker, by the kind of work of their queue.

    Returns None if the broker does not answer, or refuses the password.
    """
    try:
        with celery.current_app.connection_for_read() as connection:
            return _lengths(connection, needed_queues())
    except (kombu.exceptions.OperationalError, OSError) as fault:
        log.warning("the broker is down (%s); its queues cannot be counted", type(fault).__name__)
        return None


def _lengths(connection: Any, names: Mapping[str, str]) -> dict[str, int]:
    """Return the lengths of the queues. Raises OperationalError for what the broker's library raises."""
    try:
        return {work: _length(connection, name) for work, name in names.items()}
    except connection.connection_errors as fault:  # a wrong password, for example
        raise kombu.exceptions.OperationalError(type(fault).__name__) from fault


def _length(connection: Any, queue: str) -> int:
    """Return the length of a queue; one that nobody has declared yet is empty."""
    channel = connection.channel()
    try:
        return int(channel.queue_declare(queue, passive=True).message_count)
    except connection.channel_errors:
        return 0
    finally:
        channel.close()
