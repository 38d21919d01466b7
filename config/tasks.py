"""What beat asks for."""

from pathlib import Path

from celery import shared_task
from django.conf import settings
from django.core.management import call_command

from annotation import sweeping
from config.limits import FileCounters
from config.models import Pulse

_DAY = 24 * 3600


@shared_task(name="config.tasks.sweep")
def sweep() -> None:
    """Put right what was left behind, and show that beat and worker live."""
    sweeping.sweep()
    Pulse.beat("worker")


@shared_task(name="config.tasks.tidy")
def tidy() -> None:
    """Remove what has no use any more: sessions that ended, counters nobody touched for a day."""
    call_command("clearsessions", verbosity=0)
    FileCounters(Path(settings.RATE_LIMITS_FOLDER)).forget(older_than=_DAY)
