"""The reader of DATABASE_URL and DATABASE_REPLICA_URL."""

import os
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.environment.env import secret, with_password

# A long lock (a migration) or a lost server ends in a 503 with a retry text, not in a hanging page.
# What is planned once is planned without its values: see `planned_cursor`. To compile a plan takes longer than to carry
# it out here: 0.1 to 0.4 s of a page on 300,000 items.
SESSION_OPTIONS = (
    "-c lock_timeout=5s -c idle_in_transaction_session_timeout=120s -c plan_cache_mode=force_generic_plan -c jit=off"
)
"""What each session on PostgreSQL begins with, unless the address has `options` of its own."""


_NOWHERE = "/dev/null/nowhere"
_NUMBERS = {"connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count"}
_PLACES = {"hostaddr", "port", "gssencmode"}  # mean nothing, or something else, for a socket


def database(name: str, *, default: Path, environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Read a database address: postgres://user:password@host:port/name or sqlite:///path.

    Without one it is SQLite at `default`. DATABASE_PASSWORD is the password of an address that has none. Returns an
    entry of Django's DATABASES without its TEST part. Errors never repeat the address, which may hold a password.
    """
    form = f"{name} must look like postgres://user:password@host:5432/name or sqlite:///path/to/file."
    raw = secret(name, environ=environ)
    if not raw:
        return _sqlite(str(default))
    try:
        raw = with_password(raw, secret("DATABASE_PASSWORD", environ=environ))
        parts = urlsplit(raw)
    except ValueError:
        raise ImproperlyConfigured(form) from None
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.scheme == "sqlite" and not parts.netloc and len(parts.path) > 1:
        if options:
            raise ImproperlyConfigured(f"{name} has options after a ?, which SQLite does not take.")
        return _sqlite(unquote(parts.path[1:]))
    if parts.scheme not in {"postgres", "postgresql"} or len(parts.path) < 2:
        raise ImproperlyConfigured(form)
    try:
        port = parts.port
    except ValueError:
        raise ImproperlyConfigured(f"{name} has a port that is no number from 1 to 65535.") from None
    return {
        "ENGINE": "config.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        # The pool keeps connections open itself; Django refuses a max age beside it.
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": False,  # the backend glances at them instead
        "OPTIONS": {
            "options": SESSION_OPTIONS,
            "connect_timeout": 5,
            "prepare_threshold": 2,  # see `planned_cursor`; all else is sent as text
            "pool": {"min_size": 2, "max_size": 8, "timeout": 6, "reconnect_timeout": 10},
            **_accepted(name, options),
        },
    }


def replica(
    name: str, *, of: Mapping[str, object], environ: Mapping[str, str] = os.environ
) -> dict[str, dict[str, object]]:
    """Read the address of a read-only copy of the database `of`, as a part of Django's DATABASES: {"replica": …}.

    Returns an empty dictionary without one. Raises ImproperlyConfigured if one of the two is not PostgreSQL.
    """
    if not secret(name, environ=environ):
        return {}
    entry = database(name, default=Path(), environ=environ)
    if {entry["ENGINE"], of["ENGINE"]} != {"config.postgresql"}:
        raise ImproperlyConfigured(f"{name} needs a standby of PostgreSQL, and DATABASE_URL its primary.")
    options = dict(entry["OPTIONS"])
    options["options"] += " -c default_transaction_read_only=on"  # also where somebody names the primary here
    options["pool"] = {"min_size": 0, "max_size": 4, "timeout": 2, "reconnect_timeout": 10}
    return {"replica": entry | {"OPTIONS": options, "TEST": {"MIRROR": "default"}}}


def _accepted(name: str, options: Mapping[str, str]) -> Mapping[str, str]:
    """Return the options of an address as they are.

    Raises ImproperlyConfigured for one that the driver does not know, or whose value it refuses without a connection.
    """
    if not options:
        return options
    driver = import_module("psycopg")  # a site on SQLite does without
    known = {option.keyword.decode() for option in driver.pq.Conninfo.get_defaults()}
    if unknown := sorted(set(options) - known - {"assume_role"}):
        raise ImproperlyConfigured(f"{name} has an option that PostgreSQL's driver does not know: {unknown[0]!r}.")
    for option in sorted(_NUMBERS & options.keys()):
        if not re.fullmatch(r"-?[0-9]{1,9}", options[option]):
            raise ImproperlyConfigured(f"{name} has an option that must be a whole number: {option!r}.")
    values = {option: options[option] for option in options if option not in _PLACES | {"assume_role"}}
    # Connects to nothing: a socket in a folder that cannot be. What is said without naming it is said of the options.
    conninfo = driver.conninfo.make_conninfo(**values | {"host": _NOWHERE})
    answer = driver.pq.PGconn.connect_start(conninfo.encode()).error_message.decode(errors="replace").strip()
    if answer and _NOWHERE not in answer:
        raise ImproperlyConfigured(f"{name} has an option that PostgreSQL's driver refuses: {answer.rstrip('.')}.")
    return options


def _sqlite(path: str) -> dict[str, object]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        # Opened once a thread: the last one to close the file would write its whole log back, at every request.
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # Django's default takes the write lock in the middle of a transaction, which ends in "database is locked".
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL;",
        },
    }
