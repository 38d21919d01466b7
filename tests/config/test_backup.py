"""A backup is whole or refused, and restored elsewhere it is the same site."""

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from PIL import Image

import builders
from annotation.domain.choices import Role
from annotation.imports import uploads
from annotation.imports.options import ImportOptions
from annotation.models import Import, Picture
from annotation.releases.build import release
from config import backup
from worker_processes import database_url, environment

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """The backup of a project with pictures and a release."""
    admin = builders.make_member(builders.make_project("garden"), Role.ADMIN)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        rows = [{"id": f"p-{n}", "text": f"Post {n}.", "image": f"{n}.png", "gold": 0} for n in range(2)]
        archive.writestr("posts.jsonl", "\n".join(map(json.dumps, rows)))
        for n, colour in enumerate(("red", "green")):
            picture = io.BytesIO()
            Image.new("RGB", (32, 24), colour).save(picture, "PNG")
            archive.writestr(f"{n}.png", picture.getvalue())
    row = uploads.upload(admin, SimpleUploadedFile("posts.zip", out.getvalue()), ImportOptions())
    assert uploads.store(Import.objects.get(pk=row.pk), admin) and Picture.objects.count() == 2
    release(admin.project, admin)
    call_command("backup", str(tmp_path / "backup"))
    return tmp_path / "backup"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of another site with an empty database."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if connection.vendor == "sqlite":
        yield environment(folder, "memory://", DATABASE_URL=database_url(str(folder / "new.sqlite3")))
        return
    name = f"{connection.settings_dict['NAME']}_restored"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name}")
        cursor.execute(f"CREATE DATABASE {name}")
    try:
        yield environment(folder, "memory://", DATABASE_URL=database_url(name))
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def ran(environ: dict[str, str], *command: str) -> "subprocess.CompletedProcess[str]":
    arguments = [sys.executable, "manage.py", *command]
    return subprocess.run(arguments, env=environ, cwd=site.BASE_DIR, capture_output=True, text=True, timeout=300)


def files_below(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.relative_to(folder).as_posix().startswith("imports/walked")
    }


def test_restored_elsewhere_the_audit_is_clean_and_every_file_has_its_checksum(
    made: Path, elsewhere: dict[str, str]
) -> None:
    done = ran(elsewhere, "restore", str(made), "--json")
    assert done.returncode == 0, done.stderr
    files = files_below(Path(elsewhere["VAR_DIR"]) / "media")
    assert files == files_below(Path(site.MEDIA_ROOT)) and len(files) > 8
    audited = ran(elsewhere, "audit", "garden", "--json")
    assert audited.returncode == 0, audited.stdout
    again = ran(elsewhere, "restore", str(made))
    assert again.returncode == 1 and "The database is not empty" in again.stderr


def test_a_backup_that_lost_or_gained_a_byte_is_refused(made: Path) -> None:
    assert backup.problems(made) == []
    picture = next((made / "files" / "pictures").rglob("*.png"))
    content, name = picture.read_bytes(), picture.relative_to(made).as_posix()
    picture.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert backup.problems(made) == [f"{name} has changed."]
    with pytest.raises(backup.BadBackup, match="has changed"):
        backup.restore(made)
    picture.unlink()
    (made / "stray").write_text("x")
    assert backup.problems(made) == [f"{name} is missing.", "stray is not part of the backup."]
    with pytest.raises(SystemExit):
        call_command("backup", str(made), "--check", "--json")
    (made / "SHA256SUMS").unlink()
    assert backup.problems(made) == ["SHA256SUMS is missing: this is no whole backup."]


@pytest.mark.parametrize("content", [b"{}", b"[]", b"\xff", b"", b"[" * 100_000])
def test_a_backup_that_does_not_say_of_which_database_it_is_is_refused(made: Path, content: bytes) -> None:
    (made / backup.ABOUT).write_bytes(content)
    lines = (made / "SHA256SUMS").read_text().splitlines()
    digest = hashlib.sha256(content).hexdigest()
    kept = [line for line in lines if not line.endswith(backup.ABOUT)]
    (made / "SHA256SUMS").write_text("\n".join([*kept, f"{digest}  {backup.ABOUT}"]) + "\n")
    assert backup.problems(made) == []
    with pytest.raises(backup.BadBackup, match="does not say which database"):
        backup.restore(made)


@pytest.mark.django_db
@pytest.mark.parametrize("command", [("backup", "--check"), ("restore",), ("backup",)])
def test_a_file_in_place_of_a_backup_and_a_damaged_list_are_named(tmp_path: Path, command: tuple[str, ...]) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises((CommandError, SystemExit)):
        call_command(command[0], str(file), *command[1:])
    assert backup.problems(file) == ["SHA256SUMS is missing: this is no whole backup."]
    (tmp_path / "SHA256SUMS").write_bytes(b"\xff")
    assert backup.problems(tmp_path) == ["SHA256SUMS cannot be read: it is damaged."]


def test_a_backup_never_goes_into_a_folder_that_has_something(made: Path, capsys: Any) -> None:
    with pytest.raises(CommandError, match="is not empty"):
        call_command("backup", str(made))
