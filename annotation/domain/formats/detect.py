"""Detection of the format of a file by its content; the file name is not used."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO

from annotation.domain.formats import parquet, strict_json, webdataset, xlsx
from annotation.domain.formats.base import (
    AS_NAMED,
    LIMITS,
    TABLES,
    BadValue,
    Format,
    Mapped,
    Reading,
    Row,
    RowError,
    Unreadable,
)
from annotation.domain.formats.csv import Table, delimiter_of, names_in
from annotation.domain.formats.doccano import Doccano, is_doccano
from annotation.domain.formats.json_objects import Entries
from annotation.domain.formats.jsonl import JsonLines
from annotation.domain.formats.label_studio import MARKS, Tasks, is_task
from annotation.domain.formats.lines import check_head, read_lines
from annotation.domain.formats.parquet import Parquet
from annotation.domain.formats.tools.argilla import is_flat, is_record
from annotation.domain.formats.tools.crowd import platform_of
from annotation.domain.formats.tools.documents import Documents, kind_of_document
from annotation.domain.formats.tools.one_answer_a_line import is_potato, is_prodigy
from annotation.domain.formats.webdataset import Shard
from annotation.domain.formats.xlsx import Workbook
from annotation.domain.sources.exported_tables import GoogleForm, MetaContent
from annotation.domain.sources.feather import Feather
from annotation.domain.sources.first_rows import FirstRows
from annotation.domain.sources.imageboard import imageboard_posts
from annotation.domain.sources.reddit import reddit_posts
from annotation.domain.sources.shapes import object_format, packed_format, table_format
from annotation.domain.sources.telegram import telegram_posts
from annotation.domain.sources.x import x_posts

ZIP_MAGIC = b"PK\x03\x04"
Reader = Iterable[Row | RowError]
"""The rows of one file."""
Open = Callable[[BinaryIO, Reading], Reader]
"""What opens a file of one format."""


def _entries_or_lines(stream: BinaryIO, reading: Reading) -> Reader:
    is_one_value = _of_whole(stream) is Format.HATEXPLAIN
    return Entries(stream, reading) if is_one_value else JsonLines(stream, reading)


def _records(stream: BinaryIO, reading: Reading) -> Reader:
    is_json = check_head(stream).lstrip()[:1] in (b"[", b"{")
    return JsonLines(stream, reading) if is_json else Table(stream, reading)


def _tasks(stream: BinaryIO, reading: Reading) -> Reader:
    return Tasks(stream, reading, table=check_head(stream).lstrip()[:1] not in (b"[", b"{"))


_PACKED: Mapping[Format, Open] = {
    Format.PARQUET: Parquet,
    Format.FEATHER: Feather,
    Format.WEBDATASET: Shard,
    Format.XLSX: Workbook,
    Format.REDDIT: reddit_posts,
}
"""Files that are no text, or may be packed."""
_TEXTS: Mapping[Format, Open] = {
    Format.LABEL_STUDIO: _tasks,
    Format.DOCCANO: Doccano,
    Format.INCEPTION: lambda stream, reading: Documents([("", stream)], reading),
    **dict.fromkeys(TABLES, Table),
    **dict.fromkeys((Format.INTERPLAY, Format.JSONL, Format.HATEFUL_MEMES), JsonLines),
    **dict.fromkeys((Format.PRODIGY, Format.POTATO), JsonLines),
    Format.ARGILLA: _records,
    Format.HATEXPLAIN: _entries_or_lines,
    **dict.fromkeys((Format.HVLI, Format.MMHS150K), Entries),
    Format.X: x_posts,
    Format.TELEGRAM: telegram_posts,
    Format.IMAGEBOARD: imageboard_posts,
    Format.META_CONTENT: MetaContent,
    Format.GOOGLE_FORMS: GoogleForm,
}


def open_reader(stream: BinaryIO, reading: Reading) -> Reader:
    """Return the reader of the named format. Raises Unreadable for files that no reader supports."""
    if reading.looks:
        return FirstRows(stream, reading)
    if packed := _PACKED.get(reading.format):
        return packed(stream, reading)
    check_head(stream)
    if text := _TEXTS.get(reading.format):
        return text(stream, reading)
    reason = f"{reading.format} is no format of a single table. Name the format of the table, or none."
    raise Unreadable(RowError(0, "unknown_format", reason))


def detect(stream: BinaryIO, mapped: Mapped = AS_NAMED) -> Format:
    """Return the format of a file. Raises Unreadable if no reader supports it."""
    binary = binary_format(stream)
    if binary is not None:
        return binary
    head = check_head(stream)
    if (document := kind_of_document(head)) is not None:
        return document
    opening = head.lstrip()[:1]
    if opening == b"[":
        return _of_array(stream)
    if opening == b"{":
        return _of_whole(stream) or _of_platform(stream, mapped) or _of_lines(stream, mapped)
    _, header = next(read_lines(stream, LIMITS.line_bytes))
    if source := table_format(Table(stream, Reading(Format.CSV)).header()):
        return source
    names = [name.strip() for name in names_in(header)]
    if set(names) >= MARKS:
        return Format.LABEL_STUDIO
    if (platform := platform_of(names)) is not None:
        return platform
    if is_flat(names):
        return Format.ARGILLA
    return Format.TSV if delimiter_of(header) == "\t" else Format.CSV


def columns_of(stream: BinaryIO) -> list[str]:
    """Return the columns of a table, or the keys of the first JSON line; none for other files.

    Raises Unreadable if no reader supports the file.
    """
    match binary_format(stream):
        case Format.XLSX:
            return Workbook(stream, Reading(Format.XLSX)).header()
        case Format.PARQUET:
            return Parquet(stream, Reading(Format.PARQUET)).header()
        case Format.FEATHER:
            return Feather(stream, Reading(Format.FEATHER)).header()
        case Format.WEBDATASET | Format.REDDIT:
            return []
    opening = check_head(stream).lstrip()[:1]
    if opening == b"[":
        return []
    if opening == b"{":
        return [] if _of_whole(stream) else list(_first_line(stream) or {})
    return Table(stream, Reading(Format.CSV)).header()


def binary_format(stream: BinaryIO) -> Format | None:
    """Return the format of a file that is not text, by its first bytes.

    Returns None if they belong to no such format.
    """
    stream.seek(0)
    head = stream.read(512)
    if head.startswith(parquet.MAGIC):
        return Format.PARQUET
    if head.startswith(ZIP_MAGIC) and xlsx.is_workbook(stream):
        return Format.XLSX
    if packed := packed_format(head):
        return packed
    return Format.WEBDATASET if head[webdataset.MAGIC_AT :].startswith(webdataset.MAGIC) else None


def _of_array(stream: BinaryIO) -> Format:
    format = _of_whole(stream)
    if format in (Format.HATEXPLAIN, Format.LABEL_STUDIO, Format.ARGILLA):
        return format
    if platform := object_format(stream):
        return platform
    reason = "The file is one JSON array. Name the format jsonl to read its objects, or write one object a line."
    raise Unreadable(RowError(1, "json_array", reason))


def _of_platform(stream: BinaryIO, mapped: Mapped) -> Format | None:
    """Return the platform that a file comes from. Lines are read as somebody maps them, where they do.

    Returns None for other files.
    """
    found = object_format(stream)
    return None if found is Format.REDDIT and mapped.names_columns else found


def _of_whole(stream: BinaryIO) -> Format | None:
    """Return the data set of a file that is one JSON value, by its first entry.

    Returns None if it belongs to none.
    This is checked first, because such a file may be a single line of many megabytes.
    """
    try:
        _, _, source = next(strict_json.entries(stream, LIMITS.entry_chars), (0, "", "null"))
        return _of_record(strict_json.parse(source))
    except (BadValue, Unreadable):
        return None


def _of_lines(stream: BinaryIO, mapped: Mapped) -> Format:
    """Return the format of a file whose first line is an object of its own."""
    record = _first_line(stream)
    if record is not None and is_record(record):
        return Format.ARGILLA
    if record is None:
        reason = "The file is a JSON object of no known data set. Write one object a line (JSON lines)."
        raise Unreadable(RowError(1, "unknown_format", reason))
    if mapped.names_columns:
        return Format.JSONL
    if _of_record(record) is Format.HATEXPLAIN:
        return Format.HATEXPLAIN
    if is_doccano(record):
        return Format.DOCCANO
    if is_prodigy(record):
        return Format.PRODIGY
    if is_potato(record):
        return Format.POTATO
    if "img" in record and "id" in record and "image" not in record:
        return Format.HATEFUL_MEMES
    return Format.INTERPLAY if "id" in record else Format.JSONL


def _of_record(record: Any) -> Format | None:
    """Return the data set that a record belongs to, by its keys. Returns None if it belongs to none."""
    if not isinstance(record, dict):
        return None
    if "final_label" in record and "tweet_text" in record:
        return Format.HVLI
    if "labels" in record and "tweet_text" in record:
        return Format.MMHS150K
    if "annotators" in record and "post_tokens" in record:
        return Format.HATEXPLAIN
    if is_task(record):
        return Format.LABEL_STUDIO
    return Format.ARGILLA if is_record(record) else None


def _first_line(stream: BinaryIO) -> dict[str, Any] | None:
    """Return the object on the first non-blank line, or an empty one for a broken line.

    Returns None if the line is no object, if the object continues on the next line, or if it is the whole file and
    holds only objects and arrays: an object of records.
    """
    lines = (text for _, text in read_lines(stream, LIMITS.line_bytes) if not text.isspace())
    first = next(lines)
    try:
        value = strict_json.parse(first)
    except BadValue as fault:
        return None if fault.code == "invalid_json" and _continues(first, next(lines, "")) else {"id": ""}
    if not isinstance(value, dict):
        return None
    is_whole_file = not next(lines, "")
    return None if is_whole_file and value and all(isinstance(part, dict | list) for part in value.values()) else value


def _continues(first: str, second: str) -> bool:
    """Return whether the second line continues the object of the first (indented JSON)."""
    opening = second.lstrip()[:1]
    return opening != "{" and (first.rstrip()[-1] in "{[,:" or opening in ",:]}")
