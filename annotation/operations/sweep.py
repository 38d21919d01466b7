"""Repairs of what a crash, a lost message or a closed browser left behind. They may run at any time, and twice."""

import logging
from collections.abc import Callable

from annotation.analytics.quality.competence import COMPETENCE
from annotation.analytics.stored_figures import FIGURES
from annotation.assignment import make_seats, release_seats
from annotation.batches import state
from annotation.consensus import close
from annotation.core import extensions
from annotation.imports import job
from annotation.items.bulk_job import BULK_CHANGES
from annotation.labelling import withdraw_labels
from annotation.mail import queue as mail_queue
from annotation.picture_text.job import READINGS
from annotation.projects import purge
from annotation.releases import places
from annotation.releases.job import RELEASES
from annotation.webhooks import send as webhook_messages
from runs.control import sweep as run_sweep
from runs.queue import provider_pauses, worker_load

log = logging.getLogger(__name__)

STEPS: dict[str, Callable[[], int]] = {
    "seats_freed": release_seats.free_lapsed_seats,
    "check_seats_made": make_seats.make_all_check_seats,
    "queues_settled": state.update_lagging_queues,
    "items_closed": close.close_full_items,
    "runs_brought_back": run_sweep.requeue_lapsed_runs,
    "runs_rung": run_sweep.enqueue_waiting_runs,
    "pauses_forgotten": provider_pauses.delete_ended_pauses,
    "loads_forgotten": worker_load.delete_old_loads,
    "imports_enqueued": job.IMPORTS.enqueue_left_behind,
    "files_removed": job.forget_old_files,
    "releases_enqueued": RELEASES.enqueue_left_behind,
    "release_folders_removed": places.remove_abandoned_folders,
    "estimates_enqueued": COMPETENCE.enqueue_left_behind,
    "figures_enqueued": FIGURES.enqueue_left_behind,
    "changes_enqueued": BULK_CHANGES.enqueue_left_behind,
    "readings_enqueued": READINGS.enqueue_left_behind,
    "webhooks_enqueued": webhook_messages.look_and_ring,
    "mails_enqueued": mail_queue.enqueue_due,
    "labels_taken_out": withdraw_labels.withdraw_remaining_labels,
    "projects_purged": purge.purge_due,
    "remains_removed": purge.remove_remains,
}
"""What is swept, by the name of its count, in this order."""


def sweep() -> dict[str, int]:
    """Run every step and return its count; a step that fails is logged, counted as -1 and does not stop the others."""
    counts = {}
    steps = dict(STEPS)
    for extension in extensions.registered():
        steps |= extension.sweeper_steps
    for name, step in steps.items():
        try:
            counts[name] = step()
        except Exception:  # the next step, and the next sweep, must still run
            log.exception("Sweeping %s failed", name)
            counts[name] = -1
    return counts
