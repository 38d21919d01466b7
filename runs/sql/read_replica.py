"""Reading from a replica what many rows are read for: figures, and files of items.

`with from_replica():` lets the queries inside go to DATABASE_REPLICA_URL. They see at least what the primary held when
the block began: the replica is used once it has got so far, and the primary is read if that takes too long or the
replica is away. What decides about a seat, a stage or a right stands in no such block. Inside a transaction of the
primary, all reads stay there. Raw SQL on `django.db.connection` always asks the primary.
"""

import logging
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections

log = logging.getLogger(__name__)

REPLICA = "replica"
"""Its name in DATABASES, where DATABASE_REPLICA_URL is set."""
PATIENCE = 2.0
"""Seconds that a block waits for the replica to get so far."""
_ON_ITS_WAY = 1.0
"""Seconds within which a change reaches a replica that is not behind. The primary also writes where nobody changes."""
_LOOK_AGAIN = 0.02
_REST = 30.0
"""Seconds without a look at a replica that was too late or away."""

_in_use: ContextVar[bool] = ContextVar("reads_go_to_the_replica", default=False)
_rests_until = 0.0
_AGE = "SELECT greatest(0, extract(epoch FROM now() - pg_last_xact_replay_timestamp()))"


class Router:
    """Sends reads inside `from_replica` to the replica, and all else to the primary."""

    def db_for_read(self, model: Any, **hints: Any) -> str:
        """Return where to read, whatever database an instance at hand came from."""
        return reads_from()

    def db_for_write(self, model: Any, **hints: Any) -> str:
        """Return the primary, also for an instance that was read from the replica."""
        return DEFAULT_DB_ALIAS

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool:
        """Return True: both databases hold the same rows."""
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        """Return False for the replica, which gets its tables from the primary."""
        return db == DEFAULT_DB_ALIAS


def reads_from() -> str:
    """Return the name of the database that a queryset reads from at this place."""
    return REPLICA if _in_use.get() and not connection.in_atomic_block else DEFAULT_DB_ALIAS


@contextmanager
def from_replica() -> Iterator[None]:
    """Let reads inside go to the replica, if there is one that has all that the primary holds now.

    A generator must not yield inside: whoever takes its value would read from there too.
    """
    is_wanted = REPLICA in connections.settings and not connection.in_atomic_block
    before = _in_use.set(is_wanted and time.monotonic() >= _rests_until and _has_caught_up())
    try:
        yield
    finally:
        _in_use.reset(before)


def lag() -> float | None:
    """Return the seconds by which the replica is behind; infinity if it is away, or no standby of the primary.

    0 if it gets within a moment to what the primary has written now: nobody may have changed anything for hours, so
    that the time of the last change alone says nothing. Returns None if the site has no replica.
    """
    if REPLICA not in connections.settings:
        return None
    position = _written_up_to()
    try:
        with connections[REPLICA].cursor() as replica:
            match _reaches(replica, position, _ON_ITS_WAY):
                case True:
                    return 0.0
                case None:
                    return math.inf
            replica.execute(_AGE)
            (seconds,) = replica.fetchone()
    except DatabaseError:
        return math.inf
    return math.inf if seconds is None else float(seconds)


def _written_up_to() -> str:
    """Return the place up to which the primary has written."""
    with connection.cursor() as primary:
        primary.execute("SELECT pg_current_wal_lsn()::text")
        (position,) = primary.fetchone()
    return str(position)


def _reaches(replica: Any, position: str, seconds: float) -> bool | None:
    """Wait until the replica has replayed what the primary has written; look once at least.

    Return False if it has not within the time, None if it is no standby.
    """
    until = time.monotonic() + seconds
    while True:
        replica.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", [position])
        is_there: bool | None = replica.fetchone()[0]
        if is_there is not False or time.monotonic() >= until:
            return is_there
        time.sleep(_LOOK_AGAIN)


def _has_caught_up() -> bool:
    """Wait until the replica has replayed what the primary has written. Return False if it is late or away."""
    global _rests_until
    position = _written_up_to()
    try:
        with connections[REPLICA].cursor() as replica:
            match _reaches(replica, position, PATIENCE):
                case True:
                    return True
                case False:
                    problem = "has not caught up"
                case None:
                    problem = "is no standby of the primary"
    except DatabaseError as fault:
        problem = f"is away ({type(fault).__name__})"
    _rests_until = time.monotonic() + _REST
    log.warning("the replica %s: the primary is read for %.0f s", problem, _REST)
    return False
