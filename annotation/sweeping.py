"""Putting right what a crash, a lost message or a closed browser left behind. Safe to run at any time, and twice."""

import logging
from collections.abc import Callable

from django.utils.module_loading import import_string

from annotation import batching, consensus, freeing, import_work, label_removal, purging, rooms, tasks
from runs import pausing
from runs import sweeping as runs

log = logging.getLogger(__name__)

STEPS: dict[str, Callable[[], int]] = {
    "seats_freed": freeing.free_lapsed_seats,
    "queues_settled": batching.settle_left_behind,
    "items_closed": consensus.close_left_behind,
    "runs_brought_back": runs.bring_back,
    "runs_rung": runs.ring_again,
    "pauses_forgotten": pausing.forget_old,
    "imports_rung": tasks.ring_for_imports_left_behind,
    "files_removed": import_work.forget_old_files,
    "releases_rung": tasks.ring_for_releases_left_behind,
    "estimates_rung": tasks.ring_for_competence_left_behind,
    "changes_rung": tasks.ring_for_changes_left_behind,
    "labels_taken_out": label_removal.take_out_left,
    "projects_purged": purging.purge_due,
}
"""What is swept, by the name of its count, in this order."""


def sweep() -> dict[str, int]:
    """Run every step and return its count; a step that fails is logged, counted as -1 and does not stop the others."""
    counts = {}
    for name, step in {**STEPS, **{name: import_string(path) for name, path in rooms.chores.items()}}.items():
        try:
            counts[name] = step()
        except Exception:  # the next step, and the next sweep, must still run
            log.exception("Sweeping %s failed", name)
            counts[name] = -1
    return counts
