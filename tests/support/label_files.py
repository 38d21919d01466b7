"""Files with labels for tests: what each holds, the command that reads it, and what must come of it."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.imports.forms import OptionsForm
from annotation.management.commands import import_items
from annotation.models import Item, Label, Project
from builders import make_project

Said = dict[str, Any]
"""By post: labels by person, or the code of its intended category or gold."""


@dataclass(frozen=True)
class File:
    """A file, the arguments of the command that reads it, and what must come of it."""

    content: bytes | str
    command: tuple[str, ...] = ()
    labels: Said = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    """Words of the one sentence."""
    told: tuple[str, ...] = ()
    """Words that the command says beside its figures."""
    design: Said = field(default_factory=dict)
    """Fields of the project."""


def table(*rows: Sequence[Any], mark: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=mark, lineterminator="\n").writerows(rows)
    return out.getvalue()


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def workbook(*rows: Sequence[Any]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet(columns: dict[str, list[Any]]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


SEVERAL = {"choose": "several"}


def stored(project: Project) -> Said:
    """Return what the posts are labelled as, or are meant to be."""
    said: Said = {}
    for item in Item.objects.filter(project=project).select_related("intended", "category").order_by("pk"):
        rows = Label.objects.filter(item=item).order_by("pk").select_related("annotator", "category")
        people = {row.annotator.imported_name: row.categories or (row.category and row.category.code) for row in rows}
        category = item.intended or item.category
        codes = item.intended_categories or item.categories or (category and category.code)
        said[item.text] = people or codes
    return said


def command(path: Path, *arguments: str) -> tuple[dict[str, Any], str]:
    """Run the command; return its figures, and all that it says in words."""
    answer, words = io.StringIO(), io.StringIO()
    for out, more in ((words, ("--dry-run",)), (answer, ("--json",))):
        try:
            call_command("import_items", "garden", str(path), *arguments, *more, stdout=out, stderr=io.StringIO())
        except (CommandError, SystemExit):
            continue
    return json.loads(answer.getvalue()), words.getvalue()


def check_labels(file: File, tmp_path: Path) -> None:
    """Read the file by its command: the labels come in, or one sentence says what to do."""
    project = make_project("garden", **file.design)
    path = tmp_path / "file"
    path.write_bytes(file.content if isinstance(file.content, bytes) else file.content.encode())
    answer, words = command(path, *file.command)
    reasons = {error["reason"] for error in answer["errors"]}
    if file.refused:
        assert len(reasons) == 1 and not Item.objects.exists()
        assert all(word in min(reasons) for word in file.refused), reasons
        return
    assert reasons == set()
    assert stored(project) == file.labels
    assert all(word in words for word in file.told), words


def check_page(file: File) -> None:
    """Check that the page can ask for all that the command asks for."""
    parser = import_items.Command().create_parser("manage.py", "import_items")
    options = import_items.options_of(vars(parser.parse_args(["garden", "file", *file.command])))
    form = OptionsForm(OptionsForm.initial_of(options))
    assert form.is_valid(), form.errors
    assert form.request() == options
