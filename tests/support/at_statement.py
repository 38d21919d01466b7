"""Let something happen on another connection right before the n-th SQL statement of a request."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

from django.db import DatabaseError, OperationalError, connection

from annotation.core import transactions

LOCK_MILLISECONDS = 60
"""How long the other connection waits for rows that the request holds."""


@dataclass
class Statements:
    """What a request sent to the database, and where the other connection got through."""

    texts: list[str] = field(default_factory=list)
    closed: list[bool] = field(default_factory=list)
    """Whether nobody else could have written before each statement: on SQLite, inside a transaction."""
    transactions: list[object] = field(default_factory=list)
    """The outermost transaction that each statement stands in; None outside of one."""
    happened: bool = False


@contextmanager
def before_statement(number: int | None, event: Callable[[], object]) -> Iterator[Statements]:
    """Count the statements of this thread's requests, and run `event` before the one with this number, from 0.

    Where the request holds rows that the event needs, the event fails, as it would wait in earnest until the request is
    over: `happened` is False then. On SQLite that is any statement inside a transaction.
    """
    seen = Statements()

    def execute(run: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        is_closed = connection.vendor == "sqlite" and connection.in_atomic_block
        if len(seen.texts) == number and not is_closed:
            seen.happened = _elsewhere(event)
        seen.transactions.append(next(iter(connection.atomic_blocks), None))
        seen.texts.append(sql)
        seen.closed.append(is_closed)
        return run(sql, params, many, context)

    with connection.execute_wrapper(execute):
        yield seen


def _elsewhere(event: Callable[[], object]) -> bool:
    """Run the event in a thread of its own. Return False if it met rows that are locked.

    A request that is about to begin a transaction on SQLite lends its turn: another process would need none.
    """
    outcome: list[BaseException | None] = []

    def go() -> None:
        try:
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(f"SET lock_timeout = {LOCK_MILLISECONDS}")
            event()
            outcome.append(None)
        except BaseException as fault:
            outcome.append(fault)
        finally:
            if connection.vendor == "postgresql":
                with suppress(DatabaseError), connection.cursor() as cursor:
                    cursor.execute("RESET lock_timeout")  # the pool gives the session to the next test
            connection.close()

    thread = threading.Thread(target=go)
    turn = transactions._turn
    transactions._turn = nullcontext  # type: ignore[assignment]  # the request may have the turn to write, and waits for the event here
    thread.start()
    thread.join()
    transactions._turn = turn
    fault = outcome[0]
    if fault is not None and not isinstance(fault, OperationalError):
        raise fault
    return fault is None
