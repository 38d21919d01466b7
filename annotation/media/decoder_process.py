"""Decode untrusted pictures in a separate process with little memory and little time.

A picture that exhausts the decoder costs that picture, not the worker. The child is this module run as a program; it
imports no Django. Both sides exchange lengths and bytes, so that nothing from the child is executed.
"""

import json
import os
import resource
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, BinaryIO

from annotation.domain.pictures.decoding import BadPicture, Drawn, PictureLimits, draw

_LENGTH = struct.Struct(">Q")
_ROOT = Path(__file__).resolve().parents[2]
MEMORY = 1536 * 2**20
"""Bytes of address space of the decoding process; a 40-megapixel picture with transparency needs about 900 MB."""
SECONDS = 30
"""For one picture."""


class DrawingProcess:
    """One decoding process, started on first use and again after it died. For one thread at a time."""

    def __init__(self, limits: PictureLimits, memory: int = MEMORY, seconds: float = SECONDS) -> None:
        self.limits, self.memory, self.seconds = limits, memory, seconds
        self._child: subprocess.Popen[bytes] | None = None

    def draw(self, content: bytes) -> Drawn:
        """Decode and redraw a picture.

        Raises BadPicture `image_processing` if the picture kills or stalls the process.
        """
        if len(content) > self.limits.file:
            return draw(content, self.limits)  # refused by its size, nothing is decoded
        try:
            answer = self._ask(content)
        except (OSError, EOFError, TimeoutError) as fault:
            self.close()
            reason = "The picture could not be decoded within the memory and time allowed."
            raise BadPicture("image_processing", reason) from fault
        if "code" in answer:
            raise BadPicture(**answer)
        return Drawn(shown=self._receive_bytes(), blurred=self._receive_bytes(), **answer)

    def close(self) -> None:
        """End the process; the next picture starts a new one."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            child.wait()

    def __enter__(self) -> "DrawingProcess":
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def _ask(self, content: bytes) -> dict[str, Any]:
        child = self._started()
        assert child.stdin is not None
        watchdog = threading.Timer(self.seconds, child.kill)
        watchdog.start()
        try:
            _send(child.stdin, content)
            answer: dict[str, Any] = json.loads(self._receive_bytes())
            return answer
        finally:
            watchdog.cancel()

    def _receive_bytes(self) -> bytes:
        child = self._started()
        assert child.stdout is not None
        return _receive(child.stdout)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            self._child = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "annotation.media.decoder_process",
                    json.dumps([self.memory, asdict(self.limits)]),
                ],
                cwd=_ROOT,
                env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(_ROOT)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._child


def _send(pipe: IO[bytes], content: bytes) -> None:
    pipe.write(_LENGTH.pack(len(content)))
    pipe.write(content)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes:
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    return _exactly(pipe, length)


def _exactly(pipe: IO[bytes], length: int) -> bytes:
    content = pipe.read(length)
    if len(content) != length:
        raise EOFError
    return content


def serve(source: BinaryIO, sink: BinaryIO, limits: PictureLimits) -> None:
    """Draw picture after picture until the other side closes the pipe."""
    while True:
        try:
            content = _receive(source)
        except (EOFError, struct.error):
            return
        try:
            drawn = draw(content, limits)
        except MemoryError:
            return  # what is left of the memory is not worth much: a new process starts clean
        except BadPicture as refused:
            _send(sink, json.dumps(vars(refused)).encode())
            continue
        about = {"media_type": drawn.media_type, "width": drawn.width, "height": drawn.height, "sha256": drawn.sha256}
        _send(sink, json.dumps(about).encode())
        _send(sink, drawn.shown)
        _send(sink, drawn.blurred)


if __name__ == "__main__":
    allowed, given = json.loads(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin.buffer, sys.stdout.buffer, PictureLimits(**given))
