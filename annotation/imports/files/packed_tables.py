"""A table that is packed alone, by gzip, bzip2 or xz: it is unpacked within the limits of archives.

Files of Zstandard with a large window take more memory and are unpacked by the process that reads them
(`domain/sources/packed.py`). In an archive of X, a line of JavaScript stands before the JSON; it is taken off.
"""

import bz2
import gzip
import lzma
import shutil
import tempfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any, BinaryIO

from annotation.domain.formats.base import RowError, Unreadable
from annotation.domain.formats.zip_archives import ArchiveLimits, BadArchive
from annotation.domain.sources.packed import MAGIC, unpacked, window_of

_OPENERS: Mapping[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
"""What opens a packed file, by how it begins."""
_DAMAGED = (EOFError, OSError, zlib.error, lzma.LZMAError)
_PIECE = 65_536
_WINDOW = 8 * 2**20
"""The largest window of Zstandard that is unpacked here: that of its usual levels."""
_ASSIGNED = b"window.YTD."


def unpacked_table(file: BinaryIO, limits: ArchiveLimits, stack: ExitStack) -> BinaryIO:
    """Return the content of a packed file; a file that is not packed so is returned itself.

    Raises Unreadable if it is damaged, and BadArchive if it unpacks to more than the limits allow.
    """
    file.seek(0)
    head = file.read(200)
    file.seek(0)
    opened = next((opens for mark, opens in _OPENERS.items() if head.startswith(mark)), None)
    if head.startswith(MAGIC) and window_of(head) <= _WINDOW:
        opened = unpacked
    if opened is None:
        return _without_assignment(file, head, stack)
    size = file.seek(0, 2)
    file.seek(0)
    content: BinaryIO = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
    try:
        with opened(file) as packed:
            while piece := packed.read(_PIECE):
                content.write(piece)
                _check_size(content.tell(), size, limits)
    except _DAMAGED as fault:
        raise Unreadable(RowError(0, "bad_archive", "The packed file is damaged; was it cut off?")) from fault
    return content


def _without_assignment(file: BinaryIO, head: bytes, stack: ExitStack) -> BinaryIO:
    """Return the JSON of a part of an archive of X; any other file is returned itself."""
    name, sign, _rest = head.partition(b"=")
    if not sign or not name.startswith(_ASSIGNED):
        return file
    content: BinaryIO = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
    file.seek(len(name) + len(sign))
    shutil.copyfileobj(file, content)
    return content


def _check_size(unpacked: int, packed: int, limits: ArchiveLimits) -> None:
    if unpacked > limits.total:
        reason = f"The file unpacks to more than {limits.total:,} bytes."
        raise BadArchive("too_large", reason, 413, limits.total)
    if unpacked >= limits.ratio_from and unpacked > limits.ratio * packed:
        reason = f"The file unpacks to more than {limits.ratio} times its packed size."
        raise BadArchive("ratio", reason, limit=limits.ratio)
