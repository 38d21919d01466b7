"""What a worker's thread does when the bell rings: the run it was rung for, then others that wait."""

import time

from providers import wiring
from providers.messages import Model
from runs import leasing, runner, stopping, taking
from runs.one_core import core

_STINT = 20
"""After so many seconds a thread rings for the next run instead of taking it, so that other tasks get their turn."""


def answer(run_id: int) -> int | None:
    """Perform this run and go on with those that are due; after a while answers the id of one left for others.

    Most runs are never rung for one by one: a batch of thousands rings a few times, and whoever is awake goes on.
    """
    with core.kept():
        return _answered(run_id, time.monotonic() + _STINT)


def _answered(run_id: int, until: float) -> int | None:
    runner.perform(run_id, planned)
    while not stopping.told():
        core.look()
        if time.monotonic() > until:
            return next(iter(leasing.due()), None)
        run = taking.take_next()
        if run is None:
            return None
        runner.carry_on(run, planned)
    return None


def planned(role: str, name: str) -> Model:
    """The model that a run planned for a role; one that the settings no longer allow raises NotConfigured."""
    return wiring.model_for(role, {role: name})
