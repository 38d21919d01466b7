"""Short transactions that are repeated after a temporary conflict in the database."""

import fcntl
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection, transaction

from runs.sql.sqlstates import Outage, outage

P = ParamSpec("P")
R = TypeVar("R")

TRIES = 4
"""The maximum number of tries: the first and three more (threats F13)."""


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


@contextmanager
def _turn() -> Iterator[None]:
    """Wait, on SQLite, for this thread's turn to write, among the threads of all processes.

    Who waits for the lock of a file wakes at once, and whoever came first goes first. Who waits for SQLite looks again
    now and then, and may be passed by for seconds.
    """
    if connection.vendor != "sqlite":
        yield
        return
    with open(f"{connection.settings_dict['NAME']}.turn", "ab") as queue:
        fcntl.flock(queue, fcntl.LOCK_EX)
        yield


def _passes(error: OperationalError) -> bool:
    """Return whether the same transaction may succeed when it is repeated."""
    if getattr(error.__cause__, "sqlstate", None):
        return outage(error) is Outage.CONFLICT
    return "locked" in str(error)
