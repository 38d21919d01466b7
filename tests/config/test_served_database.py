"""A command on another database than the site's stops; a site that moved is known (threats F48)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection

import migrated_database
from config import served_database, shared_parts
from config.models import SharedParts
from config.served_database import Place


def command(environ, *arguments):
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def served(tmp_path):
    """A site whose service has another database than a command that is typed without its environment."""
    environ = migrated_database.make_site(tmp_path)
    (tmp_path / "interplay.sqlite3").rename(tmp_path / "of_the_service.sqlite3")
    service = {**environ, "DATABASE_URL": f"sqlite:///{tmp_path}/of_the_service.sqlite3"}
    start = "from config import shared_parts; shared_parts.check_at_start()"
    done = command(service, "shell", "-v", "0", "-c", start)
    assert done.returncode == 0, done.stderr
    return tmp_path, environ, service


@pytest.mark.parametrize("arguments", [("audit", "x", "--json"), ("migrate",)])
def test_f48_a_command_on_another_database_stops_and_makes_nothing(served, arguments):
    folder, environ, _service = served
    done = command(environ, *arguments)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert f"would use the SQLite file {folder}/interplay.sqlite3, and the site of {folder} was last" in done.stderr
    assert f"from the SQLite file {folder}/of_the_service.sqlite3" in done.stderr
    assert "--database-anyway" in done.stderr and "INTERPLAY_ENV" in done.stderr
    assert not (folder / "interplay.sqlite3").exists()
    if "--json" in arguments:
        assert "Nothing was done" in json.loads(done.stdout)["error"]


def test_a_command_with_the_environment_of_the_service_or_the_option_goes_on(served):
    folder, environ, service = served
    assert command(service, "sweep", "--json").returncode == 0
    migrated_database.begin_with(folder / "interplay.sqlite3")
    assert command(environ, "sweep", "--json").returncode == 1
    assert command(environ, "sweep", "--json", "--database-anyway").returncode == 0
    assert json.loads((folder / "served_database.json").read_text())["place"]["name"] == "of_the_service.sqlite3"


def test_a_command_that_uses_no_database_is_not_stopped(served):
    _folder, environ, _service = served
    assert command(environ, "check").returncode == command(environ, "help").returncode == 0


def test_a_web_server_on_another_database_does_not_start_until_it_is_meant(served):
    folder, environ, service = served
    migrated_database.begin_with(folder / "interplay.sqlite3")
    start = "from config import shared_parts; shared_parts.check_at_start()"
    done = command(environ, "shell", "-v", "0", "-c", start, "--database-anyway")
    assert "shared_parts --adopt" in done.stderr and "of_the_service" in done.stderr
    assert command(environ, "shared_parts", "--adopt", "--database-anyway").returncode == 0
    assert command(environ, "shell", "-v", "0", "-c", start).returncode == 0
    assert command(service, "sweep", "--json").returncode == 1  # from now on that one is the other


def test_a_site_that_was_copied_or_moved_is_known_by_its_id(served):
    folder, environ, _service = served
    (folder / "of_the_service.sqlite3").rename(folder / "interplay.sqlite3")
    done = command(environ, "sweep", "--json")
    assert done.returncode == 0, done.stderr


def test_a_folder_that_was_moved_has_the_same_database(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    environ = migrated_database.make_site(old)
    start = "from config import served_database; served_database.remember()"
    assert command(environ, "shell", "-v", "0", "-c", start).returncode == 0
    old.rename(new)
    assert command({**environ, "VAR_DIR": str(new)}, "sweep", "--json").returncode == 0


@pytest.mark.django_db
def test_the_mark_names_the_place_without_a_password():
    served_database.remember()
    text = settings.SERVED_DATABASE.read_text()
    assert read_back() == (served_database.here(), SharedParts.objects.get().database)
    assert connection.settings_dict.get("PASSWORD") in ("", None) or connection.settings_dict["PASSWORD"] not in text


def read_back():
    mark = served_database.read_mark()
    return (mark.place, mark.site) if mark else None


@pytest.mark.django_db
@pytest.mark.parametrize("content", ["", "{", "[]", '{"place": {"name": "x"}, "site": "y"}', "\x00"])
def test_a_mark_that_cannot_be_read_refuses_nothing_and_is_written_anew(content):
    served_database.remember()
    settings.SERVED_DATABASE.write_text(content)
    assert served_database.read_mark() is None and served_database.other_place() is None
    served_database.remember()
    assert read_back() is not None


@pytest.mark.django_db
def test_a_folder_that_takes_no_file_stops_nobody(monkeypatch, caplog):
    monkeypatch.setattr(settings, "SERVED_DATABASE", Path("/proc/no/mark"))
    served_database.remember()
    assert "cannot be written" in caplog.text


@pytest.mark.django_db
def test_a_site_that_moved_to_a_database_for_several_machines_leaves_no_second_one_behind(monkeypatch):
    monkeypatch.setattr(shared_parts, "serves_several_machines", lambda: False)
    shared_parts.check_at_start()
    site = SharedParts.objects.get().database
    monkeypatch.setattr(shared_parts, "serves_several_machines", lambda: True)
    shared_parts.check_at_start()  # the rows were loaded there
    assert shared_parts.differences() == shared_parts.differences(make_marks=False) == []
    mark = served_database.read_mark()
    assert mark and mark.site == SharedParts.objects.get().database != site  # the old file has the old id


@pytest.mark.django_db
def test_a_copy_at_the_former_place_is_not_the_site_any_more():
    served_database.remember()
    mark = json.loads(settings.SERVED_DATABASE.read_text())
    settings.SERVED_DATABASE.write_text(json.dumps(mark | {"place": {**mark["place"], "name": "/former/place"}}))
    assert served_database.other_place() is None  # a command before the start
    served_database.remember()
    moved = served_database.read_mark()
    assert moved and moved.site == SharedParts.objects.get().database != mark["site"]
    assert moved.place == served_database.here()


@pytest.mark.django_db
def test_a_process_of_another_site_does_not_take_its_place(monkeypatch):
    served_database.remember()
    mark = json.loads(settings.SERVED_DATABASE.read_text())
    mark |= {"site": "0" * 32, "place": {**mark["place"], "name": "labels", "engine": "postgresql", "host": "db1"}}
    settings.SERVED_DATABASE.write_text(json.dumps(mark))
    with pytest.raises(ImproperlyConfigured, match="was served from the database labels on db1, port"):
        shared_parts.check_at_start()
    assert json.loads(settings.SERVED_DATABASE.read_text()) == mark
    call_command("shared_parts", "--adopt", "--json")
    shared_parts.check_at_start()


def test_places_are_said_in_words():
    assert str(Place("postgresql", "", "5432", "labels")) == "the database labels on this machine, port 5432"
    assert str(Place("sqlite", "", "", "a.sqlite3")) == f"the SQLite file {os.path.join(settings.VAR_DIR, 'a.sqlite3')}"
