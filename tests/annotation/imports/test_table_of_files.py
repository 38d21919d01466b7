"""`docs/importing-files.md` says what comes of each of these files, and page and command agree on it.

The files are those of the tests beside it and the examples of all formats. To write the document anew:
`WRITE_DOCUMENT=1 .venv/bin/pytest -n 0 tests/annotation/imports/test_table_of_files.py`.
"""

import importlib.util
import io
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.imports.examples import EXAMPLES
from annotation.imports.forms import OptionsForm
from annotation.management.commands import import_items
from annotation.models import Import, Project
from annotation.projects.create import create_project
from annotation.projects.templates import HVLI, template
from builders import make_member, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.once, pytest.mark.slow]
DOCUMENT = Path(settings.BASE_DIR) / "docs" / "importing-files.md"


class File(NamedTuple):
    """A file, the options of the command that reads it, and the project that it comes to."""

    content: bytes
    command: tuple[str, ...]
    project: str


ROWS = [{"text": "Our street has a new garden.", "likes": 12}, {"text": "They should all go home.", "likes": 7}]
COLUMNS = {name: [row[name] for row in ROWS] for name in ("text", "likes")}
JSON_SHAPES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "an array": (ROWS, ()),
    "an array, the text called otherwise": ([{"id": "a", "content": "Our street."}], ()),
    "that, the text named": ([{"id": "a", "content": "Our street."}], ("--text-column", "content")),
    "a list beside what is said of the whole file": ({"version": "2", "maker": {"name": "us"}, "data": ROWS}, ()),
    "an object for each id": ({"p1": ROWS[0], "p2": ROWS[1]}, ()),
    "by column, as pandas writes it": ({name: dict(enumerate(cells)) for name, cells in COLUMNS.items()}, ()),
    "split, as pandas writes it": (
        {"columns": [*COLUMNS], "index": [0, 1], "data": list(zip(*COLUMNS.values(), strict=True))}, (),
    ),
    "as a table, as pandas writes it": ({"schema": {"fields": [], "pandas_version": "1.4.0"}, "data": ROWS}, ()),
    "lists by column, as `datasets` writes them": (COLUMNS, ()),
    "pictures and their boxes": ({"images": [{"id": 1}], "annotations": [{"id": 1}], "categories": [{"id": 1}]}, ()),
}  # fmt: skip
OTHERS = {
    "an SQLite database": File(b"SQLite format 3\0" + bytes(84), (), "one"),
    "a pickle": File(b"\x80\x04\x95\x10\0\0\0\0\0\0\0}\x94.", (), "one"),
}


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # its data classes look for it
    spec.loader.exec_module(module)
    return module


def _raw(content: bytes | str) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def _files() -> dict[str, dict[str, File]]:
    """Return the files by the title of their part of the document."""
    sets, tools, marks = map(_module, ("test_labels_of_data_sets", "test_labels_of_tools", "test_passages_of_tools"))
    of_many, strangers = (_module(f"test_files_of_{who}") for who in ("many_tools", "strangers"))
    written = {
        "Data sets with labels of several people": sets.DATA_SETS,
        "A column for each category": sets.A_COLUMN_FOR_EACH_CATEGORY,
        "Crowds": tools.CROWDS,
        "Argilla": tools.ARGILLA,
        "Marked passages": marks.FILES,
    }
    parts = {
        title: {
            name: File(_raw(file.content), file.command, "several" if getattr(file, "design", None) else "one")
            for name, file in files.items()
        }
        for title, files in written.items()
    }
    examples = {
        f"the example of {kind}": File(path.read_bytes(), (), "hatexplain" if kind == "hatexplain" else "hvli")
        for kind, path in EXAMPLES.items()
    }
    shapes = {name: File(json.dumps(value).encode(), command, "one") for name, (value, command) in JSON_SHAPES.items()}
    today = {
        title: {name: File(file.content, file.command, "one") for name, file in files.items()}
        for title, files in (
            ("Tools, crowds and people today", of_many.FILES),
            ("Files of strangers", {**strangers.FILES, **strangers.SECOND, **strangers.THIRD}),
        )
    }
    return {"One of each format": examples, **parts, "Shapes of JSON": shapes, **today, "No tables": OTHERS}


class Outcome(NamedTuple):
    """What comes of a file: the sentences that stop it, else what would be stored, kept and not counted."""

    reasons: tuple[str, ...]
    posts: int
    labels: int
    kept: tuple[str, ...]
    told: dict[str, int]

    @classmethod
    def of(cls, answer: dict[str, Any]) -> "Outcome":
        reasons = tuple(sorted({error["reason"] for error in answer["errors"]}))
        told = {**answer["not_counted"], **answer["left"]}
        unread = (column for column in answer["columns"] if column["rows"] and not column["became"])
        told |= {f"left out {column['name']}": column["rows"] for column in unread}
        return cls(reasons, answer["items"], answer["labels"], tuple(answer["kept"]), told)

    def __str__(self) -> str:
        if self.reasons:
            return " ".join(self.reasons)
        words = [_counted(self.posts, "post"), _counted(self.labels, "label") if self.labels else ""]
        words += [f"kept: {', '.join(self.kept)}" if self.kept else ""]
        words += [f"told: {', '.join(f'{what} {count}' for what, count in sorted(self.told.items()))}"] * bool(
            self.told
        )
        return "; ".join(filter(None, words))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def by_command(project: Project, file: File, path: Path) -> dict[str, Any]:
    path.write_bytes(file.content)
    out = io.StringIO()
    with suppress(CommandError, SystemExit):
        arguments = (project.slug, str(path), *file.command, "--dry-run", "--json")
        call_command("import_items", *arguments, stdout=out, stderr=io.StringIO())
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


def on_page(project: Project, file: File, admin: Client) -> dict[str, Any]:
    parser = import_items.Command().create_parser("manage.py", "import_items")
    options = import_items.options_of(vars(parser.parse_args([project.slug, "file", *file.command])))
    initial = OptionsForm.initial_of(options)
    fields = {name: value for name, value in initial.items() if value is not None and value is not False}
    upload = {"file": SimpleUploadedFile("file", file.content), **fields}
    known = set(Import.objects.filter(project=project).values_list("pk", flat=True))
    admin.post(reverse("annotation:import", args=[project.slug]), upload)
    outcome: dict[str, Any] = Import.objects.filter(project=project).exclude(pk__in=known).get().outcome
    return outcome


def row_of(name: str, file: File, outcome: Outcome) -> str:
    asked = " ".join(f"'{part}'" if " " in part or ";" in part else part for part in file.command)
    cells = (name, f"`{asked}`" if asked else "", "stopped" if outcome.reasons else "read", str(outcome))
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def test_the_document_says_what_comes_of_each_file_and_page_and_command_agree(tmp_path: Path, client: Client) -> None:
    projects = {
        "one": make_project("one"),
        "several": make_project("several", choose="several"),
        "hvli": create_project(slug="hvli", name="Garden", design=template(HVLI)),
        "hatexplain": create_project(slug="hatexplain", name="Garden", design=template("hatexplain")),
    }
    clients = {name: Client() for name in projects}
    for name, admin in clients.items():
        admin.force_login(make_member(projects[name], Role.ADMIN).user)
    written, count = [], 0
    for title, files in _files().items():
        written.append(f"\n## {title}\n\n| file | asked for | | what comes of it |\n| --- | --- | --- | --- |")
        for name, file in files.items():
            project = projects[file.project]
            answer = by_command(project, file, tmp_path / "file")
            outcome = Outcome.of(answer)
            assert Outcome.of(on_page(project, file, clients[file.project])) == outcome, name
            written.append(row_of(name, file, outcome))
            count += 1
    assert count >= 60
    lines = DOCUMENT.read_text(encoding="utf-8").split("\n## ")[0].rstrip() + "\n" + "\n".join(written) + "\n"
    if os.environ.get("WRITE_DOCUMENT"):
        DOCUMENT.write_text(lines, encoding="utf-8")
    assert DOCUMENT.read_text(encoding="utf-8") == lines, f"{DOCUMENT.name} says something else: write it anew"
