"""Split lists over the API: frozen, listed, kept by a release that names one."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils.timezone import now

from annotation.core.release_paths import folder_of
from annotation.domain.choices import Role, Source, Stage
from annotation.models import Event, Project, Release, SplitList
from builders import category, make_item, make_member, make_project

pytestmark = pytest.mark.django_db

LISTS, RELEASES = "/api/v1/projects/p/split-lists/", "/api/v1/projects/p/releases/"


@pytest.fixture
def client() -> Client:
    admin = make_member(make_project("p"), Role.ADMIN)
    for number in range(10):
        plant(admin.project, f"i-{number}", f"Words of post {number}, unlike others: {chr(97 + number) * 30}")
    client = Client()
    client.force_login(admin.user)
    return client


def plant(project: Project, name: str, text: str) -> None:
    kind = category(project, 0)
    given = {
        "category": kind,
        "hateful": False,
        "category_source": Source.IMPORTED,
        "closed_at": now(),
        "gold_at": now(),
    }
    make_item(project, text, external_id=name, stage=Stage.GOLD, **given)


def post(client: Client, place: str, body: Any) -> Any:
    return client.post(place, json.dumps(body), content_type="application/json")


def test_a_list_is_frozen_once_and_a_release_keeps_its_parts(client: Client) -> None:
    parts = {"i-0": "test", "i-1": "validation", "i-9": "test", "elsewhere": "train"}
    made = post(client, LISTS, {"name": "of the paper", "parts": parts})
    assert made.status_code == 201
    assert made.json()["sizes"] == {"train": 1, "dev": 1, "test": 2}
    again = post(client, LISTS, {"name": "again", "parts": parts})
    assert (again.status_code, again.json()["id"]) == (200, made.json()["id"])
    assert [each["name"] for each in client.get(LISTS).json()] == ["of the paper"]
    assert client.get(f"{LISTS}{made.json()['id']}/").json()["parts"] == parts | {"i-1": "dev"}
    released = post(client, RELEASES, {"splits": "100/0/0", "seed": 3, "split_list": made.json()["id"]})
    assert released.status_code == 201, released.content
    rows = [json.loads(line) for line in (folder_of(Release.objects.get()) / "items.jsonl").read_text().splitlines()]
    split = {row["id"]: row["split"] for row in rows}
    assert (split["i-0"], split["i-1"], split["i-9"]) == ("test", "dev", "test")
    assert {split[f"i-{n}"] for n in range(2, 9)} == {"train"}
    assert Event.objects.filter(verb="split_list_kept").count() == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"name": "a", "parts": {"x": "half"}}, "x: the part is train, dev or test."),
        ({"name": "a", "parts": {}}, "parts"),
        ({"name": "a", "parts": ["x"]}, "parts"),
        ({"parts": {"x": "train"}}, "name"),
        ([], ""),
    ],
)
def test_a_list_that_cannot_be_used_is_refused(client: Client, body: Any, said: str) -> None:
    answer = post(client, LISTS, body)
    assert answer.status_code == 400 and said in answer.content.decode()
    assert not SplitList.objects.exists()


def test_a_release_names_a_list_of_its_project(client: Client) -> None:
    other = SplitList.objects.create(project=make_project("q"), name="a", sha256="0" * 64, parts={"i-0": "test"})
    foreign = post(client, RELEASES, {"splits": "80/10/10", "split_list": str(other.public_id)})
    assert foreign.status_code == 400 and "no split list with this id" in foreign.content.decode()
    assert client.get(f"{LISTS}{other.public_id}/").status_code == 404
    assert not Release.objects.exists()
