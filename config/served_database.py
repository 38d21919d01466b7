"""Which database the site of this VAR_DIR was last served from: no command works on another one unnoticed.

A command that is typed without the environment of the service would find an empty SQLite file, and say that all is
well. Web servers and workers leave a mark in VAR_DIR when they start: where the database is, without its password, and
the id that is stored in it. A database at another place with the same id is the site moved or restored, and is taken.
"""

import json
import logging
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from django.apps import apps
from django.conf import settings
from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from annotation.core.database_faults import database_in_words

log = logging.getLogger(__name__)

ANYWAY = "--database-anyway"
"""The option with which a command takes another database; `manage.py` takes it from any command line."""


@dataclass(frozen=True)
class Place:
    """Where a database is. The name of an SQLite file in VAR_DIR is relative, so that the folder may be moved."""

    engine: str
    host: str
    port: str
    name: str

    @classmethod
    def of(cls, connection: Any) -> Self:
        """Return the place that a connection is for; it need not be open."""
        at = connection.settings_dict
        if connection.vendor == "sqlite":
            path, folder = Path(at["NAME"]).absolute(), settings.VAR_DIR
            inside = path.relative_to(folder) if path.is_relative_to(folder) else path
            return cls(connection.vendor, "", "", str(inside))
        host = str(at["HOST"] or at["OPTIONS"].get("host") or "")
        return cls(connection.vendor, host, str(at["PORT"] or 5432), str(at["NAME"]))

    def __str__(self) -> str:
        name = settings.VAR_DIR / self.name if self.engine == "sqlite" else self.name
        return database_in_words(self.engine, name, self.host, self.port)


@dataclass(frozen=True)
class Mark:
    """What VAR_DIR remembers: where the database was, and the id of the site that is stored in it."""

    place: Place
    site: str


def _shared_parts() -> Any:
    return apps.get_model("config", "SharedParts")._default_manager  # commands are guarded before models are loaded


def here() -> Place:
    """Return where the database of this process is."""
    return Place.of(connections[DEFAULT_DB_ALIAS])


def read_mark() -> Mark | None:
    """Return the mark in VAR_DIR.

    Returns None if there is none that can be read: then nothing is known, and nothing is refused.
    """
    try:
        seen = json.loads(settings.SERVED_DATABASE.read_text(encoding="utf-8"))
        return Mark(Place(**seen["place"]), str(seen["site"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember() -> None:
    """Leave the mark of this process's database. A folder that takes no file has none.

    Raises DatabaseError if the database is away or lacks the table.
    """
    before, place = read_mark(), here()
    row, _is_first = _shared_parts().get_or_create(pk=1, defaults={"database": uuid4().hex})
    if before and before.place != place and not row.key:  # a copy at the former place is not the site any more
        row.database = uuid4().hex
        row.save(update_fields=["database"])
    mark = Mark(place, row.database)
    if mark == before:
        return
    draft = settings.SERVED_DATABASE.with_name(f"{settings.SERVED_DATABASE.name}.{os.getpid()}")
    try:
        draft.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(asdict(mark)), encoding="utf-8")
        draft.replace(settings.SERVED_DATABASE)
    except OSError as fault:
        log.warning("%s cannot be written: %s", settings.SERVED_DATABASE, fault.strerror)


def other_place() -> Place | None:
    """Return where the site of this VAR_DIR was served from, if this process has another database.

    Returns None if it is the same one, or if the site was moved or restored to this one. An SQLite file that is not
    there yet is not made.
    """
    mark, place = read_mark(), here()
    if mark is None or mark.place == place:
        return None
    if place.engine == "sqlite" and not (settings.VAR_DIR / place.name).exists():
        return mark.place
    try:
        site = _shared_parts().filter(pk=1).values_list("database", flat=True).first()
    except DatabaseError:  # no table yet: it is the database of no site
        site = None
    return None if site == mark.site else mark.place


def guard_command() -> None:
    """Let the command of this process stop before it uses another database than that of the site.

    One that uses no database is not stopped.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    mark = read_mark()
    if mark is None or mark.place == Place.of(connection):
        return
    connect = connection.connect

    def connect_to_the_same_site() -> None:
        connection.connect = connect  # type: ignore[method-assign]  # the method itself again
        if other := other_place():
            raise CommandError(
                f"This command would use {here()}, and the site of {settings.VAR_DIR} was last served from {other}. "
                "Nothing was done. Give it the environment of the service (INTERPLAY_ENV names its file), or add "
                f"{ANYWAY} if this database is meant."
            )
        if connection.connection is None:
            connect()

    connection.connect = connect_to_the_same_site  # type: ignore[method-assign]  # of this one alone
