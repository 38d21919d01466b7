"""How the web server speaks HTTP with clients that are slow, odd or hostile (threat F42), tried with two threads."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from config.server import gunicorn_config
from worker_processes import free_port, listens, wait_until

APPLICATION = """
import os, threading, time
from functools import partial
from pathlib import Path
from config.server import connections, http_request, web_worker
connections.HEAD_SECONDS, connections.SLOW_SECONDS, connections._LINGER_SECONDS = 1.5, 1.5, 1.0
web_worker.SWEEP_SECONDS = 0.1
log = Path(os.environ["CLOSED"])

class Stream:
    def __init__(self, blocks):
        self.blocks = blocks
    def __iter__(self):
        for number in range(self.blocks):
            yield bytes(2 ** 16)
    def close(self):
        with log.open("a") as file:
            file.write("closed ")

def application(environ, start_response):
    path, body = environ["PATH_INFO"], environ["wsgi.input"].read()
    headers = [("Content-Type", "text/plain")]
    if path == "/slow":
        time.sleep(1)
    if path.startswith("/stream"):
        start_response("200 OK", headers)
        return Stream(int(path[7:]))
    if path.startswith("/file"):
        file = log.with_name("file").open("rb")
        start_response("200 OK", [*headers, ("Content-Length", str(2 ** 24))])
        return environ["wsgi.file_wrapper"](file, 4096)
    names = ("REQUEST_METHOD", "PATH_INFO", "CONTENT_LENGTH", "SERVER_PROTOCOL", "REMOTE_ADDR", "wsgi.url_scheme")
    said = " ".join(str(environ.get(name, "-")) for name in names) + f" body={len(body)} pid={os.getpid()}"
    start_response("200 OK", [*headers, ("Content-Length", str(len(said)))])
    return [said.encode()]

def limit(path, kind):
    return 10 ** 8 if path == "/large" else 2 ** 16

application.intake = partial(http_request.Intake, limit, 3 * 10 ** 6)
"""


class Server:
    """gunicorn with our process, as the site has it, before a small application."""

    def __init__(self, folder: Path, *more: str, **environ: str) -> None:
        self.folder, self.port = folder, free_port()
        (folder / "small.py").write_text(APPLICATION)
        (folder / "file").write_bytes(bytes(2**24))
        options = ["--workers", "1", "--threads", "2", "--worker-class", gunicorn_config.worker_class]
        options += ["--bind", f"127.0.0.1:{self.port}", "--graceful-timeout", "10", "--keep-alive", "30", *more]
        path = f"{folder}:{Path(__file__).parents[3]}"
        own = {"PYTHONPATH": path, "CLOSED": str(folder / "closed"), "TMPDIR": str(folder), **environ}
        command = [sys.executable, "-m", "gunicorn", *options, "small:application"]
        self.process = subprocess.Popen(command, env={**os.environ, **own}, stderr=subprocess.PIPE)
        wait_until(lambda: listens(self.port), "the server", 60)
        assert b"200 OK" in self.exchange(b"GET / HTTP/1.0\r\n\r\n")

    def connect(self, address: str = "127.0.0.1", buffer: int = 0) -> socket.socket:
        line = socket.socket()
        if buffer:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        line.bind((address, 0))
        line.settimeout(20)
        line.connect(("127.0.0.1", self.port))
        return line

    def exchange(self, request: bytes) -> bytes:
        """Return all that comes until the server closes the connection."""
        with self.connect() as line:
            line.sendall(request)
            return everything(line)

    @property
    def closed(self) -> int:
        """How many streams were closed."""
        file = self.folder / "closed"
        return file.read_text().count("closed") if file.exists() else 0

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("slow"), CONNECTIONS_PER_ADDRESS="40")
    yield server
    server.end()


def everything(line: socket.socket) -> bytes:
    said = b""
    while True:
        try:
            more = line.recv(2**16)
        except ConnectionResetError:
            return said
        if not more:
            return said
        said += more


def statuses(said: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", said)]


HOST = b"Host: x\r\n"
ENDS = HOST + b"Connection: close\r\n"
SLOW = {
    "nothing": b"",
    "a head": b"GET / HTTP/1.1\r\nX-Slow: ",
    "a body": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 50000\r\n\r\nx",
    "a body in chunks": b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nxx",
    "a body that waits to be asked for": b"POST / HTTP/1.1\r\n"
    + HOST
    + b"Expect: 100-continue\r\nContent-Length: 50000\r\n\r\n",
    "empty lines": b"\r\n\r\n",
}


def test_what_arrives_slowly_holds_no_thread_and_is_ended_with_a_sentence(server: Server) -> None:
    with ExitStack() as lines:
        held = [(begun, lines.enter_context(server.connect())) for begun in SLOW.values() for _ in range(4)]
        for begun, line in held:
            line.sendall(begun)
        assert statuses(server.exchange(b"GET / HTTP/1.1\r\n" + ENDS + b"\r\n")) == [200]
        for begun, line in held:
            said = everything(line)
            if begun.strip():
                assert statuses(said)[-1] == 408
                assert said.endswith(b"\r\n\r\nThe request took too long to arrive. Send it again.\n")
            else:
                assert said == b""


def test_a_body_that_drips_is_ended_and_one_that_flows_is_taken(server: Server) -> None:
    head = b"POST / HTTP/1.1\r\n" + ENDS + b"Content-Length: %d\r\n\r\n"
    with server.connect() as drips, server.connect() as flows:
        drips.sendall(head % 9000)
        flows.sendall(head % 9000)
        for _ in range(30):
            flows.sendall(bytes(300))
            with suppress(OSError):
                drips.sendall(b"x")
            time.sleep(0.1)
        assert statuses(everything(drips)) == [408]
        assert b"body=9000" in everything(flows)


def test_a_reader_that_takes_nothing_is_ended_and_the_stream_closed(server: Server) -> None:
    before = server.closed
    with ExitStack() as lines:
        for _ in range(6):  # three times as many as threads
            lines.enter_context(server.connect(buffer=2048)).sendall(b"GET /stream900 HTTP/1.1\r\n" + ENDS + b"\r\n")
        for _ in range(3):
            lines.enter_context(server.connect(buffer=2048)).sendall(b"GET /file HTTP/1.1\r\n" + ENDS + b"\r\n")
        time.sleep(0.3)
        assert statuses(server.exchange(b"GET / HTTP/1.1\r\n" + ENDS + b"\r\n")) == [200]
        wait_until(lambda: server.closed == before + 6, "the end of the streams", 30)


def test_a_slow_reader_gets_all_of_a_long_stream(server: Server) -> None:
    with server.connect(buffer=2**16) as line:
        line.sendall(b"GET /stream300 HTTP/1.1\r\n" + ENDS + b"\r\n")
        taken = 0
        until = time.monotonic() + 60
        while time.monotonic() < until and (more := line.recv(2**16)):
            taken += len(more)
            time.sleep(0.005)
    assert taken > 300 * 2**16


def test_whoever_asked_nothing_makes_way_for_others_of_the_same_address(server: Server) -> None:
    with ExitStack() as lines:
        oldest = lines.enter_context(server.connect("127.0.0.3"))
        other = lines.enter_context(server.connect("127.0.0.4"))
        busy = lines.enter_context(server.connect("127.0.0.3"))
        busy.sendall(b"GET /slow HTTP/1.1\r\n" + ENDS + b"\r\n")
        for _ in range(39):
            lines.enter_context(server.connect("127.0.0.3"))
        assert everything(oldest) == b""  # at once: before its time for a head is over
        assert statuses(everything(busy)) == [200]
        other.sendall(b"GET / HTTP/1.1\r\n" + ENDS + b"\r\n")
        assert statuses(everything(other)) == [200]


def test_uploads_under_way_have_one_bound_together(server: Server) -> None:
    head = b"POST /large HTTP/1.1\r\n" + ENDS + b"Content-Length: 2000000\r\n\r\n"
    with server.connect() as first, server.connect() as second:
        first.sendall(head + bytes(1_900_000))
        time.sleep(0.3)
        second.sendall(head + bytes(1_500_000))
        said = everything(second)
        assert statuses(said) == [503] and b"Retry-After: 60" in said and b"Too many uploads" in said
        first.sendall(bytes(100_000))
        assert b"body=2000000" in everything(first)


def test_a_body_over_the_limit_is_left_and_the_site_says_why(server: Server) -> None:
    for head in (b"Content-Length: 9000000\r\n", b"Content-Length: 9000000\r\nExpect: 100-continue\r\n"):
        with server.connect() as line:
            line.sendall(b"POST / HTTP/1.1\r\n" + HOST + head + b"\r\n")
            with suppress(OSError):
                line.sendall(bytes(3_000_000))
            said = everything(line)
        assert statuses(said) == [200] and b"POST / 9000000 " in said and b"body=0" in said


def test_a_body_in_chunks_over_the_limit_is_told_as_too_long(server: Server) -> None:
    said = server.exchange(
        b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n12000\r\n" + bytes(0x12000)
    )
    assert statuses(said) == [200] and b"body=0" in said
    assert int(re.search(rb"POST / (\d+) ", said)[1]) > 2**16  # type: ignore[index]


NORMAL = {
    "HTTP/1.0": (b"GET / HTTP/1.0\r\n\r\n", b"GET / - HTTP/1.0 127.0.0.1 http body=0"),
    "1.1 with close": (b"GET / HTTP/1.1\r\n" + ENDS + b"\r\n", b"GET / - HTTP/1.1 127.0.0.1 http body=0"),
    "https of a proxy": (
        b"GET / HTTP/1.1\r\nX-Forwarded-Proto: https\r\n" + ENDS + b"\r\n",
        b"GET / - HTTP/1.1 127.0.0.1 https body=0",
    ),
    "chunks": (
        b"POST / HTTP/1.1\r\n" + ENDS + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        b"POST / 5 HTTP/1.1 127.0.0.1 http body=5",
    ),
    "a whole address": (b"GET http://x/a?b HTTP/1.1\r\n" + ENDS + b"\r\n", b"GET /a - HTTP/1.1"),
    "Expect without a body": (b"GET / HTTP/1.1\r\nExpect: 100-continue\r\n" + ENDS + b"\r\n", b"body=0"),
}


@pytest.mark.parametrize(("request_", "told"), NORMAL.values(), ids=NORMAL)
def test_the_application_is_told_what_was_asked(server: Server, request_: bytes, told: bytes) -> None:
    said = server.exchange(request_)
    assert statuses(said) == [200] and told in said


def test_a_body_is_asked_for_before_it_is_sent(server: Server) -> None:
    with server.connect() as line:
        line.sendall(b"POST / HTTP/1.1\r\n" + ENDS + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        assert line.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(b"hello")
        assert b"body=5" in everything(line)


def test_requests_of_one_connection_are_answered_in_turn(server: Server) -> None:
    with server.connect() as line:
        line.sendall(
            b"GET /a HTTP/1.1\r\n" + HOST + b"\r\nPOST /b HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n\r\nxx"
            b"GET /c HTTP/1.1\r\n" + ENDS + b"\r\n"
        )
        said = everything(line)
    assert statuses(said) == [200] * 3
    assert said.index(b"GET /a") < said.index(b"POST /b") < said.index(b"GET /c")


def test_a_kept_connection_is_looked_at_again_after_each_of_a_thousand_answers(server: Server) -> None:
    """What a thread ends while the loop asks what to wait for must not be forgotten."""
    with ExitStack() as lines:
        line, answered = lines.enter_context(server.connect()), 0
        for _ in range(1000):
            line.sendall(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
            said = line.recv(2**16)
            answered += said.endswith(b" pid=" + said.rpartition(b"=")[2]) and statuses(said) == [200]
            if b"Connection: close" in said:
                line = lines.enter_context(server.connect())
    assert answered == 1000


@pytest.mark.parametrize("path", [b"/", b"/file", b"/stream9"])
def test_head_has_the_headers_and_no_body(server: Server, path: bytes) -> None:
    with server.connect() as line:
        line.sendall(b"HEAD " + path + b" HTTP/1.1\r\n" + ENDS + b"\r\n")
        head, end, body = everything(line).partition(b"\r\n\r\n")
    assert statuses(head) == [200] and end and body == b""
    assert (b"Content-Length: 16777216" in head) == (path == b"/file")


TWICE = b"POST / HTTP/1.1\r\n" + HOST
REFUSED = {
    "two lengths": (TWICE + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", 400),
    "the same length twice": (TWICE + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400),
    "a length and chunks": (TWICE + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "a length that is none": (TWICE + b"Content-Length: +5\r\n\r\nhello", 400),
    "an unknown coding": (TWICE + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    "chunks that are none": (TWICE + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
    "chunks of 1.0": (b"POST / HTTP/1.0\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "a chunk without a length": (TWICE + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", 400),
    "a chunk longer than it says": (TWICE + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n", 400),
    "a line of a chunk without end": (TWICE + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"x" * 9000, 400),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", 400),
    "two hosts": (b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
    "a space before the colon": (b"GET / HTTP/1.1\r\nHost: x\r\nX-A : b\r\n\r\n", 400),
    "a folded first line": (b"GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400),
    "a lonely line feed": (b"GET / HTTP/1.1\r\nHost: x\nX-A: b\r\n\r\n", 400),
    "another version": (b"GET / HTTP/3.0\r\nHost: x\r\n\r\n", 400),
    "no version": (b"GET /\r\n\r\n", 400),
    "no request": (b"hello\r\n\r\n", 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "a head of 100 kB": (b"GET / HTTP/1.1\r\nHost: x\r\nX-A: " + b"x" * 100_000, 431),
}


@pytest.mark.parametrize(("request_", "status"), REFUSED.values(), ids=REFUSED)
def test_what_could_be_read_in_two_ways_is_refused_and_nothing_after_it_is_read(
    server: Server, request_: bytes, status: int
) -> None:
    hidden = b"GET /hidden HTTP/1.1\r\n" + HOST + b"\r\n"
    for parts in ([request_ + hidden], [request_, hidden]):
        with server.connect() as line:
            with suppress(OSError):
                for part in parts:
                    line.sendall(part)
            said = everything(line)
        assert statuses(said) == [status]
        assert b"/hidden" not in said and b"Connection: close" in said
        assert said.partition(b"\r\n\r\n")[2].count(b"\n") == 1  # a sentence


def test_a_server_that_stops_answers_what_was_asked_and_keeps_no_idle_connection(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        with server.connect() as idle, server.connect() as asked, server.connect() as begun:
            idle.sendall(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
            assert statuses(idle.recv(2**16)) == [200]
            asked.sendall(b"GET /slow HTTP/1.1\r\n" + HOST + b"\r\n")
            begun.sendall(b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\nhe")
            time.sleep(0.3)
            server.process.send_signal(signal.SIGTERM)
            assert everything(idle) == b""
            begun.sendall(b"llo")
            assert b"body=5" in everything(begun)
            said = everything(asked)
            assert statuses(said) == [200] and b"Connection: close" in said
        assert server.process.wait(20) == 0
    finally:
        server.end()


def test_a_process_that_has_answered_enough_is_replaced_and_nobody_notices(tmp_path: Path) -> None:
    server = Server(tmp_path, "--max-requests", "5")
    try:
        said = [server.exchange(b"GET / HTTP/1.1\r\n" + ENDS + b"\r\n") for _ in range(15)]
        assert [statuses(each) for each in said] == [[200]] * 15
        assert len({re.search(rb"pid=(\d+)", each)[1] for each in said}) > 1  # type: ignore[index]
    finally:
        server.end()
