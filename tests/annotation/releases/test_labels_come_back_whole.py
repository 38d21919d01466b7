"""What labels came in with comes out of a release, and out of a release of what was imported from it: byte by byte."""

import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from annotation.core.release_paths import folder_of
from annotation.domain.releases.columns import ReleaseFormat
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Project, Release
from annotation.releases.build import release
from annotation.releases.request import Selection
from builders import make_project
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


def test_a_release_without_named_passages_has_no_column_for_them() -> None:
    made = release(imported(lines(POSTS[1:])), None)
    assert "marked_passages" not in rows_of(made)[0]


BAD_PASSAGES = {
    "no list": ({"x": 1}, "is a list of at most"),
    "nobody's": ([{"annotator": "dee", **BAD}], "'dee' has marked passages and no label"),
    "outside": ([{"annotator": "ann", "start": 3, "end": 99, "name": "x"}], "lies outside the text"),
    "no place": ([{"annotator": "ann", "start": "3", "end": 4, "name": "x"}], "as whole numbers"),
}


@pytest.mark.parametrize("case", BAD_PASSAGES)
def test_passages_that_fit_no_label_are_refused(case: str) -> None:
    value, words = BAD_PASSAGES[case]
    report = import_file(make_project(), io.BytesIO(lines([POSTS[0] | {"marked_passages": value}])), ImportOptions())
    assert [words in error.reason for error in report.errors] == [True], report.errors
