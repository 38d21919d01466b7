"""Migrations that this version of the code needs and the database lacks, or has and the code does not know.

The first comes from an upgrade without `manage.py migrate`, the second from a return to older code. It is asked when a
process starts or is first asked for its readiness; then only while something is missing. Pages cost no query for it.
"""

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage, Warning
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

log = logging.getLogger(__name__)

AGAIN_SECONDS = 10.0
"""Between two questions while something is missing."""
_SHOWN = 5
_UNDEFINED = {"42P01", "42703"}  # PostgreSQL's codes for a table and for a column that do not exist
_UNDEFINED_ON_SQLITE = ("no such table", "no such column", "has no column named")


@dataclass(frozen=True)
class Difference:
    """What database and code do not have in common, each as app.name."""

    missing: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def sentences(self) -> list[str]:
        """Return it in words, with what to do."""
        said = []
        if self.missing:
            number = f"{len(self.missing)} migration" + ("" if len(self.missing) == 1 else "s")
            said.append(
                f"The database lacks {number} of this version: {_listed(self.missing)}. Run `manage.py migrate`."
            )
        if self.unknown:
            listed = _listed(self.unknown)
            said.append(f"The database is of a newer version than the code, which does not know {listed}.")
        return said


class _Seen:
    """What this process saw last. `missing` is None before the first look."""

    missing: list[str] | None = None
    at = float("-inf")
    migrating = False


def difference(*, unknown: bool = True) -> Difference:
    """Compare the database with the code; what the code does not know only if it is asked for.

    Raises DatabaseError if the database is away.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    recorded = set(MigrationRecorder(connection).applied_migrations())
    on_disk = _on_disk()
    if on_disk <= recorded and not (unknown and _of_our_apps(recorded - on_disk)):
        return Difference()  # the usual case, without loading any migration
    # One that replaces others counts as applied when those are, which only the migrations themselves tell.
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    replaced = {key for migration in executor.loader.disk_migrations.values() for key in migration.replaces}
    return Difference(
        missing=[f"{migration.app_label}.{migration.name}" for migration, _backwards in plan],
        unknown=sorted(f"{app}.{name}" for app, name in _of_our_apps(recorded - on_disk - replaced)),
    )


def missing(*, anew: bool = False) -> list[str]:
    """Return the migrations that the database lacks. Raises DatabaseError if it is away.

    Once nothing is missing it is not asked again, except `anew`.
    """
    is_known = _Seen.missing == [] or time.monotonic() - _Seen.at < AGAIN_SECONDS
    if anew or _Seen.missing is None or not is_known:
        _Seen.missing, _Seen.at = difference(unknown=False).missing, time.monotonic()
    return _Seen.missing


def known_missing() -> list[str]:
    """Return the same without a query where nothing was missing at the last look, or nobody looked."""
    try:
        return missing() if _Seen.missing else []
    except DatabaseError:
        return []


def begin_with(*, some_missing: bool) -> None:
    """Begin with what another process of this start has seen: nothing is missing, or the next question looks again."""
    _Seen.missing, _Seen.at = (["unknown"] if some_missing else []), float("-inf")


def says_that_some_are_missing(fault: BaseException | None) -> bool:
    """Return whether a statement failed for a table or a column that a missing migration would have made."""
    if not isinstance(fault, DatabaseError):
        return False
    undefined = getattr(fault.__cause__, "sqlstate", "") in _UNDEFINED
    if not undefined and not any(text in str(fault) for text in _UNDEFINED_ON_SQLITE):
        return False
    try:
        return bool(missing(anew=True))
    except DatabaseError:
        return False


def note_at_start() -> Difference | None:
    """Write to the log what database and code do not have in common, and return it.

    Returns None if the database is away.
    """
    try:
        found = difference()
    except DatabaseError:
        return None
    for sentence in found.sentences():
        log.error("%s", sentence)
    _Seen.missing, _Seen.at = found.missing, time.monotonic()
    return found


def check(databases: Iterable[str] | None = None, **_kwargs: Any) -> list[CheckMessage]:
    """Warn of a database that lacks migrations, or has some that the code does not know."""
    if DEFAULT_DB_ALIAS not in (databases or ()) or _Seen.migrating:
        return []
    try:
        found = difference()
    except DatabaseError:
        return []  # other checks say that it is away
    return [Warning(sentence, id="interplay.W003") for sentence in found.sentences()]


def begin_migrating() -> None:
    """Warn of nothing any more in this process: it is the one that applies them."""
    _Seen.migrating = True


def _on_disk() -> set[tuple[str, str]]:
    """Return app and name of all migrations, without loading them."""
    found = set()
    for app in apps.get_app_configs():
        package = find_spec(f"{app.name}.migrations")
        for module in iter_modules(package.submodule_search_locations if package else []):
            if not module.ispkg and module.name[0] not in "_~":
                found.add((app.label, module.name))
    return found


def _of_our_apps(keys: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    labels = {app.label for app in apps.get_app_configs()}
    return {(app, name) for app, name in keys if app in labels}


def _listed(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
