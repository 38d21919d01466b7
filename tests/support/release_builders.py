"""Builders of gold items with pictures, and readers of a release of them."""

import hashlib
import json
from io import BytesIO
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image

import builders
from annotation.consensus.close import close_item
from annotation.core.release_paths import archive_name, folder_of
from annotation.domain.choices import Stage
from annotation.imports.store import store_pictures
from annotation.media.decoder_process import DrawingProcess
from annotation.media.pictures import picture_limits, stage_picture
from annotation.models import AccessRequest, Item, Membership, Picture, Project, Publication, Release
from annotation.releases import files, publication
from annotation.releases.folders import LocalFolder


def make_gold(
    project: Project,
    trio: list[Membership],
    codes: Any = (0, 0, 1),
    text: str = "A post about a garden.",
    **fields: Any,
) -> Item:
    """Create a gold item that is decided by these labels."""
    item = builders.make_labelled_item(project, trio, codes, text=text, **fields)
    close_item(item)
    item.refresh_from_db()
    assert item.stage == Stage.GOLD
    return item


def accept(shown: Publication, access_request: AccessRequest) -> bool:
    """Accept the terms as they stand, like somebody who opened the page just now."""
    terms = publication.access_terms_of(shown.release.project)
    return publication.accept_terms(shown, access_request, publication.digest_of_terms(shown, terms))


def make_picture(project: Project, colour: Any = "red") -> Picture:
    """Create a small picture of one colour, stored as an import stores it."""
    out = BytesIO()
    Image.new("RGB", (8, 6), colour).save(out, "PNG")
    return keep_picture(project, out.getvalue())


def keep_picture(project: Project, content: bytes) -> Picture:
    """Store a PNG with these bytes."""
    name = default_storage.save("pictures/x.png", ContentFile(content))
    return Picture.objects.create(
        project=project,
        sha256=hashlib.sha256(b"as it came in: " + content).hexdigest(),
        file=name,
        file_sha256=hashlib.sha256(content).hexdigest(),
        blurred=name,
        media_type="image/png",
        width=8,
        height=6,
    )


def imported_picture(project: Project, colour: Any) -> Picture:
    """Create a picture with the import's own drawing code, so that an import recognises it."""
    out = BytesIO()
    Image.new("RGB", (60, 40), colour).save(out, "PNG")
    with DrawingProcess(picture_limits()) as process:
        staged = stage_picture(process.draw(out.getvalue()), project)
    return Picture.objects.get(pk=store_pictures(project, [staged])[staged.sha256])


def rows_of(made: Release) -> list[dict[str, Any]]:
    """Return the rows of a release."""
    return [json.loads(line) for line in (folder_of(made) / "items.jsonl").read_bytes().splitlines()]


def problems(folder: Path) -> list[str]:
    """Return all that is wrong with the release in a folder of this machine."""
    return files.problems(LocalFolder(folder))


def archive_of(made: Release) -> Path:
    """Return the path of the ZIP of a published release."""
    return Path(default_storage.path(archive_name(made)))
