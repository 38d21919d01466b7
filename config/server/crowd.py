"""Who is connected to one process of the web server, who has to go for whom, and the threads that answer."""

import threading
import time
from collections import defaultdict
from ipaddress import ip_network
from typing import TYPE_CHECKING

from waitress.task import ThreadedTaskDispatcher

if TYPE_CHECKING:
    from config.server.connections import Connection

MOST_LENT_THREADS = 32
"""Threads that stand in for those that wait for readers of answers too long to be put aside."""


def site_of(address: str) -> str:
    """Return what counts as one address: of IPv6 the first 64 bits, which one customer has."""
    if ":" not in address:
        return address
    return str(ip_network((address.partition("%")[0], 64), strict=False))


class Crowd:
    """All connections of the process, and the threads that answer.

    Where there is no room, whoever has waited longest without asking for anything makes way; a full process refuses
    nobody as long as it holds one that asks for nothing.
    """

    def __init__(self, threads: int, most: int, most_of_address: int, keepalive: float) -> None:
        self.most, self.most_of_address, self.keepalive = most, most_of_address, keepalive
        self.all: set[Connection] = set()
        self.by_address: dict[str, set[Connection]] = defaultdict(set)
        self.is_stopping = False
        self.answered = 0
        self.dispatcher = ThreadedTaskDispatcher()
        self.dispatcher.set_thread_count(threads)
        self._threads, self._lent, self._lock = threads, 0, threading.Lock()

    def enter(self, connection: "Connection") -> None:
        self.all.add(connection)
        self.by_address[connection.site].add(connection)

    def leave(self, connection: "Connection") -> None:
        self.all.discard(connection)
        own = self.by_address.get(connection.site, set())
        own.discard(connection)
        if not own:
            self.by_address.pop(connection.site, None)

    def is_busy(self) -> bool:
        """Return whether the process should take no connection: no thread is free, or it stops."""
        pool = self.dispatcher
        return self.is_stopping or pool.active_count + len(pool.queue) >= len(pool.threads) - pool.stop_count

    def lend(self, more: int) -> None:
        """Add a thread, or take it back (-1)."""
        with self._lock:
            self._lent += more
            self.dispatcher.set_thread_count(self._threads + min(self._lent, MOST_LENT_THREADS))

    def make_room(self, address: str) -> bool:
        """Return whether one more connection of the address has its place; somebody may have to go for it."""
        own = self.by_address.get(site_of(address), set())
        if address and self.most_of_address and len(own) >= self.most_of_address:
            return self.send_away(own)
        return len(self.all) < self.most or self.send_away(self.all)

    def send_away(self, among: "set[Connection]") -> bool:
        """Close the connection that has waited longest without a whole request. Return False if all have one."""
        waiting = [connection for connection in list(among) if connection.is_waiting()]
        if waiting:
            min(waiting, key=lambda connection: connection.waits_since()).handle_close()
        return bool(waiting)

    def is_occupied(self) -> bool:
        """Close the connections on which nothing is under way. Return whether others are left."""
        now = time.monotonic()
        for connection in list(self.all):
            if not connection.is_under_way(now):
                connection.handle_close()
        return bool(self.all)

    def sweep(self) -> None:
        """End what takes too long."""
        now = time.monotonic()
        for connection in list(self.all):
            connection.end_if_too_slow(now)
