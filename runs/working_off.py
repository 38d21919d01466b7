"""Working a batch off in this process, for commands: no worker is needed, and others may help."""

import threading
import time
from collections.abc import Callable
from uuid import UUID

from django.db import connection

from runs import pausing, queue, runner, stopping, sweeping, taking
from runs.one_core import core
from runs.working import planned


def work_off(project: UUID, method: str, *, threads: int, tick: Callable[[], None]) -> None:
    """Perform the project's runs of this method here, several at once, until none is open.

    Also waits for runs in other hands and for a busy provider, but not for one that is paused: that needs a person.
    `tick` is called about every second, in the caller's thread. After Ctrl+C what arrives is saved, and the runs
    under way go back into the queue.
    """
    while not stopping.told():
        _perform_due(project, method, threads, tick)
        sweeping.bring_back()
        left = queue.wait_until_due(project, method)
        if left is None or (left > 0 and pausing.in_force()):
            return
        time.sleep(min(max(left, 0.2), 1.0))
        tick()


def side_by_side(one: Callable[[], bool], threads: int, tick: Callable[[], None]) -> None:
    """Let so many threads call `one` until it answers False; `tick` about every second meanwhile.

    Ctrl+C tells all of them to stop after what they have in hand.
    """

    def work() -> None:
        try:
            with core.kept():
                while not stopping.told() and one():
                    core.look()
        finally:
            connection.close()

    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    try:
        while alive := [worker for worker in workers if worker.is_alive()]:
            alive[0].join(1.0)
            tick()
    except KeyboardInterrupt:
        stopping.tell()
        for worker in workers:
            worker.join()
        raise


def _perform_due(project: UUID, method: str, threads: int, tick: Callable[[], None]) -> None:
    def one() -> bool:
        run = taking.take_next(project=project, method=method)
        if run is not None:
            runner.carry_on(run, planned)
        return run is not None

    side_by_side(one, threads, tick)
