"""How busy the workers are: what each tells of itself, and what waits for them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from runs.models import Run, WorkerLoad
from runs.queue import worker_load
from runs.queue.lease_keeper import LeaseKeeper
from runs.queue.worker_load import SiteLoad
from scripted_runs import Rounds, queued, step

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def method(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]


def told(process: str, seconds_ago: float = 0, runs: int = 0, delay: float = 0.0) -> None:
    at = timezone.now() - timedelta(seconds=seconds_ago)
    WorkerLoad.objects.create(process=process, at=at, runs=runs, delay=delay)


def test_a_site_without_workers_and_runs_is_idle() -> None:
    load = worker_load.site_load()
    assert load == SiteLoad(workers=0, runs=0, delay=0.0, waiting=0, longest_wait=0)
    assert not load.is_unattended and not load.is_late


def test_living_workers_are_added_up_and_the_latest_counts() -> None:
    told("a:1", runs=3, delay=0.2)
    told("a:2", seconds_ago=10, runs=4, delay=7.5)
    told("a:3", seconds_ago=3600, runs=9, delay=60)  # its process has ended
    told("a:4", seconds_ago=-48 * 3600, runs=9, delay=60)  # and this one, before the clock was put back
    load = worker_load.site_load()
    assert (load.workers, load.runs, load.delay) == (2, 7, 7.5)
    assert load.is_late


def test_the_queue_is_what_is_due_and_its_age_that_of_the_oldest() -> None:
    due, _just_now, later = queued(), queued(), queued()
    Run.objects.filter(pk=due.pk).update(not_before=timezone.now() - timedelta(seconds=90))
    Run.objects.filter(pk=later.pk).update(not_before=timezone.now() + timedelta(seconds=90))
    load = worker_load.site_load()
    assert load.waiting == 2
    assert load.longest_wait == pytest.approx(90, abs=5)
    assert load.is_unattended
    told("a:1")
    assert not worker_load.site_load().is_unattended


def test_what_processes_told_that_ended_is_deleted_after_a_day() -> None:
    told("gone:1", seconds_ago=2 * 24 * 3600)
    told("a:1")
    assert worker_load.delete_old_loads() == 1
    assert [row.process for row in WorkerLoad.objects.all()] == ["a:1"]


@pytest.mark.django_db(transaction=True)
def test_the_thread_that_renews_leases_tells_its_delay_each_time() -> None:
    keeper = LeaseKeeper()
    for keeper.delay in (1.0, 6.5):
        assert keeper._renewed()
    assert [(row.runs, row.delay) for row in WorkerLoad.objects.all()] == [(0, 6.5)]
