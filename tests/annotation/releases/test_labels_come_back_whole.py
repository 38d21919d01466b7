"""What labels came in with comes out of a release, and out of a release of what was imported from it: byte by byte."""

import csv
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.core.release_paths import folder_of
from annotation.domain.choices import Role, Stage
from annotation.domain.formats.base import LabelUse, Mapped
from annotation.domain.releases.columns import ReleaseFormat
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.items.export import as_jsonl
from annotation.models import Item, Membership, Project, Release
from annotation.releases.build import release
from annotation.releases.request import Selection
from builders import make_member, make_project
from release_builders import rows_of

pytestmark = pytest.mark.django_db
FORMATS = (ReleaseFormat.CSV, ReleaseFormat.PARQUET, ReleaseFormat.LABEL_STUDIO)
BAD, WORD = {"start": 3, "end": 6, "name": "slur"}, {"start": 7, "end": 11, "name": "target, 표적"}
PASSAGES = {"ann": [BAD, WORD], "ben": [BAD], "cy": []}
POSTS = [
    {
        "id": "a", "text": "ab bad word", "platform": "forum",
        "labels": [{"annotator": who, "category": 1} for who in PASSAGES],
        "marked_passages": [{"annotator": who, **passage} for who, marked in PASSAGES.items() for passage in marked],
    },
    {"id": "b", "text": "Nothing.", "labels": [{"annotator": who, "category": 0} for who in PASSAGES]},
]  # fmt: skip


def imported(content: bytes, **options: Any) -> Project:
    project = make_project()
    report = import_file(project, io.BytesIO(content), ImportOptions(**options))
    assert report.stored, report.errors
    return project


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def bytes_of(made: Release, name: str) -> bytes:
    """Return a file of a release with its pseudonyms numbered: a project has its own."""
    content = (folder_of(made) / name).read_bytes()
    people = dict.fromkeys(label["annotator"] for row in rows_of(made) for label in row["labels"])
    for number, person in enumerate(people):
        content = content.replace(person.encode(), f"person-{number:07}".encode())
    return content


def file_of(made: Release, pattern: str) -> Path:
    return next(folder_of(made).rglob(pattern))


@pytest.mark.parametrize("name", ["items.jsonl", "items.csv", "label_studio.json"])
def test_named_passages_come_back_from_each_format(name: str) -> None:
    made = release(imported(lines(POSTS)), None, Selection(formats=FORMATS))
    first = rows_of(made)[0]
    people = [label["annotator"] for label in first["labels"]]
    marked = [(people.index(part.pop("annotator")), part) for part in first["marked_passages"]]
    assert marked == [(0, BAD), (0, WORD), (1, BAD)]
    again = release(imported((folder_of(made) / name).read_bytes()), None, Selection(formats=FORMATS))
    for file in ("items.jsonl", "items.csv", "labels.csv"):
        assert bytes_of(again, file) == bytes_of(made, file)


def test_named_passages_have_a_type_in_parquet() -> None:
    made = release(imported(lines(POSTS)), None, Selection(formats=FORMATS))
    rows = pq.read_table(file_of(made, "*.parquet")).to_pylist()
    assert [part["name"] for part in rows[0]["marked_passages"]] == ["slur", "target, 표적", "slur"]
    assert rows[1]["marked_passages"] == []


LONG_TABLE = Selection(formats=(ReleaseFormat.ANNOTATORS,), people=True)


def long_rows(made: Release) -> list[list[dict[str, Any]]]:
    """Return the rows of the long table, of the CSV and of the Parquet file, with their lists read."""
    with file_of(made, "annotators.csv").open(encoding="utf-8-sig", newline="") as table:
        cells = list(csv.DictReader(table))
    lists = ("marked_passages", "about_annotators")
    read = [row | {name: json.loads(row[name]) for name in lists if name in row} for row in cells]
    return [read, pq.read_table(file_of(made, "annotators.parquet")).to_pylist()]


def test_the_long_table_has_the_passages_of_each_label() -> None:
    made = release(imported(lines(POSTS)), None, LONG_TABLE)
    for rows in long_rows(made):
        assert all(part.pop("annotator") == row["annotator"] for row in rows for part in row["marked_passages"])
        assert [row["marked_passages"] for row in rows] == [[BAD, WORD], [BAD], [], [], [], []]
        assert "about_annotators" not in rows[0]


def test_a_list_has_passages_with_names_for_admins_where_labels_are_shown() -> None:
    project = imported(lines(POSTS))
    admin, reviewer = make_member(project, Role.ADMIN), make_member(project, Role.REVIEWER)
    rows = list(map(json.loads, as_jsonl(admin, {})))
    shown = [[label["annotator"], []] for label in rows[0]["labels"]]
    for part in rows[0]["marked_passages"]:
        dict(shown)[part.pop("annotator")].append(part)
    assert ([parts for _name, parts in shown], rows[1]["marked_passages"]) == ([[BAD, WORD], [BAD], []], [])
    assert "marked_passages" not in json.loads(next(as_jsonl(reviewer, {})))
    Item.objects.update(stage=Stage.DISPUTED)
    blind = make_member(project, Role.ADMIN, Role.ANNOTATOR)
    [first, *_] = map(json.loads, as_jsonl(blind, {}))
    assert first["labels"] == first["marked_passages"] == []


def test_a_release_without_named_passages_has_no_column_for_them() -> None:
    made = release(imported(lines(POSTS[1:])), None)
    assert "marked_passages" not in rows_of(made)[0]


# ── What came in about people ─────────────────────────────────────────────────

PEOPLE = {"ann": ("woman", "20-29"), "ben": ("man", "20-29"), "cy": ("", "30-39")}
TABLE = "id,text,who,label,gender,age group\n" + "".join(
    f"{post},{text},{who},{code},{gender},{age}\n"
    for post, text, code in (("a", "ab bad word", 1), ("b", "Nothing.", 0))
    for who, (gender, age) in PEOPLE.items()
)
LONG = Mapped(label="label", annotator="who", label_is=LabelUse.SEAT)
WITH_PEOPLE = Selection(formats=FORMATS, people=True)


@pytest.mark.parametrize("name", ["items.jsonl", "items.csv", "label_studio.json"])
def test_columns_about_people_come_back_from_each_format(name: str) -> None:
    project = imported(TABLE.encode(), mapped=LONG)
    made = release(project, None, WITH_PEOPLE)
    row = rows_of(made)[1]
    names = {label["annotator"]: who for label, who in zip(row["labels"], PEOPLE, strict=True)}
    said = {(names[part["annotator"]], part["column"]): part["value"] for part in row["about_annotators"]}
    assert said == {
        (who, column): value
        for who, values in PEOPLE.items()
        for column, value in zip(("gender", "age group"), values, strict=True)
        if value
    }
    assert not set(PEOPLE) & set((folder_of(made) / "items.jsonl").read_text().split('"'))
    again = release(imported((folder_of(made) / name).read_bytes()), None, WITH_PEOPLE)
    for file in ("items.jsonl", "items.csv", "labels.csv"):
        assert bytes_of(again, file) == bytes_of(made, file)


def test_the_long_table_and_an_admins_list_say_what_is_known_of_the_annotator() -> None:
    project = imported(TABLE.encode(), mapped=LONG)
    known = [[value for value in values if value] for values in PEOPLE.values()]
    for rows in long_rows(release(project, None, LONG_TABLE)):
        said = [sorted(part["value"] for part in row["about_annotators"]) for row in rows]
        assert said == 2 * [sorted(values) for values in known]
        assert all(part["annotator"] == row["annotator"] for row in rows for part in row["about_annotators"])
    for rows in long_rows(release(project, None, Selection(formats=(ReleaseFormat.ANNOTATORS,)))):
        assert "about_annotators" not in rows[0]
    of_list = json.loads(next(as_jsonl(make_member(project, Role.ADMIN), {})))
    assert sorted(part["value"] for part in of_list["about_annotators"]) == sorted(sum(known, []))
    assert "about_annotators" not in json.loads(next(as_jsonl(make_member(project, Role.REVIEWER), {})))


def test_columns_about_people_are_released_only_by_wish_and_rare_values_are_told_before(client: Client) -> None:
    project = imported(TABLE.encode(), mapped=LONG)
    assert "about_annotators" not in rows_of(release(project, None))[0]
    told = release(project, None, WITH_PEOPLE).manifest["about_annotators"]
    assert told == [
        {"column": "age group", "values": 2, "rare": 2, "people": 3},
        {"column": "gender", "values": 2, "rare": 2, "people": 2},
    ]
    client.force_login(make_member(project, Role.ADMIN).user)
    page = client.get(reverse("annotation:releases", args=[project.slug])).content.decode()
    assert "<bdi>age group</bdi>: 2 values, shared by fewer than five people: 2" in page
    said = io.StringIO()
    with TemporaryDirectory() as folder:
        call_command("release", project.slug, out=Path(folder) / "out", people=True, stdout=io.StringIO(), stderr=said)
    assert "age group: 2 of 2 values are shared by fewer than 5 people." in said.getvalue()


def test_an_admin_sees_what_came_in_about_a_person(client: Client) -> None:
    project = imported(TABLE.encode(), mapped=LONG)
    person = Membership.objects.get(project=project, imported_name="ben")
    address = reverse("annotation:quality-person", args=[project.slug, person.public_id])
    client.force_login(make_member(project, Role.ADMIN).user)
    page = client.get(address).content.decode()
    assert "What came in about this person" in page and "20-29" in page and ">ben<" not in page
    client.force_login(make_member(project).user)
    assert client.get(address).status_code in (403, 404)


# ── What fits no label ────────────────────────────────────────────────────────

BAD_PASSAGES = {
    "no list": ({"x": 1}, "is a list of at most"),
    "nobody's": ([{"annotator": "dee", **BAD}], "'dee' has marked_passages and no label"),
    "outside": ([{"annotator": "ann", "start": 3, "end": 99, "name": "x"}], "lies outside the text"),
    "no place": ([{"annotator": "ann", "start": "3", "end": 4, "name": "x"}], "as whole numbers"),
}


@pytest.mark.parametrize("case", BAD_PASSAGES)
def test_passages_that_fit_no_label_are_refused(case: str) -> None:
    value, words = BAD_PASSAGES[case]
    report = import_file(make_project(), io.BytesIO(lines([POSTS[0] | {"marked_passages": value}])), ImportOptions())
    assert [words in error.reason for error in report.errors] == [True], report.errors
