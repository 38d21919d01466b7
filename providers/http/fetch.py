"""The one fetcher: only it opens URLs that a user, a model or a page supplied (design section 12, threats T7).

A URL is checked before it is parsed. Its host is resolved within the deadline, every address must be public, none of
them and not the host may be denied by the operator, and the
connection goes to an address that was checked, while TLS still verifies the name. Each redirect passes the same checks.
Proxies and netrc of the environment are ignored.
"""

from __future__ import annotations

import logging
import socket
import ssl
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urljoin

import httpcore2
import httpx2
from protego import Protego

from providers.http import pinned, transport
from providers.http.denied import Denied
from providers.http.safe_urls import CheckedUrl, FetchFault, check_url

log = logging.getLogger(__name__)

OF_PDF = ("application/pdf", "application/x-pdf", "application/octet-stream")
"""What servers call a PDF. Its reader looks at the bytes."""
PAGES = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown", *OF_PDF)
PICTURES = (
    *("image/jpeg", "image/png", "image/gif", "image/webp"),
    *("image/avif", "image/heic", "image/heif", "image/tiff", "image/bmp"),
)
FILES = ("*/*",)
"""Anything: whoever asks looks at the bytes."""
_CODINGS = {"": None, "identity": None, "gzip": 47, "x-gzip": 47, "deflate": 47}  # zlib's window bits: either header
_LONGEST_TYPE = 100
_ENDS = (b"</html>", b"%%eof")
_UNKNOWN_TYPES = ("unknown/unknown", "application/unknown", "*/*")
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_ADDRESSES = 4
_ROBOTS_BYTES, _ROBOTS_SECONDS, _ROBOTS_KEPT = 500_000, 900.0, 500

Resolve = Callable[[str, int, float], Sequence[str]]
"""The addresses of a host for a port, within so many seconds. Raises OSError or TimeoutError."""
Reach = Callable[[str, int], tuple[str, int]]
"""Where an address and port that were checked are really connected to; tests map public ones to servers of theirs."""


@dataclass(frozen=True)
class FetchLimits:
    """What one page may take: seconds in all, redirects, decoded bytes. A PDF may be longer: cut it is of no use."""

    seconds: float = 15.0
    redirects: int = 3
    size: int = 2_000_000
    pdf_size: int = 10_000_000


@dataclass(frozen=True)
class FetchedPage:
    """A page as received. `url` is the last one of the redirects; `cut` says that only the beginning was read."""

    url: str
    media_type: str
    charset: str
    content: bytes
    cut: bool


def system_resolve(host: str, port: int, seconds: float) -> Sequence[str]:
    """Return the system's addresses of a host; wait at most `seconds`, because the C library has no deadline.

    Raises TimeoutError or OSError.
    """
    if not _lookups.acquire(timeout=max(0.0, seconds)):
        raise TimeoutError("too many lookups are under way")
    addresses: list[str] = []
    fault: list[OSError | UnicodeError] = []

    def look_up() -> None:
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses.extend(str(answer[4][0]) for answer in answers)
        except (OSError, UnicodeError) as error:
            fault.append(error)
        finally:
            _lookups.release()

    thread = threading.Thread(target=look_up, name="lookup", daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    if thread.is_alive():
        raise TimeoutError("the name server did not answer in time")
    if fault:
        raise OSError(str(fault[0]))
    return addresses


_lookups = threading.BoundedSemaphore(32)


class Fetcher:
    """Fetches pages within its limits. One may be shared by many threads.

    `resolve` and `reach` are for tests; the site uses the system's resolver and connects to the checked address.
    """

    def __init__(
        self,
        agent: str = "Interplay",
        *,
        limits: FetchLimits | None = None,
        resolve: Resolve = system_resolve,
        reach: Reach = lambda address, port: (address, port),
        trust: ssl.SSLContext | None = None,
        robots: bool = True,
        denied: Denied | None = None,
    ) -> None:
        self.agent, self.limits = agent, limits or FetchLimits()
        self._resolve, self._reach, self._heeds_robots = resolve, reach, robots
        self._denied = denied or Denied()
        self._trust = trust or transport.trusted_certificates()
        self._rules: OrderedDict[str, tuple[float, Protego | None]] = OrderedDict()
        self._lock = threading.Lock()

    def fetch(
        self, url: str, accepts: Sequence[str] = PAGES, *, whole: bool = False, size: int | None = None
    ) -> FetchedPage:
        """Return the page behind a URL, after redirects.

        A body longer than `size` (by default that of the limits) is cut there, or refused with `whole`.

        Raises FetchFault with a code and one sentence.
        """
        deadline = time.monotonic() + self.limits.seconds
        target = check_url(url)
        for _ in range(self.limits.redirects + 1):
            if self._heeds_robots and not self._allows(target, deadline):
                raise FetchFault("robots", f"{target.host} asks programs not to read this page (robots.txt).")
            answer = self._get(target, accepts, deadline, size or self.limits.size, whole)
            if isinstance(answer, FetchedPage):
                return answer
            target = answer
        raise FetchFault("too_many_redirects", f"More than {self.limits.redirects} redirects.")

    # ── One exchange ──────────────────────────────────────────────────────────

    def _get(
        self, target: CheckedUrl, accepts: Sequence[str], deadline: float, size: int, whole: bool
    ) -> FetchedPage | CheckedUrl:
        """Return the page, or the target of its redirect."""
        connection = self._connection(target, self._addresses(target, deadline), self._denied, deadline)
        with self._faults_of(target):
            try:
                answer = connection.handle_request(self._request(target, accepts))
                try:
                    return self._read(target, answer, accepts, size, whole)
                finally:
                    answer.close()
            finally:
                connection.close()

    def _connection(
        self, target: CheckedUrl, addresses: Sequence[str], denied: Denied, deadline: float
    ) -> httpcore2.HTTPConnection:
        return httpcore2.HTTPConnection(
            httpcore2.Origin(target.scheme.encode(), target.host.encode(), target.port),
            ssl_context=self._trust,
            network_backend=pinned.Pinned(addresses, denied, self._reach, deadline),
        )

    @contextmanager
    def _faults_of(self, target: CheckedUrl) -> Iterator[None]:
        """Turn what goes wrong in an exchange into a FetchFault."""
        try:
            yield
        except (httpcore2.TimeoutException, TimeoutError):
            raise self._timeout() from None
        except zlib.error:
            raise FetchFault("broken", "The page came packed, and cannot be unpacked.") from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError, ssl.SSLError, OSError) as fault:
            log.info("a page was not reachable: %s", type(fault).__name__)
            raise FetchFault("unreachable", f"{target.host} could not be reached.") from None

    def _request(
        self, target: CheckedUrl, accepts: Sequence[str], body: bytes = b"", extra: Mapping[str, str] | None = None
    ) -> httpcore2.Request:
        host = target.origin.partition("://")[2]
        headers = {
            "Host": host,
            "User-Agent": self.agent,
            "Accept": ", ".join(accepts),
            "Accept-Encoding": "gzip, deflate",
            "Connection": "close",
        }
        url = httpcore2.URL(
            scheme=target.scheme.encode(), host=target.host.encode(), port=target.port, target=target.path.encode()
        )
        seconds = self.limits.seconds
        timeouts = {"connect": seconds, "read": seconds, "write": seconds, "pool": seconds}
        if extra is not None:
            headers |= {**extra, "Content-Length": str(len(body))}
        raw_headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        method = "GET" if extra is None else "POST"
        return httpcore2.Request(method, url, headers=raw_headers, content=body, extensions={"timeout": timeouts})

    def _read(
        self, target: CheckedUrl, answer: httpcore2.Response, accepts: Sequence[str], size: int, whole: bool
    ) -> FetchedPage | CheckedUrl:
        headers = httpx2.Headers(answer.headers)
        if answer.status in _REDIRECTS:
            return _redirect_target(target, headers.get("location", ""))
        if answer.status != 200:
            raise FetchFault("status", f"{target.host} answered {answer.status}.", answer.status)
        media_type, charset = media_type_of(headers.get("content-type", ""))
        require_read(media_type, accepts)
        coding = headers.get("content-encoding", "").strip().lower()
        if coding not in _CODINGS:
            raise FetchFault("bad_type", "The page is packed in a way that is not read here.")
        of_page, may_be_pdf = accepts == PAGES, accepts != FILES and (not media_type or media_type in OF_PDF)
        room = max(size, self.limits.pdf_size) if may_be_pdf else size
        body, cut = _bounded(cast(Iterable[bytes], answer.stream), _CODINGS[coding], room, may_end_early=of_page)
        if not media_type and not body.startswith(b"%PDF-"):
            body, cut = body[:size], cut or len(body) > size
        elif cut and (whole or may_be_pdf) and len(body) >= room:
            raise FetchFault("too_large", f"It has more than {room:,} bytes.")
        return FetchedPage(target.url, media_type, charset, body, cut)

    def _addresses(self, target: CheckedUrl, deadline: float) -> Sequence[str]:
        """Return the addresses to connect to, if all addresses of the host are public and none is denied."""
        self._denied.require_allowed_host(target.host)
        addresses = self._look_up(target, deadline)
        if not addresses:
            raise FetchFault("unreachable", f"No address is known for {target.host}.")
        for address in addresses:
            self._denied.require_allowed(address)
        return list(dict.fromkeys(addresses))[:_MOST_ADDRESSES]

    def _look_up(self, target: CheckedUrl, deadline: float) -> Sequence[str]:
        if target.is_address:
            return [target.host]
        try:
            return self._resolve(target.host, target.port, deadline - time.monotonic())
        except TimeoutError:
            raise self._timeout() from None
        except OSError:
            raise FetchFault("unreachable", f"No address is known for {target.host}.") from None

    def _timeout(self) -> FetchFault:
        return FetchFault("timeout", f"No whole answer within {self.limits.seconds:g} s.")

    # ── Robots ────────────────────────────────────────────────────────────────

    def _allows(self, target: CheckedUrl, deadline: float) -> bool:
        """Return whether the origin's robots.txt allows the page (RFC 9309).

        Without one it does; while the server fails to give one it does not.
        """
        rules = self._rules_of(target, deadline)
        return rules is None or bool(rules.can_fetch(target.url, self.agent))

    def _rules_of(self, target: CheckedUrl, deadline: float) -> Protego | None:
        now = time.monotonic()
        with self._lock:
            cached = self._rules.get(target.origin)
        if cached and cached[0] > now:
            return cached[1]
        rules = self._read_rules(target, deadline)
        with self._lock:
            self._rules[target.origin] = (now + _ROBOTS_SECONDS, rules)
            while len(self._rules) > _ROBOTS_KEPT:
                self._rules.popitem(last=False)
        return rules

    def _read_rules(self, target: CheckedUrl, deadline: float) -> Protego | None:
        robots_url = CheckedUrl(target.scheme, target.host, target.port, "/robots.txt")
        for _ in range(self.limits.redirects + 1):
            try:
                answer = self._get(robots_url, ("text/plain",), deadline, _ROBOTS_BYTES, whole=False)
            except FetchFault as fault:
                if fault.code == "status":
                    if fault.status >= 500:
                        raise FetchFault("robots", f"{target.host} does not say what programs may read.") from None
                    return None
                if fault.code.startswith(("bad_", "blocked_")):
                    return None  # it leads to nothing that can be read; the page itself is checked on its own
                raise
            if isinstance(answer, FetchedPage):
                return Protego.parse(answer.content.decode("utf-8", "replace"))
            robots_url = answer
        return None


def _redirect_target(target: CheckedUrl, location: str) -> CheckedUrl:
    """Return the target of a redirect, checked like a URL that somebody typed in."""
    if not location:
        raise FetchFault("bad_url", f"{target.host} redirects to nowhere.")
    # Bytes of the header come as latin-1 where they are no ASCII; most servers mean UTF-8.
    with suppress(UnicodeError):
        location = location.encode("latin-1").decode("utf-8")
    try:
        return check_url(urljoin(target.url, location))
    except ValueError:
        raise FetchFault("bad_url", f"{target.host} redirects to something that is no URL.") from None


def _bounded(
    chunks: Iterable[bytes], window: int | None, size: int, *, may_end_early: bool = False
) -> tuple[bytes, bool]:
    """Return the decoded body up to `size` bytes, and whether there was more; nothing is unpacked beyond that.

    With `may_end_early` a body that is shorter than its header says is one that goes on, unless its own end is there.
    Raises zlib.error if it cannot be unpacked.
    """
    unpack = zlib.decompressobj(wbits=window) if window else None
    body, received = bytearray(), 0
    try:
        for chunk in chunks:
            room = size - len(body) + 1
            if unpack and not received:
                unpack = _unpacker(unpack, chunk)
            received += len(chunk)
            body += unpack.decompress(chunk, room) if unpack else chunk[:room]
            if len(body) > size or received > size:
                return bytes(body[:size]), True
    except httpcore2.RemoteProtocolError:
        if not may_end_early or not body:
            raise
        return bytes(body), not body[-200:].rstrip().lower().endswith(_ENDS)
    return bytes(body), bool(unpack and received and (not unpack.eof or unpack.unused_data))


def _unpacker(framed: Any, start: bytes) -> Any:
    """Return what unpacks a body that starts so; some servers send `deflate` without its frame."""
    try:
        framed.copy().decompress(start, 1)
    except zlib.error:
        return zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    return framed


def media_type_of(content_type: str) -> tuple[str, str]:
    """Return the type and the charset of a header; empty where it does not say, or says what is no type."""
    media_type, _, parameters = content_type.partition(";")
    media_type = media_type.strip().lower()
    if "/" not in media_type or media_type in _UNKNOWN_TYPES:
        media_type = ""
    for part in parameters.split(";"):
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return media_type, value.strip(" \"'").lower()[:40]
    return media_type, ""


def require_read(media_type: str, accepts: Sequence[str] = PAGES) -> None:
    """Raise FetchFault `bad_type` for a type that is not among those; a page may have none, and is then looked at."""
    if accepts != FILES and media_type not in accepts and (media_type or accepts != PAGES):
        named = f"of the type {_shortened(media_type)}" if media_type else "of no stated type"
        raise FetchFault("bad_type", f"The page is {named}, which is not read here.")


def _shortened(media_type: str) -> str:
    return media_type if len(media_type) <= _LONGEST_TYPE else f"{media_type[:_LONGEST_TYPE]}…"
