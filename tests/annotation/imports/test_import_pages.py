"""The way of a file through the pages: upload, dry run, import, correct, cancel; small at once, large by a worker."""

import errno
import io
import json
import socket
import threading
import time
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image

import builders
from annotation.core import disk_faults
from annotation.domain.choices import Role
from annotation.imports import job, uploads
from annotation.imports.job import IMPORTS
from annotation.imports.options import ImportOptions
from annotation.models import Import, ImportState, Item, Membership, Picture, Project

GOOD = '{"id":"a","text":"Weeds"}\n{"id":"b","text":"Roses"}\n'
BAD = GOOD + '{"id":"c","text":"Fence","intended":"<b>nonsense</b>"}\n'


@pytest.fixture
def project(db: None) -> Project:
    return builders.make_project("garden")


@pytest.fixture
def member(project: Project) -> Membership:
    return builders.make_member(project, Role.ADMIN)


@pytest.fixture
def admin(member: Membership, client: Client) -> Client:
    assert member.user is not None
    client.force_login(member.user)
    return client


def upload(admin: Client, content: str | bytes, **fields: Any) -> Any:
    data = content.encode() if isinstance(content, str) else content
    file = SimpleUploadedFile("posts.jsonl", data)
    return admin.post(reverse("annotation:import", args=["garden"]), {"file": file, **fields})


def do(admin: Client, row: Import, what: str, **fields: Any) -> Any:
    return admin.post(
        reverse("annotation:import-act", args=["garden", row.public_id]), {"do": what, **fields}, follow=True
    )


def test_a_good_file_is_checked_then_imported(admin: Client) -> None:
    answer = upload(admin, GOOD, batch="spring")
    row = Import.objects.get()
    assert answer.status_code == 302
    assert answer["Location"] == reverse("annotation:import-show", args=["garden", row.public_id])
    page = admin.get(answer["Location"]).content.decode()
    assert "Import 2 rows" in page
    assert "Weeds" in page
    assert not Item.objects.exists()
    page = do(admin, row, "store").content.decode()
    assert "2 items are imported" in page
    assert set(Item.objects.values_list("external_id", "batch")) == {("a", "spring"), ("b", "spring")}
    row.refresh_from_db()
    assert (row.state, row.file.name) == (ImportState.DONE, "")


def test_an_import_that_fills_the_disk_says_so(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    upload(admin, GOOD)

    def fills_the_disk(*arguments: Any, **options: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("annotation.imports.job.import_file", fills_the_disk)
    page = do(admin, Import.objects.get(), "store").content.decode()
    assert "The server failed: nothing was stored" in page and disk_faults.disk_sentence() in page
    assert not Item.objects.exists()


def test_a_bad_file_is_shown_row_by_row_and_can_be_imported_without_them(admin: Client) -> None:
    answer = upload(admin, BAD)
    row = Import.objects.get()
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "1 row cannot be imported, so nothing was written" in page
    assert "&lt;b&gt;nonsense" in page
    errors = admin.get(reverse("annotation:import-errors", args=["garden", row.public_id]))
    lines = b"".join(errors.streaming_content).decode("utf-8-sig").splitlines()
    assert lines[0] == "line,entry,id,field,code,reason"
    assert lines[1].startswith("3,,c,intended,unknown_label,")
    page = do(admin, row, "leave_out").content.decode()
    assert "1 row will be left out" in page
    assert "Import 2 rows" in page
    do(admin, row, "store")
    assert set(Item.objects.values_list("external_id", flat=True)) == {"a", "b"}


def test_errors_of_an_array_on_one_line_name_their_entries(admin: Client) -> None:
    tasks = [{"id": number, "data": {"text": f"post {number}"}, "annotations": []} for number in (1, 2, 1)]
    page = upload(admin, json.dumps(tasks)).content.decode()
    assert "entry 3" in page and "line 1, entry 1 and in line 1, entry 3" in page
    row = Import.objects.get()
    errors = admin.get(reverse("annotation:import-errors", args=["garden", row.public_id]))
    lines = b"".join(errors.streaming_content).decode("utf-8-sig").splitlines()
    assert lines[1].startswith("1,3,1,id,duplicate_id,")
    cut_off = upload(admin, json.dumps(tasks)[:-20]).content.decode()
    assert "Line 1, entry 3:" in cut_off


def test_columns_that_stop_an_import_are_decided_one_by_one(admin: Client) -> None:
    upload(admin, "id,text,opinion,class\na,Weeds,Racist,2\nb,Roses,NotHate,3\n")
    row = Import.objects.get()
    assert row.outcome["bad_columns"] == ["opinion", "class"]
    do(admin, row, "leave_out_column", column="text")  # it does not stop the import
    row.refresh_from_db()
    assert (row.state, row.outcome["bad_columns"]) == (
        ImportState.REFUSED,
        ["opinion", "class"],
    )
    do(admin, row, "leave_out_column", column="class")
    row.refresh_from_db()
    assert (row.state, row.outcome["bad_columns"]) == (ImportState.REFUSED, ["opinion"])
    assert "Import 2 rows" in do(admin, row, "use_column", column="opinion").content.decode()
    do(admin, row, "store")
    assert dict(Item.objects.values_list("external_id", "intended__code")) == {"a": 1, "b": 0}


def test_a_refused_file_can_be_checked_again_with_other_options(admin: Client) -> None:
    upload(admin, "remark,kind\nWeeds,bad\n")
    row = Import.objects.get()
    assert row.state == ImportState.REFUSED
    page = do(admin, row, "check", text_column="remark", label_column="kind", values="bad=Racist").content.decode()
    assert "Import 1 row" in page
    answer = do(admin, row, "check", values="no sign")
    assert answer.status_code == 422
    assert "is not of the form VALUE=CATEGORY" in answer.content.decode()


def test_a_zip_with_pictures_comes_in(admin: Client) -> None:
    drawn, packed = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (60, 40), "green").save(drawn, "PNG")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("garden/posts.csv", "id,image,text\na,p/1.png,Weeds\n")
        archive.writestr("garden/p/1.png", drawn.getvalue())
    upload(admin, packed.getvalue())
    row = Import.objects.get()
    page = admin.get(reverse("annotation:import-show", args=["garden", row.public_id]))
    assert "csv in a ZIP" in page.content.decode()
    do(admin, row, "store")
    picture = Picture.objects.get()
    assert (picture.width, picture.height, Item.objects.get().picture) == (60, 40, picture)


def test_a_large_file_waits_for_a_worker_and_shows_how_far_it_is(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "SMALL", 10)
    upload(admin, GOOD)
    row = Import.objects.get()
    assert row.state == ImportState.UPLOADED
    fragment = admin.get(reverse("annotation:import-progress", args=["garden", row.public_id]))
    assert 'hx-trigger="every 1s"' in fragment.content.decode()
    assert "HX-Redirect" not in fragment
    IMPORTS.perform(row.pk)
    ended = admin.get(reverse("annotation:import-progress", args=["garden", row.public_id]))
    assert ended["HX-Redirect"] == reverse("annotation:import-show", args=["garden", row.public_id])
    assert "hx-trigger" not in ended.content.decode()
    do(admin, row, "store")
    assert not Item.objects.exists()
    IMPORTS.perform(row.pk)
    IMPORTS.perform(row.pk)
    assert Item.objects.count() == 2


def test_cancelling_before_the_import_forgets_the_file(admin: Client, settings: Any) -> None:
    upload(admin, GOOD)
    row = Import.objects.get()
    assert "Cancelled: nothing was stored" in do(admin, row, "cancel").content.decode()
    assert not Item.objects.exists()
    assert not [path for path in Path(settings.MEDIA_ROOT, "imports").rglob("*") if path.is_file()]
    do(admin, row, "store")
    assert not Item.objects.exists()


def test_cancelling_while_rows_are_stored_stores_none(member: Membership) -> None:
    row = uploads.upload(member, SimpleUploadedFile("f", GOOD.encode()), ImportOptions())
    Import.objects.filter(pk=row.pk).update(state=ImportState.IMPORTING, beat_at=None)
    row.refresh_from_db()
    assert IMPORTS.cancel(row)
    IMPORTS.perform(row.pk)
    row.refresh_from_db()
    assert (row.state, Item.objects.count()) == (ImportState.CANCELLED, 0)


def test_b34_the_same_file_twice_is_one_import(member: Membership) -> None:
    first = uploads.upload(member, SimpleUploadedFile("f", GOOD.encode()), ImportOptions())
    second = uploads.upload(member, SimpleUploadedFile("g", GOOD.encode()), ImportOptions())
    other = uploads.upload(member, SimpleUploadedFile("f", GOOD.encode()), ImportOptions(batch="b"))
    assert first.public_id == second.public_id != other.public_id


@pytest.mark.django_db(transaction=True)
def test_b34_the_same_file_twice_at_once_is_one_import() -> None:
    project = builders.make_project("garden")
    member = builders.make_member(project, Role.ADMIN)
    start = threading.Barrier(4)
    ids: list[Any] = []

    def post() -> None:
        try:
            start.wait()
            file = SimpleUploadedFile("f", GOOD.encode())
            ids.append(uploads.upload(member, file, ImportOptions()).public_id)
        finally:
            connection.close()

    threads = [threading.Thread(target=post) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(ids), len(set(ids)), Import.objects.count()) == (4, 1, 1)


def test_a_dead_workers_import_is_rung_for_again(member: Membership, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, list[object]]] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: sent.append((name, args)))
    row = uploads.upload(member, SimpleUploadedFile("f", GOOD.encode()), ImportOptions())
    long_ago = timezone.now() - timedelta(hours=1)
    Import.objects.filter(pk=row.pk).update(state=ImportState.CHECKING, beat_at=long_ago)
    assert IMPORTS.enqueue_left_behind() == 1
    assert sent == [("annotation.tasks.perform_job", ["import", row.pk])]
    IMPORTS.perform(row.pk)
    row.refresh_from_db()
    assert row.state == ImportState.CHECKED
    assert IMPORTS.enqueue_left_behind() == 0


def test_files_nobody_went_on_with_are_removed(member: Membership, settings: Any) -> None:
    row = uploads.upload(member, SimpleUploadedFile("f", GOOD.encode()), ImportOptions())
    assert job.forget_old_files() == 0
    Import.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=3))
    assert job.forget_old_files() == 1
    row.refresh_from_db()
    assert (row.state, row.file.name) == (ImportState.CANCELLED, "")


def test_an_annotator_finds_no_import_page(project: Project, client: Client) -> None:
    member = builders.make_member(project, Role.ANNOTATOR)
    assert member.user is not None
    client.force_login(member.user)
    assert client.get(reverse("annotation:import", args=["garden"])).status_code == 404


def test_the_tenth_import_of_an_hour_is_the_last(admin: Client, rate_limits: Any, settings: Any) -> None:
    for number in range(10):
        assert upload(admin, json.dumps({"id": f"i{number}", "text": "x"})).status_code == 302
    answer = upload(admin, GOOD)
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0


@pytest.mark.django_db(transaction=True)
def test_b35_a_connection_cut_in_the_middle_of_an_upload_leaves_nothing(
    live_server: Any, settings: Any, tmp_path: Path
) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    project = builders.make_project("garden")
    member = builders.make_member(project, Role.ADMIN)
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    client.get(reverse("annotation:import", args=["garden"]))
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    head = (
        f"POST {reverse('annotation:import', args=['garden'])} HTTP/1.1\r\nHost: localhost\r\n"
        f"Cookie: {cookies}\r\nX-CSRFToken: {client.cookies['csrftoken'].value}\r\n"
        "Content-Type: multipart/form-data; boundary=xx\r\nContent-Length: 9000000\r\n\r\n"
        '--xx\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\nid,text\r\n'
    )
    with socket.create_connection(("localhost", live_server.thread.port)) as line:
        line.sendall(head.encode() + b"a" * 4_000_000)
        assert soon(lambda: list(tmp_path.iterdir()))  # the upload is on its way
    assert soon(lambda: not list(tmp_path.iterdir()))
    assert not Import.objects.exists()


def soon(condition: Callable[[], object]) -> bool:
    """Whether the condition comes true within half a minute."""
    for _ in range(300):
        if condition():
            return True
        time.sleep(0.1)
    return False
