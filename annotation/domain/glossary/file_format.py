"""Glossaries as files: CSV, TSV or JSON lines in, the same columns out, so that a round trip changes nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from annotation.domain.csv_cells import restored
from annotation.domain.formats.base import BadValue, RowError, Unreadable
from annotation.domain.formats.lines import check_head
from annotation.domain.formats.named_rows import named_rows
from annotation.domain.glossary.entry import EntryValues, key_of, read_entry
from annotation.domain.text_rules import BadText

COLUMNS = ("term", "kind", "meaning", "target_group", "languages", "examples", "status", "source")
SOURCE_LIMIT = 500


@dataclass(frozen=True)
class ListedEntry:
    """An entry of a file, the line it stands on, and what the file says of its source."""

    line: int
    values: EntryValues
    source: str = ""


def read_entries(stream: BinaryIO) -> Iterator[ListedEntry | RowError]:
    """The entries of a file; columns `term` and `meaning` are needed. Raises Unreadable."""
    first: dict[str, int] = {}
    is_table = not check_head(stream).lstrip().startswith(b"{")
    for record in named_rows(stream):
        if isinstance(record, RowError):
            yield record
            continue
        line, cells = record
        if not first:
            _check_columns(line, cells)
        if is_table and set(COLUMNS) <= cells.keys():  # our own, whose cells were made safe for spreadsheets
            cells = {name: restored(cell) for name, cell in cells.items()}
        read = _read(line, cells)
        if isinstance(read, ListedEntry):
            key = key_of(read.values.term)
            if key in first:
                reason = f"The term “{read.values.term}” stands on line {first[key]} already."
                read = RowError(line, "duplicate_term", reason, "term")
            else:
                first[key] = line
        yield read


def _check_columns(line: int, cells: Mapping[str, Any]) -> None:
    missing = [name for name in ("term", "meaning") if name not in cells]
    if missing:
        reason = f"The column {missing[0]} is missing; the file has {', '.join(list(cells)[:12])}."
        raise Unreadable(RowError(line, "missing_column", reason, missing[0]))


def _read(line: int, cells: Mapping[str, Any]) -> ListedEntry | RowError:
    try:
        values = read_entry(
            _text(cells, "term"),
            _text(cells, "meaning"),
            _text(cells, "kind"),
            _text(cells, "target_group"),
            _several(cells, "languages", " ".join).replace(",", " ").split(),
            _several(cells, "examples", "\n".join),
        )
        source = _text(cells, "source")
        if len(source) > SOURCE_LIMIT:
            raise BadValue("field_too_long", f"The source has {len(source):,} characters; at most {SOURCE_LIMIT}.")
        return ListedEntry(line, values, " ".join(source.split()))
    except BadText as fault:
        return RowError(line, fault.code, fault.sentence, limit=fault.limit)
    except BadValue as fault:
        return fault.at(line)


def _text(cells: Mapping[str, Any], name: str) -> str:
    value = cells.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadValue("not_text", f"{name} is a text.", name)
    return value


def _several(cells: Mapping[str, Any], name: str, join: Any) -> str:
    """A cell that may be a list of texts in JSON lines."""
    value = cells.get(name)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return str(join(value))
    return _text(cells, name)


def as_row(values: EntryValues, status: str, sources: Sequence[str] = ()) -> dict[str, Any]:
    """An entry as a row of a file."""
    return {
        "term": values.term,
        "kind": str(values.kind),
        "meaning": values.meaning,
        "target_group": values.target_group,
        "languages": " ".join(values.languages),
        "examples": values.examples,
        "status": status,
        "source": "; ".join(sources)[:SOURCE_LIMIT],
    }
