"""A worker that shares its machine with the web process lets pages go first: a person waits for those.

Niceness says how much less the worker gets where a core is wanted by both; it does not say who waits. On Linux a
process can also be one that takes what is left: a page, or the database on its behalf, then begins at once on a core
where only such a process runs, as if nothing ran there. `bench/runs.py --pages` measures what pages gain by it; how
many runs a worker holds is the same with and without.

What is left can be nothing for minutes where somebody else computes without end. So this is taken only where the system
weighs the worker's session as a whole against all others (autogroup; in a container or a unit of systemd its group is
weighed): then it is within its own session only that the worker comes last.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings

SESSION = Path("/proc/self/autogroup")
"""Linux may weigh one session against another, and niceness within one only; its weight is written here."""

SESSIONS_ARE_WEIGHED = Path("/proc/sys/kernel/sched_autogroup_enabled")


def to_pages(**_: Any) -> None:
    """Take the niceness that WORKER_NICE names, and only what is left, where a share of the machine stays ours.

    Called before the worker starts its threads, which take both over.
    """
    if not settings.WORKER_NICE:
        return
    os.nice(settings.WORKER_NICE)
    if os.getsid(0) != os.getpid():  # the session holds processes that shall not give way
        return
    with suppress(OSError):
        SESSION.write_text(str(settings.WORKER_NICE))
        if settings.WORKER_TAKES_WHAT_IS_LEFT and SESSIONS_ARE_WEIGHED.read_text().strip() == "1":
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
