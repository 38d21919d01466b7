"""Web server, worker and beat as real processes."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import migrated_database
from worker_processes import free_port

ROOT = Path(__file__).resolve().parents[3]

pytestmark = [pytest.mark.slow, pytest.mark.faults]


@pytest.fixture
def environ(tmp_path):
    """A site of its own: database, queue and key in a folder that goes away. One web process shows what more would."""
    return {**migrated_database.make_site(tmp_path), "LOG_LEVEL": "WARNING", "WEB_CONCURRENCY": "1"}


@pytest.fixture
def serve(environ):
    running = []

    def start(port, *options, log=subprocess.PIPE):
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", f"127.0.0.1:{port}", "--threads", "4", *options],
            cwd=ROOT,
            env=environ,
            stderr=log,
            text=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.terminate()
            process.wait(120)
        if process.stderr:
            process.stderr.close()


def get(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return 0, b""


def until(holds, seconds=90.0):
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
    assert until(lambda: get(port, "/healthz")[0] == 200, seconds=180), "beat and worker were never seen alive"
    assert b"Sign in" in get(port, "/accounts/login/")[1]
    below = children(site.pid)
    site.terminate()
    assert site.wait(120) == 0
    assert alive(below) == []


def workers_of(site):
    return {pid for pid, args in children(site.pid).items() if "celery" in args}


def test_a_killed_worker_starts_again_and_the_pages_stay(serve):
    port = free_port()
    site = serve(port)
    assert until(lambda: get(port, "/livez")[0] == 200)
    assert until(lambda: len(workers_of(site)) >= 2)  # the worker and its beat
    old = workers_of(site)
    os.kill(min(old), signal.SIGKILL)
    statuses = set()
    assert until(lambda: statuses.add(get(port, "/livez")[0]) or len(workers_of(site) - old) >= 2, seconds=120)
    assert statuses == {200}
    assert until(lambda: alive(old) == [], seconds=90), "the beat of the killed worker lives on"
    site.terminate()
    assert site.wait(120) == 0
    assert "The worker ended (exit -9). It starts again in 1 s." in site.stderr.read()


def test_a_log_that_takes_nothing_stops_neither_the_start_nor_what_is_said_later(serve):
    """As on a full disk: every write is refused."""
    port = free_port()
    reader, log = os.pipe()
    os.close(reader)
    with closing(os.fdopen(log, "w")) as refusing:
        site = serve(port, log=refusing)
    assert until(lambda: get(port, "/livez")[0] == 200)
    web = [pid for pid, args in children(site.pid).items() if "gunicorn" in args]
    os.killpg(min(web), signal.SIGKILL)
    assert until(lambda: alive(web) == [])
    assert get(port, "/livez")[0] == 200 and site.poll() is None


def test_a_killed_web_server_starts_again_and_no_connection_is_refused(serve):
    port = free_port()
    site = serve(port, "--no-worker")
    assert until(lambda: get(port, "/livez")[0] == 200)
    web = [pid for pid, args in children(site.pid).items() if "gunicorn" in args]
    os.killpg(min(web), signal.SIGKILL)
    assert until(lambda: alive(web) == [])  # a process on its way out may still take a connection
    assert get(port, "/livez")[0] == 200, "the connection did not wait for the new server"


def test_nothing_outlives_a_killed_supervisor(serve):  # F35
    port = free_port()
    site = serve(port)
    assert until(lambda: get(port, "/livez")[0] == 200)
    assert until(lambda: len(workers_of(site)) >= 2)
    below = children(site.pid)
    site.kill()
    site.wait()
    assert until(lambda: alive(below) == [], seconds=120)


def test_new_code_is_loaded_without_one_refused_request(serve):  # F37
    port = free_port()
    site = serve(port)
    assert until(lambda: get(port, "/livez")[0] == 200)

    def web_servers():
        return {pid for pid, args in children(site.pid).items() if "gunicorn" in args}

    old, old_workers = web_servers(), workers_of(site)
    answers, stop = [], threading.Event()

    def ask():
        while not stop.is_set() and len(answers) < 2_000:
            answers.append(get(port, "/livez")[0])

    clients = [threading.Thread(target=ask) for _ in range(4)]
    for client in clients:
        client.start()
    site.send_signal(signal.SIGUSR2)
    replaced = until(lambda: alive(old) == [] and alive(old_workers) == [] and len(workers_of(site)) >= 2, seconds=90)
    until(lambda: len(answers) >= 2_000, seconds=120)
    stop.set()
    for client in clients:
        client.join()
    assert replaced and web_servers().isdisjoint(old)
    assert len(answers) >= 2_000
    assert set(answers) == {200}


def test_new_code_that_does_not_start_leaves_the_old_server_in_place(tmp_path, environ):
    port = free_port()
    broken = tmp_path / "broken"
    with supervised(broken, environ, port) as site:
        assert until(lambda: get(port, "/")[0] == 200)
        broken.touch()
        site.send_signal(signal.SIGUSR2)
        assert site.stderr.readline() == "broken\n"
        assert site.stderr.readline() == "The new web server did not start; the old one stays.\n"
        assert get(port, "/")[0] == 200
        broken.unlink()
        site.send_signal(signal.SIGUSR2)
        assert until(lambda: get(port, "/")[0] == 200)


def test_a_site_that_cannot_start_ends_with_an_error(tmp_path, environ):
    broken = tmp_path / "broken"
    broken.touch()
    with supervised(broken, environ, free_port()) as site:
        assert site.wait(120) == 1
        assert "The web server did not start" in site.stderr.read()


SMALL_SITE = """
import sys
from config.server import supervisor
web = [sys.executable, "-c", sys.argv[2], sys.argv[3]]
listener = supervisor.listening_socket("127.0.0.1", int(sys.argv[1]))
listener.listen()
web.append(str(listener.fileno()))
sys.exit(supervisor.Supervisor({}, supervisor.Part("web server", web, listener.fileno())).run())
"""
SMALL_SERVER = """
import http.server, os, pathlib, socket, sys
if pathlib.Path(sys.argv[1]).exists():
    sys.exit("broken")
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer, bind_and_activate=False)
server.socket = socket.socket(fileno=int(sys.argv[2]))
os.write(int(os.environ["INTERPLAY_READY_PIPE"]), b"ready")
server.serve_forever()
"""


@contextmanager
def supervised(broken, environ, port):
    """A supervisor of a small server that refuses to start while the file `broken` is there."""
    command = [sys.executable, "-c", SMALL_SITE, str(port), SMALL_SERVER, str(broken)]
    site = subprocess.Popen(command, cwd=ROOT, env=environ, stderr=subprocess.PIPE, text=True)
    try:
        yield site
    finally:
        site.terminate()
        site.wait(120)
        site.stderr.close()


def test_a_taken_port_is_said_in_a_sentence(serve):
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        site = serve(port)
        assert site.wait(120) == 1
        assert f"Port {port} on 127.0.0.1 is taken" in site.stderr.read()


FORGE = """
import pickle
from config.celery import app
queue = app.amqp.queues[app.conf.task_default_queue]
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

    def says_alive():
        done = subprocess.run(
            [sys.executable, "manage.py", "alive", "--json"], cwd=ROOT, env=environ, capture_output=True, text=True
        )
        return json.loads(done.stdout)["ok"]

    def seen():
        """Read the rows themselves: a process that asks for them takes longer than the worker needs to write them."""
        rows = "SELECT count(*) FROM config_pulse, runs_workerload WHERE part = 'worker'"
        with closing(sqlite3.connect(f"file:{environ['VAR_DIR']}/interplay.sqlite3?mode=ro", uri=True)) as database:
            return database.execute(rows).fetchone() == (1,)

    try:
        assert until(seen)
        assert until(says_alive)
        assert worker.poll() is None
    finally:
        worker.terminate()
        said = worker.communicate(timeout=120)[1]
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
            urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/me/", headers=session), timeout=60)
        assert time.monotonic() - began < 40
        assert refused.value.code == 503
        assert refused.value.headers["Retry-After"] == "10"
        assert b"try again soon" in refused.value.read()
        assert get(port, "/livez")[0] == 200, "a process without its database would be killed for it"
        assert get(port, "/readyz")[0] == 503
    finally:
        site.terminate()
        site.communicate(timeout=120)
