"""Files packed with Zstandard, unpacked while they are read and never beyond a bound.

Read them in a process of its own (`reader_process`): the window of a packed file takes up to 128 MB.
"""

import io
from typing import Any, BinaryIO, cast

import pyarrow as pa

from annotation.domain.formats.base import RowError, Unreadable

MAGIC = b"\x28\xb5\x2f\xfd"
_LEAST, _TIMES = 64 * 2**20, 60
"""A file may unpack to 64 MB, or to sixty times its size; lines of JSON take about fifteen times."""
_BUFFER = 2**20


def is_packed(stream: BinaryIO) -> bool:
    """Return whether the stream begins as a file of Zstandard does."""
    stream.seek(0)
    return stream.read(len(MAGIC)) == MAGIC


def window_of(head: bytes) -> int:
    """Return how many bytes a packed file asks to look back over, by its first bytes (RFC 8878, 3.1.1.1)."""
    about = head[4]
    if not about & 0x20:
        exponent, mantissa = head[5] >> 3, head[5] & 7
        return (1 << (10 + exponent)) // 8 * (8 + mantissa)
    size = max(1, (0, 2, 4, 8)[about >> 6])  # one segment: the window is the content
    start = 5 + (0, 1, 2, 4)[about & 3]
    return int.from_bytes(head[start : start + size], "little")


def unpacked(stream: BinaryIO) -> BinaryIO:
    """Return the content of a packed file. Reading from it raises Unreadable where it is damaged or grows too large."""
    return cast(BinaryIO, io.BufferedReader(_Unpacked(stream), _BUFFER))


class _Shared:
    """A stream that Arrow reads from and must leave open, although it closes what it has read."""

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self.read = stream.read

    def close(self) -> None:
        pass


class _Unpacked(io.RawIOBase):
    """The bytes of a packed file from its start; it can only be sought to its start."""

    def __init__(self, stream: BinaryIO) -> None:
        self._packed = stream
        self._most = max(_LEAST, _TIMES * stream.seek(0, io.SEEK_END))
        self._begin()

    def _begin(self) -> None:
        self._packed.seek(0)
        self._read = 0
        self._source = pa.CompressedInputStream(pa.PythonFile(_Shared(self._packed), mode="r"), "zstd")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._read

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if (offset, whence) != (0, io.SEEK_SET):
            raise io.UnsupportedOperation("A packed file is read from its start.")
        self._begin()
        return 0

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._source.read(len(buffer))
        except (pa.ArrowException, OSError, ValueError) as fault:
            raise Unreadable(_refusal(str(fault))) from fault
        self._read += len(piece)
        if self._read > self._most:
            reason = f"The file unpacks to more than {self._most:,} bytes. Unpack it first, and take a part of it."
            raise Unreadable(RowError(0, "unpacks_too_large", reason, limit=self._most))
        buffer[: len(piece)] = piece
        return len(piece)


def _refusal(fault: str) -> RowError:
    if "memory" in fault:
        reason = "The file was packed with a window of more than 128 MB. Unpack it first: zstd -d --long=31 FILE."
        return RowError(0, "window_too_large", reason)
    return RowError(0, "bad_archive", "The packed file is damaged; was it cut off?")
