"""Read an untrusted table in a separate process with little memory and little time.

Parquet, workbooks and tar are unpacked there: if a file exhausts the process, only that import fails. The child runs
`main`; it imports no Django and may write no file. It sends rows and pictures. They are unpickled only as the fixed set
of classes that a row consists of, so nothing from the child is executed.
"""

import io
import json
import os
import pickle
import resource
import select
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, BinaryIO

from annotation.domain.formats.base import BadValue, Reading, Row, RowError, Unreadable
from annotation.domain.formats.columns import ColumnTally
from annotation.domain.formats.detect import open_reader
from providers.http.reading_process import limit_memory

MEMORY = 1536 * 2**20
"""The maximum address space of the reading process, in bytes."""
SECONDS = 10
"""The maximum processor time in seconds; each megabyte of the file adds two."""
_ROOT = Path(__file__).resolve().parents[3]
_PROGRAM = "import config; from annotation.imports.files.reader_process import main; main()"
"""`config` comes first, as in each process of the site, so that pyarrow (half a second) is loaded for Parquet alone."""
_HEAD = struct.Struct(">cQ")
_ROWS_AT_ONCE = 100
_ROWS, _PICTURE, _REFUSED, _END = b"R", b"P", b"F", b"E"
_COPY = 2**20
_LOOK = 0.5  # seconds
_CLASSES = {
    ("annotation.domain.formats.base", name) for name in ("Row", "RowError", "RowLabel", "RowPrior", "RowChallenge")
} | {
    ("annotation.domain.choices", "Modality"),
    ("datetime", "datetime"),
    ("datetime", "timezone"),
    ("datetime", "timedelta"),
}


class ReaderProcess:
    """The rows of one file, read by a separate process; pictures inside are given to `reading.keep`."""

    def __init__(
        self,
        stream: BinaryIO,
        reading: Reading,
        memory: int = MEMORY,
        seconds: float = SECONDS,
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare to read. `watch` is called while there is nothing to read; what it raises ends the reading."""
        self.stream, self.reading, self.memory, self.watch = stream, reading, memory, watch
        self.seconds = int(seconds + 2 * (stream.seek(0, 2) >> 20))

    def __iter__(self) -> Iterator[Row | RowError]:
        """Yield the rows and errors.

        Raises Unreadable if the rest cannot be read, also if the process ends by its limits.
        """
        with ExitStack() as stack:
            file = _on_disk(self.stream, stack)
            child = stack.enter_context(_started(file, [self.memory, self.seconds]))
            stack.callback(child.kill)
            assert child.stdin is not None and child.stdout is not None
            answers = _Watched(child.stdout, self.watch)
            line = 0
            try:
                asked = self.reading.columns
                empty = ColumnTally(asked.keeps, asked.asked_for)
                _send(child.stdin, _ROWS, pickle.dumps(replace(self.reading, keep=None, columns=empty)))
                _send(child.stdin, _END, json.dumps(self.reading.keep is not None).encode())
                while (frame := _receive(answers))[0] != _END:
                    if frame[0] == _PICTURE:
                        self._keep(child.stdin, frame[1], _receive(answers)[1])
                        continue
                    rows = _loaded(frame[1])
                    if frame[0] == _REFUSED:
                        raise Unreadable(rows)
                    for row in rows:
                        line = row.line
                        yield row
                self.reading.columns.take(json.loads(frame[1]))
            except (OSError, EOFError, struct.error, pickle.UnpicklingError) as fault:
                reason = "From this row on the file cannot be read within the memory and time allowed."
                raise Unreadable(RowError(line + 1, "too_costly", reason)) from fault

    def _keep(self, pipe: IO[bytes], name: bytes, content: bytes) -> None:
        """Store a picture, and send the process its name or the reason of refusal."""
        assert self.reading.keep is not None
        try:
            answer: dict[str, Any] = {"name": self.reading.keep(name.decode(), content)}
        except BadValue as fault:
            answer = {"refused": [fault.code, fault.reason, fault.field, fault.limit]}
        _send(pipe, _PICTURE, json.dumps(answer).encode())


def _on_disk(stream: BinaryIO, stack: ExitStack) -> BinaryIO:
    """Return the stream if it is a file, else a temporary file with its content."""
    try:
        stream.fileno()
    except (OSError, AttributeError, io.UnsupportedOperation):
        copy: BinaryIO = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
        stream.seek(0)
        while piece := stream.read(_COPY):
            copy.write(piece)
        copy.flush()
        return copy
    stream.flush()
    return stream


def _started(file: BinaryIO, limits: list[int]) -> subprocess.Popen[bytes]:
    number = file.fileno()
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, json.dumps([number, *limits])],
        cwd=_ROOT,
        env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=(number,),
    )


class _Loader(pickle.Unpickler):
    """An unpickler for rows and their parts only."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _CLASSES:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a row.")
        return super().find_class(module, name)


def _loaded(content: bytes) -> Any:
    return _Loader(io.BytesIO(content)).load()


def _send(pipe: IO[bytes], kind: bytes, content: bytes) -> None:
    pipe.write(_HEAD.pack(kind, len(content)))
    pipe.write(content)
    pipe.flush()


class _Watched:
    """What a process writes; while it writes nothing, somebody is asked whether to go on waiting."""

    def __init__(self, pipe: IO[bytes], watch: Callable[[], None]) -> None:
        self._pipe, self._watch = pipe.fileno(), watch

    def read(self, length: int) -> bytes:
        """Return so many bytes, or fewer if the process has ended."""
        content = bytearray()
        while len(content) < length:
            while not select.select([self._pipe], [], [], _LOOK)[0]:
                self._watch()
            piece = os.read(self._pipe, min(length - len(content), _COPY))
            if not piece:
                break
            content += piece
        return bytes(content)


def _receive(pipe: "IO[bytes] | _Watched") -> tuple[bytes, bytes]:
    kind, length = _HEAD.unpack(_exactly(pipe, _HEAD.size))
    return kind, _exactly(pipe, length)


def _exactly(pipe: "IO[bytes] | _Watched", length: int) -> bytes:
    content = pipe.read(length)
    if len(content) != length:
        raise EOFError
    return content


def serve(file: BinaryIO, source: BinaryIO, sink: BinaryIO) -> None:
    """Read the file as the site requests, and send its rows."""
    reading: Reading = pickle.loads(_receive(source)[1])  # sent by the site itself
    takes_pictures = json.loads(_receive(source)[1])

    def keep(name: str, content: bytes | IO[bytes]) -> str:
        _send(sink, _PICTURE, name.encode())
        _send(sink, _PICTURE, content if isinstance(content, bytes) else content.read())
        answer = json.loads(_receive(source)[1])
        if "refused" in answer:
            raise BadValue(*answer["refused"])
        return str(answer["name"])

    rows: list[Row | RowError] = []
    try:
        reader = open_reader(file, replace(reading, keep=keep if takes_pictures else None))
        for row in reader:
            rows.append(row)
            if len(rows) == _ROWS_AT_ONCE:
                _send(sink, _ROWS, pickle.dumps(rows))
                rows = []
    except Unreadable as fault:
        _send(sink, _ROWS, pickle.dumps(rows))
        _send(sink, _REFUSED, pickle.dumps(fault.error))
    else:
        _send(sink, _ROWS, pickle.dumps(rows))
        _send(sink, _END, json.dumps(reading.columns.counted()).encode())


def main() -> None:
    """Set the limits of this process, and serve the file whose number is given on the command line."""
    number, memory, seconds = json.loads(sys.argv[1])
    limit_memory(memory)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with os.fdopen(number, "rb") as opened:
        serve(opened, sys.stdin.buffer, sys.stdout.buffer)
