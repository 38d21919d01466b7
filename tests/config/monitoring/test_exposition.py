"""What a scrape reads from database and broker, in how many statements, and what it says while one of them is away."""

from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.operations import waiting_work
from annotation.operations.job_kinds import JOB_KINDS
from config.models import Pulse
from config.monitoring import exposition
from config.queues import Work
from runs.models import Pause, Run, WorkerLoad
from runs.queue import task_messages
from scripted_runs import Rounds, queued, register

STATEMENTS = 18
"""3 of runs, one of each of 6 kinds of jobs, 3 of webhooks, 2 of mail; one each of workers, sweep and pauses."""


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
