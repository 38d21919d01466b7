"""What PostgreSQL's error codes say of a fault that is the database's, not the program's: one table for all who ask.

SQLite has no codes; its sentences stand where they are asked for.
"""

from enum import Enum


class Outage(Enum):
    """Why the database did not do what it was asked for. None of them says anything of the work itself."""

    LOST = "The connection is of no use any more, or there was none. Another one may be."
    BUSY = "There was no room or no lock in time. The same may succeed later."
    CONFLICT = "Two transactions were in each other's way. The same succeeds when it is repeated."
    STOPPED = "The statement took longer than it may, or a person stopped it. It may take as long again."
    DISK = "The disk is full."


_MEANINGS = {
    "08": Outage.LOST,  # the network, or the server's end of the connection
    "25006": Outage.LOST,  # the server takes no writes: it is a standby, or became one. The address may lead to another
    "25P03": Outage.LOST,  # the server ended a connection whose transaction rested too long
    "25P04": Outage.LOST,  # likewise one whose transaction took too long
    "57P0": Outage.LOST,  # stopped, crashed, starting, no such database any more, or idle for too long
    "53": Outage.BUSY,  # memory, connections, other limits
    "53100": Outage.DISK,
    "55006": Outage.BUSY,  # an object is in use
    "55P03": Outage.BUSY,  # a lock was not free in time
    "58": Outage.BUSY,  # the operating system failed the server
    "40": Outage.CONFLICT,  # serialization, deadlock
    "40002": None,  # a constraint at the end of a transaction: a fault of ours
    "57014": Outage.STOPPED,
}


def outage(fault: BaseException | None) -> Outage | None:
    """Return what the code of the fault, or of its cause, says.

    Returns None if it has no code, or one that tells of a fault of ours.
    """
    while fault is not None:
        if state := getattr(fault, "sqlstate", None):
            known = (state[:length] for length in (5, 4, 2))
            return next((_MEANINGS[code] for code in known if code in _MEANINGS), None)
        fault = fault.__cause__
    return None
