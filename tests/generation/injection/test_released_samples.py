"""Releases mark what was made for the project, in every format, and the mark comes back with an import."""

import csv
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from PIL import Image

from annotation.consensus.close import close_item
from annotation.domain.choices import Modality
from annotation.domain.columns.column import When, names_of
from annotation.domain.columns.items import ITEMS
from annotation.domain.releases.columns import COLUMNS, ReleaseFormat
from annotation.models import Item, Prior, Project
from annotation.releases.build import copy_to, release
from annotation.releases.request import Selection
from builders import category, make_label, make_labelled_item, make_member, make_project
from generation.injection import material, review
from injection_models import make_injecting_project, make_pool, make_sample

pytestmark = pytest.mark.django_db

INJECTION_COLUMNS = names_of(column for column in ITEMS if column.when is When.INJECTED)


@pytest.fixture
def project() -> Project:
    """Gold of two items: one that a model wrote, with its insult filled, and one that it did not."""
    project, admin = make_injecting_project(new_batches="open", licence="CC0-1.0")
    people = [make_member(project) for _ in range(3)]
    material.set_words(admin, "newcomers", "<slur>")
    pool = make_pool(admin, codes=())
    material.add_files(pool, [drawn("red"), drawn("blue")], category(project, 1))
    item = review.accept(make_sample(pool), admin)
    Prior.objects.create(item=item, modality=Modality.TEXT, category=category(project, 1), model="openai:m")
    for seat, person in zip(item.seat_rows.order_by("number"), people, strict=True):
        make_label(seat, person, 0)
    close_item(item)
    close_item(make_labelled_item(project, people, [1, 1, 1], external_id="w-1"))
    assert Item.objects.filter(project=project, stage="gold").count() == 2
    return project


def drawn(colour: str) -> SimpleUploadedFile:
    content = BytesIO()
    Image.new("RGB", (64, 48), colour).save(content, "PNG")
    return SimpleUploadedFile(f"{colour}.png", content.getvalue())


def rows_of(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


def test_an_injected_item_is_marked_with_how_it_was_made_and_others_are_not(project: Project, tmp_path: Path) -> None:
    chosen = Selection(formats=(ReleaseFormat.CSV, ReleaseFormat.PARQUET))
    copy_to(release(project, None, chosen), tmp_path)
    rows = rows_of(tmp_path)
    own, made = rows.pop("w-1"), next(iter(rows.values()))
    assert tuple(own) == tuple(made) == (*COLUMNS, *INJECTION_COLUMNS)
    assert [own[name] for name in INJECTION_COLUMNS] == [False, None, None, None, None]
    assert [made[name] for name in INJECTION_COLUMNS] == [True, "victim_perspective", "110", "writer", "d" * 64]
    assert (made["item_source"], made["licence"], made["intended"], made["pattern"], made["aligned"]) == (
        "drawn for a test", "CC0-1.0", 0, "110", True,
    )  # fmt: skip
    assert "<slur>" in made["text"]
    with (tmp_path / "items.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row["id"]: row["injected"] for row in csv.DictReader(file)} == {"w-1": "false", made["id"]: "true"}
    table = pq.read_table(tmp_path / "parquet" / "train.parquet")
    assert sorted(zip(*(table[name].to_pylist() for name in ("injected", "injection_model")), strict=True)) == [
        (False, None), (True, "writer"),
    ]  # fmt: skip
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| Made by models | 1 items" in card
    assert json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))["counts"]["injected"] == 1


def test_a_project_without_injected_items_releases_the_columns_of_before(tmp_path: Path) -> None:
    project = make_project(licence="CC0-1.0")
    close_item(make_labelled_item(project, [make_member(project) for _ in range(3)], [1, 1, 1]))
    copy_to(release(project, None, Selection()), tmp_path)
    assert tuple(next(iter(rows_of(tmp_path).values()))) == COLUMNS
    assert "Made by models" not in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_mark_comes_back_with_an_import(project: Project, tmp_path: Path) -> None:
    copy_to(release(project, None, Selection()), tmp_path / "one")
    other = make_project("other", licence="CC0-1.0")
    call_command("import_items", "other", str(tmp_path / "one" / "items.jsonl"), "--images", str(tmp_path / "one"))
    made = Item.objects.get(project=other, provenance__has_key="injected")
    assert made.provenance["injected"] == {
        "strategy": "victim_perspective", "pattern": "110", "model": "writer", "prompt_digest": "d" * 64,
    }  # fmt: skip
    copy_to(release(other, None, Selection()), tmp_path / "two")
    first, second = rows_of(tmp_path / "one"), rows_of(tmp_path / "two")
    assert {key: [row[name] for name in INJECTION_COLUMNS] for key, row in first.items()} == {
        key: [row[name] for name in INJECTION_COLUMNS] for key, row in second.items()
    }
