"""Fill and use a site whose processes a test kills. Called in a process of that site."""

import json
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from knox.models import AuthToken

import site_visitors
from annotation.domain.choices import Role
from annotation.imports import uploads
from annotation.imports.options import ImportOptions
from annotation.members.join import add_member
from annotation.members.participation import consent
from annotation.models import Import, Membership, Project
from annotation.projects.create import create_project
from annotation.releases.job import order_release
from annotation.releases.selection import Selection


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
    words = "word " * 40
    items = [{"id": f"r-{number}", "text": f"{words}{number}", "gold": number % 2} for number in range(rows)]
    file = SimpleUploadedFile("incoming.jsonl", "\n".join(map(json.dumps, items)).encode())
    return uploads.upload(_importer(), file, ImportOptions()).pk


def store(import_id: int) -> bool:
    """Begin to store what was checked."""
    return uploads.store(Import.objects.get(pk=import_id), _importer())


def order() -> int:
    """Order a release of the imported items. Return the key of the order."""
    return order_release(_importer(), uuid4(), Selection()).pk


def _importer() -> Membership:
    return Membership.objects.select_related("project", "user").get(project__slug="incoming", user__username="importer")
