"""What an app registers when somebody first asks for it, because it takes long to load.

An app names a function in `AppConfig.ready()`; every registry that the function fills calls `complete()` before it
answers. A process that asks none of them, as most commands, never loads what stands behind.
"""

from collections.abc import Callable
from threading import RLock

_waiting: list[Callable[[], None]] = []
_running: list[Callable[[], None]] = []
_one_at_a_time = RLock()


def register_at_first_use(register: Callable[[], None]) -> None:
    """Have `register` called once, before the first answer of a registry."""
    _waiting.append(register)


def complete() -> None:
    """Call what waits. Other threads wait until it has ended; what is called may ask a registry itself."""
    if not _waiting:
        return
    with _one_at_a_time:
        if _running:  # this thread: a function that registers asks a registry
            return
        while _waiting:
            _running.append(_waiting[0])
            try:
                _running[0]()
                _waiting.pop(0)
            finally:
                _running.clear()
