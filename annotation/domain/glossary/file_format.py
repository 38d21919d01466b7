"""Glossary files: CSV, TSV or JSON lines. Export writes the same columns, so that export and import change nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from annotation.domain.csv_cells import restored
from annotation.domain.formats.base import BadValue, RowError, Unreadable
from annotation.domain.formats.lines import check_head
from annotation.domain.formats.named_rows import named_rows
from annotation.domain.glossary.entry import EntryValues, key_of, read_entry
from annotation.domain.text_rules import BadText

_FIRST_COLUMNS = ("term", "kind", "meaning", "target_group", "languages", "examples", "status", "source")
_MATCHING_COLUMNS = ("variants", "switched_off", "initials", "sounds")
COLUMNS = (*_FIRST_COLUMNS, *_MATCHING_COLUMNS)
_YES, _NO = ("yes", "true", "1"), ("", "no", "false", "0")
SOURCE_LIMIT = 500


@dataclass(frozen=True)
class ListedEntry:
    """An entry of a file, its line, and its source as the file gives it."""

    line: int
    values: EntryValues
    source: str = ""


def read_entries(stream: BinaryIO) -> Iterator[ListedEntry | RowError]:
    """Yield the entries and errors of a file; the columns `term` and `meaning` are required. Raises Unreadable."""
    line_of_term: dict[str, int] = {}
    is_table = not check_head(stream).lstrip().startswith(b"{")
    for record in named_rows(stream):
        if isinstance(record, RowError):
            yield record
            continue
        line, cells = record
        if not line_of_term:
            _check_columns(line, cells)
        if (
            is_table and set(_FIRST_COLUMNS) <= cells.keys()
        ):  # our own export: its cells were made safe for spreadsheets
            cells = {name: restored(cell) for name, cell in cells.items()}
        read = _read(line, cells)
        if isinstance(read, ListedEntry):
            key = key_of(read.values.term)
            if key in line_of_term:
                reason = f"The term “{read.values.term}” stands on line {line_of_term[key]} already."
                read = RowError(line, "duplicate_term", reason, "term")
            else:
                line_of_term[key] = line
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
            _several(cells, "variants", "\n".join),
            _several(cells, "switched_off", " ".join).replace(",", " ").split(),
            _flag(cells, "initials"),
            _flag(cells, "sounds"),
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


def _flag(cells: Mapping[str, Any], name: str) -> bool:
    value = cells.get(name)
    if isinstance(value, bool):
        return value
    written = _text(cells, name).strip().lower()
    if written not in (*_YES, *_NO):
        raise BadValue("not_yes_or_no", f"{name} is yes or no.", name)
    return written in _YES


def _several(cells: Mapping[str, Any], name: str, join: Any) -> str:
    """Return the text of a cell; in JSON lines it may be a list of texts, which are joined."""
    value = cells.get(name)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return str(join(value))
    return _text(cells, name)


def as_row(values: EntryValues, status: str, sources: Sequence[str] = ()) -> dict[str, Any]:
    """Return an entry as a row of a file."""
    return {
        "term": values.term,
        "kind": str(values.kind),
        "meaning": values.meaning,
        "target_group": values.target_group,
        "languages": " ".join(values.languages),
        "examples": values.examples,
        "status": status,
        "source": "; ".join(sources)[:SOURCE_LIMIT],
        "variants": values.variants,
        "switched_off": " ".join(values.switched_off),
        "initials": "yes" if values.initials else "",
        "sounds": "yes" if values.sounds else "",
    }
