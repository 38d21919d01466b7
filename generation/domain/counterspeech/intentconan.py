"""Read a file of posts and replies, in IntentCONANv2's columns or in others through a mapping.

A row that cannot be used is returned with the reason.
"""

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from annotation.domain.csv_cells import restored
from annotation.domain.formats.base import LIMITS, BadValue, Format, Reading, Unreadable
from annotation.domain.formats.csv import Table, check_header
from annotation.domain.formats.jsonl import object_of, object_sources
from annotation.domain.formats.lines import check_head
from annotation.domain.formats.strict_json import check_text
from generation.domain.counterspeech.explanations import COLUMN, Explanation
from generation.domain.counterspeech.intents import Intent, UnknownIntent, read_intent

NEEDED = ("hatespeech", "csType", "counterspeech")
COLUMNS = ("id", *NEEDED, *COLUMN.values())
MOST_HATE, MOST_REPLY, MOST_ID = 20_000, 4000, 128
_LONGEST = 200_000


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
    ending = name.lower().rpartition(".")[2]
    reading = _READINGS.get(ending)
    if reading is None:
        raise BadFile("The file has to be .csv, .tsv, .jsonl or .json.")
    try:
        head = check_head(io.BytesIO(content))
        if ending == "json" and not head.lstrip().startswith(b"["):
            raise BadFile("The JSON has to be a list of objects.")
        yield from reading(io.BytesIO(content), needed)
    except Unreadable as fault:
        raise BadFile(f"{fault.error.place.capitalize()}: {fault.error.reason}") from None


def _table(table: Table, needed: Sequence[str]) -> Iterator[tuple[int, Any]]:
    records = table.records()
    _, header = next(records, (0, []))
    check_header(header)
    if missing := [column for column in needed if column not in header]:
        raise BadFile(f"The file has no column {missing[0]!r}; name the one that stands for it.")
    for line, cells in records:
        if len(cells) > len(header):
            yield line, BadRow(line, "More cells than columns.")
        else:
            yield line, dict(zip(header, map(restored, cells), strict=False))


def _objects(stream: BinaryIO, needed: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Yield the objects of JSON lines, or of one array; those of an array are counted, since they may share a line."""
    for line, entry, source in object_sources(stream, LIMITS):
        number = entry or line
        try:
            yield number, object_of(source) if len(source) <= _LONGEST else BadRow(number, "The row is too long.")
        except BadValue as fault:
            yield number, BadRow(number, fault.reason)


_READINGS = {
    "csv": lambda stream, needed: _table(Table(stream, Reading(Format.CSV)), needed),
    "tsv": lambda stream, needed: _table(Table(stream, Reading(Format.TSV)), needed),
    **dict.fromkeys(("json", "jsonl", "ndjson"), _objects),
}


def _read(line: int, record: Mapping[str, Any], columns: Mapping[str, str]) -> Row | BadRow:
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
