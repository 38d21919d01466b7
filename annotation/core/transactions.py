"""Short transactions that are repeated after a temporary conflict in the database."""

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
"""The maximum number of tries: the first and three more (threats F13)."""
_PASSING = frozenset({"40001", "40P01"})  # serialization failure, deadlock
_sqlite_turn = threading.Lock()


def short_transaction(verb: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function to run in one transaction, and again after a temporary conflict in the database.

    Inside a transaction of the caller it runs once, because only the outermost transaction can be repeated. The
    function must therefore do nothing that a rollback cannot undo; other effects belong in `transaction.on_commit`.
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
    """Return, on SQLite, the lock for this thread's turn to write.

    A thread that waits for this lock wakes at once; a thread that waits for SQLite polls.
    """
    return _sqlite_turn if connection.vendor == "sqlite" else nullcontext()


def _passes(error: OperationalError) -> bool:
    """Return whether the same transaction may succeed when it is repeated."""
    state = getattr(error.__cause__, "sqlstate", None)
    return state in _PASSING or (state is None and "locked" in str(error))
