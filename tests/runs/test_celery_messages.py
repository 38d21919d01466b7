"""Messages of the broker are bells: one that names nothing, or nothing that is due, changes nothing (threat T21)."""

import pytest

from annotation import tasks as annotation_tasks
from annotation.models import Import
from builders import make_project
from config.celery import app
from runs import tasks
from runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)


def test_t21_a_bell_for_a_row_that_is_gone_does_nothing() -> None:
    for row in (987_654, -1, 2**62):
        tasks.perform_run(row)
        for kind in ("import", "release", "bulk_change", "competence", "figures"):
            annotation_tasks.perform_job(kind, row)
    assert not Run.objects.exists()


def test_t21_a_bell_for_a_row_that_is_settled_changes_nothing() -> None:
    done = Import.objects.create(project=make_project(), file_name="a.csv", sha256="0" * 64, state="done")
    before = Import.objects.values().get()
    annotation_tasks.perform_job("import", done.pk)
    assert Import.objects.values().get() == before


def test_a_message_for_a_kind_of_job_that_is_not_there_is_dropped() -> None:
    annotation_tasks.perform_job("of another release", 1)


def test_t21_nothing_but_json_is_read_from_the_broker() -> None:
    assert app.conf.accept_content == ["json"]
    assert app.conf.task_serializer == "json"
