import os
import time
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotation.operations import sweep
from config import tasks
from config.models import Pulse
from config.web.rate_counters import FileCounters
from config.web.rate_limit_table import Rate

pytestmark = pytest.mark.django_db


def test_a_sweep_counts_every_step_and_shows_that_the_worker_lives():
    tasks.sweep()
    assert Pulse.is_fresh("worker", timedelta(minutes=1))
    assert set(sweep.sweep().values()) == {0}


def test_a_step_that_fails_does_not_stop_the_others(monkeypatch):
    def fail():
        raise RuntimeError

    monkeypatch.setitem(sweep.STEPS, "seats_freed", fail)
    counts = sweep.sweep()
    assert counts.pop("seats_freed") == -1
    assert set(counts.values()) == {0}


def test_ended_sessions_and_old_counters_are_removed(settings):
    Session.objects.create(session_key="old", session_data="", expire_date=timezone.now() - timedelta(days=1))
    Session.objects.create(session_key="new", session_data="", expire_date=timezone.now() + timedelta(days=1))
    counters = FileCounters(settings.RATE_LIMITS_FOLDER)
    counters.spend("a", Rate(1, 60), ticket=1)
    counter = next(settings.RATE_LIMITS_FOLDER.iterdir())
    os.utime(counter, (time.time() - 2 * 86400,) * 2)
    tasks.tidy()
    assert [session.session_key for session in Session.objects.all()] == ["new"]
    assert list(settings.RATE_LIMITS_FOLDER.iterdir()) == []


def test_f33_a_sweep_is_due_by_the_database_s_clock_whatever_that_of_the_machine_says(monkeypatch):
    swept = []
    monkeypatch.setattr(sweep, "sweep", lambda: swept.append(1))
    for hours in (0, 1, -1, 24):
        Pulse.objects.filter(part="sweep").update(at=timezone.now() - timedelta(seconds=21))
        with monkeypatch.context() as clock:
            wrong = time.time() + hours * 3600
            clock.setattr(time, "time", lambda wrong=wrong: wrong)
            clock.setattr(timezone, "now", lambda wrong=wrong: datetime.fromtimestamp(wrong, UTC))
            tasks.sweep()
            tasks.sweep()
            assert Pulse.is_fresh("worker", timedelta(minutes=1))
        assert Pulse.is_fresh("worker", timedelta(minutes=1))
    assert len(swept) == 4


def test_f33_a_clock_of_the_database_that_was_put_back_delays_no_sweep_and_hides_no_dead_worker(monkeypatch):
    swept = []
    monkeypatch.setattr(sweep, "sweep", lambda: swept.append(1))
    Pulse.objects.update_or_create(part="sweep", defaults={"at": timezone.now() + timedelta(hours=3)})
    Pulse.objects.update_or_create(part="worker", defaults={"at": timezone.now() + timedelta(hours=3)})
    assert not Pulse.is_fresh("worker", timedelta(minutes=1))
    tasks.sweep()
    tasks.sweep()
    assert len(swept) == 1 and Pulse.is_fresh("worker", timedelta(minutes=1))


def test_f33_no_message_of_beat_expires_by_a_clock():
    assert all("expires" not in entry.get("options", {}) for entry in settings.CELERY_BEAT_SCHEDULE.values())


def test_a_hundred_old_messages_sweep_once(monkeypatch):
    swept = []
    monkeypatch.setattr(sweep, "sweep", lambda: swept.append(1))
    for _ in range(100):
        tasks.sweep()
    assert len(swept) == 1


def test_beat_sends_once_more_what_a_closed_connection_did_not_take():
    # Without the repeat kombu keeps a connection that RabbitMQ closed, and no sweep is ever sent again.
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert entry["options"]["retry"] is True
        assert entry["options"]["retry_policy"]["max_retries"] >= 1
