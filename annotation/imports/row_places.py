"""Where each row of a file stands, for files of any length."""

import struct
from contextlib import ExitStack
from tempfile import TemporaryFile

_PLACE = struct.Struct("=QQ")


class RowPlaces:
    """The line and the entry of each row by its number, from 1, in a temporary file; rows of a line share it."""

    def __init__(self, stack: ExitStack) -> None:
        """Take what closes the temporary file."""
        self._file = stack.enter_context(TemporaryFile())  # noqa: SIM115 (the stack closes it)

    def add(self, line: int, entry: int) -> None:
        """Add the next row."""
        self._file.write(_PLACE.pack(line, entry))

    def of(self, number: int) -> tuple[int, int]:
        """Return the line and the entry of a row."""
        self._file.seek(_PLACE.size * (number - 1))
        line, entry = _PLACE.unpack(self._file.read(_PLACE.size))
        self._file.seek(0, 2)
        return line, entry
