"""A request as it arrives: the rules for its head, and how much of its body is taken before a thread is.

waitress reads it outside of its threads. Stricter here than there: what two servers might read in two ways is refused.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.utilities import BadRequest, Error

_LONGEST_CHUNK_LINE = 4096
_LONGEST_TRAILER = 8192


class StoreFull(Error):
    """More bodies are under way than the process may keep."""

    code = 503
    reason = "Service Unavailable"


class Intake:
    """Bodies that one process has taken and not yet answered: how large each may be, and all together.

    `small` is allowed everywhere; `limit` is only asked for larger ones.
    """

    def __init__(
        self, limit: Callable[[str, str], int] = lambda path, kind: 2**20, most: int = 2**26, small: int = 0
    ) -> None:
        self.limit, self.most, self.small = limit, most, small
        self._stored, self._lock = 0, threading.Lock()

    def add(self, more: int) -> bool:
        """Count bytes that came, or that were forgotten (fewer than 0). Return whether all still have room."""
        with self._lock:
            self._stored += more
            return self._stored <= self.most


class Request(HTTPRequestParser):
    """A request that arrives in pieces.

    A body over the limit of its address is left where it is: the site refuses the request by its length, in its own
    words, and the connection ends after that.
    """

    is_left = False
    """Whether a body stays unread."""
    body_rcv: Any
    error: Any
    expect_continue: bool

    def __init__(self, adj: Adjustments, intake: Intake) -> None:
        super().__init__(adj)
        self.began = time.monotonic()
        self._intake, self._stored = intake, 0
        self._limit: int | None = None

    def received(self, data: bytes) -> int:
        """Take a piece. Return how many bytes of it belong to this request."""
        taken: int = super().received(data)
        if self.error is None and self.body_rcv is not None:
            self._look_at_body()
        if self.error is None and not self.is_left:
            self.expect_continue = self.expect_continue and not self.completed
            return taken
        self.expect_continue = False
        self.headers["CONNECTION"] = "close"
        return len(data)  # what follows a refused head is no request

    def _look_at_body(self) -> None:
        body = self.body_rcv
        has_room = self._intake.add(len(body) - self._stored)
        self._stored = len(body)
        if self._is_too_large(max(self.content_length, self._stored)):
            self._leave_body()
        elif not has_room:
            self._refuse(StoreFull("Too many uploads are under way. Send it again in a minute."))
        elif self.chunked and (len(body.control_line) > _LONGEST_CHUNK_LINE or len(body.trailer) > _LONGEST_TRAILER):
            self._refuse(BadRequest("A chunk of the body has no end."))

    def _is_too_large(self, size: int) -> bool:
        if size <= self._intake.small:
            return False
        if self._limit is None:
            self._limit = self._intake.limit(self.path, self.headers.get("CONTENT_TYPE", ""))
        return size > self._limit

    def _leave_body(self) -> None:
        self.headers.setdefault("CONTENT_LENGTH", str(self._stored))  # of chunks: so many and more
        self._forget_body()
        self.is_left = self.completed = True

    def _refuse(self, error: Error) -> None:
        self._forget_body()
        self.error, self.completed = error, True

    def _forget_body(self) -> None:
        self.close()
        self.body_rcv = None

    def close(self) -> None:
        """Forget the body, and delete the file that it waits in."""
        self._intake.add(-self._stored)
        self._stored = 0
        super().close()

    def parse_header(self, header_plus: bytes) -> None:
        """Read the head.

        Raises ParsingError if a proxy could read it in another way.
        """
        super().parse_header(header_plus)
        headers: dict[str, Any] = self.headers
        if self.version not in ("1.0", "1.1"):
            raise ParsingError("The site speaks HTTP/1.0 and HTTP/1.1.")
        if "," in headers.get("HOST", "," if self.version == "1.1" else ""):
            raise ParsingError("A request needs exactly one Host.")
        if "TRANSFER_ENCODING" in headers or (self.chunked and "CONTENT_LENGTH" in headers):
            raise ParsingError("The length of the body is given in two ways.")
