"""Releasing gold (or all closed items): an immutable, verifiable set of files, built from one moment of the database.

Rows are read in one snapshot while people go on working, streamed into a folder beside its final place, and on
the disk before that folder gets its name and the `Release` row exists. A crash leaves a nameless folder that the
sweeper removes within the hour, never half a release.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.core.files.storage import default_storage
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.analytics.agreement.agreement_json import as_json
from annotation.analytics.agreement.labels import read_agreement
from annotation.analytics.influence.figures import read_influence
from annotation.analytics.influence.influence_json import as_json as influence_json
from annotation.core.jobs import JobRefused
from annotation.core.snapshots import snapshot
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, Order, Stage
from annotation.domain.releases.columns import FORMAT, Scope, json_line
from annotation.domain.releases.diff import Brief, brief, compare
from annotation.models import Item, Membership, Project, Release, ReleaseTerms, record
from annotation.releases.counts import ReleaseCounts
from annotation.releases.diff import CHANGES, before_of, describe_changes
from annotation.releases.documents import software_version, write_papers
from annotation.releases.exposure import exposure
from annotation.releases.files import (
    ITEMS,
    HashedFile,
    ReleasedFile,
    copy_hashed,
    open_verified,
    sync,
    write_manifest,
    write_small,
)
from annotation.releases.folders import release_folder
from annotation.releases.formats.base import Target
from annotation.releases.formats.registry import writers
from annotation.releases.people import columns_about_people
from annotation.releases.places import Place, new_place
from annotation.releases.questions import QUESTIONS_FILE, design_changes, questions_of
from annotation.releases.request import Selection
from annotation.releases.rows import PictureFile, ReleasedItem, Rows
from annotation.releases.split import divide, find_topics, look_at_pictures
from providers.messages import ProviderError, Refused

SPLITS = "splits.json"


class CannotRelease(JobRefused):
    """Nothing was released; `code` is stable, `sentence` says why and what to do."""


Progress = Callable[[int, int], None]
"""Told now and then how many items of how many are written."""


def release(
    project: Project,
    by: Membership | None,
    selection: Selection | None = None,
    progress: Progress = lambda done, total: None,
    on_stored: Callable[[Release], None] = lambda stored_release: None,
) -> Release:
    """Build the next release of a project's gold. Raises CannotRelease, and then nothing is left of it.

    `on_stored` runs in the transaction that stores the release's row; what it raises undoes the release.
    """
    selection, public_id = selection or Selection(), uuid4()
    place = new_place(project.public_id, public_id)
    try:
        if selection.split is not None:
            look_at_pictures(project)
        topics = _topics(project, selection)
        scope = str(public_id) if selection.fresh_pseudonyms else "releases"
        with snapshot():
            files, manifest = _write_items(place.building, Rows(project, selection, scope), topics, progress)
        manifest = {"format": FORMAT, "release": str(public_id)} | manifest
        place.take_rows(file.path for file in files)
        return _publish(place, project, by, files, manifest, on_stored)
    finally:
        place.leave()


def copy_to(release: Release, target: Path) -> None:
    """Put a verified copy of the release into a folder, all of it or nothing.

    Raises CannotRelease where something is in the folder already, Changed where the release is damaged.
    """
    check_target(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        listed = release.manifest["files"]
        for file in listed:
            with open_verified(release_folder(release), file) as source:
                copy_hashed(source, building, file["path"])
        write_manifest(
            building,
            {name: value for name, value in release.manifest.items() if name != "files"},
            [ReleasedFile(file["path"], file["size"], file["sha256"]) for file in listed],
        )
        os.rename(building, target)
        sync(target.parent)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise


def check_target(target: Path) -> None:
    """Raise CannotRelease where a release cannot be put into this folder."""
    parent = next(folder for folder in target.absolute().parents if folder.exists())
    for folder in (parent, target):
        if folder.exists() and not folder.is_dir():
            raise CannotRelease("not_a_folder", f"{folder} is not a folder.")
    if not os.access(parent, os.W_OK):
        raise CannotRelease("not_writable", f"Nothing can be written into {parent}. Name another folder.")
    if target.is_dir() and any(target.iterdir()):
        sentence = f"{target} is not empty: a release is never mixed with other files. Name a new folder."
        raise CannotRelease("folder_not_empty", sentence)


def _topics(project: Project, selection: Selection) -> Mapping[str, int | None]:
    try:
        return find_topics(project, selection)
    except (ProviderError, Refused) as fault:
        sentence = _("The texts could not be sorted into topics (%(why)s). Ask for none, or try again later.")
        raise CannotRelease("no_topics", sentence % {"why": str(fault).rstrip(".")}) from fault


def _write_items(
    folder: Path, rows: Rows, topics: Mapping[str, int | None], progress: Progress
) -> tuple[list[ReleasedFile], dict[str, Any]]:
    """Write all that comes from rows; returns the files and what the manifest says about them."""
    project, total = rows.project, rows.selection.items(rows.project).count()
    if total == 0:
        raise CannotRelease("nothing_to_release", nothing_fits(rows.selection))
    division = divide(project, rows.selection, topics) if rows.selection.split else None
    rows.parts = division.parts if division else {}
    counted, pictures = ReleaseCounts(rows.imported_names()), _Pictures(folder)
    lines = HashedFile(folder, ITEMS)
    others = writers(rows, Target(folder, rows.columns, project.category_values(), rows.answers.questions, rows.kept))
    older = before_of(project)
    briefs: list[tuple[str, Brief]] = []
    for released_item in rows:
        lines.write(json_line(released_item.row, rows.columns))
        picture = pictures.add(released_item)
        for writer in others:
            writer.add(released_item.row, picture)
        counted.add(released_item.row)
        if older:
            briefs.append((released_item.row["id"], brief(released_item.row, rows.selection.texts)))
        if counted.items % 500 == 0:
            progress(counted.items, total)
        elif counted.items == 1:
            progress(0, total)
    progress(counted.items, total)
    files = [lines.close(), *(file for writer in others for file in writer.close()), *pictures.files()]
    extra: dict[str, Any] = {"split": division.report} if division else {}
    if older:
        changes = describe_changes(older[0], compare(older[1], briefs), project)
        files.append(write_small(folder, CHANGES, as_text(changes)))
        extra["changes"] = {name: changes[name] for name in ("since", "counts", "reasons")}
    if division:
        files.append(write_small(folder, SPLITS, as_text(dict(division.report))))
    design_files, design = _about_design(folder, rows, counted)
    agreement = read_agreement(project)
    return [*files, *design_files], _about(project, rows) | extra | design | {
        "counts": counted.as_json(len(pictures.files())),
        "models": counted.models_as_json(),
        "agreement": as_json(agreement),
        "closed": agreement.closed,
        **{name: n for name in ("closed_excluded", "gold_imported") if (n := getattr(agreement, name))},
        **hard_items_first(project),
        "influence": influence_json(read_influence(project)),
        "exposure": exposure(project),
        **({"about_annotators": about} if (about := _about_people(rows)) else {}),
    }


def _about_people(rows: Rows) -> list[dict[str, Any]]:
    """Return the columns about people that the release has, with how many of their values are rare."""
    return [column._asdict() for column in columns_about_people(rows.project)] if rows.known_of_people else []


def _about_design(folder: Path, rows: Rows, counted: ReleaseCounts) -> tuple[list[ReleasedFile], dict[str, Any]]:
    """Write the further questions as they were asked; return the files and what the manifest says about the design."""
    entries: dict[str, Any] = {}
    files = []
    if rows.answers.kinds:
        entries["questions"] = questions_of(rows.project, counted.asked)
        files.append(write_small(folder, QUESTIONS_FILE, as_text({"questions": entries["questions"]})))
    if changed := design_changes(rows.project):
        entries["design_changes"] = changed
    return files, entries


def nothing_fits(selection: Selection) -> str:
    """Why a release would be empty."""
    if selection.scope is Scope.GOLD:
        return _("There is no gold item that fits, so there is nothing to release.")
    return _("There is no closed item that fits, so there is nothing to release.")


def as_text(value: dict[str, Any]) -> str:
    """Serialise a JSON file of a release."""
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


class _Pictures:
    """Copies of the release's pictures: each is copied once and compared with the hash in its row."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, ReleasedFile] = {}

    def add(self, released_item: ReleasedItem) -> Path | None:
        """Copy the item's picture and return the released file.

        Returns None if the item has no picture.

        Raises CannotRelease if the picture is missing or has changed.
        """
        picture = released_item.picture
        if picture is None:
            return None
        if picture.path in self._files:
            return self._folder / picture.path
        copied = self._copy(picture, released_item.row["id"])
        if copied.sha256 != picture.sha256:
            sentence = (
                f"The picture of item {released_item.row['id']} has changed on the disk; restore {picture.stored}."
            )
            raise CannotRelease("picture_damaged", sentence)
        self._files[picture.path] = copied
        return self._folder / picture.path

    def _copy(self, picture: PictureFile, external_id: str) -> ReleasedFile:
        try:
            with default_storage.open(picture.stored, "rb") as source:
                return copy_hashed(source, self._folder, picture.path)
        except FileNotFoundError:
            sentence = f"The picture of item {external_id} is not on the disk; restore {picture.stored}."
            raise CannotRelease("picture_missing", sentence) from None

    def files(self) -> list[ReleasedFile]:
        return [self._files[path] for path in sorted(self._files)]


def hard_items_first(project: Project) -> dict[str, Any]:
    """Return what a manifest says about the order if hard items come first: how many items are not labelled yet.

    As long as there are any, those that are labelled are no random sample of all.
    """
    if project.order != Order.HARD:
        return {}
    items = Item.objects.filter(project=project).exclude(stage__in=(Stage.KNOWN, Stage.EXCLUDED))
    waiting = items.filter(stage__in=(Stage.IMPORTED, Stage.READY, Stage.LABELLING)).count()
    return {"hard_items_first": {"items": items.count(), "not_labelled": waiting}}


def _about(project: Project, rows: Rows) -> dict[str, Any]:
    """Return what the manifest states about the project at this moment."""
    guidelines = project.guidelines.values_list("number", flat=True).first()
    return {
        "software": {"name": "interplay", "version": software_version()},
        "columns": list(rows.columns),
        **({"extra": rows.kept} if rows.kept else {}),
        "authors": ReleaseTerms.authors_of(project),
        "annotators": ReleaseTerms.annotators_of(project),
        "project": {"slug": project.slug, "name": project.name, "description": project.description},
        "created": timezone.now().date().isoformat(),
        "licence": project.licence or None,
        "seats": project.seats,
        "policy": project.policy,
        "guideline_version": guidelines,
        "categories": [
            {
                "code": category.code,
                "name": category.name,
                "hateful": category.hateful,
                "definition": category.definition,
            }
            for category in project.category_values()
        ],
        "selection": rows.selection.model_dump(mode="json"),
    }


@short_transaction
def _publish(
    place: Place,
    project: Project,
    by: Membership | None,
    files: list[ReleasedFile],
    manifest: dict[str, Any],
    on_stored: Callable[[Release], None],
) -> Release:
    """Give the release its number, seal its folder, and name both. What fails is undone and may be tried again."""
    # Two releases at once take their numbers one after the other; labelling, which only refers to the row, goes on.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    newest = Release.objects.filter(project=project).order_by("-number").values_list("number", flat=True).first()
    manifest = manifest | {"version": (newest or 0) + 1}
    papers = write_papers(place.building, manifest, files)
    full_manifest = write_manifest(place.building, manifest, [*files, *papers])
    folder = place.seal(manifest["version"], [paper.path for paper in papers])
    try:
        stored_release = _store(project, by, full_manifest, folder)
        on_stored(stored_release)
        return stored_release
    except BaseException:
        place.unseal([paper.path for paper in papers])
        raise


def _store(project: Project, by: Membership | None, manifest: dict[str, Any], folder: str) -> Release:
    release = Release.objects.create(
        public_id=UUID(manifest["release"]),
        project=project,
        number=manifest["version"],
        created_by=by,
        options=manifest["selection"],
        manifest=manifest,
        items=manifest["counts"]["items"],
        folder=folder,
    )
    record(
        EventVerb.RELEASED,
        project=project,
        actor=by,
        row=release.public_id,
        version=release.number,
        items=release.items,
    )
    return release
