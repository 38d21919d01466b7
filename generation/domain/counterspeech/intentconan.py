"""Read a file of posts and replies, in IntentCONANv2's columns or in others through a mapping.

A row that cannot be used is returned with the reason.
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.csv_cells import restored
from annotation.domain.formats.base import BadValue
from annotation.domain.formats.csv import delimiter_of
from annotation.domain.formats.strict_json import check_text
from generation.domain.counterspeech.explanations import COLUMN, Explanation
from generation.domain.counterspeech.intents import Intent, UnknownIntent, read_intent

NEEDED = ("hatespeech", "csType", "counterspeech")
COLUMNS = ("id", *NEEDED, *COLUMN.values())
MOST_HATE, MOST_REPLY, MOST_ID = 20_000, 4000, 128
_LONGEST_LINE = 200_000


class BadFile(ValueError):
    """The file as a whole cannot be read; the message says why."""


@dataclass(frozen=True)
class Row:
    """A post and a reply to it."""

    line: int
    id: str
    hate: str
    intent: Intent
    text: str
    explanations: Mapping[str, str]


@dataclass(frozen=True)
class BadRow:
    """A line that cannot be used, with the reason."""

    line: int
    reason: str


def read_rows(content: bytes, name: str, mapping: Mapping[str, str] | None = None) -> Iterator[Row | BadRow]:
    """Yield the rows of a CSV, TSV, JSON Lines or JSON file; the ending of `name` tells which it is.

    `mapping` gives, for a column of ours, the column of the file that stands for it. A row without an id gets one from
    its line number. Raises BadFile if the file as a whole cannot be read.
    """
    columns = {ours: (mapping or {}).get(ours, ours) for ours in COLUMNS}
    if unknown := sorted(set(mapping or {}) - set(COLUMNS)):
        raise BadFile(f"There is no column {unknown[0]!r} to map to; there are {', '.join(COLUMNS)}.")
    line_of_id: dict[str, int] = {}
    for line, value in _held(content, name, [columns[ours] for ours in NEEDED]):
        row = value if isinstance(value, BadRow) else _read(line, value, columns)
        if isinstance(row, Row):
            if row.id in line_of_id:
                row = BadRow(line, f"The id {row.id[:40]!r} stands in line {line_of_id[row.id]} already.")
            else:
                line_of_id[row.id] = line
        yield row


def _held(content: bytes, name: str, needed: Sequence[str]) -> Iterator[tuple[int, Any]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile("The file is not UTF-8: save it as UTF-8 and try again.") from None
    if "\x00" in text:
        raise BadFile("The file holds a NUL character, which cannot be stored: remove it.")
    ending = name.lower().rpartition(".")[2]
    if ending in ("csv", "tsv"):
        yield from _table(text, "\t" if ending == "tsv" else delimiter_of(text.partition("\n")[0]), needed)
    elif ending == "json":
        yield from _list(text)
    elif ending in ("jsonl", "ndjson"):
        yield from _lines(text)
    else:
        raise BadFile("The file has to be .csv, .tsv, .jsonl or .json.")


def _table(text: str, delimiter: str, needed: Sequence[str]) -> Iterator[tuple[int, Any]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        if missing := [column for column in needed if column not in (reader.fieldnames or ())]:
            raise BadFile(f"The file has no column {missing[0]!r}; name the one that stands for it.")
        for row in reader:
            if None in row:
                yield reader.line_num, BadRow(reader.line_num, "More cells than columns.")
            else:
                yield reader.line_num, {name: restored(cell) if cell else cell for name, cell in row.items()}
    except csv.Error as fault:
        raise BadFile(f"Line {reader.line_num}: {fault}.") from None


def _list(text: str) -> Iterator[tuple[int, Any]]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        raise BadFile("The JSON is not valid.") from None
    if not isinstance(rows, list):
        raise BadFile("The JSON has to be a list of objects.")
    yield from enumerate(rows, start=1)


def _lines(text: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line) if len(line) <= _LONGEST_LINE else BadRow(number, "The line is too long.")
        except (ValueError, RecursionError):
            yield number, BadRow(number, "The line is no JSON object.")


def _read(line: int, record: Any, columns: Mapping[str, str]) -> Row | BadRow:
    if not isinstance(record, dict):
        return BadRow(line, "The line is no JSON object.")
    values = {ours: record.get(theirs) for ours, theirs in columns.items()}
    cells = {ours: "" if value is None else str(value).strip() for ours, value in values.items()}
    if missing := next((name for name in NEEDED if not cells[name]), None):
        return BadRow(line, f"{columns[missing]} is missing or empty.")
    for name, most in (("hatespeech", MOST_HATE), ("counterspeech", MOST_REPLY), ("id", MOST_ID)):
        if len(cells[name]) > most:
            return BadRow(line, f"{columns[name]} has more than {most:,} characters.")
    try:
        for cell in cells.values():
            check_text(cell)
        intent = read_intent(cells["csType"])
    except (BadValue, UnknownIntent) as fault:
        return BadRow(line, str(fault))
    explained = {
        explanation.value: cells[COLUMN[explanation]][:2000]
        for explanation in Explanation
        if cells[COLUMN[explanation]]
    }
    name = cells["id"] or _made_id(line, cells["hatespeech"], cells["counterspeech"])
    return Row(line, name, cells["hatespeech"], intent, cells["counterspeech"], explained)


def _made_id(line: int, *texts: str) -> str:
    """Return the id of a row without one. That of another file is another one; the same file names the same rows."""
    digest = hashlib.sha256("\x1f".join(texts).encode()).hexdigest()
    return f"line-{line}-{digest[:12]}"
