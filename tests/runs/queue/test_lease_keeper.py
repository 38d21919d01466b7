"""One thread renews the leases of a worker's runs; a lease that another worker holds now is reported."""

import re
import subprocess
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone

from runs.control import sweep
from runs.domain.states import RunState
from runs.models import Run
from runs.queue import claim
from runs.queue.lease import STALL_LEASES
from runs.queue.lease_keeper import LeaseKeeper
from scripted_runs import Rounds, queued, step

pytestmark = pytest.mark.django_db


def claimed() -> Run:
    run = claim.claim_run(queued().pk)
    assert run is not None
    return run


def lapse(*runs: Run) -> None:
    # Not just now: SQLite's own clock tells whole milliseconds.
    Run.objects.filter(pk__in=[run.pk for run in runs]).update(lease_until=timezone.now() - timedelta(seconds=0.01))


def holds(run: Run) -> bool:
    run.refresh_from_db()
    return run.lease_until is not None and run.lease_until > timezone.now()


@pytest.fixture(autouse=True)
def method(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]


@pytest.fixture
def keeper(monkeypatch):
    keeper = LeaseKeeper()
    monkeypatch.setattr(keeper, "start", lambda: None)
    return keeper


def test_all_leases_of_the_process_are_renewed_with_one_statement(keeper, django_assert_num_queries):
    runs, other = [claimed() for _ in range(3)], claimed()
    lapse(*runs, other)
    with (
        keeper.keeping(runs[0], pytest.fail),
        keeper.keeping(runs[1], pytest.fail),
        keeper.keeping(runs[2], pytest.fail),
        django_assert_num_queries(1),
    ):
        keeper.renew()
    assert all(map(holds, runs)) and not holds(other)


def test_a_lease_that_another_worker_holds_is_reported_and_the_others_are_renewed(keeper):
    mine, taken = claimed(), claimed()
    Run.objects.filter(pk=taken.pk).update(owner="another")
    lapse(mine, taken)
    lost: list[str] = []
    with keeper.keeping(mine, lambda: lost.append("mine")), keeper.keeping(taken, lambda: lost.append("taken")):
        keeper.renew()
    assert lost == ["taken"] and holds(mine) and not holds(taken)


def test_a_run_that_has_ended_is_not_renewed(keeper, django_assert_num_queries):
    run = claimed()
    with keeper.keeping(run, pytest.fail):
        pass
    Run.objects.filter(pk=run.pk).update(state=RunState.SUCCEEDED)
    with django_assert_num_queries(0):
        keeper.renew()


def test_a_database_that_is_away_is_asked_again(keeper, monkeypatch):
    def away() -> None:
        raise DatabaseError("away")

    monkeypatch.setattr(keeper, "renew", away)
    assert keeper._renewed() is False


def test_a_run_of_a_process_that_lives_is_not_taken_away_when_its_lease_lapses(keeper):  # F34
    mine, gone = claimed(), claimed()
    ended = subprocess.run(["sh", "-c", "echo $$"], capture_output=True, text=True, check=True).stdout.strip()
    Run.objects.filter(pk=gone.pk).update(owner=re.sub(r"\.\d+\.", f".{ended}.", gone.owner))
    lapse(mine, gone)
    assert sweep.requeue_lapsed_runs() == 1
    mine.refresh_from_db()
    gone.refresh_from_db()
    assert (mine.state, mine.lost_workers) == ("running", 0)
    assert (gone.state, gone.lost_workers) == ("queued", 1)


def test_a_process_that_lives_but_renews_nothing_for_minutes_is_lost(settings):
    run = claimed()
    stall = timedelta(seconds=STALL_LEASES * settings.RUN_LEASE_SECONDS + 1)
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - stall)
    assert sweep.requeue_lapsed_runs() == 1
    run.refresh_from_db()
    assert (run.state, run.lost_workers) == ("queued", 1)
