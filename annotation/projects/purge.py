"""Purge of a deleted project after its seven days: rows, runs and files, a few at a time.

Each step is one short transaction that locks the project's row, so a crash leaves whole items and the next sweep
continues. The tables with rows of a project are found through the models, so a new table is purged without a change
here. Append-only rows are removed under a permit that exists only inside the step (`annotation.core.append_only`). Only
the row of the `Deletion` and a line in the log remain, both without content.
"""

import logging
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from uuid import UUID

from django.apps import apps
from django.core.files.storage import default_storage
from django.db.models import ForeignKey, Model
from django.db.models.functions import Now
from django.utils import timezone

from annotation.core.release_paths import releases_of, releases_root
from annotation.core.stored_files import remove_below
from annotation.core.transactions import short_transaction
from annotation.media import pictures
from annotation.models import (
    Deletion,
    Event,
    Import,
    Item,
    Label,
    Membership,
    Picture,
    Project,
    PurgePermit,
    Release,
)
from runs.queue import delete
from runs.sql.database_clock import seconds_from_now
from runs.sql.planner_statistics import refresh_statistics

log = logging.getLogger(__name__)

ITEMS_AT_ONCE = 1000
ROWS_AT_ONCE = 1000
SECONDS = 60.0
"""The maximum time that one sweep purges, in seconds; the next sweep continues."""
REMAINS_SECONDS = 3600.0
"""How long after a purge the sweeper looks again; no request and no step of a worker lasts as long."""

Paths = Mapping[type[Model], str]


def purge_due() -> int:
    """Continue the purge of every project that is due, for a minute at most. Return how many are purged completely.

    This is a step of the sweeper.
    """
    until = time.monotonic() + SECONDS
    due = Project.objects.filter(delete_after__lte=seconds_from_now(0)).order_by("delete_after")
    return sum(purge(project, until) for project in due)


def purge(project: Project, until: float | None = None) -> bool:
    """Remove the project and all that belongs to it.

    Return False if it is not due, or if `until` (monotonic time) was reached first.
    """
    if not _begin(project):
        return False
    for step in (_runs, _files, _items, _rest):
        while step(project):
            if until is not None and time.monotonic() > until:
                return False
    _folders(project.public_id)
    return _end(project)


def remove_remains() -> int:
    """Remove what requests and workers wrote that were at work while their project was purged: runs and files.

    Rows that point to the project cannot be stored any more; runs and files know it by its key only. Return how many
    runs were removed. This is a step of the sweeper, for an hour after the purge.
    """
    ended = Deletion.objects.filter(finished_at__gt=seconds_from_now(-REMAINS_SECONDS))
    purged = ended.exclude(project_key__in=Project.objects.values("public_id"))
    removed = 0
    for key in purged.values_list("project_key", flat=True):
        while some := short_transaction(delete.delete_project_runs)(key, ROWS_AT_ONCE):
            removed += some
        _folders(key)
    return removed


def losses(project: Project) -> dict[str, int]:
    """Count the rows that are lost with the project, by kind."""
    return {
        "items": Item.objects.filter(project=project).count(),
        "labels": Label.objects.filter(item__project=project).count(),
        "pictures": Picture.objects.filter(project=project).count(),
        "releases": Release.objects.filter(project=project).count(),
        "people": Membership.objects.filter(project=project, user__isnull=False).count(),
        "runs": delete.project_runs(project.public_id).count(),
        "events": Event.objects.filter(project=project).count(),
    }


# ── Tables ──────────────────────────────────────────────────────────────


def paths_to(root: type[Model]) -> dict[type[Model], str]:
    """Return every model with rows that belong to one of `root`, and the lookup that leads there.

    A path over keys that are never null is preferred, then the shortest one.
    """
    best: dict[type[Model], tuple[tuple[bool, int], str]] = {}
    models = [model for model in apps.get_models(include_auto_created=True) if model is not root]
    for _round in models:  # a path has at most as many steps as there are models
        before = len(best), [cost for cost, _path in best.values()]
        for model in models:
            for field in _keys(model):
                target: type[Model] = field.related_model
                if target is root:
                    candidate = ((field.null, 1), field.name)
                elif target in best and target is not model:
                    (empty, length), path = best[target]
                    candidate = ((field.null or empty, length + 1), f"{field.name}__{path}")
                else:
                    continue
                if model not in best or candidate < best[model]:
                    best[model] = candidate
        if before == (len(best), [cost for cost, _path in best.values()]):
            break
    return {model: path for model, (_way, path) in best.items()}


def in_order(models: Iterable[type[Model]]) -> list[type[Model]]:
    """Order the models so that each comes before those that its foreign keys point to; a cycle is broken anywhere."""
    remaining, ordered = sorted(set(models), key=lambda model: model._meta.label), []
    while remaining:
        pointed = {
            field.related_model for model in remaining for field in _keys(model) if field.related_model is not model
        }
        free = [model for model in remaining if model not in pointed] or remaining[:1]
        ordered += free
        remaining = [model for model in remaining if model not in free]
    return ordered


def _keys(model: type[Model]) -> "list[ForeignKey[Model, Model]]":
    return [field for field in model._meta.concrete_fields if isinstance(field, ForeignKey)]


# ── The steps ─────────────────────────────────────────────────────────────────


@short_transaction
def _begin(project: Project) -> bool:
    """Store that the purge begins, with the counts of lost rows, once.

    Return False if the project is not due.
    """
    if not _lock_if_due(project):
        return False
    open_rows = Deletion.objects.filter(project_key=project.public_id, cancelled_at=None, finished_at=None)
    row = open_rows.first()
    if row is None:  # somebody set the date in the database
        due = project.delete_after or timezone.now()
        row = Deletion.objects.create(project_key=project.public_id, slug=project.slug, due_at=due)
    if row.begun_at is None:
        open_rows.update(begun_at=timezone.now(), counts=losses(project))
        log.warning("The purge of project %s begins", project.public_id)
    return True


@short_transaction
def _runs(project: Project) -> int:
    return delete.delete_project_runs(project.public_id, ROWS_AT_ONCE) if _lock_if_due(project) else 0


@short_transaction
def _files(project: Project) -> int:
    """Remove the files of some pictures and imports. Their rows are removed soon after."""
    if not _lock_if_due(project):
        return 0
    with_files = Picture.objects.filter(project=project).exclude(file="").order_by("pk")[:ROWS_AT_ONCE]
    picture_files = list(with_files.values_list("pk", "file", "blurred"))
    Picture.objects.filter(pk__in=[key for key, *_names in picture_files]).update(file="", blurred="")
    imports = Import.objects.filter(project=project).exclude(file="", error_list="").order_by("pk")[:ROWS_AT_ONCE]
    import_files = list(imports.values_list("pk", "file", "error_list"))
    Import.objects.filter(pk__in=[key for key, *_names in import_files]).update(file="", error_list="")
    for _key, *names in (*picture_files, *import_files):
        for name in filter(None, names):
            default_storage.delete(name)
    return len(picture_files) + len(import_files)


@short_transaction
def _items(project: Project) -> int:
    """Remove some items with all rows that depend on them; constraints are checked at the end of the transaction."""
    if not _lock_if_due(project):
        return 0
    keys = list(Item.objects.filter(project=project).order_by("pk").values_list("pk", flat=True)[:ITEMS_AT_ONCE])
    paths = paths_to(Item)
    with _permit(project, keys):
        for model in sorted(paths, key=lambda model: -paths[model].count("__")):
            _remove(model, **{f"{paths[model]}__in": keys})
        _remove(Item, pk__in=keys)
    return len(keys)


@short_transaction
def _rest(project: Project) -> int:
    """Remove some rows of the first tables that have any, in an order that removes referring rows first."""
    if not _lock_if_due(project):
        return 0
    paths, removed = paths_to(Project), 0
    with _permit(project):
        for model in in_order(paths):
            rows = model._default_manager.filter(**{paths[model]: project.pk}).order_by("pk")
            keys = list(rows.values_list("pk", flat=True)[: ROWS_AT_ONCE - removed])
            _remove(model, pk__in=keys)
            removed += len(keys)
            if removed == ROWS_AT_ONCE:
                break
    return removed


@short_transaction
def _end(project: Project) -> bool:
    """Remove the project itself, and store that the purge is finished."""
    if not _lock_if_due(project):
        return False
    _remove(Project, pk=project.pk)
    rows = Deletion.objects.filter(project_key=project.public_id, cancelled_at=None, finished_at=None)
    row = rows.get()
    rows.update(finished_at=Now())
    refresh_statistics(sum(row.counts.values()), *paths_to(Item), Item)
    log.warning("Project %s is purged: %s", project.public_id, _written(row.counts))
    return True


def _lock_if_due(project: Project) -> bool:
    """Lock the project's row. Return False if it does not exist or is not due."""
    due = Project.objects.select_for_update().filter(pk=project.pk, delete_after__lte=seconds_from_now(0))
    return due.values_list("pk", flat=True).first() is not None


@contextmanager
def _permit(project: Project, items: Sequence[int] = ()) -> Iterator[None]:
    """Permit the removal of append-only rows of the project and of these items, inside the same transaction."""
    PurgePermit.objects.bulk_create(
        [PurgePermit(project_key=project.pk), *(PurgePermit(item_key=item) for item in items)]
    )
    yield
    _remove(PurgePermit, pk__gt=0)


def _remove(model: type[Model], **which: object) -> None:
    """Delete rows directly: no cascade and no model methods; triggers and constraints still apply."""
    rows = model._default_manager.filter(**which)
    rows._raw_delete(rows.db)


# ── Folders ───────────────────────────────────────────────────────────────────


def _folders(key: UUID) -> None:
    """Remove the remaining files of the project with this public id: releases, and pictures without a row."""
    remove_below(releases_of(key))
    remove_below(f"{pictures.FOLDER}/{key}")
    shutil.rmtree(releases_root() / str(key), ignore_errors=True)  # under construction, where the storage is a bucket


def _written(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
