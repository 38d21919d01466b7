"""A large file on its way out, from wherever an earlier attempt broke off (RFC 9110, one range)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_BLOCK = 1 << 18


@dataclass(frozen=True)
class Span:
    """The bytes asked for, first and last, both counted in."""

    first: int
    last: int


class OutOfReach(Exception):
    """The range begins behind the end of the file."""


def span_of(header: str, size: int) -> Span | None:
    """The range that a header asks for; None for the whole file, also where the header makes no sense (RFC 9110 14.2).

    Raises OutOfReach.
    """
    found = _RANGE.fullmatch(header.strip())
    if not found or found[1] == found[2] == "":
        return None
    if found[1] == "":  # the last bytes
        if int(found[2]) == 0:
            raise OutOfReach
        return Span(max(0, size - int(found[2])), size - 1)
    first = int(found[1])
    last = min(int(found[2]), size - 1) if found[2] else size - 1
    if first >= size:
        raise OutOfReach
    return Span(first, last) if first <= last else None


def part_of_file(request: HttpRequest, path: Path, name: str, size: int, sha256: str) -> tuple[HttpResponseBase, bool]:
    """The answer to a request for the file, and whether it begins with the first byte."""
    tag = f'"{sha256}"'
    wanted = request.headers.get("Range", "")
    if request.headers.get("If-Range", tag) != tag:
        wanted = ""  # another file by now: all of it
    try:
        span = span_of(wanted, size)
    except OutOfReach:
        refused = HttpResponse(status=416)
        refused["Content-Range"] = f"bytes */{size}"
        return refused, False
    whole = span or Span(0, size - 1)
    answer: HttpResponseBase
    if request.method == "HEAD":
        answer = HttpResponse(content_type="application/zip", status=206 if span else 200)
    else:
        blocks = _blocks(path, whole)
        answer = StreamingHttpResponse(blocks, content_type="application/zip", status=206 if span else 200)
    if span:
        answer["Content-Range"] = f"bytes {span.first}-{span.last}/{size}"
    answer["Content-Length"] = str(whole.last - whole.first + 1)
    answer["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    answer["Accept-Ranges"], answer["ETag"] = "bytes", tag
    answer["Cache-Control"] = "private, no-store"
    return answer, whole.first == 0 and request.method == "GET"


def _blocks(path: Path, span: Span) -> Iterator[bytes]:
    left = span.last - span.first + 1
    with path.open("rb") as file:
        file.seek(span.first)
        while left > 0 and (block := file.read(min(_BLOCK, left))):
            left -= len(block)
            yield block
