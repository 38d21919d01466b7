"""The life of a job: one worker at a time, a sign of life, and an end that only the worker in charge can write."""

import time
from concurrent.futures import Future
from datetime import timedelta
from uuid import uuid4

import pytest
from celery import current_app
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import OperationalError as DatabaseFault
from django.db import connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

import builders
from annotation.core import jobs, stored_files
from annotation.core.jobs import JobCancelled, JobKind, JobRefused, Phase
from annotation.core.stored_files import StoreAway
from annotation.domain.choices import Role
from annotation.models import BulkOrder, JobState
from runs.execution import shutdown

pytestmark = pytest.mark.django_db

LATE = jobs.LAPSE + timedelta(seconds=1)


@pytest.fixture
def row():
    admin = builders.make_member(builders.make_project(), Role.ADMIN)
    return BulkOrder.objects.create(project=admin.project, ordered_by=admin, key=uuid4(), act="open")


def kind_that(work) -> JobKind[BulkOrder]:
    return JobKind("test", BulkOrder, phases=(Phase(work),))


def state_of(row: BulkOrder) -> tuple[str, str]:
    row.refresh_from_db()
    return row.state, row.problem


def test_a_job_is_carried_out_once(row):
    done: list[int] = []
    kind = kind_that(lambda job, heartbeat: (done.append(job.pk), kind.finish(job, items_done=3)))
    kind.perform(row.pk)
    kind.perform(row.pk)
    assert done == [row.pk] and state_of(row) == (JobState.DONE, "")
    assert row.items_done == 3 and row.begun_at is not None and row.finished_at is not None


def test_a_job_that_another_worker_is_at_is_left_alone_until_its_signs_of_life_stop(row):
    kind = kind_that(lambda job, heartbeat: kind.finish(job))
    BulkOrder.objects.update(state=JobState.WORKING, beat_at=timezone.now())
    kind.perform(row.pk)
    assert state_of(row)[0] == JobState.WORKING and kind.left_behind() == []
    BulkOrder.objects.update(beat_at=timezone.now() - LATE)
    assert kind.left_behind() == [row.pk]
    kind.perform(row.pk)
    assert state_of(row)[0] == JobState.DONE and kind.left_behind() == []


def test_a_job_that_waits_too_long_is_enqueued_again(row):
    kind = kind_that(lambda job, heartbeat: None)
    assert kind.left_behind() == []
    BulkOrder.objects.update(created_at=timezone.now() - jobs.UNCLAIMED - timedelta(seconds=1))
    assert kind.left_behind() == [row.pk]


def test_what_refuses_a_job_is_its_problem(row):
    def work(job, heartbeat):
        raise JobRefused("nothing_there", "There is nothing to change.")

    kind_that(work).perform(row.pk)
    assert state_of(row) == (JobState.FAILED, "There is nothing to change.")


def test_a_fault_of_ours_fails_the_job_and_cleans_up(row):
    removed: list[int] = []
    kind = JobKind(
        "test", BulkOrder, phases=(Phase(lambda job, heartbeat: 1 / 0),), clean_up=lambda job: removed.append(job.pk)
    )
    kind.perform(row.pk)
    assert state_of(row)[0] == JobState.FAILED and row.problem and removed == [row.pk]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("statement", "ends_connection"),
    [
        ("SELECT pg_terminate_backend(pg_backend_pid())", True),
        ("SET statement_timeout = '10ms'; SELECT pg_sleep(1)", False),
    ],
)
def test_a_job_whose_connection_postgresql_ends_begins_again_and_a_refused_statement_fails_it(
    row, statement, ends_connection
):
    def ask(job, heartbeat):
        with connection.cursor() as cursor:
            cursor.execute(statement)

    kind_that(ask).perform(row.pk)
    if connection.vendor == "sqlite" or not ends_connection:  # a file has no server: it refuses both
        assert state_of(row)[0] == JobState.FAILED
        return
    assert state_of(row) == (JobState.QUEUED, "")
    BulkOrder.objects.update(created_at=timezone.now() - LATE)
    kind = kind_that(lambda job, heartbeat: kind.finish(job))
    assert kind.left_behind() == [row.pk]
    kind.perform(row.pk)
    assert state_of(row) == (JobState.DONE, "")


def test_a_cancelled_job_stops_at_its_next_sign_of_life(row):
    def work(job, heartbeat):
        kind.beat(job, items_done=1)
        assert kind.cancel(job)
        kind.beat(job, items_done=2)

    kind = kind_that(work)
    kind.perform(row.pk)
    assert state_of(row)[0] == JobState.CANCELLED and row.items_done == 1
    assert not kind.cancel(row)


def test_a_job_that_waits_is_cancelled_at_once(row):
    kind = kind_that(lambda job, heartbeat: pytest.fail("a cancelled job is not carried out"))
    assert kind.cancel(row)
    kind.perform(row.pk)
    assert state_of(row)[0] == JobState.CANCELLED


def test_a_cancelled_job_is_not_done_at_the_last_moment(row):
    def work(job, heartbeat):
        kind.cancel(job)
        with pytest.raises(JobCancelled):
            kind.finish(job, items_done=9)
        raise JobCancelled

    kind = kind_that(work)
    kind.perform(row.pk)
    assert state_of(row)[0] == JobState.CANCELLED and row.items_done == 0


def test_a_worker_that_was_taken_for_dead_changes_nothing_after_the_job_has_ended(row):
    def work(job, heartbeat):
        BulkOrder.objects.update(state=JobState.DONE)  # by the worker that took over
        kind.beat(job, items_done=1)

    kind = kind_that(work)
    kind.perform(row.pk)
    assert state_of(row) == (JobState.DONE, "") and row.items_done == 0


def test_a_broker_that_is_down_costs_one_attempt(row, monkeypatch):
    def refuse(name, args):
        raise OperationalError("connection refused")

    monkeypatch.setattr(current_app, "send_task", refuse)
    kind = kind_that(lambda job, heartbeat: None)
    assert kind.enqueue(row.pk) is False
    assert kind.enqueue_left_behind() == 0


def test_a_worker_that_is_to_end_gives_the_job_back_and_another_one_ends_it(row, monkeypatch):
    enqueued: list[int] = []
    monkeypatch.setattr(JobKind, "enqueue", lambda kind, job_id: enqueued.append(job_id))
    monkeypatch.setattr(shutdown, "_stop_requested", Future())

    def work(job, heartbeat):
        heartbeat.note()
        if not enqueued:
            shutdown.request_stop()
        heartbeat.note()
        kind.finish(job)

    kind = kind_that(work)
    kind.perform(row.pk)
    assert state_of(row) == (JobState.QUEUED, "") and row.beat_at is None and enqueued == [row.pk]
    monkeypatch.setattr(shutdown, "_stop_requested", Future())
    kind.perform(row.pk)
    assert state_of(row) == (JobState.DONE, "")


@pytest.mark.django_db(transaction=True)
def test_a_job_shows_that_its_worker_lives_while_it_is_inside_a_transaction(row, monkeypatch):
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.05)
    seen: list[int] = []

    def work(job, heartbeat):
        first = BulkOrder.objects.values_list("beat_at", flat=True).get(pk=job.pk)
        with transaction.atomic():
            BulkOrder.objects.filter(pk=job.pk).exists()  # reads, and writes nothing yet
            heartbeat.note(items_done=7)
            end = time.monotonic() + 5
            while time.monotonic() < end and not seen:
                seen.extend(BulkOrder.objects.filter(pk=job.pk, beat_at__gt=first, items_done=7).values_list("pk"))
                time.sleep(0.05)
        kind.finish(job)

    kind = kind_that(work)
    kind.perform(row.pk)
    # SQLite lets only one connection write: nobody can take the job over meanwhile either.
    assert bool(seen) == (connection.vendor == "postgresql")
    assert state_of(row) == (JobState.DONE, "")


@pytest.mark.django_db(transaction=True)
def test_a_cancelled_job_stops_at_its_next_progress(row, monkeypatch):
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.05)

    def work(job, heartbeat):
        assert kind.cancel(job)
        for _ in range(100):
            heartbeat.note()
            time.sleep(0.05)

    kind = kind_that(work)
    kind.perform(row.pk)
    assert state_of(row)[0] == JobState.CANCELLED


def test_a_small_job_that_takes_long_is_left_to_a_worker(row, monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", 0)
    enqueued: list[int] = []
    monkeypatch.setattr(jobs, "enqueue_task", lambda task, kind, job_id: enqueued.append(job_id))
    begun = []

    def work(job, heartbeat):
        begun.append(job.pk)
        heartbeat.note()
        kind.finish(job)

    kind = JobKind("test", BulkOrder, phases=(Phase(work),), is_small=lambda job: True)
    kind.begin(row)
    assert (state_of(row)[0], row.beat_at, enqueued) == (JobState.QUEUED, None, [row.pk])
    kind.perform(row.pk)  # as a worker does
    assert (state_of(row)[0], len(begun)) == (JobState.DONE, 2)


def test_a_small_job_goes_to_a_worker_while_others_keep_pages_waiting(
    row, monkeypatch, django_capture_on_commit_callbacks
):
    enqueued: list[int] = []
    monkeypatch.setattr(jobs, "enqueue_task", lambda task, kind, job_id: enqueued.append(job_id))
    kind = JobKind(
        "test", BulkOrder, phases=(Phase(lambda job, heartbeat: kind.finish(job)),), is_small=lambda job: True
    )
    for _ in range(jobs.AT_ONCE):
        kind.places.acquire()
    with django_capture_on_commit_callbacks(execute=True):
        kind.begin(row)
    assert (state_of(row)[0], enqueued) == (JobState.QUEUED, [row.pk])
    kind.places.release()
    kind.begin(row)
    assert state_of(row)[0] == JobState.DONE and kind.places.acquire(blocking=False)  # its place is free again


@pytest.mark.parametrize(
    "fault", [StoreAway("away"), FileNotFoundError("imports/x"), JobRefused("picture_missing", "A picture is lost.")]
)
def test_a_worker_that_does_not_see_the_files_hands_the_job_back_and_says_so(row, monkeypatch, fault):
    monkeypatch.setattr(stored_files._Expected, "marker", b"what was there at the start")
    monkeypatch.setattr(jobs, "HOST", "machine-b")
    blind = [True]

    def work(job, heartbeat):
        if blind.pop():
            raise fault
        kind.finish(job)

    kind = kind_that(work)
    kind.perform(row.pk)
    state, problem = state_of(row)
    assert state == JobState.QUEUED and row.beat_at is None and row.finished_at is None
    assert problem == "The machine machine-b cannot reach the files of this site. Another one tries it within a minute."
    blind.append(False)
    kind.perform(row.pk)
    assert state_of(row) == (JobState.DONE, "")


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has no server that could be away")
@pytest.mark.parametrize(
    ("code", "state"),
    [
        ("57P01", JobState.QUEUED),  # stopped
        ("25006", JobState.QUEUED),  # takes no writes
        ("53300", JobState.QUEUED),  # no connection is left
        ("40P01", JobState.QUEUED),  # in somebody's way
        ("57014", JobState.FAILED),  # took longer than it may, and would again
        ("42P01", JobState.FAILED),  # a fault of ours
    ],
)
def test_a_job_begins_again_after_a_fault_that_is_the_database_s(row, code, state):
    class Coded(Exception):
        sqlstate = code

    def work(job, heartbeat):
        raise DatabaseFault("from the server") from Coded()

    kind = kind_that(work)
    kind.perform(row.pk)
    assert state_of(row)[0] == state and (kind.perform(row.pk), state_of(row)[0]) == (None, state)


@pytest.mark.parametrize(
    "fault", [FileNotFoundError("imports/x"), JobRefused("picture_missing", "A picture is lost."), ValueError("bug")]
)
def test_what_is_lost_on_the_storage_of_the_site_itself_fails_for_good(row, monkeypatch, fault):
    default_storage.save(stored_files.MARKER, ContentFile(b"there"))
    monkeypatch.setattr(stored_files._Expected, "marker", b"there")

    def work(job, heartbeat):
        raise fault

    kind_that(work).perform(row.pk)
    assert state_of(row)[0] == JobState.FAILED
