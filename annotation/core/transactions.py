"""Short transactions that are tried again where the database itself asks for it."""

import random
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.db import OperationalError, connection, transaction

P = ParamSpec("P")
R = TypeVar("R")

TRIES = 4
"""The first try and at most three more (threats F13)."""
_PASSING = frozenset({"40001", "40P01"})  # serialization failure, deadlock
_sqlite_turn = threading.Lock()


def short_transaction(verb: Callable[P, R]) -> Callable[P, R]:
    """Run a verb in one transaction, again where the database refused it for a passing conflict with another.

    Inside a transaction of the caller it runs once: only whoever began a transaction can begin it again. The verb
    must therefore do nothing that a rollback does not undo; what follows it belongs in `transaction.on_commit`.
    """

    @wraps(verb)
    def tried(*args: P.args, **kwargs: P.kwargs) -> R:
        if connection.in_atomic_block:
            with transaction.atomic():
                return verb(*args, **kwargs)
        for number in range(1, TRIES):
            try:
                with _turn(), transaction.atomic():
                    return verb(*args, **kwargs)
            except OperationalError as error:
                if not _passes(error):
                    raise
                time.sleep(random.uniform(0.005, 0.05) * number)
        with _turn(), transaction.atomic():
            return verb(*args, **kwargs)

    return tried


def _turn() -> AbstractContextManager[Any]:
    """On SQLite, this thread's turn to write: who waits here wakes at once, who waits for SQLite polls."""
    return _sqlite_turn if connection.vendor == "sqlite" else nullcontext()


def _passes(error: OperationalError) -> bool:
    """Whether the same transaction may succeed when it is tried again."""
    state = getattr(error.__cause__, "sqlstate", None)
    return state in _PASSING or (state is None and "locked" in str(error))
