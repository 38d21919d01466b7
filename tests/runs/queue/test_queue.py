"""The queue: rows are the truth, the bell may be late, double or lost."""

import threading
import time
from collections import Counter
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from celery import current_app
from django.db import connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from providers.messages import Request
from providers.vendors.scripted import ScriptedModel
from runs import tasks
from runs.control import start, sweep
from runs.domain.states import RunState
from runs.execution import runner, shutdown, worker
from runs.execution.thread_pool import ModelThreads
from runs.models import Account, Run
from runs.queue import claim, progress, task_messages
from scripted_runs import Rounds, queued, step, word


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ids that were rung for."""
    ids: list[int] = []
    monkeypatch.setattr(task_messages, "enqueue_task", lambda name, run_id: ids.append(run_id) or True)
    return ids


def wanted(project: Any = None, subject: Any = None, **fields: Any) -> start.RunRequest:
    return start.RunRequest("rounds", project or uuid4(), subject or uuid4(), {"speaker": "scripted:lines"}, **fields)


def test_the_bell_rings_after_the_rows_are_committed_and_never_after_a_rollback(
    rounds: Rounds, rung: list[int]
) -> None:
    with transaction.atomic():
        assert start.queue_runs([wanted()]) == 1
        assert rung == []
    assert rung == [Run.objects.get().pk]
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        start.queue_runs([wanted()])
        raise ZeroDivisionError
    assert len(rung) == Run.objects.count() == 1


def test_a_large_batch_rings_a_few_times_only(rounds: Rounds, rung: list[int], settings: Any) -> None:
    settings.RUN_BELLS = 3
    project = uuid4()
    assert start.queue_runs(wanted(project) for _ in range(40)) == 40
    assert len(rung) == 3
    assert Run.objects.filter(rung_at=None).count() == 37


def test_the_same_run_is_not_queued_twice_but_again_once_it_has_ended(rounds: Rounds, rung: list[int]) -> None:
    project, subject = uuid4(), uuid4()
    assert start.queue_runs([wanted(project, subject), wanted(project, subject)]) == 1
    assert start.queue_runs([wanted(project, subject, repeat=1), wanted(project, subject, variant="other")]) == 2
    start.cancel_run_queryset(Run.objects.all())
    assert start.queue_runs([wanted(project, subject)]) == 1


def test_a_broker_that_is_away_costs_one_attempt_and_the_sweeper_rings_later(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[int] = []

    def away(name: str, args: list[int]) -> None:
        attempts.extend(args)
        raise OperationalError("no broker")

    monkeypatch.setattr(current_app, "send_task", away)
    start.queue_runs(wanted() for _ in range(5))
    assert len(attempts) == 1
    assert Run.objects.filter(rung_at=None, state="queued").count() == 5
    rung: list[int] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: rung.extend(args))
    assert sweep.enqueue_waiting_runs() == 5
    assert sweep.enqueue_waiting_runs() == 0  # they were rung for just now
    Run.objects.update(rung_at=timezone.now() - timedelta(seconds=61))
    assert sweep.enqueue_waiting_runs() == 5  # nobody came


def test_the_sweeper_rings_for_no_more_than_are_wanted_at_work(rounds: Rounds, rung: list[int], settings: Any) -> None:
    settings.RUN_BELLS = 4
    runs = [queued() for _ in range(10)]
    for run in runs[:3]:
        claim.claim_run(run.pk)
    assert sweep.enqueue_waiting_runs() == 1
    assert rung == [runs[3].pk]


def test_a_run_that_is_not_due_is_not_rung_for(rounds: Rounds, rung: list[int]) -> None:
    queued(not_before=timezone.now() + timedelta(minutes=5))
    assert (sweep.enqueue_waiting_runs(), rung) == (0, [])


def test_whoever_answers_the_bell_goes_on_with_what_waits(rounds: Rounds, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds.rounds = [[step("a")]]
    model = ScriptedModel(*[word("x")] * 5)
    monkeypatch.setattr(worker, "planned_model", lambda role, name: model)
    project = uuid4()
    start.queue_runs((wanted(project) for _ in range(5)), enqueue=False)
    assert worker.perform_due_runs(Run.objects.order_by("id")[2].pk) is None
    assert Run.objects.filter(state="succeeded").count() == 5


def test_a_bell_for_a_run_that_is_gone_does_nothing(rounds: Rounds) -> None:
    assert worker.perform_due_runs(123456789) is None


def test_after_its_stint_a_thread_leaves_the_next_run_to_others(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch, rung: list[int]
) -> None:
    rounds.rounds = [[step("a")]]
    monkeypatch.setattr(worker, "_STINT", -1)
    monkeypatch.setattr(worker, "planned_model", lambda role, name: ScriptedModel(word("x")))
    first, second = queued(), queued()
    tasks.perform_run(first.pk)
    second.refresh_from_db()
    assert (second.state, rung) == ("queued", [second.pk])


def test_projects_take_turns_and_each_is_served_in_order(rounds: Rounds) -> None:
    large, small = uuid4(), uuid4()
    of_large = [queued(large) for _ in range(4)]
    of_small = [queued(small) for _ in range(2)]
    for project in (large, small):
        Account.objects.get_or_create(project=project)
    taken = [claim.claim_next_run() for _ in range(6)]
    order = [run.pk for run in taken if run]
    assert order[:4] == [of_large[0].pk, of_small[0].pk, of_large[1].pk, of_small[1].pk]
    assert order[4:] == [of_large[2].pk, of_large[3].pk]
    assert claim.claim_next_run() is None


def test_many_workers_at_once_take_every_run_exactly_once(rounds: Rounds) -> None:
    project = uuid4()
    start.queue_runs((wanted(project) for _ in range(60)), enqueue=False)
    took: list[int] = []

    def work() -> None:
        while run := claim.claim_next_run():
            took.append(run.pk)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(took) == dict.fromkeys(Run.objects.values_list("pk", flat=True), 1)


def test_two_runs_at_once_never_go_over_a_budget_together(rounds: Rounds) -> None:  # T10
    rounds.rounds = [[step("a")]]
    project = uuid4()
    runs = [queued(project), queued(project)]
    Account.objects.create(project=project, call_limit=1)
    at_the_same_time = threading.Barrier(2)

    def answer(request: Request) -> str:
        return word("one")

    model = ScriptedModel(answer, answer)

    def work(pk: int) -> None:
        at_the_same_time.wait()
        runner.claim_and_perform(pk, lambda role, name: model)
        connection.close()

    threads = [threading.Thread(target=work, args=(run.pk,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(Run.objects.values_list("state", "reason")) == [("failed", "budget_exceeded"), ("succeeded", "")]
    assert len(model.asked) == Account.objects.get().calls == 1


def test_progress_counts_states_rate_and_time_left(rounds: Rounds) -> None:
    project = uuid4()
    assert progress.method_progress(project, "rounds").seconds_left is None
    runs = [queued(project) for _ in range(4)]
    now = timezone.now()
    for run in runs[:2]:
        Run.objects.filter(pk=run.pk).update(
            state="succeeded", started_at=now - timedelta(seconds=20), finished_at=now, calls=3, tokens=100
        )
    claim.claim_run(runs[2].pk)
    found = progress.method_progress(project, "rounds")
    assert found.counts == {RunState.SUCCEEDED: 2, RunState.RUNNING: 1, RunState.QUEUED: 1}
    assert (found.open, found.running, found.waiting) == (2, 1, 1)
    # Two in twenty seconds: six a minute, and the two that are open need twenty seconds more.
    assert found.per_minute == pytest.approx(6, rel=0.1)
    assert found.seconds_left == pytest.approx(20, rel=0.1)
    assert (progress.method_spending(project, "rounds").calls, progress.method_spending(project, "rounds").tokens) == (
        6,
        200,
    )


def test_the_wait_for_the_next_run_is_told(rounds: Rounds) -> None:
    project = uuid4()
    assert progress.seconds_until_due(project, "rounds") is None
    run = queued(project, not_before=timezone.now() + timedelta(seconds=100))
    assert progress.seconds_until_due(project, "rounds") == pytest.approx(100, abs=5)
    Run.objects.filter(pk=run.pk).update(not_before=timezone.now() - timedelta(seconds=1))
    claim.claim_run(run.pk)
    assert progress.seconds_until_due(project, "rounds") == 0


def test_the_pool_keeps_to_its_size_and_passes_exceptions_on() -> None:
    pool, inside, most = ModelThreads(3), Counter[str](), Counter[str]()
    lock, go = threading.Lock(), threading.Event()

    def job() -> int:
        with lock:
            inside["now"] += 1
            most["ever"] = max(most["ever"], inside["now"])
        go.wait(60)
        with lock:
            inside["now"] -= 1
        return 1

    futures = [pool.submit(job) for _ in range(10)]
    go.set()
    assert sum(future.result(5) for future in futures) == 10
    assert most["ever"] <= 3
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 / 0).result(5)
    assert not shutdown.is_stop_requested()


def test_the_messages_that_wait_in_the_broker_are_counted_by_their_kind_of_work(rounds: Rounds, settings: Any) -> None:
    rounds.rounds = [[step("a")]]
    work = "rest" if settings.QUEUE_FOLDERS else "runs"
    before = task_messages.queue_lengths()
    assert before is not None
    assert task_messages.enqueue_runs([queued().pk, queued().pk]) == 2
    until = time.monotonic() + 5  # RabbitMQ counts a message a moment later
    while task_messages.queue_lengths() == before and time.monotonic() < until:
        time.sleep(0.05)
    assert task_messages.queue_lengths() == {**before, work: before[work] + 2}
    with current_app.pool.acquire() as broker, broker.channel() as channel:
        channel.queue_purge(settings.QUEUES.names[work])


def test_a_broker_that_is_away_has_no_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise OSError("connection refused")

    monkeypatch.setattr(current_app, "connection_for_read", away)
    assert task_messages.queue_lengths() is None
