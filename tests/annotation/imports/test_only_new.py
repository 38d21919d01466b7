"""The same file again, with more rows: what is new is stored, what is there stays, and what differs is said."""

import io
import json
from typing import Any

import pytest
from django.core.management import call_command

from annotation.imports.options import ImportOptions
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.models import Item, Project
from builders import make_project

pytestmark = pytest.mark.django_db
FIRST = "id,text,intended,image\na,One.,Racist,a.png\nb,Two.,NotHate,\nc,Three.,,\n"
AGAIN = "id,text,intended,image\na,One.,Racist,a.png\nb,Two!,NotHate,\nc,Three.,Racist,\nd,Four.,Sexist,\n"
"""Here b has another text, and c an intended category that the item lacks."""


def read(project: Project, table: str, **options: Any) -> ImportReport:
    return import_file(project, io.BytesIO(table.encode()), ImportOptions(**options))


@pytest.fixture
def project() -> Project:
    project = make_project("garden")
    assert read(project, FIRST).stored
    return project


def test_only_new_rows_are_stored_and_those_that_differ_are_named(project: Project) -> None:
    report = read(project, AGAIN, skip_existing=True)
    assert report.stored and (report.items, report.existing, report.changed) == (1, 3, 2)
    assert report.duplicates == 0  # a row that is here is no duplicate of itself
    assert report.changed_ids == ["b", "c"]
    texts = dict(Item.objects.values_list("external_id", "text"))
    assert texts == {"a": "One.", "b": "Two.", "c": "Three.", "d": "Four."}
    assert Item.objects.get(external_id="c").intended is None


def test_a_value_that_the_file_lacks_is_no_difference(project: Project) -> None:
    report = read(project, "id,text\na,One.\nb,Two.\n", skip_existing=True)
    assert (report.existing, report.changed, report.items) == (2, 0, 0)


def test_without_the_wish_a_known_id_is_an_error(project: Project) -> None:
    report = read(project, AGAIN)
    assert not report.stored and {error.code for error in report.errors} == {"id_exists"}
    assert Item.objects.count() == 3


def test_the_command_says_how_many_were_passed_over(
    project: Project, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "posts.csv"
    file.write_text(AGAIN)
    call_command("import_items", "garden", str(file), "--only-new", "--json", "--dry-run")
    answer = json.loads(capsys.readouterr().out)
    assert (answer["items"], answer["existing"], answer["changed_ids"]) == (1, 3, ["b", "c"])
    call_command("import_items", "garden", str(file), "--only-new")
    assert "2 rows differ from the items of their id, which stay: b, c" in capsys.readouterr().out
