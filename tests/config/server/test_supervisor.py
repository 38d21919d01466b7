"""Web server, worker and beat as real processes."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

import migrated_database

ROOT = Path(__file__).resolve().parents[3]

pytestmark = [pytest.mark.slow, pytest.mark.faults]


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def environ(tmp_path):
    """A site of its own: database, queue and key in a folder that goes away."""
    return {**migrated_database.make_site(tmp_path), "LOG_LEVEL": "WARNING"}


@pytest.fixture
def serve(environ):
    running = []

    def start(port):
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", f"127.0.0.1:{port}", "--threads", "4"],
            cwd=ROOT,
            env=environ,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.terminate()
            process.wait(30)
        process.stderr.close()


def get(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return 0, b""


def until(holds, seconds=30.0):
    """Wait until it holds; false when the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.2)
    return False


def children(pid):
    """All processes below that one, with their command lines."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [
        (int(own), int(parent), args) for own, parent, args in (line.split(None, 2) for line in listed.splitlines())
    ]
    found, heads = {}, {pid}
    while heads:
        below = {own: args for own, parent, args in rows if parent in heads and own not in found}
        found.update(below)
        heads = set(below)
    return found


def alive(pids):
    return [pid for pid in pids if Path(f"/proc/{pid}").exists() and "Z" not in state(pid)]


def state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return "Z"


def test_one_command_serves_the_site_and_term_leaves_nothing_behind(serve):
    port = free_port()
    site = serve(port)
    assert until(lambda: get(port, "/livez")[0] == 200)
    assert until(lambda: get(port, "/healthz")[0] == 200, seconds=60), "beat and worker were never seen alive"
    assert b"Sign in" in get(port, "/accounts/login/")[1]
    below = children(site.pid)
    site.terminate()
    assert site.wait(30) == 0
    assert alive(below) == []


def test_a_killed_worker_ends_the_site_with_an_error_and_nothing_stays(serve):
    port = free_port()
    site = serve(port)
    assert until(lambda: get(port, "/livez")[0] == 200)
    assert until(lambda: len([args for args in children(site.pid).values() if "celery" in args]) >= 2)
    below = children(site.pid)
    worker = next(pid for pid, args in below.items() if "celery" in args)
    os.kill(worker, signal.SIGKILL)
    assert site.wait(30) == 1
    assert until(lambda: alive(below) == [], seconds=5)


def test_a_taken_port_is_said_in_a_sentence(serve):
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        site = serve(port)
        assert site.wait(30) == 1
        assert f"Port {port} on 127.0.0.1 is taken" in site.stderr.read()


FORGE = """
import pickle
from config.celery import app
queue = app.amqp.queues["interplay"]
place = {"exchange": queue.exchange, "routing_key": queue.routing_key, "declare": [queue]}
head = {"task": "config.tasks.sweep", "id": "forged"}
json = {"content_type": "application/json", "content_encoding": "utf-8"}
with app.connection_for_write() as line:
    producer = line.Producer()
    body = pickle.dumps(((), {}, {}))
    raw = {"content_type": "application/x-python-serialize", "content_encoding": "binary"}
    producer.publish(body, headers=head, **raw, **place)
    producer.publish("[[], {}, {}]", headers={"task": "no.such.task", "id": "unknown"}, **json, **place)
    producer.publish("no json", headers=head, **json, **place)
app.send_task("config.tasks.sweep")
"""


def test_forged_messages_are_dropped_and_the_worker_goes_on(environ):  # T21
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", FORGE], cwd=ROOT, env=environ, check=True, timeout=60
    )
    worker = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "config.celery",
            "worker",
            "-P",
            "threads",
            "-c",
            "2",
            "--without-mingle",
        ],
        cwd=ROOT,
        env=environ,
        stderr=subprocess.PIPE,
        text=True,
    )

    def seen():
        done = subprocess.run(
            [sys.executable, "manage.py", "alive", "--json"], cwd=ROOT, env=environ, capture_output=True, text=True
        )
        return json.loads(done.stdout)["ok"]

    try:
        assert until(seen)
        assert worker.poll() is None
    finally:
        worker.terminate()
        said = worker.communicate(timeout=30)[1]
    assert "Refusing to deserialize" in said or "ContentDisallowed" in said


def test_while_the_database_is_away_pages_say_so_and_when_to_try_again(environ):
    nobody = free_port()
    away = {**environ, "DATABASE_URL": f"postgres://nobody@127.0.0.1:{nobody}/nothing"}
    port = free_port()
    site = subprocess.Popen(
        [sys.executable, "manage.py", "serve", f"127.0.0.1:{port}", "--no-worker"],
        cwd=ROOT,
        env=away,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert until(lambda: get(port, "/nothing.css")[0] > 0)
        began = time.monotonic()
        session = {"Cookie": "sessionid=" + "a" * 32}
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/me/", headers=session), timeout=20)
        assert time.monotonic() - began < 10
        assert refused.value.code == 503
        assert refused.value.headers["Retry-After"] == "10"
        assert b"try again soon" in refused.value.read()
        assert get(port, "/livez")[0] == 503
    finally:
        site.terminate()
        site.communicate(timeout=30)
