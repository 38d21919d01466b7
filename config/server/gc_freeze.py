"""Exclude what a process loads at its start from garbage collection.

Modules, models and prompts are half a million objects. A full collection visits all of them while it holds the
interpreter: 0.2 s in which no request is answered and no run continues, and none of it is ever garbage. Frozen before a
web server forks, the objects also stay in memory that its processes share.
"""

import atexit
import gc
from typing import Any

_OWN_THRESHOLD = gc.get_threshold()
"""Python's own: a collection of new objects for each 700 of them takes well under a millisecond."""


def relax_while_loading() -> None:
    """Collect rarely while a process starts, since nothing that it loads is garbage, and not at all at its end.

    A collection of so many new objects takes 40 to 100 ms, in which nothing else is done: servers and workers call
    `freeze_loaded_objects` when they have loaded.
    """
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)


def freeze_loaded_objects(**_: Any) -> None:
    """Exclude all present objects from later collections, and collect as usual from now on.

    Called once, when a process has loaded its code.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_OWN_THRESHOLD)
