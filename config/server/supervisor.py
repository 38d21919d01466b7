"""Run the web server and the worker together: one that dies is started again, and none is left behind.

`manage.py serve` becomes `python -m config.server.supervisor`, which loads no Django and therefore stays small. It
holds the socket on which the web server listens: while a web server is replaced, connections wait and none is refused.

TERM, INT and HUP (a closed terminal) end everything. USR2 starts a new web server with the code that is there now, and
ends the old one when the new one is ready; the worker follows.

Ours and not honcho or circus: they start what died and cannot hold a socket for a web server that takes over. systemd
can (`deploy/systemd/`); this also serves where there is none, and on a developer's machine.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

READY_PIPE = "INTERPLAY_READY_PIPE"
"""Environment variable: the number of a pipe's end that is closed when the server can answer."""
STOP_SECONDS = 60.0
"""Time that processes have to end by themselves. Less than TimeoutStopSec and stop_grace_period in the documents."""
START_SECONDS = 120.0
"""Time that a new web server has to become ready before the old one is kept."""
STEADY_SECONDS = 60.0
"""A process that lived for so long is started again at once when it dies."""
LONGEST_PAUSE = 60.0
"""Seconds at most between two starts of a process that keeps dying."""

_FOLDER = Path(__file__).resolve().parents[2]


def web_command(bind: str, workers: int = 2) -> list[str]:
    """Return the command of the web server on `bind`: an address, or `fd://` with the number of an open socket."""
    return [sys.executable, "-m", "config.server.web", "--bind", bind, "--workers", str(workers)]


def worker_command(*, threads: int = 64, beat: bool = True, level: str = "WARNING") -> list[str]:
    """Return the command of the worker. Only one worker of a site may have `beat`."""
    celery = [sys.executable, "-m", "celery", "--quiet", "-A", "config.celery", "worker"]
    options = ["-P", "threads", "-c", str(threads), "--loglevel", level, "--without-gossip", "--without-mingle"]
    return [*celery, *options, *(["-B"] if beat else [])]


def is_free(host: str, port: int) -> bool:
    """Return whether a server could listen there."""
    try:
        listening_socket(host, port).close()
    except OSError:
        return False
    return True


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to the address.

    Raises OSError if the address is taken or is not of this machine.
    """
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


def socket_of_systemd() -> socket.socket | None:
    """Return the socket that systemd holds for this process (`LISTEN_FDS`).

    Returns None if it holds none.
    """
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or os.environ.get("LISTEN_FDS", "0") == "0":
        return None
    return socket.socket(fileno=3)


class Signals:
    """What somebody asked of this process: to stop (INT, TERM, HUP) or to load new code (USR2)."""

    def __init__(self) -> None:
        self.stop = self.reload = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR2):
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGUSR2:
            self.reload = True
        else:
            self.stop = True


class Process:
    """One running process. It leads a group, so that its own children can be ended with it."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], listener: int | None) -> None:
        self.started_at = time.monotonic()
        self.is_ready = False
        self._readiness, ready = os.pipe()
        os.set_blocking(self._readiness, False)
        self.child = subprocess.Popen(
            command,
            start_new_session=True,
            env=dict(environ) if listener is None else {**environ, READY_PIPE: str(ready)},
            cwd=_FOLDER,
            pass_fds=[] if listener is None else [ready, listener],
        )
        os.close(ready)

    @property
    def age(self) -> float:
        return time.monotonic() - self.started_at

    def has_ended(self) -> bool:
        """Return whether the process has ended; note whether it said that it is ready."""
        ended = self.child.poll() is not None  # first: what an ended process said is in the pipe
        if not self.is_ready:
            with suppress(BlockingIOError):
                self.is_ready = bool(os.read(self._readiness, 16))
        return ended

    def ask_to_end(self) -> None:
        if self.child.poll() is None:
            self.child.terminate()

    def kill(self) -> None:
        """Kill what is left of the group: Celery's beat, a child, outlives a killed worker."""
        with suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()
        os.close(self._readiness)


class Part:
    """A part of the site that should always run: the web server or the worker."""

    def __init__(self, name: str, command: Sequence[str], listener: int | None = None) -> None:
        self.name, self.command, self.listener = name, command, listener
        self.process: Process | None = None
        self.was_ready = False
        self.start_at = 0.0
        self.pause = 0.0

    def note_death(self, lived: float) -> None:
        """Plan the next start: at once after a long life, later and later after short ones."""
        self.process = None
        self.pause = 0.0 if lived >= STEADY_SECONDS else min(LONGEST_PAUSE, max(1.0, self.pause * 2))
        self.start_at = time.monotonic() + self.pause


class Supervisor:
    """All processes of the site on this machine."""

    def __init__(self, environ: Mapping[str, str], web: Part, worker: Part | None = None) -> None:
        self.environ = environ
        self.web, self.worker = web, worker
        self.parts = [web, worker] if worker else [web]
        self.new_web: Process | None = None
        self.retiring: list[Process] = []
        self.signals = Signals()
        self.guard = subprocess.Popen(
            [sys.executable, "-m", "config.server.orphans"],
            stdin=subprocess.PIPE,
            text=True,
            cwd=_FOLDER,
            start_new_session=True,
        )

    def run(self) -> int:
        """Keep the parts running until somebody asks for the end. Return the exit code: 1 if the site never started."""
        try:
            while not self.signals.stop:
                for part in self.parts:
                    if not self._keep_running(part):
                        return 1
                self._replace()
                time.sleep(0.2)
            return 0
        finally:
            self._end_all()

    def _keep_running(self, part: Part) -> bool:
        """Start the part if it does not run. Return False if the web server ended before it was ever ready."""
        process = part.process
        if process is None:
            if time.monotonic() >= part.start_at:
                part.process = self._start(part)
            return True
        ended = process.has_ended()
        part.was_ready = part.was_ready or process.is_ready
        if ended:
            self._bury(process)
            part.note_death(process.age)
            if part is self.web and not part.was_ready:
                _say("The web server did not start; its last words are above.")
                return False
            code = process.child.returncode
            _say(f"The {part.name} ended (exit {code}). It starts again in {part.pause:.0f} s.")
        return True

    def _replace(self) -> None:
        """Move on with what USR2 asked for, and forget old processes that have ended."""
        if self.signals.reload and self.new_web is None and self.web.process is not None:
            self.signals.reload = False
            self.new_web = self._start(self.web)
        for process in [*self.retiring]:
            if process.has_ended() or process.age > STOP_SECONDS:
                self.retiring.remove(process)
                self._bury(process)
        if self.new_web is None:
            return
        if self.new_web.has_ended() or self.new_web.age > START_SECONDS:
            self._bury(self.new_web)
            _say("The new web server did not start; the old one stays.")
            self.new_web = None
        elif self.new_web.is_ready:
            self._retire(self.web)
            self.web.process, self.new_web = self.new_web, None
            if self.worker:
                self._retire(self.worker)  # its successor starts with the next round

    def _retire(self, part: Part) -> None:
        if part.process is not None:
            part.process.ask_to_end()
            part.process.started_at = time.monotonic()  # from now on its time to end is counted
            self.retiring.append(part.process)
        part.process, part.start_at, part.pause = None, 0.0, 0.0

    def _start(self, part: Part) -> Process:
        process = Process(part.command, self.environ, part.listener)
        self._tell_guard("+", process)
        return process

    def _bury(self, process: Process) -> None:
        process.kill()
        self._tell_guard("-", process)

    def _tell_guard(self, sign: str, process: Process) -> None:
        assert self.guard.stdin is not None
        try:
            self.guard.stdin.write(f"{sign}{process.child.pid}\n")
            self.guard.stdin.flush()
        except BrokenPipeError:
            _say("The guard against orphaned processes has died; restart the site when it suits.")

    def _end_all(self) -> None:
        running = [part.process for part in self.parts if part.process] + self.retiring
        running += [self.new_web] if self.new_web else []
        self.signals.stop = False
        for process in running:
            process.ask_to_end()
        until = time.monotonic() + STOP_SECONDS
        while time.monotonic() < until and not self.signals.stop:  # a second signal ends the patience
            if all(process.has_ended() for process in running):
                break
            time.sleep(0.1)
        for process in running:
            self._bury(process)
        assert self.guard.stdin is not None
        with suppress(BrokenPipeError):
            self.guard.stdin.close()
        self.guard.wait()


def _say(sentence: str) -> None:
    """Write a line to the log. The site goes on where that is a file on a full disk."""
    with suppress(OSError):
        print(sentence, file=sys.stderr, flush=True)


def main(arguments: Sequence[str]) -> int:
    """Serve the site on this machine; the environment says which site."""
    parser = argparse.ArgumentParser(prog="config.server.supervisor")
    parser.add_argument("address")
    parser.add_argument("--web-workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=64)
    parser.add_argument("--no-worker", action="store_true")
    options = parser.parse_args(arguments)
    host, _, port = options.address.rpartition(":")
    listener = socket_of_systemd() or listening_socket(host.strip("[]"), int(port))
    listener.listen(2048)
    web = Part("web server", web_command(f"fd://{listener.fileno()}", options.web_workers), listener.fileno())
    worker = None if options.no_worker else Part("worker", worker_command(threads=options.threads))
    _say(f"Interplay on http://{options.address}  (Ctrl+C ends it)")
    return Supervisor(os.environ, web, worker).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
