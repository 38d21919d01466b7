"""What files of strangers brought in comes back from each format of a release, and goes out again the same."""

import importlib.util
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.domain.choices import Source, Stage
from annotation.domain.formats.detect import open_reader
from annotation.domain.releases.columns import ReleaseFormat, Scope
from annotation.imports.files import archives
from annotation.imports.run import import_file
from annotation.models import Category, Item, Project
from annotation.releases.build import copy_to, release
from annotation.releases.request import Selection
from builders import make_project
from release_builders import rows_of
from written_files import Filed, options_of

pytestmark = [pytest.mark.django_db, pytest.mark.once, pytest.mark.slow]
ASKED = Selection(scope=Scope.CLOSED, notes=True, people=True, formats=tuple(ReleaseFormat))
SEATS = 2
TYPED = {"items.jsonl": "items.jsonl", "WebDataset": "webdataset/train-000000.tar", "Label Studio": "label_studio.json"}
WRITTEN = {"items.csv": "items.csv", "items_plain.csv": "items_plain.csv", "Parquet": "parquet/train.parquet"}
"""Files in which a kept list or object is the text of its JSON, and in CSV a number is a text too."""


def _files() -> dict[str, Filed]:
    files: dict[str, Filed] = {}
    for name in ("many_tools", "strangers"):
        path = Path(__file__).with_name(f"test_files_of_{name}.py")
        spec = importlib.util.spec_from_file_location(f"round_{name}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        files |= {**module.FILES, **getattr(module, "SECOND", {})}
    return {name: file for name, file in files.items() if not file.stops}


def _as_numbered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with their people numbered: another project has other pseudonyms, and pictures written anew."""
    people = dict.fromkeys(label["annotator"] for row in rows for label in row["labels"])
    text = json.dumps(rows)
    for number, name in enumerate(people):
        text = text.replace(json.dumps(name), f'"person {number}"')
    numbered: list[dict[str, Any]] = json.loads(text)
    for row in numbered:
        row |= dict.fromkeys(("image_sha256_original", "guideline_version"))
        for label in row["labels"]:
            label |= dict.fromkeys(("priors_seen", "first_category"))
    return numbered


def _with_texts(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its kept columns as a table writes them."""
    kept = {name: value if isinstance(value, str) else json.dumps(value) for name, value in row["extra"].items()}
    return row | {
        "extra": {name: json.dumps(json.loads(text)) if _is_json(text) else text for name, text in kept.items()}
    }


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> Project:
    """A campaign with all these posts, those closed that have no label or one of each seat."""
    monkeypatch.setattr(archives, "ReaderProcess", lambda table, reading, watch: open_reader(table, reading))
    project = make_project("garden", seats=SEATS)
    imported = [import_file(project, io.BytesIO(file.content), options_of(file)).stored for file in _files().values()]
    assert sum(imported) > 100
    decided = {"stage": Stage.GOLD, "category": Category.objects.get(project=project, code=0), "hateful": False}
    now = timezone.now()
    unlabelled = Item.objects.filter(project=project, stage__in=(Stage.IMPORTED, Stage.READY))
    unlabelled.update(**decided, category_source=Source.IMPORTED, gold_at=now, closed_at=now)
    return project


def test_a_release_comes_back_from_each_format_and_goes_out_the_same(campaign: Project, tmp_path: Path) -> None:
    made, out = release(campaign, None, ASKED), tmp_path / "out"
    copy_to(made, out)
    rows = _as_numbered(rows_of(made))
    assert any(row["extra"] for row in rows) and any(row["labels"] for row in rows)
    for name, file in {**TYPED, **WRITTEN}.items():
        other = make_project(seats=SEATS)
        images = None if file.endswith((".tar", ".parquet")) else str(out)  # those hold their pictures
        call_command("import_items", other.slug, out / file, images=images, stdout=io.StringIO())
        again = _as_numbered(rows_of(release(other, None, ASKED)))
        pairs = zip(rows, again, strict=True)
        for row, back in (
            (_with_texts(row), _with_texts(back)) if name in WRITTEN else (row, back) for row, back in pairs
        ):
            assert {key: (row[key], back[key]) for key in row if row[key] != back[key]} == {}, name
