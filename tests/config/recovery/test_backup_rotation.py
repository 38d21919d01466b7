"""Days and weeks of backups are kept, and nothing is removed that the command did not make."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from config.recovery import backup, backup_rotation
from config.recovery.backup_rotation import kept

FIRST = datetime(2026, 1, 1, 3, 0, tzinfo=UTC)  # a Thursday


def names(*moments: datetime) -> list[str]:
    return [moment.strftime("%Y-%m-%dT%H%M%SZ") for moment in moments]


def test_a_week_of_days_and_four_weeks_are_kept() -> None:
    nightly = names(*(FIRST + timedelta(days=n) for n in range(60)))
    keep = sorted(kept(nightly, daily=7, weekly=4))
    # 1 March 2026, the last, is a Sunday: it ends the newest week, and those before end on 22, 15 and 8 February.
    assert [name[:10] for name in keep] == [
        "2026-02-08",
        "2026-02-15",
        "2026-02-22",
        *(f"2026-02-{day}" for day in range(23, 29)),
        "2026-03-01",
    ]


def test_several_of_one_day_count_once_and_days_without_one_not_at_all() -> None:
    made = [FIRST, FIRST + timedelta(hours=5), FIRST + timedelta(days=30), FIRST + timedelta(days=60)]
    assert kept(names(*made), daily=2, weekly=0) == set(names(*made[2:]))
    assert kept(names(*made), daily=3, weekly=0) == set(names(*made[1:]))


@given(st.sets(st.integers(0, 10**6), min_size=1), st.integers(0, 9), st.integers(0, 9))
def test_the_newest_stays_and_no_more_than_was_asked_for(hours: set[int], daily: int, weekly: int) -> None:
    made = names(*(FIRST + timedelta(hours=hour) for hour in hours))
    keep = kept(made, daily=daily, weekly=weekly)
    assert max(made) in keep and keep <= set(made) and len(keep) <= max(1, daily + weekly)
    assert kept(keep, daily=daily, weekly=weekly) == keep  # a second time nothing more goes


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> Any:
    """Make a backup at some day; return the command's answer."""
    settings.VAR_DIR = tmp_path / "var"

    def run(day: int, **options: Any) -> dict[str, Any]:
        monkeypatch.setattr(timezone, "now", lambda: FIRST + timedelta(days=day))
        return backup_rotation.make(tmp_path / "all", **{"daily": 2, "weekly": 1} | options)

    return run


@pytest.mark.django_db(transaction=True)
def test_older_ones_are_removed_and_told(at: Any, tmp_path: Path) -> None:
    assert [at(day)["removed"] for day in range(4)] == [
        [],
        [],
        *([name] for name in names(FIRST, FIRST + timedelta(1))),
    ]
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == names(*(FIRST + timedelta(n) for n in (2, 3)))
    assert backup.problems(tmp_path / "all" / "2026-01-04T030000Z") == []


@pytest.mark.django_db(transaction=True)
def test_what_it_did_not_make_stays(at: Any, tmp_path: Path, settings: Any) -> None:
    at(0)
    folder = tmp_path / "all"
    for name in ("2026-01-01", "notes", names(FIRST - timedelta(days=9))[0]):
        (folder / name).mkdir()
        (folder / name / "own.txt").touch()
    (folder / names(FIRST - timedelta(days=8))[0]).symlink_to(folder / "notes")
    settings.SITE_URL = "https://another.example.org"
    other = at(1)["folder"]
    settings.SITE_URL = "http://127.0.0.1:8000"
    (folder / names(FIRST)[0] / "own.txt").touch()
    before = {path.name for path in folder.iterdir()}
    last = at(3, daily=1, weekly=0)
    assert last["removed"] == [] and sorted(last["left"]) == names(FIRST - timedelta(days=9), FIRST)
    assert before <= {path.name for path in folder.iterdir()} and Path(other).exists()


@pytest.mark.django_db(transaction=True)
def test_a_backup_that_failed_removes_none(at: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: object, **_named: object) -> None:
        raise backup.BadBackup("no room")

    at(0), at(1)
    monkeypatch.setattr(backup, "_write", fail)
    with pytest.raises(backup.BadBackup, match="no room"):
        at(2, daily=1)
    assert len(list((tmp_path / "all").iterdir())) == 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--keep-daily", "-1"], "whole numbers"),
        (["--keep-daily", "0"], "at least 1"),
        (["--keep-daily", "1", "--check"], "makes and removes no backup"),
    ],
)
def test_numbers_that_keep_nothing_are_refused(tmp_path: Path, options: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("backup", str(tmp_path), *options)
    assert list(tmp_path.iterdir()) == []
