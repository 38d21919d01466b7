"""Words of pictures in releases: with their reader in every format, only where asked, and back by an import."""

import csv
import io
import json

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command

import builders
from annotation.core.release_paths import folder_of
from annotation.domain.releases.columns import ReleaseFormat
from annotation.domain.releases.splits import Shares
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import PictureText
from annotation.releases.build import release
from annotation.releases.request import Selection, Splitting
from annotation.releases.split import divide
from release_builders import make_gold, make_picture, rows_of

pytestmark = pytest.mark.django_db

READ = {"a": ("the weeds again", "rapidocr 3"), "b": (None, "rapidocr 3"), "c": (None, None), "d": ("=1+1", "person")}


@pytest.fixture
def project():
    project = builders.make_project("memes", picture_reader="none")
    trio = [builders.make_member(project) for _ in range(3)]
    for colour, (name, (text, reader)) in zip(("red", "green", "blue", "white"), READ.items(), strict=True):
        item = make_gold(project, trio, external_id=name, picture=make_picture(project, colour))
        if reader:
            PictureText.objects.create(item=item, text=text or "", reader=reader)
    return project


def read_in(rows):
    return {row["id"]: (row["picture_text"], row["picture_text_reader"]) for row in rows}


def test_words_leave_with_their_reader_in_every_format(project):
    made = release(project, None, Selection(formats=tuple(ReleaseFormat)))
    folder = folder_of(made)
    assert read_in(rows_of(made)) == READ
    with (folder / "items.csv").open(encoding="utf-8-sig", newline="") as table:
        assert read_in(csv.DictReader(table))["d"] == ("'=1+1", "person")
    for path in (folder / "parquet").iterdir():
        assert read_in(pq.read_table(path).to_pylist()) == READ
    hvli = json.loads((folder / "hvli.json").read_text(encoding="utf-8"))
    assert (hvli["a"]["picture_text"], hvli["a"]["picture_text_reader"]) == READ["a"]
    assert "picture_text" not in hvli["c"]
    tasks = json.loads((folder / "label_studio.json").read_text(encoding="utf-8"))
    assert tasks[0]["data"]["picture_text"] == "the weeds again"
    assert "`picture_text`, read by person (1 item), rapidocr 3 (2 items)" in (folder / "README.md").read_text()
    described = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    field = next(field for field in described["recordSet"][0]["field"] if field["name"] == "picture_text_reader")
    assert field["description"].startswith("who read them")


@pytest.mark.parametrize("format", [ReleaseFormat.CSV, ReleaseFormat.HVLI, ReleaseFormat.LABEL_STUDIO, None])
def test_an_import_of_a_release_brings_the_words_back(project, format):
    made = release(project, None, Selection(formats=(format,) if format else ()))
    name = {ReleaseFormat.CSV: "items.csv", None: "items.jsonl"}.get(format, f"{format}.json")
    again = builders.make_project("again", picture_reader="none")
    report = import_file(again, io.BytesIO((folder_of(made) / name).read_bytes()), ImportOptions())
    assert report.errors == []
    rows = PictureText.objects.filter(item__project=again)
    back = {
        item: (text or None, reader) for item, text, reader in rows.values_list("item__external_id", "text", "reader")
    }
    assert back == {name: words for name, words in READ.items() if words[1]}


def test_words_stay_behind_where_asked_and_wherever_texts_stay(project, tmp_path):
    made = release(project, None, Selection(picture_texts=False))
    assert "picture_text" not in made.manifest["columns"]
    assert Selection.model_validate(made.manifest["selection"]).picture_texts is False
    made = release(project, None, Selection(texts=False))
    assert set(read_in(rows_of(made)).values()) == {(None, None)}
    call_command("release", "memes", "--out", str(tmp_path / "out"), "--formats", "none", "--no-picture-texts")
    assert "picture_text" not in (tmp_path / "out" / "items.jsonl").read_text(encoding="utf-8")
    PictureText.objects.all().delete()
    assert "picture_text" not in release(project, None, Selection()).manifest["columns"]


def test_pictures_with_nearly_the_same_words_are_never_parted(project):
    trio = list(project.memberships.all())
    words = ["when the neighbours bring their weeds", "when our neighbours bring their weeds"]
    for number in range(12):
        item = make_gold(project, trio, external_id=f"n{number}", text=f"Post {number * 7919} of its own kind.")
        if number < 2:
            PictureText.objects.create(item=item, text=words[number], reader="given")
        if number == 2:
            item.text = words[0].upper() + "!"
            item.save(update_fields=["text"])
    selection = Selection(split=Splitting(shares=Shares(34, 33, 33), seed=3))
    parts = divide(project, selection).parts
    assert len({parts[name] for name in ("n0", "n1", "n2")}) == 1
    assert len(set(parts.values())) > 1
