"""A child process that handles one untrusted picture after the other, with little memory and little time.

A picture that exhausts the child costs that picture, not the worker. The child is a module run as a program; it
imports no Django. Both sides exchange lengths and bytes, so that nothing from the child is executed.
"""

import json
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Self

_LENGTH = struct.Struct(">Q")
_ROOT = Path(__file__).resolve().parents[2]


class ChildFailed(Exception):
    """The child died, was stopped for its time, or did not answer."""


class PictureChild:
    """One child process, started on first use and again after it died. For one thread at a time."""

    def __init__(self, module: str, arguments: object, seconds: float, environment: Mapping[str, str]) -> None:
        """`arguments` is a JSON value for the module; `seconds` are for one picture."""
        self.seconds = seconds
        self._command = [sys.executable, "-m", module, json.dumps(arguments)]
        self._environment = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(_ROOT), **environment}
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, content: bytes) -> Any:
        """Return the child's answer to a picture, a JSON value. Raises ChildFailed."""
        child = self._started()
        assert child.stdin is not None
        watchdog = threading.Timer(self.seconds, child.kill)
        watchdog.start()
        try:
            send(child.stdin, content)
            return json.loads(self.receive_more())
        except (OSError, EOFError, struct.error) as fault:
            self.close()
            raise ChildFailed from fault
        finally:
            watchdog.cancel()

    def receive_more(self) -> bytes:
        """Return the bytes that the child sends next."""
        child = self._started()
        assert child.stdout is not None
        return receive(child.stdout)

    def stop(self) -> None:
        """End the process from another thread: who waits for its answer gets ChildFailed."""
        child = self._child
        if child is not None:
            child.kill()

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            self._child = subprocess.Popen(
                self._command,
                cwd=_ROOT,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._child


def send(pipe: IO[bytes], content: bytes) -> None:
    """Write the length of the bytes and the bytes."""
    pipe.write(_LENGTH.pack(len(content)))
    pipe.write(content)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """Read what `send` wrote.

    Raises EOFError if the other side has closed the pipe.
    """
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    return _exactly(pipe, length)


def _exactly(pipe: IO[bytes], length: int) -> bytes:
    content = pipe.read(length)
    if len(content) != length:
        raise EOFError
    return content
