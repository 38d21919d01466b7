"""A process of the web server: gunicorn forks, watches and replaces it, waitress speaks HTTP in it.

docs/performance.md says which servers were compared.
"""

import logging
import os
import resource
import time

from gunicorn.workers.base import Worker
from waitress.adjustments import Adjustments

from config.environment import env
from config.server.connections import Listener
from config.server.crowd import Crowd
from config.server.event_loop import Bell, EventLoop
from config.server.http_request import Intake

_LONGEST_HEAD = 2**15
_IN_MEMORY = 2**16
"""Larger bodies wait in files until a thread is free."""
_ANSWER_IN_MEMORY = 2**18
_ANSWER_WAITING = 2**22
"""So much of an answer is put aside for a slow reader, at first in memory; then its thread waits."""
_OTHER_FILES = 256
SWEEP_SECONDS = 1.0
"""So often the process looks for connections that take too long."""


class WebWorker(Worker):
    """Takes connections only while a thread is free, so that all processes share them."""

    alive: bool

    def run(self) -> None:
        self._start()
        while self.alive:
            self._turn(SWEEP_SECONDS)
            if self._crowd.answered >= self.max_requests or os.getppid() != self.ppid:
                self.alive = False
        self._finish()

    def _start(self) -> None:
        logging.getLogger("waitress").setLevel(logging.ERROR)  # its lines name addresses, and invitations are secrets
        most_of_address = -(-env.connections_per_address() // self.cfg.workers)
        self._loop = EventLoop()
        self._crowd = Crowd(self.cfg.threads, self._most_connections(), most_of_address, self.cfg.keepalive)
        adjustments = Adjustments(
            ident=None,
            backlog=self.cfg.backlog,
            recv_bytes=2**16,
            inbuf_overflow=_IN_MEMORY,
            outbuf_overflow=_ANSWER_IN_MEMORY,
            outbuf_high_watermark=_ANSWER_WAITING,
            max_request_header_size=_LONGEST_HEAD,
            max_request_body_size=2**62,  # Intake has the limits
            clear_untrusted_proxy_headers=False,  # the site reads them, by TRUSTED_PROXIES
            log_socket_errors=False,
        )
        intake = getattr(self.wsgi, "intake", Intake)()
        for held in self.sockets:
            listener = Listener(held.sock, self.wsgi, adjustments, self._loop, self._crowd, intake)
            self._loop.look_at(listener)
            self._loop.look_at(listener.trigger)
        Bell(self.PIPE[0], self._loop)
        self._swept_at = time.monotonic()

    def _most_connections(self) -> int:
        """Return how many connections the process may have, and let it open as many files: each may need three."""
        most = int(self.cfg.worker_connections)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 3 * most + _OTHER_FILES
        if soft != resource.RLIM_INFINITY and soft < wanted:
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            most = min(most, max(self.cfg.threads, (soft - _OTHER_FILES) // 3))
        return most

    def _turn(self, seconds: float) -> None:
        self.notify()
        self._loop.turn(seconds)
        if time.monotonic() - self._swept_at > SWEEP_SECONDS:
            self._crowd.sweep()
            self._swept_at = time.monotonic()

    def _finish(self) -> None:
        """Answer what was asked, for a while. Connections without a request end at once."""
        self._crowd.is_stopping = True
        self._loop.turn(0)  # what has arrived is read
        until = time.monotonic() + self.cfg.graceful_timeout
        while self._crowd.is_occupied() and time.monotonic() < until:
            self._turn(0.2)
