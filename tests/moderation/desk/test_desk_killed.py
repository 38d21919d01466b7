"""The web process is killed while two reviewers decide: what was accepted is there, and nothing counts twice."""

import http.client
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from knox.models import AuthToken

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Role, Source, Stage
from annotation.models import Adjudication, Item
from config.server import supervisor
from worker_processes import free_port

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.faults]

DISPUTES = 40


def database_url() -> str:
    """The address of this test's own database."""
    row = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{row['NAME']}"
    return f"postgres://{row['USER']}:{row['PASSWORD']}@{row['HOST']}:{row['PORT'] or 5432}/{row['NAME']}"


class Server:
    """A real web server on this test's own database."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self.folder / "web.txt").open("ab") as out:
            self.running = subprocess.Popen(
                supervisor.web_command(f"127.0.0.1:{self.port}", workers=1),
                env={
                    **os.environ,
                    "DJANGO_SETTINGS_MODULE": "config.settings_for_tests",
                    "DATABASE_URL": database_url(),
                    "VAR_DIR": str(self.folder),
                    "SECRET_KEY": settings.SECRET_KEY,
                    "RATE_LIMITED": "off",
                    "ALLOWED_HOSTS": "127.0.0.1",
                    "PYTHONPATH": str(settings.BASE_DIR),
                },
                cwd=settings.BASE_DIR,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self) -> None:
        """End it at once, workers and all, as a machine without power would."""
        assert self.running is not None
        os.killpg(self.running.pid, signal.SIGKILL)
        self.running.wait()

    def said(self) -> str:
        return (self.folder / "web.txt").read_text()[-2000:]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    server.start()
    yield server
    server.kill()


class Reviewer(threading.Thread):
    """Somebody who decides what the desk gives them, and asks again with the same key where no answer came."""

    def __init__(self, server: Server, token: str, category: int) -> None:
        super().__init__()
        self.server, self.token, self.category = server, token, category
        self.accepted: list[str] = []
        self.fault = ""

    def run(self) -> None:
        try:
            while (item := self.ask("disputes/next/", {})) is not None:
                body = {"ruling": "decide", "category": self.category, "rationale": "Plain.", "key": str(uuid4())}
                answer = self.ask(f"disputes/{item['id']}/decision/", {**body, "version": item["version"]})
                assert answer is not None
                self.accepted.append(answer["id"])
        except Exception as fault:
            self.fault = repr(fault)

    def ask(self, place: str, body: dict[str, object]) -> dict[str, object] | None:
        """What the server answers; the same is sent again until it answers."""
        headers = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}
        until = time.monotonic() + 60
        while time.monotonic() < until:
            link = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=90)
            try:
                link.request("POST", f"/api/v1/projects/desk/{place}", json.dumps(body), headers)
                answer = link.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException):
                time.sleep(0.2)
                continue
            finally:
                link.close()
            if answer.status == 204:
                return None
            assert answer.status == 200, (answer.status, text[:300])
            return dict(json.loads(text))
        raise TimeoutError(place)


def test_a_killed_web_process_loses_no_accepted_decision(server: Server) -> None:
    project = builders.make_project("desk")
    members = [builders.make_member(project) for _ in range(3)]
    for _ in range(DISPUTES):
        close_item(builders.make_labelled_item(project, members, (0, 1, 2)))
    reviewers = []
    for code in (0, 1):
        user = builders.make_member(project, Role.REVIEWER).user
        reviewers.append(Reviewer(server, AuthToken.objects.create(user)[1], code))
    for reviewer in reviewers:
        reviewer.start()
    while sum(len(reviewer.accepted) for reviewer in reviewers) < DISPUTES // 4:
        assert not any(reviewer.fault for reviewer in reviewers), (reviewers[0].fault, server.said())
        time.sleep(0.05)
    server.kill()
    server.start()
    for reviewer in reviewers:
        reviewer.join()
    assert [reviewer.fault for reviewer in reviewers] == ["", ""], server.said()

    accepted = [public_id for reviewer in reviewers for public_id in reviewer.accepted]
    stored = [str(each) for each in Adjudication.objects.values_list("public_id", flat=True)]
    assert len(stored) == DISPUTES and sorted(accepted) == sorted(stored)  # none lost, none twice
    settled = Item.objects.filter(stage=Stage.GOLD, category_source=Source.ADJUDICATED)
    assert settled.count() == DISPUTES
    assert Adjudication.objects.values("item").distinct().count() == DISPUTES
