"""The loop of a process of the web server, which costs as much as what happens, however many connections are open.

waitress has one that asks every connection in every turn. It stays where the system has no epoll.
"""

import os
import select
from typing import Any

from waitress import wasyncore


class EventLoop:
    """What the process waits for, by number of the open file.

    The state of a connection changes by what arrives, and while one of its requests is answered: only these are asked.
    """

    def __init__(self) -> None:
        self.channels: dict[int, Any] = {}
        self._epoll = select.epoll() if hasattr(select, "epoll") else None
        self._watched: dict[int, int] = {}
        self._lively: set[Any] = set()

    def look_at(self, channel: Any) -> None:
        """Ask a channel at the end of this turn what it waits for."""
        self._lively.add(channel)

    def forget(self, number: int) -> None:
        """Note that a file is closed. Its number may be given to another."""
        self._watched.pop(number, None)

    def turn(self, seconds: float) -> None:
        """Wait for something to happen, at most so long, and deal with it."""
        if self._epoll is None:
            wasyncore.poll2(seconds, self.channels)
            return
        self._watch()
        for number, events in self._epoll.poll(seconds):
            channel = self.channels.get(number)
            if channel is not None:
                self._lively.add(channel)
                wasyncore.readwrite(channel, events)

    def _watch(self) -> None:
        for channel in [*self._lively]:
            number = channel._fileno
            if number is None:
                self._lively.discard(channel)
                continue
            # First: what a thread ends meanwhile is looked at in the next turn.
            is_lively = bool(channel.accepting or getattr(channel, "requests", None))
            events = select.EPOLLIN if channel.readable() else 0
            events |= select.EPOLLOUT if channel.writable() else 0
            if self._watched.get(number) != events:
                self._set(number, events)
            if not is_lively:
                self._lively.discard(channel)

    def _set(self, number: int, events: int) -> None:
        assert self._epoll is not None
        try:
            (self._epoll.modify if number in self._watched else self._epoll.register)(number, events)
        except OSError:  # a thread has just closed it
            return
        self._watched[number] = events


class Bell(wasyncore.file_dispatcher):
    """The pipe that a signal writes to."""

    def __init__(self, pipe: int, loop: EventLoop) -> None:
        super().__init__(pipe, map=loop.channels)
        loop.look_at(self)

    def writable(self) -> bool:
        return False

    def handle_read(self) -> None:
        os.read(self._fileno, 4096)
