"""A design that changes while people label: by the site's pages, from the first label to every file of a release."""

import csv
import json
import tarfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.test import Client

from annotation.domain.choices import Role, Stage
from annotation.domain.design.file import as_json, read_design
from annotation.domain.releases.columns import ReleaseFormat
from annotation.models import Item, Label
from annotation.operations.audit import audit
from annotation.projects.design import change_design, design_of
from annotation.releases.build import copy_to, release
from annotation.releases.request import Selection
from builders import make_member, make_open_item, make_project
from page_forms import design_fields, send_label
from release_builders import rows_of

pytestmark = [pytest.mark.django_db, pytest.mark.once]

LABEL, DESIGN = "/p/garden/label/", "/p/garden/design/"
BEFORE = [
    {"code": "severity", "kind": "scale", "points": 5, "wording": "How bad?"},
    {"code": "targets", "kind": "many", "options": [{"code": "men"}, {"code": "women"}]},
]
OLD = {"severity": 1, "targets": 1, "why": None}
NEW = {"severity": 2, "targets": 2, "why": 1}


def signed_in(member: Any) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def label_next(client: Client, **answer: Any) -> None:
    answer = {"category": "1", **{f"answer_{code}": value for code, value in answer.items()}}
    assert send_label(client, client.get(LABEL), LABEL, **answer).status_code == 302


@pytest.fixture
def campaign() -> dict[str, Any]:
    """Three people label a post, two of them another one; the admin changes the design; they label to the end.

    The post `first` is answered in the old design, `last` in the new one, and `mixed` twice in the old and once
    in the new one.
    """
    project = make_project("garden")
    rows = as_json(design_of(project))["categories"]
    change_design(project, read_design({"categories": rows, "questions": BEFORE}), admin=None)
    people = [signed_in(make_member(project)) for _ in range(3)]
    make_open_item(project, "A first post.", external_id="first")
    for client, points in zip(people, ("5", "4", "4"), strict=True):
        label_next(client, severity=points, targets=["men"])
    make_open_item(project, "A post in between.", external_id="mixed")
    label_next(people[0], severity="1", targets=["men", "women"])
    label_next(people[1], severity="5", targets=["men"])
    begun = people[2].get(LABEL)

    admin = signed_in(make_member(project, Role.ADMIN))
    fields = design_fields(admin.get(DESIGN)) | {
        "question-0-wording": "How severe is it?",
        "question-1-options": "women = Women\nold = Old people",
        "question-2-code": "why",
        "question-2-kind": "text",
        "question-2-wording": "Why?",
        "question-2-place": "3",
    }
    assert admin.post(DESIGN, fields).status_code == 302

    return {"project": project, "people": people, "begun": begun}


@pytest.fixture
def finished(campaign: dict[str, Any]) -> Any:
    people = campaign["people"]
    label_next(people[2], severity="2", targets=["old"], why="Of age.")
    make_open_item(campaign["project"], "A last post.", external_id="last")
    for client, targets in zip(people, (["old"], ["old", "women"], ["women"]), strict=True):
        label_next(client, severity="3", targets=targets, why="Because.")
    return campaign["project"]


def test_a_form_from_before_the_change_is_stored_as_it_was_asked(campaign):
    answer = {"category": "1", "answer_severity": "2", "answer_targets": ["men", "women"]}
    assert send_label(campaign["people"][2], campaign["begun"], LABEL, **answer).status_code == 302
    assert Label.objects.order_by("-pk")[0].answers == {
        "severity": {"version": 1, "value": 2},
        "targets": {"version": 1, "value": ["men", "women"]},
    }


def versions_of(row: dict[str, Any]) -> list[dict[str, int | None]]:
    return [label["answer_versions"] for label in row["labels"]]


def test_every_label_keeps_the_version_that_was_asked_and_every_format_says_so(finished, tmp_path: Path):
    assert Item.objects.filter(project=finished, stage=Stage.GOLD).count() == 3
    assert audit(finished) == []
    made = release(finished, None, Selection(formats=tuple(ReleaseFormat)))
    rows = {row["id"]: row for row in rows_of(made)}
    assert versions_of(rows["first"]) == [OLD] * 3
    assert versions_of(rows["mixed"]) == [OLD, OLD, NEW]
    assert versions_of(rows["last"]) == [NEW] * 3
    assert [label["answers"]["targets"] for label in rows["mixed"]["labels"]] == [["men", "women"], ["men"], ["old"]]
    # A new wording counts with the old one. An option that is gone is the majority of the two who could choose it.
    assert rows["mixed"]["questions"]["severity"] == {"value": 2.0, "answers": 3, "version": 2}
    assert rows["first"]["questions"]["targets"] == {"value": ["men"], "answers": 3, "version": 1}
    assert rows["last"]["questions"]["targets"] == {"value": ["old", "women"], "answers": 3, "version": 2}

    out = tmp_path / "out"
    copy_to(made, out)
    call_command("check_release", out)
    for name, read in READERS.items():
        told = {key: versions_of(row) for key, row in read(out).items()}
        assert told == {key: versions_of(row) for key, row in rows.items()}, name
    with (out / "labels.csv").open(encoding="utf-8-sig", newline="") as lines:
        table = [(row["id"], row["answer_targets_version"], row["answer_why"]) for row in csv.DictReader(lines)]
    assert sorted(table) == sorted(
        [("first", "1", "")] * 3
        + [("mixed", "1", "")] * 2
        + [("mixed", "2", "Of age.")]
        + [("last", "2", "Because.")] * 3
    )


def by_id(rows: Any) -> dict[str, Any]:
    return {row["id"]: row for row in rows}


def from_csv(out: Path) -> dict[str, Any]:
    with (out / "items.csv").open(encoding="utf-8-sig", newline="") as lines:
        return {row["id"]: {"labels": json.loads(row["labels"])} for row in csv.DictReader(lines)}


def from_shard(out: Path) -> dict[str, Any]:
    with tarfile.open(out / "webdataset/train-000000.tar") as shard:
        names = [name for name in shard.getnames() if name.endswith(".json")]
        return by_id(json.load(shard.extractfile(name)) for name in names)


def from_label_studio(out: Path) -> dict[str, Any]:
    tasks = json.loads((out / "label_studio.json").read_text())
    return {
        task["data"]["id"]: {"labels": [{"answer_versions": asked} for asked in task["data"]["answer_versions"]]}
        for task in tasks
    }


READERS = {
    "csv": from_csv,
    "parquet": lambda out: by_id(pq.read_table(out / "parquet/train.parquet").to_pylist()),
    "imagefolder": lambda out: by_id(pq.read_table(out / "imagefolder/train/metadata.parquet").to_pylist()),
    "webdataset": from_shard,
    "hvli": lambda out: json.loads((out / "hvli.json").read_text()),
    "label studio": from_label_studio,
}


def test_card_and_manifest_tell_the_change_with_both_versions(finished, tmp_path: Path):
    made = release(finished, None, Selection())
    (change,) = made.manifest["design_changes"]
    told = [(one["code"], one["version"], one["change"], one["parts"]) for one in change["questions"]]
    assert told == [
        ("severity", 2, "reasked", ["wording"]),
        ("targets", 2, "reasked", ["options"]),
        ("why", 1, "added", []),
    ]
    counts = {
        question["code"]: [(version["version"], version["asked"]) for version in question["versions"]]
        for question in made.manifest["questions"]
    }
    assert counts == {"severity": [(1, 5), (2, 4)], "targets": [(1, 5), (2, 4)], "why": [(1, 4)]}
    copy_to(made, tmp_path / "out")
    card = (tmp_path / "out/README.md").read_text()
    assert "## The design changed while people labelled" in card
    assert (
        "question severity reasked as version 2 (wording), question targets reasked as version 2 (options), "
        "question why added." in card
    )
    assert "How severe is it? (version 1, 2) | 9 | 9 |" in card
