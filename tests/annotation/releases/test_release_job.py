"""Releases that a worker builds: one release an order, whatever dies, and how far it is."""

import threading
import time
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

import builders
from annotation.consensus.close import close_item
from annotation.core import jobs
from annotation.core.jobs import LAPSE
from annotation.core.release_paths import folder_of, releases_root
from annotation.domain.choices import Level, Role
from annotation.models import JobState, Picture, Release, ReleaseOrder
from annotation.operations.audit_files import file_problems
from annotation.releases import job
from annotation.releases.build import CannotRelease
from annotation.releases.job import RELEASES, order_release
from annotation.releases.request import Selection
from annotation.releases.rows import Rows

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def large(monkeypatch):
    monkeypatch.setattr(job, "SMALL", 0)
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.05)


@pytest.fixture
def admin():
    return builders.make_member(builders.make_project(), Role.ADMIN)


@pytest.fixture
def project(admin):
    trio = [builders.make_member(admin.project) for _ in range(3)]
    for _ in range(3):
        close_item(builders.make_labelled_item(admin.project, trio, (0, 0, 1)))
    return admin.project


def ordered(admin, **chosen) -> ReleaseOrder:
    return order_release(admin, uuid4(), Selection(**chosen))


def test_a_worker_builds_what_was_ordered(project, admin):
    row = ordered(admin, levels=(Level.WEAK,), notes=True)
    assert row.state == JobState.QUEUED and row.items_total == 3
    RELEASES.perform(row.pk)
    row.refresh_from_db()
    assert row.state == JobState.DONE and row.release is not None
    assert row.release.created_by == admin
    assert row.release.options == Selection(levels=(Level.WEAK,), notes=True).model_dump(mode="json")
    assert list(file_problems(project)) == []


def test_a_bell_that_rings_twice_makes_one_release(project, admin):
    row = ordered(admin)
    RELEASES.perform(row.pk)
    RELEASES.perform(row.pk)
    assert Release.objects.count() == 1


def test_an_order_of_a_dead_worker_is_taken_again_and_a_living_ones_is_not(project, admin):
    row = ordered(admin)
    ReleaseOrder.objects.update(state=JobState.WORKING, beat_at=timezone.now())
    RELEASES.perform(row.pk)
    assert not Release.objects.exists() and RELEASES.left_behind() == []
    ReleaseOrder.objects.update(beat_at=timezone.now() - LAPSE * 2)
    assert RELEASES.left_behind() == [row.pk]
    RELEASES.perform(row.pk)
    assert Release.objects.count() == 1


def test_the_sweeper_rings_for_an_order_whose_bell_was_lost(project, admin):
    row = ordered(admin)
    assert RELEASES.enqueue_left_behind() == 0
    ReleaseOrder.objects.filter(pk=row.pk).update(created_at=timezone.now() - LAPSE * 2)
    assert RELEASES.left_behind() == [row.pk]


def test_progress_is_told_while_the_worker_reads_its_snapshot(project, admin, monkeypatch):
    row = ordered(admin)
    seen = []
    slow_down(monkeypatch, lambda: seen.append(ReleaseOrder.objects.get(pk=row.pk).beat_at))
    before = timezone.now()
    perform_elsewhere(row)
    row.refresh_from_db()
    assert row.state == JobState.DONE
    assert row.beat_at is not None and row.beat_at > before


def test_a_cancelled_order_leaves_nothing(project, admin, monkeypatch):
    row = ordered(admin)
    slow_down(monkeypatch, lambda: None)
    worker = threading.Thread(target=work, args=(row.pk,))
    worker.start()
    deadline = time.monotonic() + 120
    while ReleaseOrder.objects.get(pk=row.pk).state == JobState.QUEUED and time.monotonic() < deadline:
        time.sleep(0.02)
    assert RELEASES.cancel(row)
    worker.join(timeout=120)
    row.refresh_from_db()
    assert row.state == JobState.CANCELLED
    assert not Release.objects.exists()
    assert list((releases_root() / str(project.public_id)).iterdir()) == []


def test_two_workers_at_one_order_store_one_release(project, admin, monkeypatch):
    row = ordered(admin)
    slow_down(monkeypatch, lambda: ReleaseOrder.objects.none())
    first = threading.Thread(target=work, args=(row.pk,))
    first.start()
    time.sleep(0.2)
    ReleaseOrder.objects.filter(pk=row.pk).update(beat_at=timezone.now() - LAPSE * 2)  # taken to be dead, but is not
    second = threading.Thread(target=work, args=(row.pk,))
    second.start()
    first.join(timeout=120)
    second.join(timeout=120)
    assert Release.objects.count() == 1
    made = Release.objects.get()
    assert [path.name for path in folder_of(made).parent.iterdir()] == [folder_of(made).name]


def test_what_stops_a_release_is_told_in_a_sentence(project, admin):
    item = project.items.first()
    item.picture = Picture.objects.create(
        project=project, sha256="a" * 64, file="pictures/gone.png", file_sha256="a" * 64, blurred="b", width=1, height=1
    )
    item.save()
    assert not default_storage.exists("pictures/gone.png")
    row = ordered(admin)
    RELEASES.perform(row.pk)
    row.refresh_from_db()
    assert row.state == JobState.FAILED
    assert row.problem == f"The picture of item {item.external_id} is not on the disk; restore pictures/gone.png."


def test_an_order_for_nothing_is_refused(admin):
    with pytest.raises(CannotRelease):
        ordered(admin)
    assert not ReleaseOrder.objects.exists()


def slow_down(monkeypatch, look):
    """Let every row of a release take a fifth of a second."""
    quick = Rows.__iter__

    def slowly(self):
        for row in quick(self):
            time.sleep(0.2)
            look()
            yield row

    monkeypatch.setattr(Rows, "__iter__", slowly)


def work(pk: int) -> None:
    try:
        RELEASES.perform(pk)
    finally:
        connection.close()


def perform_elsewhere(row: ReleaseOrder) -> None:
    worker = threading.Thread(target=work, args=(row.pk,))
    worker.start()
    worker.join(timeout=120)
