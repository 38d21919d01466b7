"""A module of this site that reads one file of a stranger in a separate process, with little memory and little time.

The module is run as a program: it reads the file from its input and writes a JSON value (`serve`). Whatever the file
does to it costs that file alone. Nothing from the process is executed, and it has no key of the site.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

SECONDS, MEMORY = 30, 2**30
AT_ONCE = 2
"""Files that a process of the site has read at the same time: each may take a gigabyte."""
_places = threading.BoundedSemaphore(AT_ONCE)


class TooCostly(Exception):
    """The file could not be read within the limits of memory and time."""


class AllBusy(Exception):
    """As many files are read as may be at the same time."""


def read_apart(module: str, content: bytes, *arguments: object, patience: float | None = None) -> Any:
    """Return what the module makes of the file.

    Raises TooCostly; and AllBusy if no place was free for `patience` seconds (None: wait until one is).
    """
    if not _places.acquire(timeout=-1 if patience is None else patience):
        raise AllBusy
    try:
        done = subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a bad file has as many warnings as it likes
            timeout=SECONDS + 5,
            check=False,
            cwd=Path(__file__).resolve().parents[2],
            env={"PATH": os.environ.get("PATH", "")},
        )
        return json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        raise TooCostly from None
    finally:
        _places.release()


def limit_memory(allowed: int) -> None:
    """Limit the address space of this process, in bytes; called by a child before it reads anything.

    Where a container has no memory left, this process is ended, and no server of the site.
    """
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def serve(read: Callable[[bytes], Any]) -> None:
    """Set the limits of this process, read the file from its input, and write what `read` makes of it."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    limit_memory(MEMORY)
    json.dump(read(sys.stdin.buffer.read()), sys.stdout)
