"""Fill and use a site whose processes a test kills. Called in a process of that site."""

import io
import json
import random
import zipfile
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from knox.models import AuthToken
from PIL import Image

import site_visitors
from annotation.domain.choices import Role
from annotation.imports import uploads
from annotation.imports.job import IMPORTS
from annotation.imports.options import ImportOptions
from annotation.members.join import add_member
from annotation.members.participation import consent
from annotation.models import Import, Membership, Project, ReleaseOrder
from annotation.projects.create import create_project
from annotation.releases.job import RELEASES, order_release
from annotation.releases.request import Selection


def fill(items: int, people: int) -> dict[str, Any]:
    """Create a project with its people, their sessions and a reviewer's token, and an empty project for an import."""
    filled = site_visitors.fill("drain", items, people)
    reviewer = add_member(Project.objects.get(slug="drain"), "reviewer", Role.REVIEWER).membership
    consent(reviewer)
    _row, token = AuthToken.objects.create(reviewer.user)
    add_member(create_project("incoming"), "importer", Role.ADMIN)
    return filled | {"token": token}


def upload(rows: int) -> int:
    """Upload a file of gold items, too large for a page that waits. Return the key of the import."""
    words = "word " * 90
    items = [{"id": f"r-{number}", "text": f"{words}{number}", "gold": number % 2} for number in range(rows)]
    file = SimpleUploadedFile("incoming.jsonl", "\n".join(map(json.dumps, items)).encode())
    return uploads.upload(_importer(), file, ImportOptions()).pk


def upload_pictures(rows: int) -> int:
    """Upload a ZIP of gold items with a picture each, too large for a page that waits. Return the key of the import."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        items = [
            {"id": f"r-{number}", "text": f"Post {number} of all vermin.", "image": f"{number}.png", "gold": number % 2}
            for number in range(rows)
        ]
        archive.writestr("posts.jsonl", "\n".join(map(json.dumps, items)))
        for number in range(rows):
            archive.writestr(f"{number}.png", _noise(number))
    return uploads.upload(_importer(), SimpleUploadedFile("incoming.zip", out.getvalue()), ImportOptions()).pk


def _noise(number: int) -> bytes:
    """Return a picture that no compression makes small."""
    out = io.BytesIO()
    Image.frombytes("RGB", (160, 120), random.Random(number).randbytes(160 * 120 * 3)).save(out, "PNG")
    return out.getvalue()


def ring(import_id: int) -> bool:
    """Enqueue the import once more."""
    return IMPORTS.enqueue(import_id)


def order_from_worker() -> int:
    """Order a release that a worker builds, although it is small. Return the key of the order."""
    member = _importer()
    stored = Selection().model_dump(mode="json")
    row = ReleaseOrder.objects.create(
        project=member.project,
        ordered_by=member,
        key=uuid4(),
        options=stored,
        items_total=1,
    )
    RELEASES.enqueue(row.pk)
    return row.pk


def session() -> str:
    """Return a session of the admin who imports."""
    return site_visitors.session_of(_importer().user)


def end_project(slug: str) -> None:
    """Let the project be purged by the next sweep."""
    Project.objects.filter(slug=slug).update(delete_after=timezone.now())


def store(import_id: int) -> bool:
    """Begin to store what was checked."""
    return uploads.store(Import.objects.get(pk=import_id), _importer())


def order() -> int:
    """Order a release of the imported items. Return the key of the order."""
    return order_release(_importer(), uuid4(), Selection()).pk


def _importer() -> Membership:
    return Membership.objects.select_related("project", "user").get(project__slug="incoming", user__username="importer")
