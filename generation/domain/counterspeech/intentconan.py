"""Read a file of posts and replies, in the columns of IntentCONANv2 or of CONAN, or in others through a mapping.

A row that cannot be used is returned with the reason.
"""

import hashlib
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from annotation.domain.csv_cells import restored
from annotation.domain.formats.base import LIMITS, BadValue, Format, Reading, Unreadable
from annotation.domain.formats.csv import Table, check_header
from annotation.domain.formats.jsonl import object_of, object_sources
from annotation.domain.formats.lines import check_head
from annotation.domain.formats.strict_json import check_text
from annotation.domain.one_line import NotOneLine, check_line
from generation.domain.counterspeech.explanations import COLUMN, Explanation
from generation.domain.counterspeech.intents import Intent, UnknownIntent, read_intent
from generation.domain.counterspeech.registers import Register, intent_of, read_types

NEEDED = ("hatespeech", "counterspeech")
TYPES = ("csType", "cnType")
"""Columns that say what a reply does: IntentCONANv2's with one intent, and CONAN's with registers. One is needed."""
KINDS = ("hsType", "hsSubType", "cnType")
"""CONAN's columns that are kept as the file has them."""
COLUMNS = ("id", "hatespeech", "csType", "counterspeech", *COLUMN.values())
"""IntentCONANv2's columns, in its order."""
READ = (*COLUMNS, *KINDS)
"""All columns that are read."""
CONAN = ("cn_id", "hateSpeech", "counterSpeech", *KINDS)
"""CONAN's own columns, in its order, without those about the people who wrote: age, gender, educationLevel."""
_AS_CONAN = {"id": "cn_id", "hatespeech": "hateSpeech", "counterspeech": "counterSpeech"}
MOST_HATE, MOST_REPLY, MOST_ID, MOST_KIND = 20_000, 4000, 128, 200
_LONGEST = 200_000
_LONGEST_CELLS = {
    **{"hatespeech": MOST_HATE, "counterspeech": MOST_REPLY, "id": MOST_ID},
    **dict.fromkeys(KINDS, MOST_KIND),
}


class BadFile(ValueError):
    """The file as a whole cannot be read; the message says why."""


@dataclass(frozen=True)
class Row:
    """A post and a reply to it.

    `intent` is None where the file gives CONAN's types alone and none of them is an intent. `kinds` are CONAN's columns
    as written, and `unread` the words of `cnType` that name no register.
    """

    line: int
    id: str
    hate: str
    intent: Intent | None
    text: str
    explanations: Mapping[str, str]
    registers: Sequence[Register] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    unread: Sequence[str] = ()


@dataclass(frozen=True)
class BadRow:
    """A line that cannot be used, with the reason."""

    line: int
    reason: str


def read_rows(
    content: bytes, name: str, mapping: Mapping[str, str] | None = None, *, any_type: bool = False
) -> Iterator[Row | BadRow]:
    """Yield the rows of a CSV, TSV, JSON Lines or JSON file; the ending of `name` tells which it is.

    `mapping` gives, for a column of ours, the column of the file that stands for it. CONAN's names are known. A row
    without an id gets one from its line number. Without `any_type` a row whose types are none of the intents cannot be
    used. Raises BadFile if the file as a whole cannot be read.
    """
    if unknown := sorted(set(mapping or {}) - set(READ)):
        raise BadFile(f"There is no column {unknown[0]!r} to map to; there are {', '.join(READ)}.")
    line_of_id: dict[str, int] = {}
    for line, value in _held(content, name, mapping or {}):
        row = value if isinstance(value, BadRow) else _read(line, value, _columns(value, mapping or {}))
        if isinstance(row, Row) and row.intent is None and not any_type:
            row = BadRow(line, f"{row.kinds['cnType'][:40]!r} is none of the intents {', '.join(Intent)}.")
        if isinstance(row, Row):
            if row.id in line_of_id:
                row = BadRow(line, f"The id {row.id[:40]!r} stands in line {line_of_id[row.id]} already.")
            else:
                line_of_id[row.id] = line
        yield row


def _columns(names: Collection[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Return the column of a file that stands for each of ours: as mapped, else ours, else CONAN's."""
    return {
        ours: mapping.get(ours) or (theirs if ours not in names and theirs in names else ours)
        for ours in READ
        for theirs in (_AS_CONAN.get(ours, ours),)
    }


def _held(content: bytes, name: str, mapping: Mapping[str, str]) -> Iterator[tuple[int, Any]]:
    ending = name.lower().rpartition(".")[2]
    reading = _READINGS.get(ending)
    if reading is None:
        raise BadFile("The file has to be .csv, .tsv, .jsonl or .json.")
    try:
        head = check_head(io.BytesIO(content))
        if ending == "json" and not head.lstrip().startswith(b"["):
            raise BadFile("The JSON has to be a list of objects.")
        yield from reading(io.BytesIO(content), mapping)
    except Unreadable as fault:
        raise BadFile(f"{fault.error.place.capitalize()}: {fault.error.reason}") from None


def _table(table: Table, mapping: Mapping[str, str]) -> Iterator[tuple[int, Any]]:
    records = table.records()
    _, header = next(records, (0, []))
    check_header(header)
    columns = _columns(header, mapping)
    if missing := [columns[ours] for ours in NEEDED if columns[ours] not in header]:
        raise BadFile(f"The file has no column {missing[0]!r}; name the one that stands for it.")
    if not any(columns[ours] in header for ours in TYPES):
        raise BadFile("The file has neither the column 'csType' nor 'cnType'; name the one that stands for it.")
    for line, cells in records:
        if len(cells) > len(header):
            yield line, BadRow(line, "More cells than columns.")
        else:
            yield line, dict(zip(header, map(restored, cells), strict=False))


def _objects(stream: BinaryIO, mapping: Mapping[str, str]) -> Iterator[tuple[int, Any]]:
    """Yield the objects of JSON lines, or of one array; those of an array are counted, since they may share a line."""
    for line, entry, source in object_sources(stream, LIMITS):
        number = entry or line
        try:
            yield number, object_of(source) if len(source) <= _LONGEST else BadRow(number, "The row is too long.")
        except BadValue as fault:
            yield number, BadRow(number, fault.reason)


_READINGS = {
    "csv": lambda stream, mapping: _table(Table(stream, Reading(Format.CSV)), mapping),
    "tsv": lambda stream, mapping: _table(Table(stream, Reading(Format.TSV)), mapping),
    **dict.fromkeys(("json", "jsonl", "ndjson"), _objects),
}


def _read(line: int, record: Mapping[str, Any], columns: Mapping[str, str]) -> Row | BadRow:
    values = {ours: record.get(theirs) for ours, theirs in columns.items()}
    written = {ours: "" if value is None else str(value) for ours, value in values.items()}
    cells = {ours: cell.strip() for ours, cell in written.items()}
    if missing := next((name for name in NEEDED if not cells[name]), None):
        return BadRow(line, f"{columns[missing]} is missing or empty.")
    if not (cells["csType"] or cells["cnType"]):
        return BadRow(line, f"{columns['csType']} and {columns['cnType']} are missing or empty.")
    for name, most in _LONGEST_CELLS.items():
        if len(cells[name]) > most:
            return BadRow(line, f"{columns[name]} has more than {most:,} characters.")
    try:
        for name, cell in written.items():
            check_text(cell)
            check_line(cell if name in KINDS else "")
        types = read_types(cells["cnType"])
        intent = read_intent(cells["csType"]) if cells["csType"] else intent_of(types.registers)
    except (BadValue, UnknownIntent, NotOneLine) as fault:
        return BadRow(line, str(fault))
    explained = {
        explanation.value: cells[COLUMN[explanation]][:2000]
        for explanation in Explanation
        if cells[COLUMN[explanation]]
    }
    return Row(
        line,
        cells["id"] or _made_id(line, cells["hatespeech"], cells["counterspeech"]),
        written["hatespeech"],
        intent,
        written["counterspeech"],
        explained,
        types.registers,
        {name: written[name] for name in KINDS},
        types.unread,
    )


def _made_id(line: int, *texts: str) -> str:
    """Return the id of a row without one. That of another file is another one; the same file names the same rows."""
    digest = hashlib.sha256("\x1f".join(texts).encode()).hexdigest()
    return f"line-{line}-{digest[:12]}"
