"""What a worker's thread does for one Celery task: perform the run it names, then others that wait."""

import time

from providers import wiring
from providers.messages import Model
from runs.execution import runner, shutdown
from runs.queue import claim, lease

_STINT = 20
"""Seconds after which a thread enqueues a task for the next run instead of claiming it, so that other tasks run too."""


def perform_due_runs(run_id: int) -> int | None:
    """Perform this run and then other due runs. Return the id of a run to enqueue a task for, if time is up.

    Most runs never get a task of their own: a batch of thousands enqueues a few tasks, and their threads continue.
    """
    until = time.monotonic() + _STINT
    runner.claim_and_perform(run_id, planned_model)
    while not shutdown.is_stop_requested():
        if time.monotonic() > until:
            return next(iter(lease.due_run_ids()), None)
        run = claim.claim_next_run()
        if run is None:
            return None
        runner.perform_claimed(run, planned_model)
    return None


def planned_model(role: str, name: str) -> Model:
    """Return the model that a run planned for a role.

    Raises NotConfigured if the settings no longer allow it.
    """
    return wiring.model_for(role, {role: name})
