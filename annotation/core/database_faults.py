"""A database that cannot be reached: told from other faults, and what a person at a terminal is told."""

from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, OperationalError, connections

_NO_FILE = ("unable to open database file", "file is not a database", "attempt to write a readonly database")

_LOST = ("08", "57P0")
"""How the codes begin with which PostgreSQL ends a connection or lets nobody in."""


def is_lost_connection(fault: BaseException) -> bool:
    """Return whether PostgreSQL ended the connection or gave none, as at its restart. It says nothing of the work."""
    if connections[DEFAULT_DB_ALIAS].vendor == "sqlite" or not isinstance(fault, OperationalError | InterfaceError):
        return False
    return (getattr(fault.__cause__, "sqlstate", None) or "08").startswith(_LOST)  # the network has no codes


def away_sentence(fault: BaseException) -> str:
    """Return which database cannot be reached and why; empty if the fault is another one.

    The pool of connections says only that it got none in time: the server is asked once more for its reason.
    """
    connection: Any = connections[DEFAULT_DB_ALIAS]
    at = connection.settings_dict
    if not isinstance(fault, DatabaseError):
        return ""
    if connection.vendor == "sqlite":
        reason = next((text for text in _NO_FILE if text in str(fault)), "")
        return f"The database {at['NAME']} cannot be used: {reason}. See DATABASE_URL and VAR_DIR." if reason else ""
    try:
        connection.Database.connect(**connection.get_connection_params()).close()
    except connection.Database.Error as refusal:
        place = f"{at['HOST'] or at['OPTIONS'].get('host') or 'this machine'}"
        place += f", port {at['PORT']}" if at["PORT"] else ""
        return f"The database {at['NAME']} on {place} cannot be reached: {_reason(refusal)}. See DATABASE_URL."
    return ""


def _reason(refusal: Exception) -> str:
    """Return what the server or the network said, as the end of a sentence."""
    lines = [line.strip() for line in str(refusal).splitlines() if line.strip()]
    return (lines[0] if lines else type(refusal).__name__).rpartition("failed: ")[2].rstrip(".")
