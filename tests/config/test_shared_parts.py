"""A process says whether its key, files and database are those of the site, and does not start where they differ."""

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import DatabaseError

from annotation.core import stored_files
from config import shared_parts
from config.models import SharedParts

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _expect_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_files._Expected, "marker", None)
    monkeypatch.setattr(shared_parts, "serves_several_machines", lambda: True)


def test_the_first_process_makes_the_marks_and_the_next_ones_find_them() -> None:
    assert shared_parts.differences() == [] == shared_parts.differences()
    assert SharedParts.objects.count() == 1 and stored_files.read_marker()
    shared_parts.check_at_start()
    assert not stored_files.is_out_of_sight()


def test_another_key_is_said_without_the_key(settings: Any) -> None:
    shared_parts.differences()
    settings.SECRET_KEY = "quite another key, of another machine " * 2
    (sentence,) = shared_parts.differences()
    assert sentence == "SECRET_KEY is not the one of the other processes on this database."
    assert settings.SECRET_KEY not in SharedParts.objects.get().key
    with pytest.raises(ImproperlyConfigured, match="shared_parts --adopt"):
        shared_parts.check_at_start()


def test_a_key_that_is_being_changed_is_taken(settings: Any) -> None:
    shared_parts.differences()
    former, settings.SECRET_KEY = settings.SECRET_KEY, "the next key of this site " * 3
    settings.SECRET_KEY_FALLBACKS = [former]
    assert shared_parts.differences() == []
    settings.SECRET_KEY_FALLBACKS = []
    assert shared_parts.differences() == []  # from now on this is the key


def test_another_folder_of_files_is_said_with_its_place(settings: Any, tmp_path: Path) -> None:
    shared_parts.differences()
    settings.MEDIA_ROOT = tmp_path / "another"
    (sentence,) = shared_parts.differences()
    assert sentence == f"The files of the site are not in MEDIA_ROOT ({tmp_path / 'another'}): it lacks site.json."


def test_files_of_another_database_are_said_and_never_overwritten(settings: Any) -> None:
    shared_parts.differences()
    marker = stored_files.read_marker()
    SharedParts.objects.all().delete()  # a new, empty database on the old files
    (sentence,) = shared_parts.differences()
    assert "belong to another database than DATABASE_URL names" in sentence
    assert stored_files.read_marker() == marker


def test_a_difference_that_is_meant_is_adopted_by_a_command(settings: Any, tmp_path: Path, capsys: Any) -> None:
    shared_parts.differences()
    settings.MEDIA_ROOT = tmp_path / "moved"
    with pytest.raises(SystemExit):
        call_command("shared_parts", "--json")
    assert '"ok": false' in capsys.readouterr().out
    call_command("shared_parts", "--adopt", "--json")
    assert '"ok": true' in capsys.readouterr().out
    assert shared_parts.differences() == []


def test_a_storage_that_is_no_longer_seen_is_noticed(settings: Any, tmp_path: Path) -> None:
    shared_parts.check_at_start()
    settings.MEDIA_ROOT = tmp_path / "unmounted"
    assert stored_files.is_out_of_sight()


def test_a_database_that_is_away_stops_nobody(monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    def away() -> list[str]:
        raise DatabaseError("away")

    monkeypatch.setattr(shared_parts, "differences", away)
    shared_parts.check_at_start()
    assert "not checked" in caplog.text


def test_on_sqlite_the_database_has_an_id_and_nothing_else_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_parts, "serves_several_machines", lambda: False)
    shared_parts.check_at_start()
    assert SharedParts.objects.get().key == "" and stored_files.read_marker() is None
