"""F50: a key of the site is changed and ends, with real processes on PostgreSQL, while webhooks and mails go out."""

import hashlib
import hmac
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.conf import settings as site

import migrated_database
from absent import skip_or_fail
from keyed_site import PASSWORD
from postgresql_cluster import program
from redis_server import Redis
from smtp_server import SmtpServer
from webhook_receiver import Receiver
from worker_processes import Processes, environment, free_port, listens, wait_until

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.once]

OLD, NEW = "the key that leaked " * 3, "the key of today " * 3
MESSAGES = 60


class KeyedSite:
    """A web server and a worker, which end together and begin again with other keys."""

    def __init__(self, folder: Path, receiver: Receiver, mail: SmtpServer) -> None:
        self.cluster, self.redis, self.port = migrated_database.cluster(), Redis(), free_port()
        tests = f"{site.BASE_DIR}:{site.BASE_DIR / 'tests/support'}"
        given = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(mail.port), "EMAIL_USE_TLS": "off"}
        self.environment = environment(
            folder,
            f"redis://127.0.0.1:{self.redis.port}/0",
            DATABASE_URL=self.cluster.url,
            PYTHONPATH=tests,
            WEBHOOK_ALLOW=receiver.origin,
            LOG_LEVEL="WARNING",
            **given,
        )
        self._running: list[Processes] = []

    def start(self, **keys: str) -> None:
        """Start web server, worker and sweeper with these keys, after the ones of before have ended."""
        self.end()
        self.environment |= {"SECRET_KEY_FALLBACKS": "", **keys}
        processes = Processes(self.environment)
        self._running.append(processes)
        web = ("-m", "gunicorn", "--config", "python:config.server.gunicorn_config", "--workers", "1")
        processes.start(*web, "--bind", f"127.0.0.1:{self.port}")
        processes.worker(4)
        processes.sweeper()
        wait_until(lambda: listens(self.port), "the web server", 120)

    def end(self) -> None:
        while self._running:
            self._running.pop().end()

    def called(self, name: str, *values: object) -> Any:
        """Call a function of `keyed_site` with the keys of now."""
        processes = Processes(self.environment)
        try:
            return processes.console("keyed_site").call(name, *values)
        finally:
            processes.end()

    def ran(self, *command: str) -> Any:
        done = subprocess.run(
            [sys.executable, "manage.py", *command, "--json"],
            env=self.environment,
            cwd=site.BASE_DIR,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr[-2000:]
        return json.loads(done.stdout)

    def remove(self) -> None:
        self.end()
        self.redis.remove()
        self.cluster.remove()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.stop()


@pytest.fixture
def mail() -> Iterator[SmtpServer]:
    with SmtpServer() as made:
        yield made


@pytest.fixture
def keyed(tmp_path: Path, receiver: Receiver, mail: SmtpServer) -> Iterator[KeyedSite]:
    if not (program("initdb") and shutil.which("redis-server")):
        skip_or_fail("the programs of PostgreSQL's and Redis's servers are not installed")
    made = KeyedSite(tmp_path, receiver, mail)
    yield made
    made.remove()


def sign_in(port: int, name: str, secret: str) -> int:
    """Sign in with password and code; return the status of a page that is open to people alone."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True, timeout=60) as person:

        def send(path: str, **fields: str) -> httpx.Response:
            form = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', person.get(path).text)
            assert form, path
            return person.post(path, data={"csrfmiddlewaretoken": form[1], **fields})

        send("/accounts/login/", login=name, password=PASSWORD)
        counter = next(iter(yield_hotp_counters_from_time()))
        send("/accounts/2fa/authenticate/", code=format_hotp_value(hotp_value(secret, counter)))
        return person.get("/me/", follow_redirects=False).status_code


def is_signed(headers: dict[str, str], body: bytes, secret: str) -> bool:
    sent = {name.lower(): value for name, value in headers.items()}
    signed = f"{sent['x-interplay-timestamp']}.".encode() + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return sent["x-interplay-signature"] == f"sha256={digest}"


def test_a_key_is_changed_and_ends_while_the_site_works(keyed: KeyedSite, receiver: Receiver, mail: SmtpServer) -> None:
    keyed.environment["SECRET_KEY"] = OLD
    made = keyed.called("make", receiver.origin, 4)
    people = made["people"]

    def everything_works(numbers: int, mails: int, name: str) -> None:
        wait_until(lambda: len(receiver.taken) >= numbers, f"{numbers} messages", 120)
        wait_until(lambda: len(mail.messages) >= mails, f"{mails} mails", 120)
        assert all(is_signed(headers, body, made["webhook"]) for _path, headers, body in receiver.taken)
        assert sign_in(keyed.port, name, people[name]) == 200

    keyed.called("queue", 0, MESSAGES)  # sealed with the old key, read with the new one
    keyed.start(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=OLD)
    everything_works(MESSAGES, 1, "person-0")
    # 1 webhook, 4 people with two second steps each; the mail is out
    assert keyed.ran("shared_parts")["by_a_former_key"] == 9
    keyed.called("queue", MESSAGES, MESSAGES)
    assert keyed.ran("reseal")["ok"]  # while the worker sends
    assert keyed.ran("shared_parts") == {"ok": True, "differences": [], "by_a_former_key": 0, "lost": 0}
    everything_works(2 * MESSAGES, 2, "person-1")
    keyed.start(SECRET_KEY=NEW)
    keyed.called("queue", 2 * MESSAGES, MESSAGES)
    everything_works(3 * MESSAGES, 3, "person-2")
    keyed.start(SECRET_KEY=NEW, SEALING_KEY=OLD[::-1])
    assert keyed.ran("reseal")["ok"]
    keyed.start(SECRET_KEY=OLD[3:], SECRET_KEY_FALLBACKS=NEW, SEALING_KEY=OLD[::-1])
    keyed.called("queue", 3 * MESSAGES, MESSAGES)
    everything_works(4 * MESSAGES, 4, "person-3")
    assert keyed.ran("shared_parts")["by_a_former_key"] == 0
    assert keyed.called("problems") == []
    numbers = [message["data"]["number"] for message in receiver.messages()]
    assert numbers == list(range(4 * MESSAGES))
