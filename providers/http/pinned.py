"""Connections of the fetcher: to addresses that were checked, and to no other."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import httpcore2

from providers.http.denied import Denied
from providers.http.transport import Deadline, TimedStream


class Pinned(httpcore2.SyncBackend):
    """Connects to the addresses that were checked, whatever the host's name resolves to now, until the deadline."""

    def __init__(
        self, addresses: Sequence[str], denied: Denied, reach: Callable[[str, int], tuple[str, int]], deadline: float
    ) -> None:
        self._addresses, self._denied = addresses, denied
        self._reach, self._deadline = reach, Deadline(deadline)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        fault: Exception = httpcore2.ConnectError("no address")
        for address in self._addresses:
            if not self._denied.allows(address):
                raise httpcore2.ConnectError("not an address to connect to")
            try:
                at, through = self._reach(address, port)
                stream = super().connect_tcp(at, through, self._deadline.remaining(5.0), None, socket_options)
            except (httpcore2.NetworkError, httpcore2.TimeoutException) as error:
                fault = error
                continue
            return TimedStream(stream, self._deadline.remaining)
        raise fault
