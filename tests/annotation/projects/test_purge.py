"""A deleted project: what is lost with it, what stays, and that a kill in between harms nothing (T16)."""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from itertools import count
from uuid import uuid4

import pytest
from django.conf import settings as site_settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

import builders
from annotation.assignment.make_seats import make_all_check_seats
from annotation.consensus.close import close_item
from annotation.core.append_only import missing_triggers
from annotation.core.release_paths import building_home, folder_of, releases_root
from annotation.domain.choices import Role, Stage
from annotation.imports import job
from annotation.models import (
    Adjudication,
    Batch,
    BulkOrder,
    CheckIn,
    CompetenceEstimate,
    ConsentText,
    Deletion,
    Event,
    Figures,
    GuidelineExample,
    Import,
    Invitation,
    Item,
    KnownAnswer,
    Label,
    OptOut,
    Prior,
    Project,
    PurgePermit,
    Release,
    ReleaseOrder,
    Report,
    SavedSearch,
    Seat,
    Skip,
    TrainingAnswer,
    TrainingAttempt,
    WorkDay,
    record,
)
from annotation.operations.audit import audit
from annotation.operations.sweep import sweep
from annotation.projects import lifecycle, purge
from annotation.releases.build import release
from annotation.review.adjudicate import request_new_round
from project_rows import left_of
from runs.models import Account, Run, Turn

pytestmark = pytest.mark.django_db

_number = count(1)
FILLED = (
    *(Adjudication, Batch, Batch.members.through, BulkOrder, Event, Import, Item, KnownAnswer, Label, OptOut, Prior),
    *(Release, ReleaseOrder, Report, SavedSearch, Seat, Skip, WorkDay, CheckIn, ConsentText, TrainingAttempt),
    *(TrainingAnswer, Invitation, GuidelineExample, CompetenceEstimate, Figures),
)


def full_project(slug: str = "", *, items: int = 2) -> Project:
    """A project with rows in every table and files in every folder."""
    project = builders.make_project(slug)
    admin = builders.make_member(project, Role.ADMIN, Role.REVIEWER)
    people = [builders.make_member(project) for _ in range(3)]
    for _ in range(items):
        close_item(builders.make_labelled_item(project, people, (1, 1, 1)))
    disputed = builders.make_labelled_item(project, people, (1, 2, 0), external_id=f"d-{next(_number)}")
    close_item(disputed)
    disputed.refresh_from_db()
    request_new_round(disputed, admin, disputed.version, "Once more.")
    made = release(project, admin)
    ReleaseOrder.objects.create(project=project, ordered_by=admin, key=uuid4(), release=made, state="done")
    item = builders.make_open_item(project, picture=builders.make_picture(project))
    Prior.objects.create(item=item, modality="text", category=builders.category(project, 1))
    Skip.objects.create(item=item, annotator=people[0])
    Report.objects.create(item=item, reporter=people[1])
    known = builders.make_item(project, stage=Stage.KNOWN)
    KnownAnswer.objects.create(item=known, category=builders.category(project, 2))
    Batch.objects.create(project=project, name="first").members.add(people[0])
    OptOut.objects.create(member=people[0], category=builders.category(project, 1))
    WorkDay.objects.create(member=people[0], day=timezone.localdate())
    SavedSearch.objects.create(project=project, member=admin, name="mine")
    CheckIn.objects.create(member=people[0], day=timezone.localdate(), mood=3)
    ConsentText.objects.create(project=project, version=1)
    attempt = TrainingAttempt.objects.create(member=people[0], number=1)
    TrainingAnswer.objects.create(attempt=attempt, item=known, not_sure=True)
    Invitation.objects.create(
        project=project, token_sha256=str(uuid4()), annotates=True, created_by=admin, accepted_by=people[0],
        batch=project.batch_rows.get(name="first"), accepted_at=timezone.now(), expires_at=timezone.now(),
    )  # fmt: skip
    GuidelineExample.objects.create(
        guideline=project.guidelines.get(), text="A gate.", category=builders.category(project, 0)
    )
    CompetenceEstimate.objects.create(project=project, method="dawid-skene", state="done", ordered_by=admin)
    Figures.objects.create(project=project, kind="dashboard", state="done")
    BulkOrder.objects.create(project=project, ordered_by=admin, key=uuid4(), act="batch", state="done")
    upload = Import(project=project, started_by=admin, file_name="a.csv", sha256="0" * 64, state="checked")
    upload.file.save(f"imports/{uuid4()}", ContentFile(b"id,text"), save=False)
    upload.save()
    run = Run.objects.create(
        method="prior", project=project.public_id, subject=item.public_id, state="succeeded",
        call_limit=1, token_limit=1, seconds_limit=1, finished_at=timezone.now(),
    )  # fmt: skip
    Run.objects.create(
        method="prior", project=project.public_id, subject=item.public_id, state="cancelled", forked_from=run,
        call_limit=1, token_limit=1, seconds_limit=1,
    )  # fmt: skip
    Turn.objects.create(run=run, key="prior", kind="ask", role="prior_text")
    Account.objects.get_or_create(project=project.public_id)
    record("tested", project=project, actor=admin)
    return project


def rows_of(project: Project) -> dict[str, list[object]]:
    """Every row of the project, in every table, as it stands."""
    found: dict[str, list[object]] = {}
    for model, path in purge.paths_to(Project).items():
        rows = model._default_manager.filter(**{path: project.pk}).order_by("pk")
        found[model._meta.label] = list(rows.values_list())
    runs = Run.objects.filter(project=project.public_id)
    found["runs"] = [*runs.order_by("pk").values_list(), *Turn.objects.filter(run__in=runs).values_list()]
    found["account"] = list(Account.objects.filter(project=project.public_id).values_list())
    found["project"] = list(Project.objects.filter(pk=project.pk).values_list())
    return found


def files() -> list[str]:
    return sorted(str(path) for path in site_settings.MEDIA_ROOT.rglob("*") if path.is_file() and path.name != "walked")


def due(project: Project) -> None:
    """Let its seven days be over."""
    admin = project.memberships.filter(administers=True).first()
    lifecycle.ask_deletion(project, admin)
    Project.objects.filter(pk=project.pk).update(delete_after=timezone.now() - timedelta(hours=1))
    project.refresh_from_db()


def guard_is_on(project: Project) -> bool:
    """Whether a label of the project cannot be removed."""
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Label.objects.filter(item__project=project)._raw_delete("default")
    return missing_triggers(connection) == [] and not PurgePermit.objects.exists()


def test_a_due_project_goes_with_everything_and_another_keeps_every_byte():
    gone, kept = full_project("gone"), full_project("kept")
    make_all_check_seats()  # as the sweep would
    before, lost = rows_of(kept), rows_of(gone)
    assert [model._meta.label for model in FILLED if not lost[model._meta.label]] == []
    mine = [str(folder_of(made)) for made in Release.objects.filter(project=gone)]
    names = [name for row in gone.pictures.values_list("file", "blurred") for name in row]
    uploaded = str(Import.objects.get(project=gone).file)
    everything = files()
    due(gone)
    assert sweep()["projects_purged"] == 1
    assert {table: rows for table, rows in rows_of(gone).items() if rows} == {}
    assert rows_of(kept) == before
    assert files() == [
        path
        for path in everything
        if not path.startswith(tuple(mine))
        and not any(path.endswith(name) for name in names)
        and not path.endswith(uploaded)
    ]
    assert guard_is_on(kept)
    assert [problem for problem in audit(kept) if "permit" in problem or "rigger" in problem] == []


def test_a_small_row_and_a_line_in_the_log_say_what_was_lost_and_who_asked(caplog):
    project = full_project("gone")
    counts = purge.losses(project)
    assert (counts["items"], counts["labels"], counts["releases"], counts["people"], counts["runs"]) == (5, 9, 1, 4, 2)
    due(project)
    purge.purge_due()
    row = Deletion.objects.get()
    admin = row.asked_by
    assert (row.slug, row.project_key, admin is not None) == ("gone", project.public_id, True)
    assert row.finished_at is not None
    assert {kind: n for kind, n in row.counts.items() if kind != "events"} == {
        kind: n for kind, n in counts.items() if kind != "events"
    }
    assert f"Project {project.public_id} is purged: " in caplog.text
    assert "5 items, 9 labels, 4 people" in caplog.text
    assert purge.purge_due() == 0


def test_nothing_is_purged_before_its_time():
    project = full_project()
    admin = project.memberships.get(administers=True)
    lifecycle.ask_deletion(project, admin)
    before = rows_of(project)
    assert (purge.purge_due(), purge.purge(project)) == (0, False)
    assert rows_of(project) == before


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite's triggers may look at no other table")
def test_on_postgresql_a_permit_alone_is_not_enough_while_the_project_is_not_due():
    project = full_project()
    PurgePermit.objects.create(project_key=project.pk)
    for item in project.items.all():
        PurgePermit.objects.create(item_key=item.pk)
    for rows in (Label.objects.filter(item__project=project), Event.objects.filter(project=project)):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            rows._raw_delete("default")


def test_a_permit_lets_go_of_its_own_items_and_project_alone_and_of_no_update():
    gone, kept = full_project(), full_project()
    Project.objects.filter(pk=gone.pk).update(delete_after=timezone.now() - timedelta(hours=1))
    PurgePermit.objects.create(project_key=gone.pk)
    for item in gone.items.all():
        PurgePermit.objects.create(item_key=item.pk)
    for model, path in (
        (Label, "item__project"),
        (Adjudication, "item__project"),
        (Event, "project"),
        (Release, "project"),
    ):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            model.objects.filter(**{path: kept})._raw_delete("default")
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            model.objects.filter(**{path: gone}).update(id=7_000_000)
    assert any("permit" in problem for problem in audit(kept))


def test_a_step_that_is_cut_off_leaves_whole_items_and_the_guard_on():
    project, kept = full_project(items=3), full_project()
    due(project)
    before = rows_of(project)
    with pytest.raises(KeyboardInterrupt), transaction.atomic():
        assert purge._items(project) == 6
        raise KeyboardInterrupt
    assert rows_of(project) == before
    assert guard_is_on(project)
    assert guard_is_on(kept)


def test_a_purge_goes_on_where_it_stopped_step_by_step(monkeypatch):
    project, kept = full_project(items=5), full_project()
    before, steps = rows_of(kept), 0
    due(project)
    monkeypatch.setattr(purge, "ITEMS_AT_ONCE", 2)
    monkeypatch.setattr(purge, "ROWS_AT_ONCE", 3)
    while not purge.purge(project, until=time.monotonic()):
        steps += 1
        assert Label.objects.filter(item__project=project, seat__item__isnull=True).count() == 0
        assert PurgePermit.objects.count() == 0
    assert steps > 10
    assert not Project.objects.filter(pk=project.pk).exists()
    assert rows_of(kept) == before


def test_what_was_written_while_a_project_was_purged_is_removed_by_the_next_sweep():
    project, kept = full_project(), full_project()
    make_all_check_seats()  # as the sweep would
    before = rows_of(kept)
    due(project)
    assert purge.purge(project)
    Account.objects.create(project=project.public_id)
    limits = {"call_limit": 1, "token_limit": 1, "seconds_limit": 1}
    Run.objects.create(method="prior", project=project.public_id, subject=uuid4(), **limits)
    late = releases_root() / str(project.public_id) / ".building-1"
    late.mkdir(parents=True)
    assert sweep()["remains_removed"] == 1
    assert left_of(project) == {} and not late.parent.exists()
    assert rows_of(kept) == before


def test_a_due_project_is_open_to_nobody_while_it_is_purged(client):
    project = full_project("late")
    client.force_login(builders.make_member(project).user)
    assert client.get("/p/late/guidelines/").status_code == 200
    due(project)
    assert client.get("/p/late/guidelines/").status_code == 404
    assert client.get("/api/v1/projects/late/").status_code == 404


def test_an_upload_whose_row_was_never_stored_is_removed_after_two_days(monkeypatch):
    kept = builders.make_project()
    names = [default_storage.save(f"imports/{name}", ContentFile(b"id,text")) for name in ("mine", "lost", "new")]
    Import.objects.create(project=kept, file_name="a.csv", sha256="0" * 64, file=names[0], error_list="")
    old = (timezone.now() - timedelta(days=3)).timestamp()
    for name in names[:2]:
        os.utime(default_storage.path(name), (old, old))
    job.forget_old_files()
    assert [default_storage.exists(name) for name in names] == [True, False, True]


_WORKER = """
import django; django.setup()
from annotation.projects import purge
purge.ITEMS_AT_ONCE = 1
print("begun", flush=True)
print("gone", purge.purge_due(), flush=True)
"""


def purge_elsewhere() -> "subprocess.Popen[str]":
    """A process of its own that purges, one item at a time."""
    database = connection.settings_dict
    address = (
        f"postgres://{database['USER']}@{database['HOST']}:{database['PORT']}/{database['NAME']}"
        if connection.vendor == "postgresql"
        else f"sqlite:///{database['NAME']}"
    )
    env = {**os.environ, "DATABASE_URL": address, "DJANGO_SETTINGS_MODULE": "config.settings"}
    env["MEDIA_ROOT"] = str(site_settings.MEDIA_ROOT)
    return subprocess.Popen(
        [sys.executable, "-c", _WORKER], env=env, cwd=site_settings.BASE_DIR, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.faults
def test_a_purge_that_is_killed_is_resumed_and_the_guard_was_never_down():
    if "memory" in str(connection.settings_dict["NAME"]):
        pytest.skip("the database of this run lives in one process")
    project, kept = full_project(items=24), full_project()
    before = rows_of(kept)
    due(project)
    kills = 0
    while Project.objects.filter(pk=project.pk).exists():
        left = Item.objects.filter(project=project).count()
        worker = purge_elsewhere()
        assert worker.stdout is not None
        assert worker.stdout.readline() == "begun\n"
        while worker.poll() is None and left - Item.objects.filter(project=project).count() < 9 and left > 9:
            time.sleep(0.01)
        if worker.poll() is None and left > 9:
            worker.send_signal(signal.SIGKILL)
            kills += 1
        worker.wait(timeout=60)
        assert missing_triggers(connection) == []
        assert not PurgePermit.objects.exists()
    assert kills > 0
    assert rows_of(kept) == before
    assert guard_is_on(kept)
    assert Deletion.objects.get().finished_at is not None


def test_stray_files_of_the_project_go_too_and_those_of_another_stay():
    gone, kept = builders.make_project(), builders.make_project()
    builders.make_member(gone, Role.ADMIN)
    for project in (gone, kept):
        default_storage.save(f"pictures/{project.public_id}/aa/stray.jpg", ContentFile(b"x"))
    due(gone)
    assert purge.purge_due() == 1
    assert not default_storage.exists(f"pictures/{gone.public_id}")
    assert default_storage.exists(f"pictures/{kept.public_id}/aa/stray.jpg")


def test_a_release_that_is_still_written_does_not_stop_the_purge_and_goes_with_the_remains(monkeypatch):
    gone = builders.make_project()
    builders.make_member(gone, Role.ADMIN)
    building, remove = building_home(gone.public_id) / ".building-late", os.rmdir
    building.mkdir()

    def write_first(path, *args, **kwargs):
        if building.exists():
            (building / "items.jsonl").write_text("{}")
        remove(path, *args, **kwargs)

    due(gone)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(os, "rmdir", write_first)
        assert purge.purge_due() == 1
    assert building.exists()
    purge.remove_remains()
    assert not building.parent.exists()
