"""The agent's process is killed while it reads: whoever goes on repeats no search and no fetch."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

import worker_processes
from antihateagent_web import Investigator, a_web, article, quote, results
from builders import make_item, make_project
from moderation.debates import start
from providers import wiring_web
from runs.control import sweep
from runs.execution import runner
from runs.models import Run, Turn
from wire.pages import PageServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.faults]

READS = """
import sys, time
import django
django.setup()
sys.path.insert(0, "tests/support")
from types import SimpleNamespace
from antihateagent_web import Investigator, a_web
from providers import wiring_web
from runs.execution import runner

run, outer, inner = (int(each) for each in sys.argv[1:])
fetcher = a_web(SimpleNamespace(port=outer), SimpleNamespace(port=inner)).fetcher(seconds=5.0)
wiring_web._fetcher = lambda agent: fetcher
agent = Investigator(read=lambda request: time.sleep(600))
runner.claim_and_perform(run, lambda role, name: agent)
"""
"""An investigation that comes as far as reading, and no further."""


@pytest.fixture
def servers(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[PageServer, PageServer, PageServer]]:
    """A search engine, a web and the inside, which hears nothing."""
    with PageServer() as engine, PageServer() as outer, PageServer() as inner:
        settings.SEARXNG_URL, settings.MODEL_BACKOFF = f"http://127.0.0.1:{engine.port}", 0
        settings.MODEL_BINDINGS = {}
        wiring_web._breaker.cache_clear()
        fetcher = a_web(outer, inner).fetcher(seconds=5.0)
        monkeypatch.setattr(wiring_web, "_fetcher", lambda agent: fetcher)
        engine.pages["/search"] = results("http://a.example/one", "http://b.example/two")
        outer.pages |= {
            "/one": article("On several boards people call newcomers weeds, and say how to get rid of them."),
            "/two": article("In the garden club of the town, weeds are plants and nothing but plants."),
        }
        yield engine, outer, inner
        assert inner.log == []


def test_a_killed_process_leaves_its_searches_and_pages_to_the_next(
    servers: tuple[PageServer, PageServer, PageServer], tmp_path: Path, settings: Any
) -> None:
    engine, outer, inner = servers
    item = make_item(make_project("garden"), "Weeds in the white roses again.", external_id="post-1")
    start.start_runs(item.project, type(item).objects.all(), start.DebateRequest("antihateagent"), ring=False)
    run = Run.objects.get()
    processes = worker_processes.Processes(
        worker_processes.environment(tmp_path, "filesystem://localhost//", SEARXNG_URL=settings.SEARXNG_URL)
    )
    try:
        reader = processes.start("-c", READS, str(run.pk), str(outer.port), str(inner.port))
        fetched_turns = Turn.objects.filter(run=run, key__startswith="fetch.")
        worker_processes.wait_until(lambda: fetched_turns.count() == 2, "it comes as far as the pages")
        worker_processes.kill(reader)
    finally:
        processes.end()
    connection.close()
    searched, fetched = list(engine.log), list(outer.log)
    assert (len(searched), sorted(outer.read())) == (3, ["a.example/one", "b.example/two"])
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(hours=1))
    assert sweep.requeue_lapsed_runs() == 1
    agent = Investigator(read=quote("call newcomers weeds", "nothing but plants"))
    runner.claim_and_perform(run.pk, lambda role, name: agent)
    run.refresh_from_db()
    assert (run.state, run.outcome and run.outcome["cited"]) == ("succeeded", [1])
    assert (engine.log, outer.log) == (searched, fetched)
    assert [len(agent.asked_for(word)) for word in ("queries", "select", "read")] == [0, 0, 2]
