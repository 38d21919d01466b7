"""Where and when the operating system runs a worker (Linux): after pages, and on one core.

docs/scheduling.md says what each setting brings, and how to measure it.
"""

import fcntl
import os
import random
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from django.conf import settings

SESSION_WEIGHT = Path("/proc/self/autogroup")
"""Linux weighs whole sessions against each other and `nice` only within one; the session's weight is written here."""
SESSIONS_ARE_WEIGHED = Path("/proc/sys/kernel/sched_autogroup_enabled")

_core_locks: list[IO[str]] = []
"""Open files whose locks say that a core is in use; the system releases them when this process ends."""


def schedule_worker(**_: Any) -> None:
    """Lower the priority of this process and keep it on one core, as the settings say.

    Called before the worker starts its threads, which inherit both.
    """
    lower_priority()
    stay_on_one_core()


def lower_priority() -> None:
    """Take the niceness WORKER_NICE, and only idle processor time with WORKER_TAKES_WHAT_IS_LEFT."""
    if not settings.WORKER_NICE:
        return
    os.nice(settings.WORKER_NICE)
    if os.getsid(0) != os.getpid():  # the session also holds processes whose priority must stay
        return
    with suppress(OSError):
        SESSION_WEIGHT.write_text(str(settings.WORKER_NICE))
        # Without a share for the session, a busy neighbour could leave the worker nothing for minutes.
        if settings.WORKER_TAKES_WHAT_IS_LEFT and SESSIONS_ARE_WEIGHED.read_text().strip() == "1":
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def stay_on_one_core() -> int | None:
    """Keep this process on a core that no other worker of this site uses, and return the core.

    Returns None if WORKER_ONE_CORE is off, there is only one core, or every core has a worker.
    """
    if not settings.WORKER_ONE_CORE or not hasattr(os, "sched_setaffinity"):
        return None
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        return None
    folder = Path(settings.VAR_DIR) / "cores"
    folder.mkdir(exist_ok=True)
    for core in random.sample(cores, len(cores)):
        lock = (folder / str(core)).open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        _core_locks.append(lock)
        os.sched_setaffinity(0, {core})
        return core
    return None
