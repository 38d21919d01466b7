"""The worker of an import is killed while it stores: the next one reads the file again, and all rows come once."""

import subprocess
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings as site_settings
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.core.jobs import LAPSE
from annotation.domain.choices import Role
from annotation.imports import uploads
from annotation.imports.job import IMPORTS
from annotation.imports.options import ImportOptions
from annotation.models import Event, Import, ImportState, Item
from annotation.operations.audit import audit
from builders import make_member, make_project
from worker_processes import Processes, environment, kill

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults]

ROWS = 3000
KILLED_WORKER = """
import sys, time, django
django.setup()
from django.db import connection
from annotation.imports.job import IMPORTS

def stop_before_the_last_rows(execute, sql, params, many, context):
    if sql.startswith('INSERT INTO "annotation_event"'):
        print("storing", flush=True)
        time.sleep(600)
    return execute(sql, params, many, context)

with connection.execute_wrapper(stop_before_the_last_rows):
    IMPORTS.perform(int(sys.argv[1]))
print("never stopped", flush=True)
"""


def test_an_import_killed_while_it_stores_begins_again_after_half_a_minute(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    project = make_project()
    admin = make_member(project, Role.ADMIN)
    file = BytesIO(b"id,text\n" + b"".join(b"post-%d,Post number %d.\n" % (number, number) for number in range(ROWS)))
    row = uploads.upload(admin, SimpleUploadedFile("posts.csv", file.getvalue()), ImportOptions())
    Import.objects.filter(pk=row.pk, state=ImportState.CHECKED).update(state=ImportState.IMPORTING, beat_at=None)
    folder = {"MEDIA_ROOT": str(site_settings.MEDIA_ROOT)}
    processes = Processes(environment(tmp_path, "memory://", **folder))
    worker = processes.start("-c", KILLED_WORKER, str(row.pk), output=subprocess.PIPE)
    assert worker.stdout is not None and worker.stdout.readline() == b"storing\n"
    kill(worker)
    assert not Item.objects.exists(), "a part of the file is stored"
    began = time.monotonic()
    while not IMPORTS.left_behind():
        assert time.monotonic() - began < 2 * LAPSE.total_seconds()
        time.sleep(0.2)
    record_property("seconds until the import is given to another worker", round(time.monotonic() - began, 1))
    IMPORTS.perform(row.pk)
    row.refresh_from_db()
    assert (row.state, row.rows_done) == (ImportState.DONE, ROWS)
    assert sorted(Item.objects.values_list("external_id", flat=True)) == sorted(f"post-{n}" for n in range(ROWS))
    assert Event.objects.filter(project=project, verb="imported").count() == 1
    assert audit(project) == []
