"""Responses with the bytes of stored files: pictures (threat T6), and large files in parts (RFC 9110, one range)."""

import re
from dataclasses import dataclass
from pathlib import Path

from django.db.models.fields.files import FieldFile
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

from annotation.core.stored_files import read_part

_MEDIA_TYPES = {".jpg": "image/jpeg", ".png": "image/png"}
"""What pictures are stored as; nothing else is ever served as a picture."""
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def picture_file(stored: FieldFile, keep: str) -> HttpResponseBase:
    """Return the picture's bytes so that no script in it can run; `keep` says which caches may hold it.

    Raises Http404 if the file is missing.
    """
    try:
        answer = FileResponse(stored.open("rb"), content_type=_MEDIA_TYPES[Path(stored.name or "").suffix.lower()])
    except (FileNotFoundError, KeyError):
        raise Http404 from None
    answer["Cache-Control"] = keep
    answer["Content-Disposition"] = "inline"
    answer["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@dataclass(frozen=True)
class ByteRange:
    """A range of bytes, first and last included."""

    first: int
    last: int


class RangeOutOfFile(Exception):
    """A range that begins behind the end of the file."""


def requested_range(header: str, size: int) -> ByteRange | None:
    """Return the range that a header asks for.

    Returns None for the whole file, also if the header is invalid (RFC 9110 14.2).

    Raises OutOfReach if the range begins behind the end of the file.
    """
    parts = _RANGE.fullmatch(header.strip())
    if not parts or parts[1] == parts[2] == "":
        return None
    if parts[1] == "":  # the last bytes
        if int(parts[2]) == 0:
            raise RangeOutOfFile
        return ByteRange(max(0, size - int(parts[2])), size - 1)
    first = int(parts[1])
    last = min(int(parts[2]), size - 1) if parts[2] else size - 1
    if first >= size:
        raise RangeOutOfFile
    return ByteRange(first, last) if first <= last else None


def part_of_file(request: HttpRequest, stored: str, name: str, size: int, sha256: str) -> tuple[HttpResponseBase, bool]:
    """Return the response to a request for a stored file, and whether it begins with the first byte."""
    tag = f'"{sha256}"'
    range_header = request.headers.get("Range", "")
    if request.headers.get("If-Range", tag) != tag:
        range_header = ""  # another file by now: all of it
    try:
        span = requested_range(range_header, size)
    except RangeOutOfFile:
        refused = HttpResponse(status=416)
        refused["Content-Range"] = f"bytes */{size}"
        return refused, False
    byte_range = span or ByteRange(0, size - 1)
    answer: HttpResponseBase
    if request.method == "HEAD":
        answer = HttpResponse(content_type="application/zip", status=206 if span else 200)
    else:
        blocks = read_part(stored, byte_range.first, byte_range.last)
        answer = StreamingHttpResponse(blocks, content_type="application/zip", status=206 if span else 200)
    if span:
        answer["Content-Range"] = f"bytes {span.first}-{span.last}/{size}"
    answer["Content-Length"] = str(byte_range.last - byte_range.first + 1)
    answer["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    answer["Accept-Ranges"], answer["ETag"] = "bytes", tag
    answer["Cache-Control"] = "private, no-store"
    return answer, byte_range.first == 0 and request.method == "GET"
