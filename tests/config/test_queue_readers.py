"""A queue from which no worker takes is named, on every broker, and nothing else is (threats F46)."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from config import queue_readers
from config.models import Pulse
from runs.models import WorkerLoad
from runs.queue import worker_load

pytestmark = pytest.mark.django_db

NAMES = settings.QUEUES.names


@pytest.fixture(autouse=True)
def begun_long_ago(monkeypatch):
    monkeypatch.setattr(queue_readers, "_BEGUN", -1000.0)
    monkeypatch.setattr(queue_readers._Told, "names", ())


def told(process, *works, seconds_ago=0.0):
    at = timezone.now() - timedelta(seconds=seconds_ago)
    WorkerLoad.objects.create(process=process, at=at, runs=0, delay=0, queues=[NAMES[work] for work in works])


def test_f46_a_queue_without_a_worker_is_named_in_the_answer_and_once_in_the_log(client, caplog):
    Pulse.beat("worker")
    told("a:1", "runs", "rest")
    told("a:2", "imports", "figures")
    for _look in range(2):
        answer = client.get("/healthz")
        assert (answer.status_code, answer.json()["queues"]) == (503, f"no worker takes from {NAMES['releases']}")
    assert caplog.text.count(NAMES["releases"]) == 1
    told("a:3", "releases")
    assert client.get("/healthz").json() == {"database": "ok", "worker": "ok", "queues": "ok"}
    assert caplog.text.count("Each queue has a worker again.") == 1


def test_a_worker_of_another_site_reads_nothing_here():
    WorkerLoad.objects.create(process="a:1", at=timezone.now(), runs=0, delay=0, queues=["elsewhere", "elsewhere-runs"])
    assert queue_readers.unread_queues() == sorted(NAMES.values())


@pytest.mark.parametrize(("seconds_ago", "unread"), [(80, 0), (100, 5), (-48 * 3600, 5)])
def test_a_worker_that_ended_counts_until_its_successor_had_time_to_start(seconds_ago, unread):
    told("a:1", *NAMES, seconds_ago=seconds_ago)
    assert len(queue_readers.unread_queues()) == unread


def test_a_worker_of_the_version_before_which_does_not_tell_its_queues_raises_no_alarm():
    WorkerLoad.objects.create(process="a:1", at=timezone.now(), runs=0, delay=0)
    assert queue_readers.unread_queues() == []


def test_a_site_that_has_just_started_is_given_time(monkeypatch, client):
    monkeypatch.undo()
    monkeypatch.setattr(queue_readers, "_BEGUN", queue_readers.time.monotonic())
    Pulse.beat("worker")
    assert client.get("/healthz").status_code == 200


def test_with_files_there_is_one_queue(settings, tmp_path):
    settings.QUEUE_FOLDERS = [tmp_path]
    assert queue_readers.unread_queues() == [NAMES["rest"]]
    told("a:1", "rest")
    assert queue_readers.unread_queues() == []


def test_a_worker_tells_its_queues_until_it_has_lost_the_broker_for_a_minute(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(worker_load.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(worker_load._Reading, "queues", ())
    monkeypatch.setattr(worker_load._Reading, "lost_at", None)

    def stored():
        worker_load.note_load(0, 0.0)
        return WorkerLoad.objects.get(process=worker_load.process_name()).queues

    assert stored() == []  # a command that works on runs is no worker
    worker_load.begin_reading(["b", "a"])
    assert stored() == ["a", "b"]
    worker_load.stop_reading()
    now[0] += 59
    assert stored() == ["a", "b"]
    now[0] += 2
    assert stored() == []
    worker_load.begin_reading(["a"])
    assert stored() == ["a"]


def test_a_database_that_is_away_is_told_as_such(client, monkeypatch):
    def away():
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(worker_load, "queue_readers", away)
    assert client.get("/healthz").json()["database"] == "away"
