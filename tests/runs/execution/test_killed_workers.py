"""Priors over 150 real texts by real worker processes that are killed: nothing answered is asked twice, all are done.

Threats F2, F19, F20: after a kill a call that was under way may be made again, and is noted as possibly billed twice.
"""

import csv
import json
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

import worker_processes
from absent import skip_or_fail
from annotation.domain.choices import Stage
from annotation.models import Item, Prior
from annotation.priors.method import NAME
from builders import make_item, make_project
from providers.prompt_fencing import nonce_for
from runs.domain.states import Flag
from runs.models import Account, Run, Turn
from wire.server import WireServer
from worker_processes import SWEEPER, kill

TEXTS = 150
AT_ONCE = 8
# A site that has grown past SQLite has a broker too: with SQLite alone, runs go through files.
BROKERS = {
    "files": "filesystem://",
    "redis": "redis://127.0.0.1:6379/13",
    "rabbitmq": "amqp://guest:guest@127.0.0.1:5672//",
}
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.faults,
    pytest.mark.slow,
    pytest.mark.shared_data,
]
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer(delay=0.1) as server:
        yield server


@pytest.fixture(params=["redis", "rabbitmq"] if connection.vendor == "postgresql" else ["files"])
def environment(request: pytest.FixtureRequest, wire: WireServer, tmp_path: Path) -> dict[str, str]:
    """What a worker of this test's database, broker and model has in its environment."""
    broker = BROKERS[request.param]
    if urlsplit(broker).port:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", int(urlsplit(broker).port or 0))):
                skip_or_fail(f"no broker listens for {broker}")
    return worker_processes.environment(
        tmp_path,
        broker,
        OPENAI_BASE_URL=wire.openai_url,
        OPENAI_API_KEY="sk-CANARY-1",
        MODEL_TEXT="openai:wire-sensible",
        MODEL_CALLS_AT_ONCE=str(AT_ONCE),
        RUN_BELLS=str(AT_ONCE),
        LOG_LEVEL="WARNING",
    )


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    """Starts processes in groups of their own; all are gone afterwards."""
    started = []

    def run(*arguments: str) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [sys.executable, *arguments], env=environment, cwd=settings.BASE_DIR, start_new_session=True
        )
        started.append(process)
        return process

    yield run
    for process in started:
        kill(process)


def worker(start: Start) -> "subprocess.Popen[bytes]":
    return start("-m", "celery", "-A", "config.celery", "worker", "-P", "threads", "-c", str(AT_ONCE), "-l", "WARNING")


def wait_until(reached: Callable[[], bool], worker: "subprocess.Popen[bytes]", what: str) -> None:
    until = time.monotonic() + 90
    while not reached():
        assert worker.poll() is None, "the worker ended by itself"
        assert time.monotonic() < until, what
        time.sleep(0.05)


def plain_table(data: Path, file: Path) -> Path:
    """The first texts of the H-VLI file as a table of id and text, without labels."""
    records = json.loads((data / "hvli_test_set.json").read_text(encoding="utf-8"))
    with file.open("w", encoding="utf-8", newline="") as opened:
        table = csv.writer(opened)
        table.writerow(["id", "text"])
        table.writerows([f"hvli-{key}", record["tweet_text"]] for key, record in list(records.items())[:TEXTS])
    return file


def asked(wire: WireServer) -> Counter[str]:
    """How often each run's question was heard, by the nonce that fences its text."""
    return Counter(heard.said().split("[text ")[1].split("]")[0] for heard in wire.heard)


def nonces(turns: Any) -> set[str]:
    return {nonce_for(settings.SECRET_KEY, NAME, str(turn.run.public_id)) for turn in turns.select_related("run")}


def test_a_worker_killed_twice_asks_nothing_twice_and_all_is_done(
    wire: WireServer, start: Start, shared_data: Path, tmp_path: Path
) -> None:
    project = make_project("garden", priors_wanted=True)
    call_command("import_items", "garden", str(plain_table(shared_data, tmp_path / "texts.csv")))
    assert Item.objects.filter(project=project, stage=Stage.IMPORTED).count() == TEXTS
    assert start("manage.py", "compute_priors", "garden", "--no-wait", "--json").wait(60) == 0
    start("-c", SWEEPER)

    answered: dict[str, int] = {}
    for number in (40, 90):
        alive = worker(start)
        wait_until(lambda number=number: Turn.objects.count() >= number, alive, f"{number} turns")
        kill(alive)
        heard = asked(wire)
        saved = nonces(Turn.objects.all())
        assert len(saved) < TEXTS
        answered |= {nonce: heard[nonce] for nonce in saved if nonce not in answered}
    last = worker(start)
    wait_until(lambda: not Run.objects.filter(state__in=["queued", "running"]).exists(), last, "all runs to end")

    heard = asked(wire)
    assert {nonce: heard[nonce] for nonce in answered} == answered  # nothing that was saved was asked again
    assert Run.objects.filter(state="succeeded").count() == TEXTS
    assert Prior.objects.filter(state="ok", current=True).count() == TEXTS
    assert Item.objects.filter(stage=Stage.READY).count() == TEXTS
    turns = {nonce_for(settings.SECRET_KEY, NAME, str(t.run.public_id)): t for t in Turn.objects.select_related("run")}
    assert turns.keys() == heard.keys()
    twice = {nonce for nonce, turn in turns.items() if Flag.POSSIBLY_BILLED_TWICE in turn.flags}
    # A call under way at a kill may have been heard or not; every other was made exactly as often as it is recorded.
    assert {nonce for nonce, times in heard.items() if times > 1} <= twice
    assert len(twice) <= 2 * AT_ONCE
    for nonce, turn in turns.items():
        recorded = turn.calls + turn.retries
        assert heard[nonce] == recorded or (nonce in twice and heard[nonce] == recorded - 1)
    account = Account.objects.get(project=project.public_id)
    assert account.calls == sum(turn.calls for turn in turns.values()) == sum(run.calls for run in Run.objects.all())
    spent = sum(turn.input_tokens + turn.output_tokens + turn.lost_tokens for turn in turns.values())
    assert account.tokens == spent == sum(run.tokens for run in Run.objects.all())


@pytest.mark.once  # the rows of runs change as above, where each database is tried
@pytest.mark.parametrize("environment", ["files"], indirect=True)
def test_a_worker_told_to_stop_hands_its_runs_on_and_nothing_is_lost(
    wire: WireServer, start: Start, environment: dict[str, str]
) -> None:  # threats F20
    wire.delay(1.0)
    project = make_project("garden")
    for number in range(20):
        make_item(project, f"Post number {number} about a garden.")
    assert start("manage.py", "compute_priors", "garden", "--no-wait", "--json").wait(60) == 0
    old = worker(start)
    wait_until(lambda: Turn.objects.count() >= 4, old, "four turns")
    old.terminate()
    assert old.wait(70) == 0
    assert Run.objects.filter(state="running").count() == 0
    assert Run.objects.filter(state="queued").exists()
    start("-c", SWEEPER)
    new = worker(start)
    wait_until(lambda: not Run.objects.filter(state__in=["queued", "running"]).exists(), new, "all runs to end")
    assert Run.objects.filter(state="succeeded", lost_workers=0).count() == 20
    assert set(asked(wire).values()) == {1}
    assert not Turn.objects.filter(calls__gt=1).exists()
