"""What one slow reader of a long answer costs the process: copies, and turns of the loop."""

import socket
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from waitress.adjustments import Adjustments
from waitress.buffers import OverflowableBuffer
from waitress.utilities import BadRequest

from config.server.connections import Connection
from config.server.crowd import Crowd
from config.server.event_loop import EventLoop
from config.server.http_answer import Head, Refusal
from config.server.http_request import Intake

ANSWER = 4_000_000


class Line:
    """A connection whose request is being answered, its reader, and what was counted."""

    def __init__(self) -> None:
        self.loop, self.wakes, self.reread = EventLoop(), 0, 0
        ours, self.reader = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**17)
        self.reader.settimeout(10)
        known = {"crowd": Crowd(1, 10, 0, 30.0), "loop": self.loop, "intake": Intake(), "active_channels": {}}
        adjustments = Adjustments(host="127.0.0.1", ident=None, outbuf_overflow=2**18, outbuf_high_watermark=2**22)
        server: Any = SimpleNamespace(**known, adj=adjustments, pull_trigger=self.wake)
        self.connection = Connection(server, ours, ("", ""), adjustments, map=self.loop.channels)
        self.connection.requests.append(SimpleNamespace(error=None))

    def wake(self) -> None:
        self.wakes += 1

    def write(self, size: int, total: int) -> None:
        for number in range(total // size):
            self.connection.write_soon(bytes([number % 251]) * size)

    def end_request(self) -> None:
        self.connection.write_soon(b"")
        self.connection.requests.clear()
        self.loop.look_at(self.connection)

    def read(self) -> bytes:
        """Return all that was written, read to its end while the loop turns."""
        read = b""
        while self.connection.total_outbufs_len:
            self.loop.turn(0)
            read += self.reader.recv(2**20)
        self.reader.setblocking(False)
        while True:
            try:
                read += self.reader.recv(2**20)
            except BlockingIOError:
                return read


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    line, usual = Line(), OverflowableBuffer.get

    def get(buffer: Any, *arguments: Any) -> Any:
        taken = usual(buffer, *arguments)
        line.reread += len(taken)
        return taken

    monkeypatch.setattr(OverflowableBuffer, "get", get)
    yield line
    line.connection._lingers = False
    line.connection.handle_close()
    line.reader.close()


@pytest.mark.parametrize("size", [100, 4_096, 65_536])
def test_a_reader_who_takes_nothing_costs_the_same_however_small_the_pieces_are(line: Line, size: int) -> None:
    line.write(size, ANSWER)
    line.end_request()
    assert line.wakes <= ANSWER / 2**16 + 1
    assert line.reread <= 5 * ANSWER


@pytest.mark.parametrize("size", [1, 100, 70_000])
def test_pieces_of_any_size_arrive_in_their_order(line: Line, size: int) -> None:
    line.write(size, total := 280_000)
    line.end_request()
    assert line.read() == b"".join(bytes([number % 251]) * size for number in range(total // size))


def test_a_piece_goes_at_once_to_a_reader_who_waits_for_it_and_a_head_with_what_follows(line: Line) -> None:
    line.connection.write_soon(Head(b"head "))
    assert (line.connection.total_outbufs_len, line.connection.sent) == (0, 0)
    line.connection.write_soon(b"first")
    assert line.reader.recv(100) == b"head first"
    line.connection.write_soon(b" second")
    assert line.reader.recv(100) == b" second"


def test_a_refusal_after_an_answer_that_is_not_read_yet_is_sent_too(line: Line) -> None:
    line.connection.write_soon(bytes(2**20))
    line.end_request()
    request = SimpleNamespace(error=BadRequest("A request needs exactly one Host."), headers={}, version="1.1")
    Refusal(line.connection, request).service()
    assert line.read().endswith(b"A request needs exactly one Host.\n")
