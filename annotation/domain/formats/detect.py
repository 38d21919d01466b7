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
from annotation.domain.formats.doccano import Doccano, is_doccano, names_no_other
from annotation.domain.formats.json_objects import Entries
from annotation.domain.formats.jsonl import JsonLines, object_sources
from annotation.domain.formats.label_studio import MARKS, Tasks, is_task
from annotation.domain.formats.lines import check_head, read_lines
from annotation.domain.formats.one_object import is_one_object, layout_of
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
from annotation.domain.sources.reddit import is_reddit, reddit_posts
from annotation.domain.sources.shapes import object_format, packed_format, table_format
from annotation.domain.sources.telegram import telegram_posts
from annotation.domain.sources.text_names import is_text_name
from annotation.domain.sources.x import x_posts

ZIP_MAGIC = b"PK\x03\x04"
_OUR_CONTENT = frozenset({"text", "image", "text_sha256"})
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
        return _of_array(stream, mapped)
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
    if opening in (b"{", b"["):
        return [] if _of_whole(stream) else list(_first_object(stream) or {})
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


def _of_array(stream: BinaryIO, mapped: Mapped) -> Format:
    format = _of_whole(stream)
    if format in (Format.HATEXPLAIN, Format.LABEL_STUDIO, Format.ARGILLA):
        return format
    if platform := object_format(stream):
        return platform
    record = _first_object(stream)
    if record is None:
        reason = (
            "The file is a JSON array, but its entries are no objects. Write one object a line, or an array of them."
        )
        raise Unreadable(RowError(1, "json_array", reason))
    return _of_rows(record, mapped)


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
    """Return the format of a file whose first line is an object of its own, or of one object with rows inside."""
    if is_one_object(stream, LIMITS) and layout_of(stream, LIMITS) is None:
        reason = "The file is a JSON object of no known data set. Write one object a line, or an array of objects."
        raise Unreadable(RowError(1, "unknown_format", reason))
    return _of_rows(_first_object(stream) or {"id": ""}, mapped)


def _of_rows(record: Mapping[str, Any], mapped: Mapped) -> Format:
    """Return the format of objects by the first of them."""
    if is_record(record):
        return Format.ARGILLA
    if is_potato(record) and not (mapped.text or mapped.image or mapped.id):  # its schemes are named as a label column
        return Format.POTATO
    if mapped.names_columns:
        return Format.DOCCANO if is_doccano(record) and names_no_other(mapped) else Format.JSONL
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
    is_ours = "id" in record and (bool(_OUR_CONTENT & record.keys()) or not any(map(is_text_name, record)))
    return Format.INTERPLAY if is_ours else Format.JSONL


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
    if is_task(record) and not is_reddit(record):
        return Format.LABEL_STUDIO
    return Format.ARGILLA if is_record(record) else None


def _first_object(stream: BinaryIO) -> dict[str, Any] | None:
    """Return the first object of JSON lines, of an array, or within one object; an empty one where it is broken.

    Returns None if the first row is no object.
    """
    for _line, _entry, source in object_sources(stream, LIMITS):
        try:
            value = strict_json.parse(source)
        except BadValue:
            return {}
        return value if isinstance(value, dict) else None
    return None
