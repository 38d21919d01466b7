"""End the processes of a supervisor that was killed and could not end them itself.

The supervisor writes a line for every process that it starts (`+PID`) and that has ended (`-PID`). The end of its lines
means that it is gone.
"""

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

_PATIENCE = 5.0
"""Seconds that the processes have to end by themselves."""


def living_groups(lines: Iterable[str]) -> set[int]:
    """Return the process groups that were started and have not ended, once the lines are over."""
    groups: set[int] = set()
    for line in lines:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    return groups


def end_groups(groups: set[int]) -> None:
    """Ask all processes of these groups to end, and kill those that do not."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for group in groups:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        until = time.monotonic() + _PATIENCE
        while any(map(_exists, groups)) and time.monotonic() < until:
            time.sleep(0.1)


def _exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    for stop_signal in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop_signal, signal.SIG_IGN)
    end_groups(living_groups(sys.stdin))
