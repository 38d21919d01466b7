"""Lines of a UTF-8 file, with numbers. Only CR LF and LF end a line, and no byte is skipped."""

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from annotation.domain.formats.base import RowError, Unreadable

EMPTY_ZIP = b"PK\x05\x06"
BOM = b"\xef\xbb\xbf"
_NO_TEXT = {
    b"SQLite format 3\0": "an SQLite database",
    b"%PDF-": "a PDF",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"\x93NUMPY": "a NumPy array",
    b"$FL2": "an SPSS file",
    b"$FL3": "an SPSS file",
    b"<stata_dta>": "a Stata file",
    b"ORC": "an ORC file",
    b"<?xml": "XML",
    b"Obj\x01": "an Avro file",
    b"RDX3\n": "an R file",
    b"RDX2\n": "an R file",
    b"{\\rtf": "an RTF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
}
"""How files begin that people have, and that are no text; what they are."""
_CONTROL = frozenset({*range(0x00, 0x09), *range(0x0E, 0x1B), *range(0x1C, 0x20)})
"""Control characters that no encoding of a text is full of."""
HEAD = 65_536
PIECE = 65_536


def read_lines(stream: BinaryIO, limit: int) -> Iterator[tuple[int, str]]:
    """Yield (line number, text with its line end) from the start of the stream.

    Raises Unreadable: `encoding` with line and byte offset, `line_too_long` beyond `limit` bytes.
    """
    stream.seek(0)
    offset, number = 0, 0
    while raw := stream.readline(limit + 1):
        number += 1
        if len(raw) > limit:
            reason = f"Line {number} is longer than {limit:,} bytes; is this one row a line?"
            raise Unreadable(RowError(number, "line_too_long", reason, limit=limit))
        start = len(BOM) if number == 1 and raw.startswith(BOM) else 0
        try:
            yield number, raw[start:].decode()
        except UnicodeDecodeError as fault:
            raise Unreadable(_not_utf8(number, offset + start + fault.start)) from fault
        offset += len(raw)


def read_pieces(stream: BinaryIO) -> Iterator[str]:
    """Yield the text of the stream from its start, in pieces that may begin or end inside a line.

    Raises Unreadable: `encoding`.
    """
    stream.seek(0)
    if stream.read(len(BOM)) != BOM:
        stream.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, lines = stream.tell(), 1
    while True:
        raw = stream.read(PIECE)
        pending = len(decoder.getstate()[0])
        try:
            piece = decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as fault:
            line = lines + fault.object.count(b"\n", 0, fault.start)
            raise Unreadable(_not_utf8(line, offset - pending + fault.start)) from fault
        if piece:
            yield piece
        if not raw:
            return
        offset += len(raw)
        lines += raw.count(b"\n")


def check_head(stream: BinaryIO) -> bytes:
    """Return the first bytes of a text file, without a byte order mark.

    Raises Unreadable for files that no reader supports: empty, compressed, UTF-16, old Mac line ends.
    """
    stream.seek(0)
    head = stream.read(HEAD)
    if not head:
        raise Unreadable(RowError(0, "empty_file", "The file is empty."))
    if head.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"Rar!")):
        reason = "The file is compressed. Unpack it first, or use a ZIP with the table and its pictures."
        raise Unreadable(RowError(0, "compressed", reason, status=415))
    refuse_empty_zip(head)
    if head.startswith(b"PK\x03\x04"):
        reason = "The file is an archive or a document, not a table. Unpack it, or save the table as CSV or xlsx."
        raise Unreadable(RowError(0, "compressed", reason, status=415))
    if head.lstrip()[:200].lower().startswith((b"<!doctype html", b"<html", b"<table")):
        reason = "The file is a web page, whatever its name ends with. Export the table as CSV or xlsx."
        raise Unreadable(RowError(0, "web_page", reason, status=415))
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        reason = (
            "The file is an old Excel workbook (.xls), or one with a password. Save it as .xlsx without a password."
        )
        raise Unreadable(RowError(0, "old_workbook", reason, status=415))
    if what := _no_text(head):
        reason = f"The file is {what}, not a table. Export its rows as CSV, JSON lines or Parquet."
        raise Unreadable(RowError(0, "not_a_table", reason, status=415))
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _looks_like_utf16(head):
        raise Unreadable(RowError(1, "encoding", "The file is UTF-16. Save it as UTF-8 and try again."))
    head = head.removeprefix(BOM)
    if not head.strip():
        raise Unreadable(RowError(0, "no_rows", "The file holds only blank lines."))
    if b"\r" in head and b"\n" not in head and head.rstrip(b"\r").count(b"\r") > 0:
        reason = "Lines end with CR alone (old Mac style). Save the file with LF or CR LF line ends."
        raise Unreadable(RowError(1, "cr_only", reason))
    return head


def refuse_empty_zip(head: bytes) -> None:
    """Raise Unreadable if a file that begins with these bytes is a ZIP archive without members."""
    if head.startswith(EMPTY_ZIP):
        reason = "The ZIP archive is empty. Pack the table into it, with its pictures if there are any."
        raise Unreadable(RowError(0, "no_table", reason))


def _no_text(head: bytes) -> str:
    """Return what a file is that begins so and is no text. Returns "" for one that may be text."""
    if known := next((what for start, what in _NO_TEXT.items() if head.removeprefix(BOM).startswith(start)), ""):
        return known
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "a pickle of Python"
    sample = head[:4096]
    is_wide = head.startswith((b"\xff\xfe", b"\xfe\xff")) or _looks_like_utf16(head)
    controls = sum(byte in _CONTROL for byte in sample)
    return "no text" if controls > len(sample) * 0.1 and not is_wide else ""


def _looks_like_utf16(head: bytes) -> bool:
    sample = head[:512]
    return len(sample) >= 4 and max(sample[0::2].count(0), sample[1::2].count(0)) > len(sample) * 0.3


def _not_utf8(line: int, offset: int) -> RowError:
    reason = f"Byte {offset} (line {line}) is not UTF-8. Save the file as UTF-8 and try again."
    return RowError(line, "encoding", reason)
