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

from annotation.core import sealed, stored_files
from config import served_database
from config.models import SharedParts

log = logging.getLogger(__name__)

_HOW = (
    "Give all machines of the site the same settings. If the difference is meant (another key, files that were moved), "
    "run `manage.py shared_parts --adopt` once."
)


def check_at_start() -> None:
    """Compare this process with the others of the site, and remember the storage that it sees.

    Raises ImproperlyConfigured with what differs, and if VAR_DIR is that of a site with another database. A database or
    a storage that is away stops nobody here. On SQLite there is one machine, and only the database is compared.
    """
    marker = None
    try:
        different = _database_differs()
        if serves_several_machines():
            different += differences()
            marker = stored_files.read_marker()
        if not different:
            served_database.remember()
    except (DatabaseError, OSError) as fault:  # the site starts without either, and says so on its pages
        log.warning("not checked whether key, files and database are the shared ones: %s", type(fault).__name__)
        return
    if different:
        raise ImproperlyConfigured(" ".join([*different, _HOW]))
    if marker is not None:
        stored_files.expect_marker(marker)


def _database_differs() -> list[str]:
    other = served_database.other_place()
    if other is None:
        return []
    sentence = (
        f"DATABASE_URL names {served_database.here()}, and the site of {settings.VAR_DIR} was served from {other}."
    )
    return [f"{sentence} If that is meant, give the command {served_database.ANYWAY} too."]


def serves_several_machines() -> bool:
    """Return whether several machines can use this database."""
    return connection.vendor != "sqlite"


def differences(*, make_marks: bool = True) -> list[str]:
    """Return in sentences what differs from the other processes of the site.

    If there are no marks yet, they are made, or nothing is compared.
    """
    if not make_marks:
        row = SharedParts.objects.exclude(key="").filter(pk=1).first()
        if row is None and stored_files.read_marker() is None:
            return []
        row = row or SharedParts(**_fresh())  # no other database's files have these marks
        return [*_keys_differ(row), *_files_differ(row)]
    with transaction.atomic():
        row, is_first = SharedParts.objects.select_for_update().get_or_create(pk=1, defaults=_fresh())
        if not row.key:  # moved here from SQLite, where the database alone has an id
            is_first = True
            for name, value in _fresh().items():  # a new id too: the file that is left behind has the old one
                setattr(row, name, value)
            row.save()
        if is_first and stored_files.read_marker() is None:  # others wait for this row, and then see the marker
            _write_marker(row)
    return [*_keys_differ(row), *_files_differ(row)]


def adopt() -> None:
    """Take this process's key, files and database for those of the site."""
    with transaction.atomic():
        row, _new = SharedParts.objects.update_or_create(pk=1, defaults=_fresh())
        default_storage.delete(stored_files.MARKER)
        _write_marker(row)
    served_database.remember()


def _fresh() -> dict[str, str]:
    keys = {column: _fingerprint(used[0]) for column, (_name, used) in _keys().items()}
    return {"database": uuid4().hex, "files": uuid4().hex, **keys}


def _keys() -> dict[str, tuple[str, list[str]]]:
    """Return by column of `SharedParts` the setting, and its keys: the one in use first, then former ones."""
    return {
        "key": ("SECRET_KEY", [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]),
        "sealing_key": ("SEALING_KEY", sealed.keys()),
    }


def _write_marker(row: SharedParts) -> None:
    content = json.dumps({"files": row.files, "database": row.database})
    default_storage.save(stored_files.MARKER, ContentFile(content.encode()))


def _keys_differ(row: SharedParts) -> Sequence[str]:
    different: dict[str, str] = {}
    for column, (name, used) in _keys().items():
        current, *former = map(_fingerprint, used)
        noted = getattr(row, column)
        if noted in ("", *former):  # the key is being changed
            SharedParts.objects.filter(pk=1, **{column: noted}).update(**{column: current})
        elif noted != current:
            different.setdefault(current, f"{name} is not the one of the other processes on this database.")
    return list(different.values())  # without a key of its own for sealing, one key is one difference


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
