"""The processes of the web server share all connections: none holds most of them while others have nothing to do."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest

from config.server import gunicorn_config
from worker_processes import free_port, listens, wait_until

THREADS = 2
APPLICATION = """
import os, time

def application(environ, start_response):
    time.sleep(0.02)
    body = str(os.getpid()).encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Serve a page that takes 20 ms and says which process has answered, with two processes of two threads."""
    folder = tmp_path_factory.mktemp("slow")
    (folder / "slow.py").write_text(APPLICATION)
    number = free_port()
    options = ["--workers", "2", "--threads", str(THREADS), "--worker-class", gunicorn_config.worker_class]
    command = [sys.executable, "-m", "gunicorn", *options, "--bind", f"127.0.0.1:{number}", "slow:application"]
    root = str(Path(__file__).parents[3])
    server = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": f"{folder}:{root}"}, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: listens(number) and len(ask(number, 4, 2)[0]) == 2, "two processes")
        yield number
    finally:
        server.terminate()
        server.wait()


def ask(port: int, clients: int, requests: int) -> tuple[Counter[bytes], int]:
    """Let clients ask at the same time, each on one connection as long as the server keeps it.

    Return how often each process has answered, and how many connections the server has closed.
    """

    def ask_again_and_again(_client: int) -> list[tuple[bytes, bool]]:
        connection, answers = HTTPConnection("127.0.0.1", port, timeout=20), []
        for _ in range(requests):
            connection.request("GET", "/")  # on a new connection if the last answer closed the old one
            response = connection.getresponse()
            assert response.status == 200
            answers.append((response.read(), response.will_close))
        connection.close()
        return answers

    with ThreadPoolExecutor(clients) as people:
        answers = [answer for mine in people.map(ask_again_and_again, range(clients)) for answer in mine]
    return Counter(process for process, _ in answers), sum(closed for _, closed in answers)


def test_processes_share_what_many_clients_ask_at_once(port: int) -> None:
    processes, closed = ask(port, clients=12, requests=15)
    assert sum(processes.values()) == 12 * 15
    assert len(processes) == 2 and min(processes.values()) > 12 * 15 / 4
    assert closed > 0  # who has more to do than threads sends clients away to whoever is free


def test_a_connection_is_kept_while_threads_are_free(port: int) -> None:
    processes, closed = ask(port, clients=1, requests=10)
    assert len(processes) == 1 and closed == 0


def test_the_site_is_served_so() -> None:
    assert gunicorn_config.worker_class == "config.server.web_worker.WebWorker"
