"""Audit of a project's files: pictures and releases that are missing, changed or left over."""

import hashlib
import time
from collections.abc import Iterator

from django.core.files.storage import default_storage

from annotation.core.release_paths import archive_name, release_name, releases_of
from annotation.core.stored_files import StoreAway, files_below
from annotation.domain.choices import EventVerb
from annotation.media.pictures import FOLDER
from annotation.models import Event, Picture, Project, Publication, Release
from annotation.releases.files import Changed, problems, read_manifest
from annotation.releases.folders import release_folder

_UNDER_WAY = 3600  # seconds for which an import may have written a picture without its row


def file_problems(project: Project) -> Iterator[str]:
    """List pictures and releases that differ from their rows, and files without a row."""
    yield from _pictures(project)
    yield from _left_over(project)
    yield from _releases(project)


def _pictures(project: Project) -> Iterator[str]:
    for picture in Picture.objects.filter(project=project).order_by("pk").iterator(chunk_size=1000):
        digest = _sha256(str(picture.file.name))
        if digest is None:
            yield f"Picture {picture.public_id}: its file {picture.file.name} is lost."
        elif digest != picture.file_sha256:
            yield f"Picture {picture.public_id}: its file {picture.file.name} has changed."
        if not default_storage.exists(str(picture.blurred.name)):
            yield f"Picture {picture.public_id}: its blurred file {picture.blurred.name} is lost."


def _sha256(name: str) -> str | None:
    try:
        with default_storage.open(name, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except StoreAway:
        raise
    except OSError:
        return None


def _left_over(project: Project) -> Iterator[str]:
    rows = Picture.objects.filter(project=project).values_list("file", "blurred")
    known = {name for names in rows for name in names}
    before = time.time() - _UNDER_WAY
    for name in files_below(f"{FOLDER}/{project.public_id}"):
        if name not in known and default_storage.get_modified_time(name).timestamp() < before:
            yield f"File {name}: no picture refers to it; `sweep` removes it."


def _releases(project: Project) -> Iterator[str]:
    made = list(Release.objects.filter(project=project).order_by("number"))
    if [release.number for release in made] != list(range(1, len(made) + 1)):
        yield f"Releases: {len(made)} are there, numbered {', '.join(str(release.number) for release in made)}."
    recorded = set(Event.objects.filter(project=project, verb=EventVerb.RELEASED).values_list("row", flat=True))
    for release in made:
        if release.public_id not in recorded:
            yield f"Release {release.number}: no event tells of it."
        yield from (f"Release {release.number}: {problem}" for problem in _release(release))
    for lost in sorted(recorded - {release.public_id for release in made}, key=str):
        yield f"Release {lost}: an event tells of it, but it is lost."
    shown = Publication.objects.filter(release__project=project, withdrawn_at=None).select_related("release")
    archives = {archive_name(published.release): published for published in shown}
    for name, published in archives.items():
        if not default_storage.exists(name) or default_storage.size(name) != published.archive_size:
            yield f"Release {published.release.number}: the archive that it is fetched as is lost; publish it again."
    known = {release_name(release) for release in made} | set(archives)
    for name in _entries(releases_of(project.public_id)):
        if name not in known:
            yield f"Folder {name.rpartition('/')[2]}: no release refers to it."


def _entries(folder: str) -> list[str]:
    """Return the names of what is in a folder, but not what is still built there."""
    try:
        inside = default_storage.listdir(folder)
    except FileNotFoundError:
        return []
    return sorted(f"{folder}/{name}" for names in inside for name in names if not name.startswith("."))


def _release(made: Release) -> Iterator[str]:
    folder = release_folder(made)
    yield from problems(folder)
    try:
        same = read_manifest(folder) == made.manifest
    except Changed:
        return  # `problems` has reported it
    if not same:
        yield "its manifest is not the one that was released."
    if made.items != made.manifest["counts"]["items"]:
        yield "its row and its manifest count different items."
