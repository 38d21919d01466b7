"""The HTTP transport below every SDK: bounded in time and size, without proxies or redirects.

No SDK setting stops a server that sends one byte at a time (each renews a read timeout) or one that never ends. So the
limit is set below the SDKs: every read of an exchange, including headers, ends at one deadline.
"""

import os
import ssl
import threading
import time
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, cast

import httpcore2
import httpx2

from providers.http.bounds import Bounds, HttpAnswer, Redirected, TimedOut, TooLarge, Unreachable
from providers.http.broken_connections import why_unreachable

_EXPIRY = 30.0
"""Seconds for which an unused connection is kept open."""


def trusted_certificates() -> ssl.SSLContext:
    """Return the certificates that are trusted: the system's, or those of SSL_CERT_FILE and SSL_CERT_DIR.

    They are read once and shared by all clients. Each search would read some hundred of them otherwise.
    """
    return _trusted(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@lru_cache(maxsize=8)
def _trusted(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    return httpx2.create_ssl_context()


class Deadline:
    """The time at which an exchange must have ended."""

    def __init__(self, at: float) -> None:
        self._at = at

    def remaining(self, timeout: float | None) -> float | None:
        """Return the seconds an operation may still take: its own timeout, cut at the deadline.

        Raises ReadTimeout if no time is left.
        """
        seconds = self._at - time.monotonic()
        if seconds <= 0:
            raise httpcore2.ReadTimeout("the wall clock of this exchange has run out")
        return seconds if timeout is None else min(timeout, seconds)


class _Deadline(threading.local):
    """The deadline of this thread's exchange; connections are pooled, but an exchange stays in its thread."""

    at: float | None = None


class TimedStream(httpcore2.NetworkStream):
    """A connection whose operations all end at the deadline of the thread that uses it."""

    def __init__(self, inner: httpcore2.NetworkStream, remaining: Callable[[float | None], float | None]) -> None:
        self._inner = inner
        self._remaining = remaining

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._remaining(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._remaining(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return TimedStream(
            self._inner.start_tls(ssl_context, server_hostname, self._remaining(timeout)), self._remaining
        )

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _TimedBackend(httpcore2.SyncBackend):
    """Opens connections that respect the deadline."""

    def __init__(self, remaining: Callable[[float | None], float | None]) -> None:
        self._remaining = remaining

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        stream = super().connect_tcp(host, port, self._remaining(timeout), local_address, socket_options)
        return TimedStream(stream, self._remaining)


class _ConnectionPool:
    """Idle connections for the next exchange, the most recent first; one thread uses a connection at a time.

    httpcore's own pool looks at all its connections twice with every request, which with sixty under way costs more
    than the request. The provider's rate limit decides how many are open at once.
    """

    def __init__(self, most: int, expiry: float, connect: Callable[[httpcore2.Origin], httpcore2.HTTPConnection]):
        self._most, self._expiry, self._connect = most, expiry, connect
        self._lock = threading.Lock()
        self._idle: dict[str, deque[tuple[float, httpcore2.HTTPConnection]]] = defaultdict(deque)

    def take(self, origin: httpcore2.Origin) -> httpcore2.HTTPConnection:
        """Return a connection that is not known to be closed, or a new one that its first request opens."""
        idle = self._idle[str(origin)]
        while True:
            with self._lock:
                if not idle:
                    return self._connect(origin)
                _since, connection = idle.pop()
            if not connection.has_expired():
                return connection
            connection.close()

    def put_back(self, origin: httpcore2.Origin, connection: httpcore2.HTTPConnection) -> None:
        """Keep the connection if its exchange ended; close those that were idle for long."""
        surplus = [] if connection.is_idle() else [connection]
        now = time.monotonic()
        with self._lock:
            idle = self._idle[str(origin)]
            if not surplus:
                idle.append((now, connection))
            while idle and (len(idle) > self._most or idle[0][0] < now - self._expiry):
                surplus.append(idle.popleft()[1])
        for connection in surplus:
            connection.close()

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            connections = [connection for idle in self._idle.values() for _since, connection in idle]
            self._idle.clear()
        for connection in connections:
            connection.close()


class BoundedTransport(httpx2.BaseTransport):
    """Sends one request and reads the whole answer within `bounds`.

    Raises TimedOut, TooLarge, Unreachable or Redirected. Certificates are the system's, or those of SSL_CERT_FILE and
    SSL_CERT_DIR, so that an in-house model server can be trusted; nothing else of the environment is read.
    """

    def __init__(self, bounds: Bounds | None = None, *, connections: int = 512) -> None:
        self.bounds = bounds or Bounds()
        self._deadline = _Deadline()
        context, backend = trusted_certificates(), _TimedBackend(self._remaining)
        self._pool = _ConnectionPool(
            connections,
            _EXPIRY,
            lambda origin: httpcore2.HTTPConnection(
                origin, ssl_context=context, keepalive_expiry=_EXPIRY, network_backend=backend
            ),
        )

    def _remaining(self, timeout: float | None) -> float | None:
        """Return the seconds an operation may still take: its own timeout, cut at the deadline of the exchange."""
        return timeout if self._deadline.at is None else Deadline(self._deadline.at).remaining(timeout)

    @contextmanager
    def _clocked(self, address: str) -> Iterator[None]:
        self._deadline.at = time.monotonic() + self.bounds.wall
        try:
            yield
        except httpcore2.ConnectTimeout as fault:
            raise TimedOut(f"{address} did not take the connection within {self.bounds.connect:g} s") from fault
        except (httpcore2.TimeoutException, TimeoutError) as fault:
            raise TimedOut(f"no whole answer within {self.bounds.wall:g} s") from fault
        except zlib.error as fault:
            raise Unreachable("the body of its answer is not packed as its header Content-Encoding says") from fault
        except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError) as fault:
            raise Unreachable(f"the connection failed: {why_unreachable(fault, address)}") from fault
        finally:
            self._deadline.at = None

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Make one exchange; the answer's body is read, decoded and counted before this returns."""
        outgoing = self._outgoing(request)
        with self._clocked(_origin_of(request.url)), self._connected(outgoing.url.origin) as connection:
            answer = connection.handle_request(outgoing)
            try:
                headers = httpx2.Headers(answer.headers)
                if 300 <= answer.status < 400:
                    raise Redirected(_redirect_sentence(answer.status, request.url, headers.get("location", "")))
                body = self._body(cast(Iterable[bytes], answer.stream), headers.get("content-encoding", ""))
            finally:
                answer.close()  # an unread rest closes the connection: it is never handed to another exchange
        for header in ("content-encoding", "content-length", "transfer-encoding"):
            headers.pop(header, None)
        return httpx2.Response(answer.status, headers=headers, content=body, request=request)

    @contextmanager
    def _connected(self, origin: httpcore2.Origin) -> Iterator[httpcore2.HTTPConnection]:
        if origin.scheme not in (b"http", b"https"):
            raise httpcore2.UnsupportedProtocol("Only http:// and https:// are spoken here.")
        connection = self._pool.take(origin)
        try:
            yield connection
        finally:
            self._pool.put_back(origin, connection)

    def _outgoing(self, request: httpx2.Request) -> httpcore2.Request:
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"accept-encoding"]
        bounds = self.bounds
        timeouts = {"connect": bounds.connect, "read": bounds.read, "write": bounds.read, "pool": bounds.read}
        return httpcore2.Request(
            request.method,
            httpcore2.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=[*headers, (b"Accept-Encoding", b"identity")],
            content=request.read(),
            extensions={"timeout": timeouts},
        )

    def _body(self, chunks: Iterable[bytes], encoding: str) -> bytes:
        """Return the decoded body.

        Raises TooLarge as soon as it passes the limit, so that a compressed bomb is never unpacked.
        """
        unpack = zlib.decompressobj(wbits=47) if encoding.strip().lower() in ("gzip", "deflate") else None
        body = bytearray()
        for chunk in chunks:
            room = self.bounds.body - len(body) + 1
            body += unpack.decompress(chunk, room) if unpack else chunk[:room]
            if len(body) > self.bounds.body:
                raise TooLarge(f"the answer is longer than {self.bounds.body:,} bytes")
        return bytes(body)

    def close(self) -> None:
        """Close the pooled connections."""
        self._pool.close()


def _redirect_sentence(status: int, asked: httpx2.URL, location: str) -> str:
    try:
        target = asked.join(location) if location else None
    except (httpx2.InvalidURL, ValueError):
        target = None
    where = f" to {_origin_of(target)}{target.path}" if target else ""
    return f"it answered with a redirect ({status}){where}, which is not followed: set the address that it leads to"


def _origin_of(url: httpx2.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"


def http_get(address: str, parameters: Mapping[str, str], bounds: Bounds) -> HttpAnswer:
    """Make one GET at an address of the site's own settings.

    Raises TransportFault if there is no answer, ValueError if the address is no URL.
    """
    try:
        with httpx2.Client(transport=BoundedTransport(bounds, connections=1), trust_env=False) as client:
            answer = client.get(address, params=dict(parameters))
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, httpcore2.UnsupportedProtocol) as fault:
        raise ValueError("no URL") from fault
    return HttpAnswer(answer.status_code, dict(answer.headers), answer.content)
