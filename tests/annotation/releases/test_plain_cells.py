"""CSV for programs beside CSV for spreadsheets: cells as they are, said so, and the same again after an import."""

import csv
from io import BytesIO
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.domain.csv_cells import plain_cells
from annotation.domain.releases.columns import ReleaseFormat
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Item
from annotation.pages.csv_response import csv_file, csv_lines, csv_response, streamed_csv_response
from annotation.releases.build import copy_to, release
from annotation.releases.request import Selection
from builders import make_project

pytestmark = pytest.mark.django_db
TEXTS = {"=1": "=1+1", "b": "@user go", "c": "'=x", "d": "a;=b\n-c", "e": "-", "f": "plain, \"quoted\""}  # fmt: skip
MARK = "\ufeff".encode()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    project = make_project()
    rows = "".join(f'{{"id": "{name}", "gold": 0, "text": {json_text(text)}}}\n' for name, text in TEXTS.items())
    assert import_file(project, BytesIO(rows.encode()), ImportOptions()).stored
    formats = (ReleaseFormat.CSV, ReleaseFormat.CSV_PLAIN)
    copy_to(release(project, None, Selection(formats=formats)), tmp_path / "out")
    return tmp_path / "out"


def json_text(text: str) -> str:
    return '"' + text.replace('"', '\\"').replace("\n", "\\n") + '"'


def cells_of(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {row["id"]: row["text"] for row in csv.DictReader(file)}


def test_cells_for_programs_are_as_they_are_and_those_for_spreadsheets_are_safe(out: Path) -> None:
    assert cells_of(out / "items_plain.csv") == TEXTS
    assert cells_of(out / "items.csv")["b"] == "'@user go"
    card = (out / "README.md").read_text()
    assert "`items_plain.csv`, `labels_plain.csv`" in card and "may run a text as a formula" in card


@pytest.mark.parametrize("name", ["items.csv", "items_plain.csv"])
def test_both_give_the_same_posts_again(name: str, out: Path) -> None:
    project = make_project(slug="again")
    call_command("import_items", "again", str(out / name))
    assert dict(Item.objects.filter(project=project).values_list("external_id", "text")) == TEXTS
    assert Item.objects.filter(project=project).exclude(extra={}).count() == 0


def test_every_csv_begins_with_the_mark_once(out: Path) -> None:
    rows = [("a", "b"), *((number, "ä") for number in range(500))]
    made = {
        "file": csv_file(rows),
        "lines": b"".join(csv_lines(rows)),
        "empty": b"".join(csv_lines([("a", "b")])),
        "response": csv_response("x.csv", rows).content,
        "streamed": b"".join(streamed_csv_response("x.csv", rows)),
        **{path.name: path.read_bytes() for path in out.glob("*.csv")},
    }
    assert {name: content.count(MARK) for name, content in made.items()} == dict.fromkeys(made, 1)
    assert all(content.startswith(MARK) for content in made.values())


def test_plain_cells_of_every_kind() -> None:
    values = [None, True, 1, 0.5, "=1", ["=a"], {"b": "-"}, []]
    assert plain_cells(values) == ["", "true", "1", "0.5", "=1", '["=a"]', '{"b":"-"}', "[]"]
