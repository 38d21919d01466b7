"""A list file calls gold what is gold, in both forms, and an import of it counts the same."""

import csv
import json
from io import BytesIO

import pytest

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Role, Stage
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.items.export import as_csv, as_jsonl
from annotation.models import Item

pytestmark = pytest.mark.django_db

VOTES = {"agreed": (1, 1, 1), "torn": (0, 1, 2), "half": (1, 1, 0), "unsure": (1, None, None), "misread": (2, 2, 2)}


def test_only_gold_posts_have_gold_and_what_follows_from_it() -> None:
    project = builders.make_project("lists")
    people = [builders.make_member(project) for _ in range(3)]
    for name, votes in VOTES.items():
        intended = builders.category(project, 1) if name == "misread" else None
        close_item(builders.make_labelled_item(project, people, votes, external_id=name, intended=intended))
    builders.make_open_item(project, external_id="open")
    gold = set(Item.objects.filter(project=project, stage=Stage.GOLD).values_list("external_id", flat=True))
    assert gold and {"torn", "misread", "open"}.isdisjoint(gold)
    admin = builders.make_member(project, Role.ADMIN)
    lines = b"".join(as_jsonl(admin, {}))
    rows = [json.loads(line) for line in lines.splitlines()]
    assert {row["id"] for row in rows if row["gold"] is not None} == gold
    for name in ("hateful", "source", "rationale", "pattern", "difficulty"):
        assert {row["id"] for row in rows if row.get(name) not in (None, "", [])} <= gold, name
    assert {row["id"]: row["reasons"] for row in rows if row["reasons"]} == {
        "torn": ["no_majority"], "misread": ["misaligned"], "unsure": ["not_sure"]
    }  # fmt: skip
    table = csv.DictReader(b"".join(as_csv(admin, {})).decode("utf-8-sig").splitlines())
    assert {row["id"] for row in table if row["gold"]} == gold
    report = import_file(builders.make_project("again"), BytesIO(lines), ImportOptions(), dry_run=True)
    assert (report.errors, report.items) == ([], len(VOTES) + 1)
