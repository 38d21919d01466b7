"""Faults of the job system with real processes (threats F1-F4, F6-F8, F16, F17, F25-F28, F32).

Workers are killed by their process group, brokers are this test's own, clocks are shortened by settings. Every test
ends with the same audit: nothing is stuck, no step answered twice, no call that is not accounted for.
"""

import json
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.db import connection
from django.db.models import Max, Sum
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership, Project
from builders import make_item, make_labelled_item, make_member, make_project
from moderation.debates import start
from runs.control import start as run_start
from runs.models import Account, Pause, Run, Turn
from runs.queue import task_messages
from wire.server import Exchange, WireServer, hang, say, sensible
from worker_processes import Processes, environment, free_port, kill, listens, wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults, pytest.mark.slow]

NO_CUES = say('{"cues": []}')
"""The gatekeeper finds nothing, then the prosecutor: a courtroom of two questions."""
REDIS = shutil.which("redis-server")


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.fixture(autouse=True)
def _models(settings: Any, wire: WireServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process plans runs for the wire server; who is to be woken is told by each test."""
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = wire.openai_url, "sk-CANARY-1"
    settings.MODEL_BINDINGS = dict.fromkeys(("MODEL_TEXT", "MODEL_VISION"), "openai:house")
    monkeypatch.setattr(task_messages, "enqueue_task", lambda name, run_id: True)


@pytest.fixture
def processes(wire: WireServer, tmp_path: Path) -> Iterator[Processes]:
    """Of a site with the filesystem broker; a test that brings a broker changes the address."""
    made = Processes(
        environment(
            tmp_path,
            "filesystem://",
            OPENAI_BASE_URL=wire.openai_url,
            OPENAI_API_KEY="sk-CANARY-1",
            MODEL_TEXT="openai:house",
            MODEL_VISION="openai:house",
            MODEL_CALLS_AT_ONCE="8",
            MODEL_BACKOFF="1",
            RUN_BELLS="8",
            RUN_BELL_SECONDS="2",
        )
    )
    yield made
    made.end()


def queued(project: Project, posts: int = 1, method: str = "baseline", **wish: Any) -> list[Run]:
    """Runs of the method on so many new posts, nobody rung for."""
    made = [make_item(project, f"Post number {number} of {project.slug}.") for number in range(posts)]
    items = Item.objects.filter(pk__in=[item.pk for item in made])
    start.start_runs(project, items, start.DebateRequest(method, **wish), ring=False)
    return list(Run.objects.filter(subject__in=items.values("public_id")).order_by("id"))


def all_ended() -> bool:
    return not Run.objects.filter(state__in=["queued", "running"]).exists()


def audited(wire: WireServer, *, lost: int = 0) -> None:
    """Nothing is stuck or doubled; what the provider heard is recorded, but for `lost` calls under way at a kill."""
    assert all_ended()
    turns = Counter(Turn.objects.values_list("run", "key"))
    assert not turns or max(turns.values()) == 1
    recorded = Run.objects.aggregate(calls=Sum("calls"), again=Sum("retries"))
    assert 0 <= (recorded["calls"] or 0) + (recorded["again"] or 0) - len(wire.heard) <= lost
    for account in Account.objects.all():
        spent = Run.objects.filter(project=account.project).aggregate(calls=Sum("calls"), tokens=Sum("tokens"))
        assert (account.calls, account.tokens) == (spent["calls"] or 0, spent["tokens"] or 0)


# ── Workers ───────────────────────────────────────────────────────────────────


def test_f1_f2_a_run_whose_worker_is_killed_in_mid_turn_goes_on_and_its_answers_stay(
    wire: WireServer, processes: Processes
) -> None:
    project = make_project("garden")
    (run,) = queued(project, method="arcade")
    wire.always(NO_CUES)
    wire.queue(NO_CUES, hang(60))
    processes.sweeper()
    worker = processes.worker()
    wait_until(lambda: len(wire.heard) == 2, "the second question")
    kill(worker)
    processes.worker()
    wait_until(all_ended, "the run to end", 60)
    run.refresh_from_db()
    assert (run.state, run.lost_workers) == ("succeeded", 1)
    twice = [turn.key for turn in run.turns.all() if "possibly_billed_twice" in turn.flags]
    assert twice == ["prosecutor.1"]  # F19: the call under way is made again, and noted; no other is
    audited(wire)


def test_f3_f28_three_lost_workers_end_a_run_also_with_two_sweepers(wire: WireServer, processes: Processes) -> None:
    (run,) = queued(make_project("garden"))
    processes.sweeper(), processes.sweeper()
    for number in range(1, 4):
        wire.queue(hang(60))
        worker = processes.worker(2)
        wait_until(lambda number=number: len(wire.heard) == number, f"question {number}")  # type: ignore[misc]
        kill(worker)
    wait_until(all_ended, "the run to fail", 60)
    run.refresh_from_db()
    assert (run.state, run.reason, run.lost_workers, run.calls) == ("failed", "worker_lost", 3, 3)
    audited(wire)


def test_f4_the_same_message_twenty_times_has_one_owner(wire: WireServer, processes: Processes) -> None:
    (run,) = queued(make_project("garden"))
    wire.delay(1.0)
    ring = f"from runs.tasks import perform_run\nfor _ in range(20): perform_run.delay({run.pk})"
    assert processes.start("-c", f"import django; django.setup()\n{ring}").wait(60) == 0
    processes.worker(), processes.worker()
    wait_until(all_ended, "the run to end")
    time.sleep(1.0)
    run.refresh_from_db()
    assert (run.state, run.takes, len(wire.heard)) == ("succeeded", 1, 1)
    audited(wire)


def test_f25_a_run_cancelled_in_mid_turn_makes_no_further_call(wire: WireServer, processes: Processes) -> None:
    (run,) = queued(make_project("garden"), method="arcade")
    wire.always(NO_CUES)
    wire.delay(2.5)
    processes.sweeper()
    processes.worker(2)
    wait_until(lambda: len(wire.heard) == 2, "the second question")
    assert run_start.cancel_runs([run.public_id]) == 1
    wait_until(all_ended, "the run to end", 60)
    run.refresh_from_db()
    assert (run.state, run.reason, run.calls, len(wire.heard)) == ("cancelled", "user", 2, 2)
    assert run.tokens == Turn.objects.aggregate(used=Sum("input_tokens") + Sum("output_tokens"))["used"]
    audited(wire)


def test_f26_a_run_whose_post_is_deleted_ends_as_cancelled(wire: WireServer, processes: Processes) -> None:
    (run,) = queued(make_project("garden"), method="arcade")
    wire.always(NO_CUES)
    wire.delay(2.5)
    processes.sweeper()
    processes.worker(2)
    wait_until(lambda: len(wire.heard) == 1, "the first question")
    Item.objects.get(public_id=run.subject).delete()
    wait_until(all_ended, "the run to end", 60)
    run.refresh_from_db()
    assert (run.state, run.reason, len(wire.heard)) == ("cancelled", "target_gone", 1)
    audited(wire)


# ── The broker ────────────────────────────────────────────────────────────────

TRIGGER = """
import json, sys, time, django
django.setup()
from django.test import Client
from django.test.utils import setup_test_environment
setup_test_environment()
from annotation.models import User
client = Client()
client.force_login(User.objects.get(username=sys.argv[1]))
client.get(sys.argv[2].removesuffix("start/"))  # the process is warm
began = time.monotonic()
answer = client.post(sys.argv[2], {"method": "baseline", "repeats": 1, "stage": "disputed"})
print(json.dumps([answer.status_code, time.monotonic() - began]))
"""


def trigger(processes: Processes, member: Membership, item: Item) -> tuple[int, float]:
    """What the web process answers to a start, and after how many seconds."""
    assert member.user
    path = f"/p/garden/items/{item.public_id}/debates/start/"
    done = subprocess.run(
        [sys.executable, "-c", TRIGGER, member.user.username, path],
        env=processes.environment,
        cwd=site.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=120,
    )
    code, seconds = json.loads(done.stdout.splitlines()[-1])
    return code, seconds


@pytest.fixture
def disputed() -> Item:
    project = make_project("garden")
    item = make_labelled_item(project, [make_member(project) for _ in range(3)], [1, 2, 0])
    close_item(item)
    return item


@pytest.mark.skipif(REDIS is None, reason="no redis-server is installed")
def test_f6_f17_a_start_while_the_broker_is_down_is_queued_and_begins_when_it_is_back(
    wire: WireServer, processes: Processes, disputed: Item
) -> None:
    assert REDIS
    port = free_port()
    processes.environment["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{port}/0"
    code, seconds = trigger(processes, make_member(disputed.project, Role.REVIEWER), disputed)
    assert (code, seconds < 15) == (302, True)
    assert Run.objects.get().state == "queued"
    assert wire.heard == []  # F17: the web process itself asks no model
    processes.start("--port", str(port), "--save", "", program=REDIS)
    wait_until(lambda: listens(port), "Redis")
    processes.sweeper()
    processes.worker(2)
    wait_until(all_ended, "the run to end", 90)
    assert Run.objects.get().state == "succeeded"
    audited(wire)


@pytest.mark.skipif(REDIS is None, reason="no redis-server is installed")
def test_f7_nothing_is_lost_with_a_broker_that_forgets_everything(wire: WireServer, processes: Processes) -> None:
    assert REDIS
    port = free_port()
    processes.environment["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{port}/0"
    broker = processes.start("--port", str(port), "--save", "", program=REDIS)
    wait_until(lambda: listens(port), "Redis")
    queued(make_project("garden"), 50)
    program = (
        "import django; django.setup()\nfrom runs.queue import task_messages\nfrom runs.models import Run\n"
        "assert task_messages.enqueue_runs(list(Run.objects.values_list('pk', flat=True))) == 50"
    )
    assert processes.start("-c", program).wait(60) == 0
    assert Run.objects.filter(rung_at=None).count() == 0
    kill(broker)
    processes.start("--port", str(port), "--save", "", program=REDIS)
    wait_until(lambda: listens(port), "Redis again")
    processes.sweeper()
    processes.worker()
    wait_until(all_ended, "all runs to end")
    assert Run.objects.filter(state="succeeded").count() == 50
    audited(wire)


@pytest.mark.once  # the broker is the same whatever the database
@pytest.mark.parametrize("scheme", ["redis", "amqp"])
def test_f8_a_broker_that_swallows_everything_holds_no_page(processes: Processes, disputed: Item, scheme: str) -> None:
    with socket.socket() as hole:
        hole.bind(("127.0.0.1", 0))
        hole.listen()  # connections are accepted, and nothing is ever answered
        processes.environment["CELERY_BROKER_URL"] = f"{scheme}://127.0.0.1:{hole.getsockname()[1]}/"
        code, seconds = trigger(processes, make_member(disputed.project, Role.REVIEWER), disputed)
    assert code == 302
    assert seconds < 20  # it gave the broker up; a page that waited for it would never have come
    run = Run.objects.get()
    assert (run.state, run.rung_at) == ("queued", None)


# ── Providers ─────────────────────────────────────────────────────────────────


def test_f16_an_outage_makes_runs_wait_and_fails_none(wire: WireServer, processes: Processes) -> None:
    processes.environment |= {"MODEL_ATTEMPTS": "2", "MODEL_REST_SECONDS": "2"}
    runs = queued(make_project("garden"), 24)

    def thoughtful(exchange: Exchange) -> None:
        exchange.pause(1.5)  # answers of before the outage still come in while it lasts
        sensible(exchange)

    wire.always(thoughtful)
    processes.sweeper()
    processes.worker()
    wait_until(lambda: len(wire.heard) >= 8, "the first questions")
    wire.always("503")
    wait_until(lambda: Pause.objects.exists(), "the provider to be left alone")
    time.sleep(1.5)  # what had set out by then may still arrive
    opened = len(wire.heard)
    time.sleep(5)  # two or three tries of one request each, in vain
    assert not Run.objects.filter(state="failed").exists()
    tried = len(wire.heard) - opened
    wire.always("sensible")
    wait_until(all_ended, "all runs to end")
    assert Run.objects.filter(state="succeeded").count() == len(runs)
    assert tried <= 8  # of 24 runs: the others waited and asked nothing
    audited(wire)


# ── The queue ─────────────────────────────────────────────────────────────────


def test_f32_three_hundred_debates_are_served_in_order_and_in_turns(
    wire: WireServer, processes: Processes, client: Client
) -> None:
    wire.delay(0.05)
    large, small = make_project("large"), make_project("small")
    of_large = queued(large, 285)
    of_small = queued(small, 15)
    assert {len(of_large), len(of_small)} == {285, 15}
    processes.sweeper()
    processes.worker(), processes.worker()
    member = make_member(large, Role.REVIEWER)
    assert member.user
    client.force_login(member.user)
    with CaptureQueriesContext(connection) as asked:
        assert client.get("/p/large/debates/").status_code == 200
    assert len(asked.captured_queries) <= 16
    wait_until(all_ended, "all runs to end", 120)
    assert Run.objects.filter(state="succeeded").count() == 300
    late = 0
    for project in (large, small):
        begun = Run.objects.filter(project=project.public_id).order_by("id").values_list("started_at", flat=True)
        late += sum(later < earlier for earlier, later in zip(begun, list(begun)[1:], strict=False))
    assert late <= 30  # in order but for neighbours that begin in the same moment
    last_small = Run.objects.filter(project=small.public_id).aggregate(last=Max("started_at"))["last"]
    before = Run.objects.filter(project=large.public_id, started_at__lt=last_small).count()
    assert before < 200  # the small one did not wait behind the large one, though it was queued last
    audited(wire)
