"""A worker that shares its machine with the web process lets pages go first: a person waits for those."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings

SESSION = Path("/proc/self/autogroup")
"""Linux may weigh one session against another, and niceness within one only; its weight is written here."""


def to_pages(**_: Any) -> None:
    """Take the niceness that WORKER_NICE names. Called before the worker starts its threads, which take it over."""
    if not settings.WORKER_NICE:
        return
    os.nice(settings.WORKER_NICE)
    if os.getsid(0) == os.getpid():  # else the session holds processes that shall not give way
        with suppress(OSError):
            SESSION.write_text(str(settings.WORKER_NICE))
