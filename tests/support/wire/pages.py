"""A local web for tests: servers that answer by path and keep a log, a resolver, and routes between them.

No test leaves the machine: names are resolved by a table, public addresses lead to the outer server, and all others to
the inner one, whose log must stay empty.
"""

import gzip
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from providers.http.fetch import Fetcher, FetchLimits
from providers.http.safe_urls import is_public

Answer = Callable[[BaseHTTPRequestHandler], None]
_TRUST = ssl.create_default_context()  # made once: reading the system's certificates takes long
OUTER, OTHER = "93.184.216.34", "151.101.1.69"


def page(
    body: str | bytes, content_type: str = "text/html; charset=utf-8", status: int = 200, **headers: str
) -> Answer:
    """Return an answer with this body."""
    content = body.encode() if isinstance(body, str) else body

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", content_type)
        handler.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def redirect(to: str, status: int = 302) -> Answer:
    """Return a redirect."""
    return page("", status=status, Location=to)


def packed(content: bytes, coding: str = "gzip") -> Answer:
    """Return an HTML page compressed by gzip; with another coding it is only labelled so."""
    return page(gzip.compress(content) if coding == "gzip" else content, Content_Encoding=coding)


def dripping(seconds: float) -> Answer:
    """Return a page that is sent one byte at a time."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.05)

    return answer


def promising(content: bytes, more: int, content_type: str = "text/html") -> Answer:
    """Return a page whose header promises so many bytes more than it sends; without a type it names none."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        if content_type:
            handler.send_header("Content-Type", content_type)
        handler.send_header("Content-Length", str(len(content) + more))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def endless(handler: BaseHTTPRequestHandler) -> None:
    """Send a page of a hundred million bytes without a line end."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    for _ in range(1600):
        handler.wfile.write(b"a" * 65536)


class PageServer:
    """A server that answers paths (with query) by a table; `log` holds host and path of every request, in order."""

    def __init__(self, pages: Mapping[str, Answer] | None = None, *, context: ssl.SSLContext | None = None) -> None:
        self.pages: dict[str, Answer] = dict(pages or {})
        self.log: list[str] = []
        self.headers: list[dict[str, str]] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                where = f"{self.headers.get('Host', '')}{self.path}"
                owner.log.append(where)
                owner.headers.append(dict(self.headers.items()))
                keys = (where, self.path, self.path.partition("?")[0])
                answer = next((owner.pages[key] for key in keys if key in owner.pages), None)
                with suppress(OSError):  # the reader closed the connection early
                    (answer or page("nothing here", status=404))(self)

            def log_message(self, *_: Any) -> None: ...

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None: ...

        self._server = Quiet(("127.0.0.1", 0), Handler)
        if context:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def read(self) -> list[str]:
        """Return the requests, without those for robots.txt."""
        return [address for address in self.log if not address.endswith("/robots.txt")]

    def __enter__(self) -> "PageServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class Web:
    """An outer and an inner server, and names. `names` maps a host to its addresses, or to a list of such answers."""

    def __init__(self, outer: PageServer, inner: PageServer, names: Mapping[str, Any] | None = None) -> None:
        self.outer, self.inner = outer, inner
        self.names: dict[str, Any] = dict(names or {})
        self.asked: list[str] = []
        self.connected: list[tuple[str, int]] = []

    def resolve(self, host: str, port: int, seconds: float) -> Sequence[str]:
        """Return the addresses of a host by the table. A list of answers is used up in order.

        Raises OSError for an unknown name, TimeoutError after the seconds if the table has a number.
        """
        self.asked.append(host)
        addresses = self.names.get(host, self.names.get("*"))
        if addresses is None:
            raise OSError("NXDOMAIN")
        if isinstance(addresses, float):
            time.sleep(min(addresses, max(0.0, seconds)))
            raise TimeoutError
        if addresses and isinstance(addresses[0], list):
            return list(addresses.pop(0) if len(addresses) > 1 else addresses[0])
        return list(addresses)

    def reach(self, address: str, port: int) -> tuple[str, int]:
        """Return the local server of an address: the outer one if the address is public, else the inner one."""
        self.connected.append((address, port))
        return "127.0.0.1", (self.outer if is_public(address) else self.inner).port

    def fetcher(self, *, seconds: float = 5.0, size: int = 2_000_000, **more: Any) -> Fetcher:
        """Return a fetcher that uses this web."""
        limits = FetchLimits(seconds=seconds, size=size)
        options = {"trust": _TRUST, **more}
        return Fetcher("Interplay-test", limits=limits, resolve=self.resolve, reach=self.reach, **options)
