"""What an upload may take: pixels of all its pictures together, and how long a page waits for it."""

import io
import json
import random
import zipfile

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

import builders
from annotation.core import jobs
from annotation.core.stored_files import files_below
from annotation.domain.choices import Role
from annotation.domain.formats.base import Format
from annotation.imports.examples import EXAMPLES
from annotation.imports.files import archives, reader_process
from annotation.imports.job import IMPORTS
from annotation.media import pictures
from annotation.models import Import, ImportState, Item, Picture
from generation.injection import material
from generation.models import PicturePool

pytestmark = [pytest.mark.django_db, pytest.mark.once]


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(builders.make_member(builders.make_project("garden"), Role.ADMIN).user)
    return client


def picture(number: int, side: int = 100) -> bytes:
    out = io.BytesIO()
    noise = random.Random(number).randbytes(side * side * 3)
    Image.frombytes("RGB", (side, side), noise).save(out, "PNG")
    return out.getvalue()


def cut(number: int) -> bytes:
    """A picture whose end is missing: it is known to be damaged only after it was decoded."""
    return picture(number)[:-2000]


def archive(*contents: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        rows = [{"id": str(n), "text": f"Post {n}", "image": f"{n}.png"} for n in range(len(contents))]
        packed.writestr("posts.jsonl", "\n".join(map(json.dumps, rows)))
        for number, content in enumerate(contents):
            packed.writestr(f"{number}.png", content)
    return out.getvalue()


def sent(admin: Client, content: bytes, name: str = "posts.zip") -> Import:
    admin.post(reverse("annotation:import", args=["garden"]), {"file": SimpleUploadedFile(name, content)})
    return Import.objects.get()


@pytest.mark.parametrize("make", [picture, cut], ids=["whole", "damaged at the end"])
def test_the_pixels_of_all_pictures_of_an_upload_are_counted_together(admin, settings, make):
    settings.UPLOAD_MAX_PIXELS = 25_000
    row = sent(admin, archive(*(make(number) for number in range(12))))
    error = row.outcome["fatal"]
    assert (row.state, error["code"], error["limit"]) == (ImportState.REFUSED, "too_many_pixels_together", 25_000)
    assert ".png' the pictures of this file have " in error["reason"]
    assert "0,000 pixels together" in error["reason"] and "at most 25,000" in error["reason"]
    assert not Item.objects.exists() and not Picture.objects.exists()


def test_pictures_within_the_limit_and_known_ones_are_taken(admin, settings):
    settings.UPLOAD_MAX_PIXELS = 30_000
    row = sent(admin, archive(*(picture(number) for number in range(3)), picture(0)))  # the last one is the first
    assert row.state == ImportState.CHECKED


def test_an_upload_whose_pictures_stall_the_decoder_ends_soon(admin, monkeypatch):
    def stall(self, content):
        raise pictures.BadPicture("image_processing", "The picture could not be decoded.")

    monkeypatch.setattr(pictures.DrawingProcess, "draw", stall)
    monkeypatch.setattr(pictures, "_MOST_STALLS", 2)
    row = sent(admin, archive(*(picture(number, 20) for number in range(30))))
    assert (row.state, row.outcome["fatal"]["code"]) == (ImportState.REFUSED, "image_processing")
    assert "no further one is tried" in row.outcome["fatal"]["reason"]


def test_pictures_of_a_pool_are_few_at_a_time_and_none_is_kept_of_too_many(admin, settings, monkeypatch):
    settings.PICTURE_MAX_PIXELS = 10_000
    monkeypatch.setattr(material, "PICTURES_AT_ONCE", 2)
    monkeypatch.setattr(material, "require_on", lambda project: None)
    pool = PicturePool.objects.create(project=builders.Project.objects.get(), name="weeds")

    def files(count: int) -> list[SimpleUploadedFile]:
        return [SimpleUploadedFile(f"weed-{number}.png", picture(number)) for number in range(count)]

    with pytest.raises(material.BadMaterial) as refused:
        material.add_files(pool, files(3))
    sentence = str(refused.value)
    assert "With “weed-" in sentence and "30,000 pixels together; at most 20,000" in sentence
    assert not Picture.objects.exists() and list(files_below(pictures.FOLDER)) == []
    assert material.add_files(pool, files(2)).new == 2


@pytest.mark.parametrize("kind", ["pictures", Format.PARQUET, Format.XLSX, Format.WEBDATASET, Format.CSV])
def test_a_file_that_takes_long_is_left_to_a_worker_and_nothing_of_it_stays(admin, monkeypatch, kind):
    monkeypatch.setattr(jobs, "PATIENCE", 0)
    monkeypatch.setattr(archives, "_TICK", 0)
    monkeypatch.setattr(reader_process, "_LOOK", 0.001)
    content = archive(*map(picture, range(8))) if kind == "pictures" else EXAMPLES[kind].read_bytes()
    row = sent(admin, content)
    assert (row.state, row.beat_at) == (ImportState.UPLOADED, None)
    assert "rows" in admin.get(reverse("annotation:import-show", args=["garden", row.public_id])).text.lower()
    IMPORTS.perform(row.pk)
    row.refresh_from_db()
    assert row.state in (ImportState.CHECKED, ImportState.REFUSED) and row.outcome["rows"] > 0
    assert default_storage.exists(row.file.name) and list(files_below(pictures.FOLDER)) == []
