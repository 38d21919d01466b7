"""Ids as other places write them come in, are found, and come out of every format as they were."""

import json
from io import BytesIO

import pytest
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.domain.releases.columns import ReleaseFormat
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.management.projects import named_items
from annotation.models import Item
from annotation.releases.build import copy_to, release
from annotation.releases.request import Selection
from builders import make_member, make_project

pytestmark = pytest.mark.django_db

IDS = [
    *("a+b=", "q@1", "<m1@x>", "2021-03-04 12:00", "img/01235.png", "../../x", "=1+1", "+82 10", "@user", "한글-1"),
    *(
        "帖子1",
        "a#b",
        "(1)",
        "1,234",
        "a;b",
        "a|b",
        "'quoted'",
        '"q"',
        "&amp;",
        "<b>x</b>",
        "%2F",
        "{{ 1 }}",
        "-",
        "..",
    ),
    *("a  b", "\U0001f469\u200d\U0001f467"),
]


def brought() -> bytes:
    rows = [{"id": name, "text": f"post {number}", "gold": 0} for number, name in enumerate(IDS)]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


@pytest.fixture
def project():
    project = make_project(slug="garden")
    report = import_file(project, BytesIO(brought()), ImportOptions())
    assert report.errors == [] and report.stored
    return project


FILES = ("items.jsonl", "items.csv", "parquet/train.parquet", "webdataset/train-000000.tar", "label_studio.json")


def test_they_come_out_of_a_release_and_in_again(project, tmp_path) -> None:
    copy_to(release(project, None, Selection(formats=tuple(ReleaseFormat))), tmp_path / "out")
    for name in FILES:
        other = make_project()
        report = import_file(other, BytesIO((tmp_path / "out" / name).read_bytes()), ImportOptions())
        assert (name, report.errors) == (name, [])
        assert set(Item.objects.filter(project=other).values_list("external_id", flat=True)) == set(IDS), name


def test_pages_and_commands_find_them(project, client) -> None:
    client.force_login(make_member(project, Role.ADMIN).user)
    for name in IDS:
        page = client.get(reverse("annotation:items", args=["garden"]), {"id": name})
        assert page.status_code == 200
        item = Item.objects.get(project=project, external_id=name)
        assert str(item.public_id) in page.content.decode(), name
    assert "<b>x</b>" not in client.get(reverse("annotation:items", args=["garden"])).content.decode()


def test_the_same_id_is_the_same_item(project) -> None:
    report = import_file(project, BytesIO(brought()), ImportOptions(skip_existing=True))
    assert (report.existing, report.items) == (len(IDS), 0)


def test_a_command_names_one_that_holds_a_comma_in_quotation_marks(project) -> None:
    items = Item.objects.filter(project=project)
    chosen = named_items(items, '"1,234", a#b', "that can be looked at")
    assert set(chosen.values_list("external_id", flat=True)) == {"1,234", "a#b"}
