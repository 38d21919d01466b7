"""Beat goes on asking for sweeps when its machine's clock was wrong and is put right (threats F33)."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from celery.utils.imports import symbol_by_name
from django.conf import settings

SWEEP = 30.0


@pytest.fixture
def app(tmp_path: Path) -> Celery:
    app = Celery("beat", set_as_current=False, broker="memory://")
    app.conf.beat_schedule_filename = str(tmp_path / "beat")
    app.conf.update(beat_schedule={"sweep": {"task": "sweep", "schedule": SWEEP}}, result_expires=None)  # that is all
    return app


def schedule_of(app: Celery) -> Any:
    """Return what the site's beat reads from its file."""
    return symbol_by_name(settings.CELERY_BEAT_SCHEDULER)(app=app, schedule_filename=app.conf.beat_schedule_filename)


def opened(app: Celery, *, last_asked: timedelta) -> Any:
    """Return the schedule from a file that says that beat last asked so long ago."""
    before = schedule_of(app)
    entry = before.schedule["sweep"]
    entry.last_run_at = entry.default_now() - last_asked
    before.schedule["sweep"] = entry
    before.close()
    after = schedule_of(app)
    assert abs(after.schedule["sweep"].last_run_at - entry.last_run_at) < timedelta(seconds=1)
    return after


@pytest.mark.parametrize(
    ("last_asked", "is_due"),
    [(timedelta(hours=-3), False), (timedelta(days=-2), False), (timedelta(), False), (timedelta(days=2), True)],
)
def test_a_sweep_is_asked_for_within_its_interval_whatever_the_clock_said_before(
    app: Celery, last_asked: timedelta, is_due: bool
) -> None:
    schedule = opened(app, last_asked=last_asked)
    due, seconds = schedule.is_due(schedule.schedule["sweep"])
    assert (bool(due), seconds <= SWEEP) == (is_due, True)
    schedule.close()


def test_f33_a_beat_that_runs_plans_anew_when_the_clock_is_put_back(app: Celery) -> None:
    schedule = schedule_of(app)
    schedule.apply_entry = lambda *_entry, **_more: None  # asks nobody
    entry = schedule.schedule["sweep"]
    entry.last_run_at = entry.default_now() + timedelta(hours=3)
    schedule.populate_heap()
    assert schedule._heap[0][0] > schedule._when(entry, 3600)
    assert schedule.tick() <= SWEEP
    assert schedule._heap[0][0] <= schedule._when(entry, SWEEP)
    schedule.close()
