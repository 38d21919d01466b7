"""What a scrape reads from database and broker, in how many statements, and what it says while one of them is away."""

import os
from datetime import timedelta
from shutil import disk_usage

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.operations import waiting_work
from annotation.operations.job_kinds import JOB_KINDS
from config.models import BACKUP, Pulse
from config.monitoring import exposition
from config.queues import Work
from config.recovery import backup
from runs.models import Pause, Run, WorkerLoad
from runs.queue import task_messages
from runs.sql import read_replica
from scripted_runs import Rounds, queued, register

STATEMENTS = 20 + (connection.vendor == "postgresql")
"""3 of runs, one of each of 6 kinds of jobs, 3 of webhooks, 2 of mail; one each of reports, workers, queues, sweep,
backup and pauses, and on PostgreSQL whether it takes writes."""


@pytest.fixture
def rounds(monkeypatch, transactional_db):
    return register(Rounds(), monkeypatch)


@pytest.mark.django_db
def test_a_scrape_takes_the_same_few_statements_however_much_there_is(counted, rounds):
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            counted()
        return len(captured)

    assert statements() == STATEMENTS
    for _ in range(5):
        queued()
    assert statements() == STATEMENTS


def test_runs_workers_sweeps_and_pauses_are_told(counted, rounds):
    due, _now = queued(), queued()
    Run.objects.filter(pk=due.pk).update(not_before=timezone.now() - timedelta(seconds=90))
    WorkerLoad.objects.create(process="a:1", at=timezone.now(), runs=3, delay=0.25)
    Pulse.beat("worker")
    Pause.objects.create(provider="openai", detail="no quota", until=timezone.now() + timedelta(minutes=1))
    later = timezone.now() + timedelta(minutes=1)
    Pause.objects.create(provider="lab", model="lab:one", detail="no access", until=later)
    queued(provider="openai", not_before=later)
    queued(provider="lab", model_plan={"judge": "lab:one"}, not_before=later)
    figures = counted()
    assert figures["interplay_work_waiting{kind=run}"] == 2
    assert figures["interplay_work_later{kind=run}"] == 2
    assert figures["interplay_work_oldest_seconds{kind=run}"] == pytest.approx(90, abs=5)
    assert (figures["interplay_reports_waiting{}"], figures["interplay_reports_oldest_seconds{}"]) == (0, 0)
    assert figures["interplay_workers{}"] >= 1  # the thread of an earlier test may tell of itself
    assert figures["interplay_worker_delay_seconds{}"] >= 0.25
    assert 0 <= figures["interplay_sweep_age_seconds{}"] < 30
    assert figures["interplay_provider_paused_runs{provider=openai}"] == 1
    assert figures["interplay_provider_paused_runs{provider=lab:other}"] == 1  # a name that the settings do not name
    assert figures["interplay_database_up{}"] == figures["interplay_broker_up{}"] == 1


@pytest.mark.django_db
def test_every_kind_of_work_is_told_although_there_is_none(counted):
    figures = counted()
    for kind in (waiting_work.RUNS, waiting_work.WEBHOOKS, waiting_work.MAILS, *JOB_KINDS):
        for figure in ("waiting", "later", "working", "oldest_seconds", "stuck", "failed"):
            assert figures[f"interplay_work_{figure}{{kind={kind}}}"] == 0
    assert {name for name in figures if name.startswith("interplay_broker_messages")} == {
        f"interplay_broker_messages{{queue={work}}}" for work in Work
    }
    for work in Work:
        assert figures[f"interplay_queue_readers{{queue={work}}}"] == 0
    assert figures["interplay_sweep_age_seconds{}"] == float("inf")


@pytest.mark.django_db
def test_a_database_or_broker_that_is_away_is_told_and_the_rest_is_answered(counted, monkeypatch):
    def away(*_: object) -> None:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(waiting_work, "read_work", away)
    monkeypatch.setattr(task_messages, "queue_lengths", lambda: None)
    figures = counted()
    assert figures["interplay_database_up{}"] == figures["interplay_broker_up{}"] == 0
    assert not [name for name in figures if name.startswith(("interplay_work_", "interplay_broker_messages"))]


@pytest.mark.django_db
def test_who_asks_for_openmetrics_gets_it(counted):
    text, content_type = exposition.scrape("application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text")
    assert text.endswith(b"# EOF\n")


@pytest.mark.django_db
def test_room_on_the_disks_is_told_of_folders_that_are_there(counted, settings, tmp_path, monkeypatch):
    settings.VAR_DIR, settings.MEDIA_ROOT = tmp_path, tmp_path / "not-made-yet"
    monkeypatch.setattr(exposition, "disk_usage", lambda folder: disk_usage(folder)[:2] + (7,))
    figures = counted()
    assert figures["interplay_disk_free_bytes{folder=var}"] == figures["interplay_disk_free_bytes{folder=tmp}"] == 7
    assert figures["interplay_disk_size_bytes{folder=var}"] == disk_usage(tmp_path).total
    assert "interplay_disk_free_bytes{folder=files}" not in figures
    settings.MEDIA_ROOT.mkdir()
    assert counted()["interplay_disk_free_bytes{folder=files}"] == 7


@pytest.mark.django_db
def test_the_age_of_a_backup_is_that_of_this_database(counted, tmp_path, monkeypatch):
    assert counted()["interplay_backup_age_seconds{}"] == float("inf")
    monkeypatch.setattr(backup, "_write", lambda folder, missing: {"files": 0, "warnings": []})
    backup.make(tmp_path / "backup", incomplete=True)
    assert 0 <= counted()["interplay_backup_age_seconds{}"] < 60


@pytest.mark.django_db
def test_a_backup_of_a_database_that_takes_no_writes_is_made_all_the_same(tmp_path, monkeypatch):
    def refuse(_part: str) -> None:
        raise OperationalError("cannot execute UPDATE in a read-only transaction")

    monkeypatch.setattr(backup, "_write", lambda folder, missing: {"files": 0, "warnings": []})
    monkeypatch.setattr(Pulse, "beat", refuse)
    held = backup.make(tmp_path / "backup", incomplete=True)
    assert held["files"] == 0 and "takes no writes" in held["warnings"][0]


@pytest.mark.django_db
def test_a_backup_that_fails_leaves_no_time(tmp_path, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise backup.BadBackup("pg_dump failed")

    monkeypatch.setattr(backup, "_write", fail)
    with pytest.raises(backup.BadBackup):
        backup.make(tmp_path / "backup", incomplete=True)
    assert Pulse.last(BACKUP) is None


@pytest.mark.django_db
@pytest.mark.parametrize("lag", [0.0, 4.5, float("inf")])
def test_a_replica_tells_how_late_it_is_and_a_site_without_one_nothing(counted, monkeypatch, lag):
    assert "interplay_replica_lag_seconds{}" not in counted()
    monkeypatch.setattr(read_replica, "lag", lambda: lag)
    assert counted()["interplay_replica_lag_seconds{}"] == lag


@pytest.mark.django_db
def test_a_database_that_takes_no_writes_is_told(counted, monkeypatch):
    assert counted()["interplay_database_writable{}"] == 1
    if connection.vendor == "sqlite":
        monkeypatch.setattr(os, "access", lambda path, mode: False)
    else:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL transaction_read_only = on")
    figures = counted()
    assert (figures["interplay_database_writable{}"], figures["interplay_database_up{}"]) == (0, 1)
