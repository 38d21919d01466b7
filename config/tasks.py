"""The periodic tasks that beat starts."""

from pathlib import Path

from celery import shared_task
from django.conf import settings
from django.core.management import call_command

from annotation.operations import sweep as operations_sweep
from config.models import Pulse
from config.web.rate_limits import FileCounters

_DAY = 24 * 3600


@shared_task(name="config.tasks.sweep")
def sweep() -> None:
    """Repair what lost workers left behind, and record that beat and worker are alive."""
    operations_sweep.sweep()
    Pulse.beat("worker")


@shared_task(name="config.tasks.tidy")
def tidy() -> None:
    """Delete what is no longer needed: ended sessions, and rate counters unused for a day."""
    call_command("clearsessions", verbosity=0)
    FileCounters(Path(settings.RATE_LIMITS_FOLDER)).forget(older_than=_DAY)
