"""The periodic tasks that beat starts."""

from datetime import timedelta
from pathlib import Path

from celery import shared_task
from django.conf import settings
from django.core.management import call_command

from annotation.members.accounts.open_sessions import forget_ended
from annotation.operations import sweep as operations_sweep
from config import queue_readers
from config.models import Pulse
from config.web.rate_counters import FileCounters

SWEEP_EVERY = timedelta(seconds=20)
"""At least so long from one sweep to the next; beat asks for one every thirty seconds."""
_DAY = 24 * 3600


@shared_task(name="config.tasks.sweep")
def sweep() -> None:
    """Repair what lost workers left behind, and record that beat and worker are alive.

    Old messages, and those of a second beat, find that a sweep has run lately and do nothing.
    """
    if Pulse.take_turn("sweep", SWEEP_EVERY):
        operations_sweep.sweep()
    Pulse.beat("worker")
    queue_readers.note_unread_queues()  # a site whose /healthz nobody reads has it in its log


@shared_task(name="config.tasks.tidy")
def tidy() -> None:
    """Delete what is no longer needed: ended sessions, and rate counters unused for a day."""
    call_command("clearsessions", verbosity=0)
    forget_ended()
    FileCounters(Path(settings.RATE_LIMITS_FOLDER)).forget(older_than=_DAY)
