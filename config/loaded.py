"""What a process has loaded to stay is set aside from garbage collection.

Modules, models and prompts are a quarter of a million objects. A full collection walks all of them while it holds the
interpreter: 0.2 s in which nobody is answered and no run goes on, again and again, and nothing of it is ever garbage.
Set aside before a web server parts into processes, they also stay memory that these share.
"""

import gc
from typing import Any


def set_aside(**_: Any) -> None:
    """Leave out of every later collection what there is now. Called once, when a process has loaded its code."""
    gc.collect()
    gc.freeze()
