"""A JSON array may be one line: its rows are known by their places in the array, and errors name them."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.core.management import call_command
from PIL import Image

from annotation.domain.formats.base import Format, Mapped
from annotation.imports.options import ImportOptions, Update
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.models import Item, Project
from builders import make_item, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("garden")


def read(project: Project, value: Any, *, dry_run: bool = False, **options: Any) -> ImportReport:
    """Import a value as JSON on one line."""
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return import_file(project, io.BytesIO(content), ImportOptions(**options), dry_run=dry_run)


def places(report: ImportReport) -> list[tuple[int, int, str]]:
    return [(error.line, error.entry, error.code) for error in report.errors]


def stored(project: Project) -> list[str]:
    return sorted(Item.objects.filter(project=project).values_list("external_id", flat=True))


def picture(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (64, 64), colour).save(out, "PNG")
    return out.getvalue()


def test_only_the_row_with_the_bad_picture_is_left_out(project: Project) -> None:
    rows = [{"id": name, "text": name, "image": f"{name}.png"} for name in ("g1", "g2", "g3")]
    pictures = {"g1.png": picture("red"), "g2.png": picture("green")[:40], "g3.png": picture("blue")}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("t.json", json.dumps(rows))
        for name, content in pictures.items():
            archive.writestr(name, content)
    report = read(project, packed.getvalue(), format=Format.JSONL, leave_out=True)
    assert (report.items, report.stored, stored(project)) == (2, True, ["g1", "g3"])
    assert [(line, entry) for line, entry, _ in places(report)] == [(1, 2)]
    assert report.as_json()["bad_rows"] == 1


def task(number: int, text: str) -> dict[str, Any]:
    result = {"from_name": "label", "type": "choices", "value": {"choices": ["NotHate"]}}
    return {"id": number, "data": {"text": text}, "annotations": [{"completed_by": 3, "result": [result]}]}


def post(name: str, word: str) -> dict[str, Any]:
    return {"post_id": name, "post_tokens": [word], "annotators": [{"label": "normal", "annotator_id": 1}]}


TWICE: Mapping[Format, Any] = {
    Format.JSONL: [{"id": "a", "text": "x"}, {"id": "b", "text": "z"}, {"id": "a", "text": "y"}],
    Format.LABEL_STUDIO: [task(1, "x"), task(2, "z"), task(1, "y")],
    Format.HATEXPLAIN: {"x": post("1", "x"), "z": post("2", "z"), "y": post("1", "y")},
    Format.DOCCANO: [
        {"id": 1, "text": "x", "label": ["NotHate"]},
        {"id": 2, "text": "z", "label": []},
        {"id": 1, "text": "y", "label": []},
    ],
}


@pytest.mark.parametrize("format", TWICE)
def test_an_id_twice_on_one_line_is_found(project: Project, format: Format) -> None:
    mapped = Mapped(values={"normal": "NotHate"}, label="label" if format is Format.DOCCANO else "")
    dry = read(project, TWICE[format], format=format, mapped=mapped, dry_run=True)
    real = read(project, TWICE[format], format=format, mapped=mapped)
    assert places(dry) == places(real) == [(1, 3, "duplicate_id")]
    assert "line 1, entry 1 and in line 1, entry 3" in real.errors[0].reason
    assert (real.stored, stored(project), real.status) == (False, [], 400)


@pytest.mark.parametrize("made", [json.dumps, lambda rows: "".join(f"{json.dumps(row)}\n" for row in rows)])
def test_an_update_that_names_an_item_twice_changes_nothing(project: Project, made: Callable[[Any], str]) -> None:
    item = make_item(project, "x", external_id="a")
    rows = [{"id": "a", "intended": "Racist"}, {"id": "a", "intended": "Sexist"}]
    report = read(project, made(rows).encode(), format=Format.JSONL, update=Update.FILL)
    item.refresh_from_db()
    assert ([error.code for error in report.errors], report.stored, item.intended) == (["duplicate_id"], False, None)


def test_equal_texts_on_one_line_are_counted_one_by_one(project: Project) -> None:
    rows = [{"id": name, "text": "the same"} for name in "abc"]
    report = read(project, rows, format=Format.JSONL)
    assert report.duplicates == 2
    assert [(twin.line, twin.entry, twin.external_id) for twin in report.twins] == [(1, 2, "b"), (1, 3, "c")]
    again = read(project, [*rows, {"id": "d", "text": "new"}], format=Format.JSONL, skip_existing=True)
    assert (again.existing, again.duplicates, again.items) == (3, 0, 1)  # what is here already is no twin of itself


def test_rows_without_ids_are_numbered_by_their_places(project: Project) -> None:
    report = read(project, [{"text": "x"}, {"text": "y"}], format=Format.JSONL)
    assert report.stored
    assert [name.rpartition("-")[2] for name in stored(project)] == ["1", "2"]
    indented = json.dumps([{"text": "x"}, {"text": "y"}], indent=1).encode()
    assert read(make_project("yard"), indented, format=Format.JSONL).stored


def test_bad_rows_are_counted_and_named_by_their_entries(project: Project, tmp_path: Any, capsys: Any) -> None:
    rows = [{"id": "a", "text": "x"}, {"id": "b", "text": ""}, {"id": "c", "text": "z", "intended": "nonsense"}]
    report = read(project, rows, format=Format.JSONL)
    assert places(report) == [(1, 2, "no_content"), (1, 3, "unknown_label")]
    assert report.as_json()["bad_rows"] == 2
    file = tmp_path / "posts.json"
    file.write_text(json.dumps(rows))
    with pytest.raises(SystemExit):
        call_command("import_items", "garden", str(file), "--format", "jsonl")
    assert "line 1, entry 3: " in capsys.readouterr().out


def test_a_file_cut_off_names_the_entry(project: Project) -> None:
    report = read(project, b'[{"id": "a", "text": "x"}, {"id": "b", "te', format=Format.JSONL)
    assert report.fatal is not None and (report.fatal.line, report.fatal.entry) == (1, 2)
