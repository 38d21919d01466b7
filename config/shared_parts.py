"""Whether this process has the same key, files and database as the others of its site.

The database and the storage of files each hold a mark that names the other one. The first process of a site makes both;
each later one compares them when it starts, and does not start where they differ: it would answer with pictures that
are not there, and sign sessions that no other machine accepts.
"""

import json
import logging
from collections.abc import Sequence
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection, transaction
from django.utils.crypto import salted_hmac

from annotation.core import stored_files
from config.models import SharedParts

log = logging.getLogger(__name__)

_HOW = (
    "Give all machines of the site the same settings. If the difference is meant (another key, files that were moved), "
    "run `manage.py shared_parts --adopt` once."
)


def check_at_start() -> None:
    """Compare this process with the others of the site, and remember the storage that it sees.

    Raises ImproperlyConfigured with what differs. A database or a storage that is away stops nobody here. On SQLite
    there is one machine, and nothing to compare.
    """
    if not serves_several_machines():
        return
    try:
        different = differences()
        marker = stored_files.read_marker()
    except (DatabaseError, OSError) as fault:  # the site starts without either, and says so on its pages
        log.warning("not checked whether key, files and database are the shared ones: %s", type(fault).__name__)
        return
    if different:
        raise ImproperlyConfigured(" ".join([*different, _HOW]))
    if marker is not None:
        stored_files.expect_marker(marker)


def serves_several_machines() -> bool:
    """Return whether several machines can use this database."""
    return connection.vendor != "sqlite"


def differences(*, make_marks: bool = True) -> list[str]:
    """Return in sentences what differs from the other processes of the site.

    If there are no marks yet, they are made, or nothing is compared.
    """
    if not make_marks:
        row = SharedParts.objects.filter(pk=1).first()
        if row is None and stored_files.read_marker() is None:
            return []
        row = row or SharedParts(**_fresh())  # no other database's files have these marks
        return [*_key_differs(row), *_files_differ(row)]
    with transaction.atomic():
        row, is_first = SharedParts.objects.get_or_create(pk=1, defaults=_fresh())
        if is_first and stored_files.read_marker() is None:  # others wait for this row, and then see the marker
            _write_marker(row)
    return [*_key_differs(row), *_files_differ(row)]


def adopt() -> None:
    """Take this process's key, files and database for those of the site."""
    with transaction.atomic():
        row, _new = SharedParts.objects.update_or_create(pk=1, defaults=_fresh())
        default_storage.delete(stored_files.MARKER)
        _write_marker(row)


def _fresh() -> dict[str, str]:
    return {"database": uuid4().hex, "files": uuid4().hex, "key": _fingerprint(settings.SECRET_KEY)}


def _write_marker(row: SharedParts) -> None:
    content = json.dumps({"files": row.files, "database": row.database})
    default_storage.save(stored_files.MARKER, ContentFile(content.encode()))


def _key_differs(row: SharedParts) -> Sequence[str]:
    if row.key == _fingerprint(settings.SECRET_KEY):
        return []
    if row.key in map(_fingerprint, settings.SECRET_KEY_FALLBACKS):  # the key is being changed
        SharedParts.objects.filter(pk=1, key=row.key).update(key=_fingerprint(settings.SECRET_KEY))
        return []
    return ["SECRET_KEY is not the one of the other processes on this database."]


def _files_differ(row: SharedParts) -> Sequence[str]:
    marker = stored_files.read_marker()
    place = f"the bucket {settings.MEDIA_BUCKET}" if settings.MEDIA_BUCKET else f"MEDIA_ROOT ({settings.MEDIA_ROOT})"
    if marker is None:
        return [f"The files of the site are not in {place}: it lacks {stored_files.MARKER}."]
    try:
        seen = json.loads(marker)
        files, database = str(seen["files"]), str(seen["database"])
    except (ValueError, KeyError, TypeError):
        return [f"{stored_files.MARKER} in {place} cannot be read."]
    if database != row.database:
        return [f"The files in {place} belong to another database than DATABASE_URL names."]
    return [] if files == row.files else [f"The files in {place} are not those of the other processes."]


def _fingerprint(key: str) -> str:
    """Return a value that tells keys apart and does not give them away."""
    return salted_hmac("interplay.shared_parts", "the key of the site", key, algorithm="sha256").hexdigest()
