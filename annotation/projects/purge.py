"""Removing a deleted project for good, once its seven days are over: rows, runs and files, a few at a time.

Each step is one short transaction that holds the project's row, so a kill leaves whole items behind and the next sweep
goes on. Which tables hold rows of a project is asked of the models: a new table is purged without a change here.
Append-only rows go by a permit that lives and ends inside the step (`annotation.append_only`). What stays is the row
of the `Deletion` and a line in the log, neither with any content.
"""

import logging
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from django.apps import apps
from django.core.files.storage import default_storage
from django.db.models import ForeignKey, Model
from django.utils import timezone

from annotation.core.release_paths import releases_root
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

log = logging.getLogger(__name__)

ITEMS_AT_ONCE = 200
ROWS_AT_ONCE = 1000
SECONDS = 60.0
"""How long one sweep purges; the next one goes on."""

Paths = Mapping[type[Model], str]


def purge_due() -> int:
    """Go on with every project whose time is over, for a minute at most; how many are gone. The sweeper's step."""
    until = time.monotonic() + SECONDS
    due = Project.objects.filter(delete_after__lte=timezone.now()).order_by("delete_after")
    return sum(purge(project, until) for project in due)


def purge(project: Project, until: float | None = None) -> bool:
    """Remove the project and all that belongs to it; False where it is not due, or `until` (monotonic) came first."""
    if not _begin(project):
        return False
    for step in (_runs, _files, _items, _rest):
        while step(project):
            if until is not None and time.monotonic() > until:
                return False
    _folders(project)
    return _end(project)


def losses(project: Project) -> dict[str, int]:
    """Count what is lost with the project, by kind."""
    return {
        "items": Item.objects.filter(project=project).count(),
        "labels": Label.objects.filter(item__project=project).count(),
        "pictures": Picture.objects.filter(project=project).count(),
        "releases": Release.objects.filter(project=project).count(),
        "people": Membership.objects.filter(project=project, user__isnull=False).count(),
        "runs": delete.project_runs(project.public_id).count(),
        "events": Event.objects.filter(project=project).count(),
    }


# ── Which tables ──────────────────────────────────────────────────────────────


def paths_to(root: type[Model]) -> dict[type[Model], str]:
    """Every model with rows that belong to one of `root`, and the lookup that leads there.

    The shortest way counts, over keys that are never empty where there is one.
    """
    found: dict[type[Model], tuple[tuple[bool, int], str]] = {}
    models = [model for model in apps.get_models(include_auto_created=True) if model is not root]
    for _round in models:  # at most so many steps away
        before = len(found), [way for way, _path in found.values()]
        for model in models:
            for field in _keys(model):
                target: type[Model] = field.related_model
                if target is root:
                    offered = ((field.null, 1), field.name)
                elif target in found and target is not model:
                    (empty, length), path = found[target]
                    offered = ((field.null or empty, length + 1), f"{field.name}__{path}")
                else:
                    continue
                if model not in found or offered < found[model]:
                    found[model] = offered
        if before == (len(found), [way for way, _path in found.values()]):
            break
    return {model: path for model, (_way, path) in found.items()}


def in_order(models: Iterable[type[Model]]) -> list[type[Model]]:
    """Order the models so that each comes before those that its keys point to; a cycle is cut anywhere."""
    left, done = sorted(set(models), key=lambda model: model._meta.label), []
    while left:
        pointed = {field.related_model for model in left for field in _keys(model) if field.related_model is not model}
        free = [model for model in left if model not in pointed] or left[:1]
        done += free
        left = [model for model in left if model not in free]
    return done


def _keys(model: type[Model]) -> "list[ForeignKey[Model, Model]]":
    return [field for field in model._meta.concrete_fields if isinstance(field, ForeignKey)]


# ── The steps ─────────────────────────────────────────────────────────────────


@short_transaction
def _begin(project: Project) -> bool:
    """Note that it begins, with the counts of what is lost; once."""
    if not _held(project):
        return False
    open_rows = Deletion.objects.filter(project_key=project.public_id, cancelled_at=None, finished_at=None)
    row = open_rows.first()
    if row is None:  # somebody set the date by hand
        due = project.delete_after or timezone.now()
        row = Deletion.objects.create(project_key=project.public_id, slug=project.slug, due_at=due)
    if row.begun_at is None:
        open_rows.update(begun_at=timezone.now(), counts=losses(project))
        log.warning("The purge of project %s begins", project.public_id)
    return True


@short_transaction
def _runs(project: Project) -> int:
    return delete.delete_project_runs(project.public_id, ROWS_AT_ONCE) if _held(project) else 0


@short_transaction
def _files(project: Project) -> int:
    """Remove the files of some pictures and imports. Rows that name a lost file are gone soon after."""
    if not _held(project):
        return 0
    there = Picture.objects.filter(project=project).exclude(file="").order_by("pk")[:ROWS_AT_ONCE]
    some = list(there.values_list("pk", "file", "blurred"))
    Picture.objects.filter(pk__in=[key for key, *_names in some]).update(file="", blurred="")
    kept = Import.objects.filter(project=project).exclude(file="", error_list="").order_by("pk")[:ROWS_AT_ONCE]
    also = list(kept.values_list("pk", "file", "error_list"))
    Import.objects.filter(pk__in=[key for key, *_names in also]).update(file="", error_list="")
    for _key, *names in (*some, *also):
        for name in filter(None, names):
            default_storage.delete(name)
    return len(some) + len(also)


@short_transaction
def _items(project: Project) -> int:
    """Remove some items with all that hangs on them; the constraints are asked when the transaction ends."""
    if not _held(project):
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
    """Remove some rows of the first table that has any left, those first that point to others."""
    if not _held(project):
        return 0
    paths = paths_to(Project)
    for model in in_order(paths):
        rows = model._default_manager.filter(**{paths[model]: project.pk})
        keys = list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS_AT_ONCE])
        if keys:
            with _permit(project):
                _remove(model, pk__in=keys)
            return len(keys)
    return 0


@short_transaction
def _end(project: Project) -> bool:
    """Remove the project itself, and say that it is done."""
    if not _held(project):
        return False
    _remove(Project, pk=project.pk)
    rows = Deletion.objects.filter(project_key=project.public_id, cancelled_at=None, finished_at=None)
    row = rows.get()
    rows.update(finished_at=timezone.now())
    log.warning("Project %s is purged: %s", project.public_id, _written(row.counts))
    return True


def _held(project: Project) -> bool:
    """Lock the project's row; False where it is gone or not due (any more)."""
    due = Project.objects.select_for_update().filter(pk=project.pk, delete_after__lte=timezone.now())
    return due.values_list("pk", flat=True).first() is not None


@contextmanager
def _permit(project: Project, items: Sequence[int] = ()) -> Iterator[None]:
    """Let append-only rows of the project, and of these items, go; taken back in the same transaction."""
    PurgePermit.objects.bulk_create(
        [PurgePermit(project_key=project.pk), *(PurgePermit(item_key=item) for item in items)]
    )
    yield
    _remove(PurgePermit, pk__gt=0)


def _remove(model: type[Model], **which: object) -> None:
    """Remove rows as they stand: nothing cascades, no model is asked, the triggers and constraints are."""
    rows = model._default_manager.filter(**which)
    rows._raw_delete(rows.db)


# ── Folders ───────────────────────────────────────────────────────────────────


def _folders(project: Project) -> None:
    """Remove what is left on the disk: releases, and pictures that no row named."""
    home = releases_root() / str(project.public_id)
    if home.is_dir():
        shutil.rmtree(home)
    _remove_folder(f"{pictures.FOLDER}/{project.public_id}")


def _remove_folder(folder: str) -> None:
    if default_storage.exists(folder):
        folders, files = default_storage.listdir(folder)
        for name in files:
            default_storage.delete(f"{folder}/{name}")
        for name in folders:
            _remove_folder(f"{folder}/{name}")
        default_storage.delete(folder)


def _written(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
