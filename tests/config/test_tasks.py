import os
import time
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotation.operations import sweep
from config import tasks
from config.models import Pulse
from config.web.rate_limit_table import Rate
from config.web.rate_limits import FileCounters

pytestmark = pytest.mark.django_db


def test_a_sweep_counts_every_step_and_shows_that_the_worker_lives():
    tasks.sweep()
    assert Pulse.is_fresh("worker", timedelta(seconds=5))
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
    counters.spend("a", Rate(1, 60))
    counter = next(settings.RATE_LIMITS_FOLDER.iterdir())
    os.utime(counter, (time.time() - 2 * 86400,) * 2)
    tasks.tidy()
    assert [session.session_key for session in Session.objects.all()] == ["new"]
    assert list(settings.RATE_LIMITS_FOLDER.iterdir()) == []
