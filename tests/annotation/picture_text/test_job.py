"""The pictures of a project, really read on this machine: at import, again, over broken files, without the reader."""

import io
import json
import sys
import zipfile

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

import builders
from annotation.core.jobs import JobRefused
from annotation.domain.choices import Role
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.media import reading_process
from annotation.models import Event, Item, JobState, PictureReading, PictureText, Project
from annotation.picture_text import job, requests
from annotation.picture_text.texts import texts_of
from memes import MEMES, error_rate

pytestmark = pytest.mark.django_db

LATIN, CHINESE = MEMES[3], MEMES[8]


@pytest.fixture
def project() -> Project:
    return builders.make_project("memes")


def memes() -> bytes:
    """A ZIP of four posts: two memes, one of them in two posts, and one whose words are given."""
    out = io.BytesIO()
    rows = [
        {"id": "a", "text": "A", "image": "latin.jpg"},
        {"id": "b", "text": "B", "image": "chinese.png"},
        {"id": "c", "text": "C", "image": "latin.jpg", "picture_text": "as given"},
        {"id": "d", "text": "D", "image": "latin.jpg"},
    ]
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("items.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        packed.writestr("latin.jpg", LATIN.drawn())
        packed.writestr("chinese.png", CHINESE.drawn())
    return out.getvalue()


def test_an_import_orders_the_reading_and_a_worker_reads_each_picture_once(project):
    report = import_file(project, io.BytesIO(memes()), ImportOptions())
    assert report.errors == []
    row = PictureReading.objects.get()
    assert (row.state, PictureText.objects.count()) == (JobState.QUEUED, 1)  # the given words
    assert job.order_reading(project) == row
    job.READINGS.perform(row.pk)
    row.refresh_from_db()
    assert (row.state, row.pictures_done, row.pictures_failed) == (JobState.DONE, 2, 0)
    words = {item.external_id: texts_of(item) for item in Item.objects.all()}
    assert error_rate(words["a"].picture, LATIN.text) <= 0.05
    assert error_rate(words["b"].picture, CHINESE.text) <= 0.05
    assert words["d"].picture == words["a"].picture
    assert (words["c"].picture, words["c"].reader) == ("as given", "given")
    assert words["a"].reader == reading_process.reader_name()
    reading = PictureText.objects.get(item__external_id="b")
    assert reading.language == "zh"
    assert all(0 <= place <= 1 for line in reading.lines for place in line["box"])
    assert requests.reading_progress(project).waiting == 0
    assert not {"rapidocr", "onnxruntime", "cv2"} & sys.modules.keys()  # the models live in the child alone


def test_a_lost_file_and_a_damaged_one_fail_alone_and_the_command_says_so(project, capsys):
    lost, damaged = (builders.make_item(project, picture=builders.make_picture(project, (90, 60))) for _ in range(2))
    default_storage.delete(lost.picture.file.name)
    with default_storage.open(damaged.picture.file.name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n and no more")
    call_command("read_pictures", "memes", "--json")
    assert json.loads(capsys.readouterr().out) == {
        "pictures": 2, "read": 0, "with_words": 0, "failed": 2, "unread_here": 2, "waiting": 0,
    }  # fmt: skip
    reasons = dict(PictureText.objects.values_list("item", "reason"))
    assert reasons == {lost.pk: "missing_file", damaged.pk: "corrupt_image"}


def test_what_came_in_while_a_job_was_ending_is_ordered_again(project):
    admin = builders.make_member(project, Role.ADMIN)
    first = requests.read_pictures(project, admin)
    builders.make_item(project, picture=builders.make_picture(project, (90, 60)))
    PictureReading.objects.filter(pk=first.pk).update(last=10**9)  # its last look found nothing
    job.READINGS.perform(first.pk)
    first.refresh_from_db()
    assert first.state == JobState.DONE
    assert PictureReading.objects.exclude(pk=first.pk).get().state == JobState.QUEUED
    assert Event.objects.get(verb="pictures_read").actor == admin


def test_without_the_extra_the_site_says_so_and_nothing_breaks(project, monkeypatch):
    monkeypatch.setattr(reading_process, "find_spec", lambda name: None)
    assert import_file(project, io.BytesIO(memes()), ImportOptions()).items == 4
    assert not PictureReading.objects.exists()
    now = requests.reading_progress(project)
    assert (now.waiting, "pip install" in now.problem) == (3, True)
    with pytest.raises(JobRefused, match="pip install"):
        requests.read_pictures(project)
    with pytest.raises(CommandError, match="pip install"):
        call_command("read_pictures", "memes")
    row = PictureReading.objects.create(project=project)
    job.READINGS.perform(row.pk)
    row.refresh_from_db()
    assert row.state == JobState.FAILED
    assert "pip install" in row.problem
