"""Words of pictures that come with data: in a column under its usual names, or in the folder of MMHS150K."""

import io
import json
import zipfile

import pytest
from PIL import Image

import builders
from annotation.domain.formats.base import Format
from annotation.imports.options import ImportOptions, Update
from annotation.imports.run import import_file
from annotation.models import Item, PictureText, Project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project("given", picture_reader="none")


def imported(project: Project, content: bytes, **options: object):
    return import_file(project, io.BytesIO(content), ImportOptions(**options))


def readings() -> list[tuple[str, str, str]]:
    rows = PictureText.objects.filter(current=True).order_by("item__external_id")
    return list(rows.values_list("item__external_id", "text", "reader"))


@pytest.mark.parametrize("column", ["picture_text", "ocr", "ocr_text", "img_text", "image_text"])
def test_a_column_under_a_usual_name_is_taken_for_rows_with_a_picture(project, column):
    table = f"id,text,image,{column}\na,A,a.png,the weeds\nb,B,,nothing shows this\nc,C,c.png,\n"
    report = imported(project, table.encode())
    assert (report.errors, report.passed_over) == ([], [])
    assert readings() == [("a", "the weeds", "given")]


def test_the_reader_that_a_file_names_is_kept_also_where_it_read_no_words(project):
    rows = [
        {"id": "a", "text": "A", "image": "a.png", "picture_text": "杂草又长出来了", "picture_text_reader": "ocr 3"},
        {"id": "b", "text": "B", "image": "b.png", "picture_text": None, "picture_text_reader": "ocr 3"},
    ]
    imported(project, "".join(json.dumps(row) + "\n" for row in rows).encode())
    assert readings() == [("a", "杂草又长出来了", "ocr 3"), ("b", "", "ocr 3")]
    assert PictureText.objects.get(item__external_id="a").language == "zh"


def test_severe_words_of_a_picture_count_for_the_severity(project):
    rows = [
        {"id": "a", "text": "A", "image": "a.png", "picture_text": "all immigrants are vermin"},
        {"id": "b", "text": "B", "image": "b.png", "picture_text": "a garden", "severity": 1},
    ]
    imported(project, "".join(json.dumps(row) + "\n" for row in rows).encode())
    severities = dict(Item.objects.values_list("external_id", "severity"))
    assert severities["a"] > 0
    assert severities["b"] == 1


def archive(**words: bytes) -> bytes:
    out, picture = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (40, 30), "green").save(picture, "JPEG")
    record = {"tweet_text": "x", "labels": [1, 1, 0], "img_url": "http://example.org/a.jpg"}
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("MMHS150K_GT.json", json.dumps({"11": record, "12": record}))
        for name in ("11", "12"):
            packed.writestr(f"img_resized/{name}.jpg", picture.getvalue())
        for name, content in words.items():
            packed.writestr(f"img_txt/{name.lstrip('n')}.json", content)
    return out.getvalue()


def test_mmhs_words_are_read_from_the_folder_beside_the_pictures(project):
    report = imported(project, archive(n11=b'{"img_text": "WEEDS\\nagain"}', n99=b'{"img_text": "of no post"}'))
    assert (report.format, report.errors, report.items) == (Format.MMHS150K, [], 2)
    assert readings() == [("11", "WEEDS\nagain", "given")]


@pytest.mark.once  # refused before a row is stored
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"[]", "not_an_object"),
        (b"\xff\xfe", "encoding"),
        (b'{"img_text": 7.5}', "not_text"),
        (b'{"img_text": "' + b"x" * 70_000 + b'"}', "bad_picture_words"),
    ],
)
def test_a_broken_file_of_words_is_an_error_of_its_row(project, content, code):
    report = imported(project, archive(n11=content))
    assert [(error.external_id, error.code) for error in report.errors] == [("11", code)]
    assert not Item.objects.exists()


def test_words_are_filled_in_later_over_those_of_a_machine_only(project):
    picture = builders.make_picture(project, (40, 30))
    first, second = (builders.make_item(project, external_id=name, picture=picture) for name in ("a", "b"))
    PictureText.objects.create(item=first, text="read by a machine", reader="rapidocr 3")
    PictureText.objects.create(item=second, text="corrected", reader="person")
    rows = b'{"id": "a", "picture_text": "given"}\n{"id": "b", "picture_text": "given"}\n'
    report = imported(project, rows, update=Update.FILL)
    assert (report.items, report.unchanged) == (1, 1)
    assert (report.existing, report.changed, report.changed_ids) == (1, 1, ["b"])
    assert readings() == [("a", "given", "given"), ("b", "corrected", "person")]
