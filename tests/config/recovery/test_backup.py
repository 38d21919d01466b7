"""A backup is whole or refused, and restored elsewhere it is the same site."""

import errno
import hashlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings as site
from django.contrib.sessions.models import Session
from django.core.files import File
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.utils import ConnectionHandler
from django.test import Client
from PIL import Image

import builders
import migrated_database
from annotation.domain.choices import Role, Stage
from annotation.imports import uploads
from annotation.imports.options import ImportOptions
from annotation.models import Import, Item, Label, Picture, Project
from annotation.operations.audit import Audited
from annotation.releases.build import release
from config import shared_parts
from config.environment import env_database
from config.models import SharedParts
from config.recovery import backup, backup_check, database_dump
from worker_processes import database_url, environment

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture
def made(tmp_path: Path, settings: Any) -> Path:
    """The backup of a project with pictures and a release."""
    settings.VAR_DIR = tmp_path / "var"
    admin = builders.make_member(builders.make_project("garden"), Role.ADMIN)
    Client().force_login(admin.user)
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
    assert "`manage.py audit`, which looks at every project" in done.stderr
    audited = ran(elsewhere, "audit", "--json")
    assert audited.returncode == 0 and '"slug": "garden"' in audited.stdout, audited.stdout
    count = "from django.contrib.sessions.models import Session; print('sessions', Session.objects.count())"
    assert Session.objects.exists() and "sessions 0" in ran(elsewhere, "shell", "-c", count).stdout
    again = ran(elsewhere, "restore", str(made))
    assert again.returncode == 1 and "The database is not empty" in again.stderr


def test_the_bytes_of_a_backup_hold_no_session(made: Path) -> None:
    key = Session.objects.get().session_key.encode()
    assert [path.name for path in made.rglob("*") if path.is_file() and key in path.read_bytes()] == []


def scratch_places() -> list[str]:
    """What a check of a backup would leave if it did not clean up."""
    if connection.vendor == "sqlite":
        return [str(path) for path in Path(site.VAR_DIR).glob("backup-check/*")]
    name = str(connection.settings_dict["NAME"]).removesuffix("_backup_check") + "_backup_check"
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE datname = %s", [name])
        return [name for (name,) in cursor.fetchall()]


def test_a_check_restores_beside_the_site_and_audits_there(made: Path) -> None:
    Project.objects.update(slug="changed-since")
    stored = files_below(Path(site.MEDIA_ROOT))
    said = backup_check.checked(made)
    assert (said["ok"], said["problems"], said["restored"]) == (True, [], True), said
    garden = {
        "slug": "garden",
        "name": Project.objects.get(slug="changed-since").name,
        "items": Item.objects.count(),
        "labels": Label.objects.count(),
    }
    assert said["projects"] == [garden]
    assert scratch_places() == [] and Project.objects.get().slug == "changed-since"
    assert files_below(Path(site.MEDIA_ROOT)) == stored and backup.problems(made) == []


def test_a_check_tells_what_the_audit_of_the_backup_finds(made: Path, tmp_path: Path) -> None:
    builders.make_item(Project.objects.get(), stage=Stage.GOLD)  # by no label and no event
    picture = next((made / "files" / "pictures").rglob("*.png")).relative_to(made)
    call_command("backup", str(tmp_path / "third"))
    (tmp_path / "third" / picture).unlink()
    sums = tmp_path / "third" / backup.SUMS
    sums.write_text("".join(line for line in sums.open() if str(picture) not in line))
    said = backup_check.checked(tmp_path / "third")
    assert said["restored"] and not said["ok"]
    assert any("lacks 1 files that its database names" in problem for problem in said["problems"])
    assert any(problem.startswith("garden: ") for problem in said["problems"]) and scratch_places() == []


@pytest.mark.parametrize("left", [SystemExit(143), backup.BadBackup("refused"), KeyboardInterrupt()])
def test_whatever_ends_a_check_its_database_is_dropped(
    made: Path, monkeypatch: pytest.MonkeyPatch, left: BaseException
) -> None:
    def audits() -> list[Audited]:
        assert len(scratch_places()) > 0
        raise left

    monkeypatch.setattr(backup_check, "audits", audits)
    if isinstance(left, backup.BadBackup):
        assert backup_check.checked(made)["problems"] == ["refused"]
    else:
        with pytest.raises(type(left)):
            backup_check.checked(made)
    assert scratch_places() == [] and Project.objects.get().slug == "garden"


def test_what_a_killed_check_left_is_removed_by_the_next_one_and_two_never_meet(made: Path) -> None:
    place = backup_check._sqlite_file if connection.vendor == "sqlite" else backup_check._postgresql_database
    with place() as database:
        if connection.vendor == "sqlite":
            Path(database).touch()
        assert "Another check" in backup_check.checked(made)["problems"][0]
        assert len(scratch_places()) == 1
    if connection.vendor == "sqlite":
        Path(database).parent.mkdir()
        Path(database).write_bytes(b"left")
    else:
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {database}")
    assert backup_check.checked(made)["restored"] and scratch_places() == []


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no roles")
def test_a_role_that_may_create_no_database_compares_checksums_and_says_so(made: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE without_rights; GRANT ALL ON ALL TABLES IN SCHEMA public TO without_rights")
        try:
            cursor.execute("SET ROLE without_rights")
            said = backup_check.checked(made)
        finally:
            cursor.execute("RESET ROLE; DROP OWNED BY without_rights; DROP ROLE without_rights")
    assert said["ok"] and not said["restored"] and "may not create a database" in said["remarks"][0]


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


def test_a_backup_of_another_storage_is_refused_and_leaves_nothing(made: Path, settings: Any, tmp_path: Path) -> None:
    shared_parts.differences()
    settings.MEDIA_ROOT = tmp_path / "empty"
    with pytest.raises(CommandError, match=r"lacks \d+ files that the database names") as refused:
        call_command("backup", str(tmp_path / "second"))
    assert "The files of the site are not in MEDIA_ROOT" in str(refused.value)
    assert not (tmp_path / "second").exists() and not (tmp_path / "empty" / "site.json").exists()
    call_command("backup", str(tmp_path / "second"), "--incomplete")
    assert json.loads((tmp_path / "second" / backup.ABOUT).read_text())["missing_files"] > 4


def test_a_backup_of_another_database_is_refused(made: Path, tmp_path: Path) -> None:
    shared_parts.differences()
    SharedParts.objects.all().delete()
    with pytest.raises(CommandError, match="belong to another database"):
        call_command("backup", str(tmp_path / "second"))


@pytest.mark.parametrize("lost", ["pictures", "releases"])
def test_a_backup_names_how_many_files_the_storage_lost(made: Path, tmp_path: Path, lost: str) -> None:
    pattern = {"pictures": "*.png", "releases": "manifest.json"}[lost]
    next((Path(site.MEDIA_ROOT) / lost).rglob(pattern)).unlink()
    with pytest.raises(CommandError, match="lacks 1 files that the database names, such as " + lost):
        call_command("backup", str(tmp_path / "second"))


def test_a_database_without_tables_is_no_site(elsewhere: dict[str, str], tmp_path: Path) -> None:
    done = ran(elsewhere, "backup", str(tmp_path / "new"), "--json")
    assert done.returncode == 1 and "has no tables" in json.loads(done.stdout)["error"]
    assert not (tmp_path / "new").exists()


def test_a_backup_never_goes_into_the_storage_that_it_copies(tmp_path: Path) -> None:
    for folder in ("", "pictures", "a/b"):
        with pytest.raises(CommandError, match="is inside the storage of files"):
            call_command("backup", str(Path(site.MEDIA_ROOT) / folder / "new"))


@pytest.mark.parametrize("existed", [True, False])
def test_a_backup_that_failed_leaves_no_folder_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existed: bool
) -> None:
    def fail(target: Path) -> None:
        target.write_bytes(b"")
        raise backup.BadBackup("pg_dump failed: gone")

    folder = tmp_path / "new"
    if existed:
        folder.mkdir()
    with monkeypatch.context() as context, pytest.raises(backup.BadBackup, match="gone"):
        context.setattr(database_dump, "dump", fail)
        backup.make(folder)
    assert folder.exists() is existed and not list(folder.glob("*"))
    assert backup.make(folder)["missing_files"] == 0


def test_a_restore_that_failed_leaves_the_storage_empty(
    made: Path, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(source: Path) -> None:
        raise backup.BadBackup("pg_restore failed: gone")

    settings.MEDIA_ROOT = tmp_path / "empty"
    monkeypatch.setattr(database_dump, "load", fail)
    monkeypatch.setattr(type(connection.introspection), "table_names", lambda self, *_: [])
    for _time in range(2):
        with pytest.raises(backup.BadBackup, match="gone"):
            backup.restore(made)
    assert not [path for path in (tmp_path / "empty").rglob("*") if path.is_file()]


def test_a_restore_on_a_disk_that_fills_leaves_no_part_of_a_file(
    made: Path, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(_file: object, chunk_size: int | None = None) -> Iterator[bytes]:
        yield b"first part"
        raise OSError(errno.ENOSPC, "No space left on device")

    settings.MEDIA_ROOT = tmp_path / "empty"
    monkeypatch.setattr(type(connection.introspection), "table_names", lambda self, *_: [])
    monkeypatch.setattr(File, "chunks", cut)
    with pytest.raises(OSError, match="No space left"):
        backup.restore(made)
    assert not [path for path in (tmp_path / "empty").rglob("*") if path.is_file()]


@pytest.mark.once
def test_an_sqlite_site_is_restored_into_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    old, new = tmp_path / "old.sqlite3", tmp_path / "not" / "there" / "new.sqlite3"
    migrated_database.begin_with(old)
    for database, command in ((old, "backup"), (new, "restore")):
        folder = tmp_path / command
        folder.mkdir()
        done = ran(
            environment(folder, "memory://", DATABASE_URL=f"sqlite:///{database}"), command, str(tmp_path / "copy")
        )
        assert done.returncode == 0, done.stderr
    assert [file.name for file in new.parent.iterdir()] == ["new.sqlite3"]


def test_programs_of_postgresql_get_the_whole_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    address = "postgres://who:of-our-own@/labels?host=/run/other&port=5433&sslrootcert=/a/ca.pem&sslmode=verify-full"
    row = env_database.database("X", default=tmp_path, environ={"X": address})
    other = ConnectionHandler({"default": row})["default"]
    monkeypatch.setattr(database_dump, "connection", other)
    given = database_dump.as_environment()
    assert {name: given.get(name) for name in ("PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE")} == {
        "PGHOST": "/run/other",
        "PGPORT": "5433",
        "PGUSER": "who",
        "PGPASSWORD": "of-our-own",
        "PGDATABASE": "labels",
    }
    assert (given["PGSSLROOTCERT"], given["PGSSLMODE"]) == ("/a/ca.pem", "verify-full")
    assert "PGOPTIONS" not in given
    row["OPTIONS"]["options"] = "endpoint=far"
    assert database_dump.as_environment()["PGOPTIONS"] == "endpoint=far"


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has neither roles nor extensions")
def test_rights_of_other_roles_and_an_extension_of_an_administrator_stop_no_restore(
    tmp_path: Path, elsewhere: dict[str, str]
) -> None:
    name = f"{connection.settings_dict['NAME']}_restored"
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE reader_of_labels")
        cursor.execute("CREATE ROLE owner_of_restored LOGIN PASSWORD 'of-our-own'")
        try:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            cursor.execute("GRANT SELECT ON annotation_item TO reader_of_labels")
            call_command("backup", str(tmp_path / "backup"))
            cursor.execute("DROP OWNED BY reader_of_labels")
            cursor.execute("DROP ROLE reader_of_labels")
            cursor.execute(f"ALTER DATABASE {name} OWNER TO owner_of_restored")
            with psycopg.connect(database_url(name), autocommit=True) as administrator:
                administrator.execute("ALTER SCHEMA public OWNER TO owner_of_restored")
                administrator.execute("CREATE EXTENSION pg_trgm")
            at = connection.settings_dict
            address = f"postgres://owner_of_restored:of-our-own@{at['HOST']}:{at['PORT']}/{name}"
            done = ran(elsewhere | {"DATABASE_URL": address}, "restore", str(tmp_path / "backup"))
            assert done.returncode == 0, done.stderr
        finally:
            cursor.execute(f"ALTER DATABASE {name} OWNER TO CURRENT_USER")
            with psycopg.connect(database_url(name), autocommit=True) as administrator:
                administrator.execute("REASSIGN OWNED BY owner_of_restored TO CURRENT_USER")
                administrator.execute("DROP OWNED BY owner_of_restored")
            cursor.execute("DROP ROLE owner_of_restored")
            cursor.execute("DROP ROLE IF EXISTS reader_of_labels")
