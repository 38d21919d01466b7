"""Columns that the site keeps come out: of releases, lists, pages and the API; annotators see those that are ticked."""

import csv
import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.test import Client
from django.urls import reverse

import builders
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Role
from annotation.domain.releases.columns import ReleaseFormat
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.items.export import as_csv, as_jsonl
from annotation.items.search import UnknownFilter, find_items
from annotation.models import Item, KeptColumn, Membership, Project
from annotation.projects import named_settings
from annotation.releases.build import release
from annotation.releases.request import Selection
from release_builders import make_gold, rows_of

KEPT: dict[str, dict[str, Any]] = {
    "a": {"platform": "reddit", "likes": 3, "bot": True, "tags": ["x", 1], "mixed": 1, "far": 2**70},
    "b": {"platform": "=1+1", "likes": 0.5, "bot": False, "mixed": "one"},
    "c": {},
}
NAMES = ["bot", "far", "likes", "mixed", "platform", "tags"]


@pytest.fixture
def project(db: None) -> Project:
    project = builders.make_project("garden")
    trio = [builders.make_member(project) for _ in range(3)]
    for name, extra in KEPT.items():
        make_gold(project, trio, text=f"Weeds {name}.", external_id=name, extra=extra)
    KeptColumn.objects.bulk_create(KeptColumn(project=project, name=name) for name in NAMES)
    return project


@pytest.fixture
def admin(project: Project) -> Membership:
    return builders.make_member(project, Role.ADMIN)


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def test_releases_have_them_in_every_format(project: Project) -> None:
    made = release(project, None, Selection(formats=tuple(ReleaseFormat)))
    folder, whole = folder_of(made), {name: dict.fromkeys(NAMES) | extra for name, extra in KEPT.items()}
    assert {row["id"]: row["extra"] for row in rows_of(made)} == whole
    assert list(rows_of(made)[0]["extra"]) == NAMES
    with (folder / "items.csv").open(encoding="utf-8-sig", newline="") as table:
        cells = {row["id"]: row for row in csv.DictReader(table)}
    assert [cells["a"][f"extra_{name}"] for name in NAMES] == ["true", str(2**70), "3", "1", "reddit", '["x", 1]']
    assert cells["b"]["extra_platform"] == "'=1+1" and cells["c"]["extra_platform"] == "" and "extra" not in cells["a"]
    (parquet,) = (folder / "parquet").iterdir()
    typed = {row["id"]: row["extra"] for row in pq.read_table(parquet).to_pylist()}
    assert typed["a"] == {
        "bot": True, "far": str(2**70), "likes": 3.0, "mixed": "1", "platform": "reddit", "tags": '["x", 1]',
    }  # fmt: skip
    assert typed["b"]["mixed"] == "one" and typed["c"] == dict.fromkeys(NAMES)
    assert json.loads((folder / "hvli.json").read_text())["a"]["extra"] == whole["a"]
    assert json.loads((folder / "label_studio.json").read_text())[0]["data"]["extra"] == whole["a"]
    with (folder / "annotators.csv").open(encoding="utf-8-sig", newline="") as table:
        assert {row["extra_likes"] for row in csv.DictReader(table)} == {"3", "0.5", ""}
    assert made.manifest["extra"]["far"] == "string" and "extra" in made.manifest["columns"]
    described = json.loads((folder / "croissant.json").read_text())["recordSet"][0]["description"]
    assert "has extra too: columns of the imported file that the site does not know" in described


def test_a_release_without_texts_has_none_of_them(project: Project) -> None:
    rows = rows_of(release(project, None, Selection(texts=False)))
    assert {row["extra"] for row in rows} == {None}


def test_a_release_of_posts_without_them_has_no_such_column(project: Project) -> None:
    Item.objects.update(extra={})
    made = release(project, None, Selection())
    assert "extra" not in made.manifest and "extra" not in rows_of(made)[0]


@pytest.mark.parametrize("write", [as_jsonl, as_csv])
def test_a_list_as_a_file_has_them_and_is_read_back(project: Project, admin: Membership, write: Any) -> None:
    content = b"".join(write(admin, {}))
    other = builders.make_project("meadow")
    assert import_file(other, io.BytesIO(content), ImportOptions()).stored
    read = dict(Item.objects.filter(project=other).values_list("external_id", "extra"))
    texts = {"bot": "true", "far": str(2**70), "likes": "3", "mixed": "1", "platform": "reddit", "tags": '["x", 1]'}
    assert read == (KEPT if write is as_jsonl else {**KEPT, "a": texts, "b": read["b"]})
    assert b"".join(write(builders.make_member(other, Role.ADMIN), {})).count(b"reddit") == 1


def test_a_list_calls_nothing_gold_that_is_not(project: Project, admin: Membership) -> None:
    Item.objects.filter(external_id="a").update(stage="disputed", category_source=None)
    rows = {row["id"]: row for row in map(json.loads, b"".join(as_jsonl(admin, {})).splitlines())}
    told = ("gold", "hateful", "source", "pattern")
    assert [rows["a"][name] for name in told] == [None] * 4 and len(rows["a"]["labels"]) == 3
    assert rows["b"]["gold"] is not None


def test_whoever_may_still_label_a_post_sees_none_of_its_columns(project: Project) -> None:
    builders.make_open_item(project, external_id="open", extra={"platform": "secret"})
    both = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    assert b"secret" not in b"".join(as_jsonl(both, {})) and b"reddit" in b"".join(as_jsonl(both, {}))
    item = Item.objects.get(external_id="open")
    answer = client_of(both).get(reverse("api:item", args=["garden", item.public_id])).json()
    assert answer["extra"] == {}
    page = client_of(both).get(reverse("annotation:item", args=["garden", item.public_id]))
    assert "secret" not in page.content.decode()
    assert not find_items(both, {"extra": ["platform=secret"]})


def test_the_page_and_the_api_tell_them(project: Project, admin: Membership) -> None:
    item = Item.objects.get(external_id="a")
    page = client_of(admin).get(reverse("annotation:item", args=["garden", item.public_id])).content.decode()
    assert "Columns of its file" in page and "reddit" in page
    assert client_of(admin).get(reverse("api:item", args=["garden", item.public_id])).json()["extra"] == KEPT["a"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("platform=reddit", ["a"]),
        ("platform = reddit", ["a"]),
        ("platform", ["a", "b"]),
        ("platform==1+1", ["b"]),
        ("likes=3", ["a"]),
        ("likes=0.5", ["b"]),
        ("bot=true", ["a"]),
        ("bot=false", ["b"]),
        ("mixed=1", ["a"]),
        ("mixed=one", ["b"]),
        ("likes=30", []),
        ("nothing", []),
        ('a"b$.[0]=1', []),
    ],
)
def test_posts_are_found_by_them(admin: Membership, asked: str, found: list[str]) -> None:
    assert [item.external_id for item in find_items(admin, {"extra": [asked]})] == found


def test_a_name_may_hold_the_sign_and_a_text_that_is_too_long_is_refused(project: Project, admin: Membership) -> None:
    Item.objects.filter(external_id="a").update(extra={"a=b": "c"})
    assert [item.external_id for item in find_items(admin, {"extra": ["a=b=c"]})] == ["a"]
    with pytest.raises(UnknownFilter, match="texts of at most 1,000 characters"):
        find_items(admin, {"extra": ["x" * 1001]})


def test_annotators_see_the_columns_that_are_ticked_and_no_other(project: Project, admin: Membership) -> None:
    builders.make_open_item(project, external_id="open", extra={"platform": "forum-of-gardens", "likes": 77123})
    annotator = client_of(builders.make_member(project))
    address = reverse("annotation:label", args=["garden"])
    before = annotator.get(address, follow=True).content.decode()
    assert "forum-of-gardens" not in before and "77123" not in before
    form = named_settings.form_for(project, {"shown_columns": ["platform"]})
    assert form.is_valid() and named_settings.store_settings(admin, form) == ["shown_columns"]
    after = annotator.get(address, follow=True).content.decode()
    assert "forum-of-gardens" in after and "77123" not in after
    held = annotator.post(reverse("api:next", args=["garden"]), content_type="application/json").json()
    assert held["extra"] == {"platform": "forum-of-gardens"}


def test_only_kept_columns_can_be_shown(project: Project, admin: Membership) -> None:
    page = client_of(admin).get(reverse("annotation:project-settings", args=["garden"])).content.decode()
    assert "Columns of files that annotators see" in page and 'value="platform"' in page
    form = named_settings.form_for(project, {"shown_columns": ["text"]})
    assert not form.is_valid() and "shown_columns" in form.errors
    KeptColumn.objects.all().delete()
    assert (
        "Columns of files"
        not in client_of(admin).get(reverse("annotation:project-settings", args=["garden"])).content.decode()
    )
