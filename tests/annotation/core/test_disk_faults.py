"""A full disk: one sentence that names the disk, and nothing half stored."""

import errno
import json
from io import BytesIO

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import Client
from PIL import Image

import api_schema
import builders
from annotation.core import jobs
from annotation.core.disk_faults import is_disk_fault
from annotation.domain.choices import Role
from annotation.models import BulkOrder, Import, Item, JobState

pytestmark = pytest.mark.django_db

FULL = OSError(errno.ENOSPC, "No space left on device")


def caused_by(cause: Exception) -> Exception:
    fault = RuntimeError("import")
    fault.__cause__ = cause
    return fault


class DiskFull(Exception):
    sqlstate = "53100"


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (FULL, True),
        (OSError(errno.EROFS, "Read-only file system"), True),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), True),
        (caused_by(FULL), True),
        (OperationalError("database or disk is full"), True),
        (OperationalError("attempt to write a readonly database"), True),
        (caused_by(DiskFull("could not extend file")), True),
        (OSError(errno.ENOENT, "No such file"), False),
        (PermissionError(errno.EACCES, "denied"), False),
        (OperationalError("database is locked"), False),
        (None, False),
    ],
)
def test_a_disk_that_takes_nothing_is_told_from_other_faults(fault, expected):
    assert is_disk_fault(fault) is expected


def test_a_folder_of_another_account_is_said_and_no_failure_of_the_server(monkeypatch):
    member = builders.make_member(builders.make_project("p"), Role.ADMIN)
    client = Client(raise_request_exception=False)
    client.force_login(member.user)

    def refuse(self, name, content):
        raise PermissionError(errno.EACCES, "Permission denied", name)

    monkeypatch.setattr(FileSystemStorage, "_save", refuse)
    file = BytesIO(b"id,text\n1,a\n")
    file.name = "posts.csv"
    answer = client.post("/p/p/import/", {"file": file})
    page = answer.content.decode()
    assert answer.status_code == 503 and "The site has no right to use one of its own files or folders" in page
    assert not Import.objects.exists()


def test_an_upload_says_that_the_disk_is_full_and_reading_goes_on(monkeypatch):
    member = builders.make_member(builders.make_project("p"), Role.ADMIN)
    client = Client(raise_request_exception=False)
    client.force_login(member.user)

    def save(self, *args, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FileSystemStorage, "save", save)
    file = BytesIO(b"id,text\n1,a\n")
    file.name = "posts.csv"
    answer = client.post("/p/p/import/", {"file": file})
    assert answer.status_code == 503 and answer["Retry-After"] == "60"
    assert "The disk of this site is full" in answer.content.decode()
    assert not Import.objects.exists()
    assert client.get("/p/p/items/").status_code == 200


def test_the_api_says_it_with_a_code(monkeypatch):
    member = builders.make_member(builders.make_project("p"), Role.ADMIN)
    client = Client(raise_request_exception=False)
    client.force_login(member.user)

    def full(*args, **options):
        raise OperationalError("database or disk is full")

    api_schema.operations()  # made once a process: it must describe the real view
    monkeypatch.setattr("annotation.api.projects.Projects.get", full)
    answer = client.get("/api/v1/projects/")
    assert answer.status_code == 503 and json.loads(answer.content)["code"] == "disk_full"


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (FULL, "The disk of this site is full"),
        (PermissionError(errno.EACCES, "Permission denied"), "The site has no right to use one of its own files"),
    ],
)
def test_a_job_fails_with_the_sentence(fault, sentence):
    admin = builders.make_member(builders.make_project(), Role.ADMIN)
    row = BulkOrder.objects.create(project=admin.project, ordered_by=admin, key=admin.public_id, act="open")

    def work(job, heartbeat):
        raise fault

    jobs.JobKind("test", BulkOrder, phases=(jobs.Phase(work),)).perform(row.pk)
    row.refresh_from_db()
    assert row.state == JobState.FAILED and row.problem.startswith(sentence)


def test_a_command_names_the_disk_and_leaves_no_empty_picture(monkeypatch, tmp_path, settings):
    project = builders.make_project("p")
    folder = tmp_path / "pictures"
    folder.mkdir()
    Image.new("RGB", (32, 32), "red").save(folder / "a.png")
    table = tmp_path / "posts.csv"
    table.write_text("id,text,image\n1,a,a.png\n")
    save = FileSystemStorage._save

    def fill_up(self, name, content):
        save(self, name, ContentFile(b"") if name.endswith("-b.jpg") else content)
        if name.endswith("-b.jpg"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return name

    monkeypatch.setattr(FileSystemStorage, "_save", fill_up)
    with pytest.raises(CommandError, match="The disk of this site is full"):
        call_command("import_items", "p", table, "--images", folder)
    assert not Item.objects.filter(project=project).exists()
    assert [path for path in settings.MEDIA_ROOT.rglob("*") if path.is_file()] == []
