"""What one exchange over HTTP may take, what it brings, and why it may bring nothing."""

from dataclasses import dataclass


class TransportFault(Exception):
    """The exchange brought no answer; one of the four subclasses."""


class TimedOut(TransportFault):
    """The exchange did not end before its deadline, or the server stopped sending."""


class TooLarge(TransportFault):
    """The body is longer than allowed."""


class Unreachable(TransportFault):
    """There was no connection, or it broke before the answer was complete."""


class Redirected(TransportFault):
    """The server redirected us; addresses come from the site's settings only."""


@dataclass(frozen=True)
class Bounds:
    """What one exchange may take: seconds to connect, between two reads, and in all; bytes of the decoded body."""

    connect: float = 5.0
    read: float = 30.0
    wall: float = 60.0
    body: int = 1_000_000


@dataclass(frozen=True)
class HttpAnswer:
    """The answer of a server."""

    status: int
    headers: dict[str, str]
    content: bytes
