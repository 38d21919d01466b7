"""What a person at a terminal is told when the database cannot be reached."""

from typing import Any

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

_NO_FILE = ("unable to open database file", "file is not a database", "attempt to write a readonly database")


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
