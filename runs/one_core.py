"""The threads that work on runs share one core, as they share one interpreter.

They take turns at the interpreter's lock in any case. Spread over the cores, every turn begins with cold caches and a
wake-up from one core to another: with sixty debates at once that is a third of all processor time. So they stay
together, on the core that has the least else to do, which is looked at again every few seconds: two workers on one
machine part, and whoever else comes to the core is made room for. Threads that do other work are not held.

Linux only, and only where there is more than one core; elsewhere, and with WORKER_ONE_CORE=off, nothing happens.
"""

import os
import random
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

_TIMES = Path("/proc/stat")
_LOOK_EVERY = 5.0
_SHARE = 0.3
"""What others may use of our core before we look for one where there is more room."""

Busy = Mapping[int, float]
"""The seconds that each core was busy since the machine started."""


class Core:
    """The core of this process, and the threads that stay on it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: set[int] = set()
        self._cores = _allowed()
        self.at: int | None = None
        self._before = _busy()
        self._own = time.process_time()
        self._looked = time.monotonic()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """The calling thread stays on the core until the end."""
        if not self.stay():
            yield
            return
        try:
            yield
        finally:
            me = threading.get_native_id()
            with self._lock:
                self._held.discard(me)
            _put(me, self._cores)

    def stay(self) -> bool:
        """The calling thread stays on the core; False where threads are not held."""
        if not settings.WORKER_ONE_CORE or len(self._cores) < 2:
            return False
        me = threading.get_native_id()
        with self._lock:
            _put(me, {self._chosen(time.monotonic()) if self.at is None else self.at})
            self._held.add(me)
        return True

    def look(self) -> None:
        """Look again, every few seconds, whether the core is still the one with the most room."""
        now = time.monotonic()
        if self.at is None or now < self._looked + _LOOK_EVERY or not self._lock.acquire(blocking=False):
            return
        try:
            before, at = self.at, self._chosen(now)
            if at != before:
                self._held = {each for each in self._held if _put(each, {at})}
        finally:
            self._lock.release()

    def _chosen(self, now: float) -> int:
        """The core to be on from now on."""
        busy, own = _busy(), time.process_time()
        passed = max(now - self._looked, 0.001)
        others = {core: (busy.get(core, 0.0) - self._before.get(core, 0.0)) / passed for core in self._cores}
        if self.at is not None:
            others[self.at] = max(0.0, others[self.at] - (own - self._own) / passed)
        self._before, self._own, self._looked = busy, own, now
        self.at = best(others, self.at)
        return self.at


def best(others: Mapping[int, float], at: int | None) -> int:
    """The core to be on, by the share that others use of each.

    The one we are `at` is left only where others use much of it, another one has clearly more room, and a coin says so:
    two workers that meet must not move on together. Among cores with about the same room chance decides.
    """
    least = min(others.values())
    if at is not None and (others[at] < _SHARE or others[at] - least < _SHARE or random.random() < 0.5):
        return at
    return random.choice([core for core, share in others.items() if share <= least + 0.1])


def _put(thread: int, cores: set[int]) -> bool:
    """Let the system run a thread on these cores only; False where the thread has ended."""
    with suppress(OSError):
        os.sched_setaffinity(thread, cores)
        return True
    return False


def _allowed() -> set[int]:
    """The cores this process may use; none where the system cannot say."""
    return set(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else set()


def _busy() -> Busy:
    try:
        lines = _TIMES.read_text().splitlines()
    except OSError:
        return {}
    tick = os.sysconf("SC_CLK_TCK")
    found = {}
    for name, *spent in (line.split() for line in lines if line.startswith("cpu")):
        if name != "cpu":  # user, nice, system, idle, waiting for disks, interrupts, soft interrupts, stolen
            found[int(name[3:])] = sum(int(each) for place, each in enumerate(spent[:8]) if place not in (3, 4)) / tick
    return found


core = Core()
"""This process's."""
