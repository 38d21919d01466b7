"""A disk that is full, and files that the site may not use: told from other faults, and said in one sentence."""

import errno

from django.db import DatabaseError
from django.utils.translation import gettext as _

from runs.sql import sqlstates

_CODES = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
_SQLITE = ("database or disk is full", "attempt to write a readonly database", "disk i/o error")


def is_disk_fault(fault: BaseException | None) -> bool:
    """Return whether the fault, or what caused it, is a disk that takes nothing more."""
    while fault is not None:
        if isinstance(fault, OSError) and fault.errno in _CODES:
            return True
        if sqlstates.outage(fault) is sqlstates.Outage.DISK:
            return True
        if isinstance(fault, DatabaseError) and any(words in str(fault).lower() for words in _SQLITE):
            return True
        fault = fault.__cause__ or fault.__context__
    return False


def is_forbidden(fault: BaseException | None) -> bool:
    """Return whether the fault, or what caused it, is a file or folder that the account of the site may not use.

    Of commands it says nothing: the files that people name need not be the site's.
    """
    while fault is not None and not isinstance(fault, PermissionError):
        fault = fault.__cause__ or fault.__context__
    return fault is not None


def forbidden_sentence() -> str:
    """Return what a person is told."""
    return _(
        "The site has no right to use one of its own files or folders, so nothing was stored. The people who run the "
        "site find its name in the log."
    )


def disk_sentence() -> str:
    """Return what a person is told; it names the disk, not the file they sent."""
    return _(
        "The disk of this site is full or cannot be written, so nothing was stored. Reading still works; the "
        "people who run the site have to free space."
    )
