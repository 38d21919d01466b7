"""A database that cannot be reached: told from other faults, and what a person at a terminal is told."""

import os
from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, OperationalError, connections

from runs.sql.sqlstates import Outage, outage

_NO_FILE = ("unable to open database file", "file is not a database", "attempt to write a readonly database")
_AGAIN = {Outage.LOST, Outage.BUSY, Outage.CONFLICT}


def says_nothing_of_the_work(fault: BaseException) -> bool:
    """Return whether PostgreSQL was away, full or in somebody's way, so that the same work may begin again."""
    if connections[DEFAULT_DB_ALIAS].vendor == "sqlite" or not isinstance(fault, OperationalError | InterfaceError):
        return False
    has_code = getattr(fault.__cause__, "sqlstate", None)
    return outage(fault) in _AGAIN if has_code else True  # the network has no codes


def takes_writes() -> bool:
    """Return whether the database takes writes now: not a standby, no session or file that is read-only."""
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor == "sqlite":
        return os.access(connection.settings_dict["NAME"], os.W_OK)
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('transaction_read_only') = 'off'")
        (is_writable,) = cursor.fetchone()
    return bool(is_writable)


def database_in_words(vendor: str, name: object, host: str = "", port: str = "") -> str:
    """Return where a database is, without user and password."""
    if vendor == "sqlite":
        return f"the SQLite file {name}"
    return f"the database {name} on {host or 'this machine'}, port {port or 5432}"


def away_sentence(fault: BaseException) -> str:
    """Return which database cannot be reached or used now, and why; empty if the fault is another one.

    The pool of connections says only that it got none in time: the server is asked once more for its reason.
    """
    connection: Any = connections[DEFAULT_DB_ALIAS]
    at = connection.settings_dict
    if not isinstance(fault, DatabaseError):
        return ""
    if connection.vendor == "sqlite":
        reason = next((text for text in _NO_FILE if text in str(fault)), "")
        return f"The database {at['NAME']} cannot be used: {reason}. See DATABASE_URL and VAR_DIR." if reason else ""
    place = f"{at['HOST'] or at['OPTIONS'].get('host') or 'this machine'}"
    place += f", port {at['PORT']}" if at["PORT"] else ""
    try:
        connection.Database.connect(**connection.get_connection_params()).close()
    except connection.Database.Error as refusal:
        return f"The database {at['NAME']} on {place} cannot be reached: {_reason(refusal)}. See DATABASE_URL."
    if outage(fault) is None:
        return ""
    return f"The database {at['NAME']} on {place} could not do this now: {_reason(fault)}. Try again soon."


def _reason(refusal: Exception) -> str:
    """Return what the server or the network said, as the end of a sentence."""
    lines = [line.strip() for line in str(refusal).splitlines() if line.strip()]
    return (lines[0] if lines else type(refusal).__name__).rpartition("failed: ")[2].rstrip(".")
