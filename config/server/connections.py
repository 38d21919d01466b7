"""Connections of one process of the web server. None of them holds a thread before its request is there as a whole.

waitress reads requests and sends answers in one loop. What it lacks is here: deadlines, the least speed of bodies and
of readers, and room for those who do ask something.
"""

import errno
import fcntl
import socket
import struct
import termios
import time
from contextlib import suppress
from functools import partial
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer

from config.server.crowd import Crowd, site_of
from config.server.event_loop import EventLoop
from config.server.http_answer import Answer, Head, Refusal, without_body_of_head
from config.server.http_request import Intake, Request

HEAD_SECONDS = 10.0
"""A head must be there so many seconds after its first byte, or after the connection was made."""
SLOW_SECONDS = 30.0
"""In so many seconds a body must bring, and a reader take, `LEAST_RATE` bytes a second, or end."""
LEAST_RATE = 1024
_FRESH_SECONDS = 2.0
"""A process that stops waits so long for the first request of a connection."""
_LINGER_SECONDS = 2.0
"""Who sends a body that is refused gets so long to read why; a connection that ends at once takes the answer along."""
_SEND_BUFFER = 2**17
"""By itself the system would keep up to 4 MB for each reader in memory, and a container's limit counts that."""
_PIECE = 2**16
"""Smaller pieces of an answer are put together while others wait for the reader. Each write to a slow one wakes the
loop, and a quarter of a megabyte is read back from what was put aside, to be offered again."""
_TOO_SLOW = b"The request took too long to arrive. Send it again.\n"
_TIMEOUT = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(_TOO_SLOW), _TOO_SLOW)
)


class Connection(HTTPChannel):
    """A connection: its requests in turn, and how fast they and their answers go."""

    task_class = Answer
    error_task_class = Refusal

    def __init__(self, server: "Listener", sock: socket.socket, addr: Any, adj: Adjustments, map: Any = None) -> None:
        self.idle_since, self.has_asked, self.sent = time.monotonic(), False, 0
        self._pace: tuple[object, float, int] | None = None
        self._pieces: list[bytes] = []
        self._gathered = 0
        self._lingers, self._ends_at = False, None  # type: bool, float | None
        self.site = site_of(addr[0])
        self.parser_class = partial(Request, intake=server.intake)
        super().__init__(server, sock, addr, adj, map=map)

    def add_channel(self, map: Any = None) -> None:
        super().add_channel(map)
        self.server.crowd.enter(self)

    def del_channel(self, map: Any = None) -> None:
        if self._fileno is not None:
            self.server.loop.forget(self._fileno)
        super().del_channel(map)
        self.server.crowd.leave(self)

    def handle_read(self) -> None:
        try:
            data = self.recv(self.adj.recv_bytes)
        except BlockingIOError:
            return
        except OSError:
            self.handle_close()
            return
        if data and self._ends_at is None:  # else: the rest of a refused body
            self.received(data)

    def readable(self) -> bool:
        return self._ends_at is not None or bool(super().readable())

    def writable(self) -> bool:
        return self._ends_at is None and bool(super().writable())

    def received(self, data: bytes) -> bool:
        taken: bool = super().received(data)
        self.has_asked = self.has_asked or bool(self.requests)
        return taken

    def send(self, data: bytes, do_close: bool = True) -> int:
        taken: int = super().send(data, do_close)
        self.sent += taken
        return taken

    def write_soon(self, data: Any) -> int:
        """Send a piece of an answer, or as much of it as the client takes now; an empty one sends what was gathered."""
        if isinstance(data, bytes):
            self._pieces.append(data)
            self._gathered += len(data)
            if data and self._gathered < _PIECE and (self.total_outbufs_len or isinstance(data, Head)):
                return len(data)
        gathered = b"".join(self._pieces)
        self._pieces.clear()
        self._gathered = 0
        super().write_soon(gathered)
        if not isinstance(data, bytes):
            super().write_soon(data)
        return len(data)

    def service(self) -> None:
        """Answer the first request that waits, in a thread."""
        self._lingers = self.requests[0].error is not None or self.requests[0].is_left
        super().service()
        self.server.crowd.answered += 1
        self.idle_since = time.monotonic()

    def handle_close(self) -> None:
        """Close the connection, or first let a refused client read why."""
        if self._lingers and self._ends_at is None and self.connected:
            self._ends_at = time.monotonic() + _LINGER_SECONDS
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
            return
        if self.request is not None:
            self.request.close()
        super().handle_close()

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Wait until the reader has taken some of a long answer. Another thread does this one's work meanwhile."""
        if self.total_outbufs_len <= self.adj.outbuf_high_watermark:
            return
        self.server.crowd.lend(1)
        try:
            super()._flush_outbufs_below_high_watermark()
        finally:
            self.server.crowd.lend(-1)

    def is_waiting(self) -> bool:
        """Return whether nothing was asked that is not answered."""
        return not (self.requests or self.total_outbufs_len)

    def waits_since(self) -> tuple[bool, float]:
        """Return a measure of whose turn it is to go: first those without a head, and who came first."""
        request = self.request
        if request is None:
            return False, self.idle_since
        return bool(request.headers_finished), request.began

    def is_under_way(self, now: float) -> bool:
        """Return whether a process that stops should wait for this connection."""
        is_fresh = not self.has_asked and now - self.idle_since < _FRESH_SECONDS
        return not self.is_waiting() or self.request is not None or is_fresh

    def end_if_too_slow(self, now: float) -> None:
        """Close the connection if it has no right to more time."""
        request = self.request
        if self._ends_at is not None:
            is_over = now > self._ends_at
        elif self.total_outbufs_len + (in_kernel := self._in_kernel()):
            is_over = self._is_slower(self, self.sent - in_kernel, now)
            self.idle_since = now
        elif request is not None and request.headers_finished and not self.requests:
            is_over = self._is_slower(request, request.body_bytes_received, now)
        else:
            self._pace = None
            is_over = not self.requests and now > self._head_due()
        if is_over:
            if request is not None and self.is_waiting():
                with suppress(OSError):
                    self.socket.send(_TIMEOUT)
            self.handle_close()

    def _head_due(self) -> float:
        if self.request is not None:
            return float(self.request.began) + HEAD_SECONDS
        return self.idle_since + (self.server.crowd.keepalive if self.has_asked else HEAD_SECONDS)

    def _is_slower(self, what: object, moved: int, now: float) -> bool:
        """Return whether too few bytes of this moved since the last look, `SLOW_SECONDS` ago."""
        if self._pace is None or self._pace[0] is not what:
            self._pace = (what, now, moved)
        _what, since, before = self._pace
        if now - since < SLOW_SECONDS:
            return False
        self._pace = (what, now, moved)
        return moved - before < LEAST_RATE * (now - since)

    def _in_kernel(self) -> int:
        """Return how many bytes were given to the system and have not arrived."""
        try:
            return int(struct.unpack("i", fcntl.ioctl(self.socket.fileno(), termios.TIOCOUTQ, b"\0" * 4))[0])
        except OSError:
            return 0


class Listener(TcpWSGIServer):
    """A socket on which the process waits for connections; other processes wait on it too."""

    channel_class = Connection

    def __init__(
        self, sock: socket.socket, application: Any, adj: Adjustments, loop: EventLoop, crowd: Crowd, intake: Intake
    ) -> None:
        self.loop, self.crowd, self.intake = loop, crowd, intake
        address = (sock.family, sock.type, sock.proto, sock.getsockname())
        super().__init__(
            without_body_of_head(application),
            map=loop.channels,
            _sock=sock,
            dispatcher=crowd.dispatcher,
            adj=adj,
            sockinfo=address,
            bind_socket=False,
        )
        self.server_name = self.effective_host

    def getsockname(self) -> tuple[str, str]:
        if self.family == socket.AF_UNIX:
            return "localhost", ""
        return super().getsockname()  # type: ignore[no-any-return]  # the library has no types

    def set_socket_options(self, conn: socket.socket) -> None:
        if self.family != socket.AF_UNIX:
            super().set_socket_options(conn)
            conn.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)

    def fix_addr(self, addr: Any) -> Any:
        return addr or ("", "")

    def readable(self) -> bool:
        return not self.crowd.is_busy()

    def handle_accept(self) -> None:
        """Take a connection, and look at once whether it has asked something."""
        try:
            taken = self.accept()
        except OSError as fault:
            if fault.errno in (errno.EMFILE, errno.ENFILE):
                self.crowd.send_away(self.crowd.all)
            return
        if taken is None:
            return  # another process was first
        line, address = taken[0], self.fix_addr(taken[1])
        if not self.crowd.make_room(address[0]):
            line.close()
            return
        with suppress(OSError):
            self.set_socket_options(line)
        connection = Connection(self, line, address, self.adj, map=self._map)
        connection.handle_read()
        self.loop.look_at(connection)
