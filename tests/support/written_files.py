"""Files as tools, crowds and people write them, for tests of what comes in and comes out again.

Each value that must not be lost holds a word of its own (`zq…`).
"""

import csv
import io
import json
import re
import shlex
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from annotation.imports.options import ImportOptions
from annotation.management.commands import import_items

WORD = re.compile(r"zq[0-9a-z]+")


@dataclass(frozen=True)
class Filed:
    """A file, what reads it, and what must come of it: posts, labels, and the words that come out again."""

    content: bytes
    words: frozenset[str]
    posts: int
    labels: int = 0
    command: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    """Columns that are told as left out; their words need not come out."""
    stops: str = ""
    """What the sentence says that stops the file; "": it is read."""


def of(
    written: Any,
    posts: int,
    labels: int = 0,
    *command: str,
    lost: str = "",
    told: tuple[str, ...] = (),
    raw: bytes | None = None,
) -> Filed:
    """Return a file of what was written; the words of `lost` stand in columns that are told, and are not kept."""
    content = raw if raw is not None else written.encode()
    words = frozenset(WORD.findall(written if isinstance(written, str) else repr(written)))
    return Filed(content, words - frozenset(lost.split()), posts, labels, command, told)


def stopped(content: bytes | str, says: str, *command: str) -> Filed:
    """Return a file that is not read, with what the one sentence about it has to say."""
    raw = content if isinstance(content, bytes) else content.encode()
    return Filed(raw, frozenset(), 0, 0, command, stops=says)


def asked(line: str) -> tuple[str, ...]:
    """Return the options of a command line."""
    return tuple(shlex.split(line))


def options_of(file: Filed) -> ImportOptions:
    parser = import_items.Command().create_parser("manage.py", "import_items")
    return import_items.options_of(vars(parser.parse_args(["garden", "file", *file.command])))


def table(*rows: Sequence[Any], mark: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=mark, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def workbook(*rows: Sequence[Any], merged: str = "") -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    if merged:
        book.active.merge_cells(merged)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet(rows: pa.Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(rows, out)
    return out.getvalue()


def arrow(rows: pa.Table, *, stream: bool = True) -> bytes:
    out = io.BytesIO()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(out, rows.schema) as writer:
        writer.write_table(rows)
    return out.getvalue()


def packed(members: Mapping[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def kept(*names: str) -> tuple[str, ...]:
    return tuple(part for name in names for part in ("--keep-column", name))


RELEASED = ("items.jsonl", "items.csv", "items_plain.csv", "label_studio.json", "parquet/*.parquet")


def released(path: Path) -> set[str]:
    content = str(pq.read_table(path).to_pylist()) if path.suffix == ".parquet" else path.read_text(encoding="utf-8")
    return set(WORD.findall(content))
