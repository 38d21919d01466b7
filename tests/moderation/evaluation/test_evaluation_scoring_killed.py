"""An evaluation is killed while it scores explanations: whoever goes on explains nothing again, scores each once."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from django.db import connection

import worker_processes
from moderation.domain.hatexscore.estimators import SCORING
from runs.domain.states import Flag, RunState
from runs.models import Run, Turn
from wire.server import Exchange, Heard, WireServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.faults]

POSTS, REPEATS, THREADS = 8, 2, 4
EXPLAINED = POSTS * REPEATS


def is_about_p(heard: Heard) -> bool:
    """Whether a probability is asked for, and not an explanation."""
    return "how likely it is" in heard.said("system")


def answer(exchange: Exchange) -> None:
    """An explanation that says hateful, or a number for p: lower where the passage is covered."""
    if not is_about_p(exchange.heard):
        said = 'It attacks immigrants by "weeds".\nConclusion: hateful'
    else:
        said = "0.1" if "[MASK]" in exchange.heard.said() else "0.9"
    exchange.send(200, exchange.reply(said))


def test_a_process_killed_while_it_scores_leaves_its_explanations_and_scores_to_the_next(tmp_path: Path) -> None:
    posts = tmp_path / "posts.csv"
    with posts.open("w", newline="") as out:
        rows = [(f"p{n}", f"those immigrants are weeds, number {n}", "hateful") for n in range(POSTS)]
        csv.writer(out).writerows([("id", "text", "gold"), *rows])
    report = tmp_path / "report"
    with WireServer(delay=0.15, otherwise=answer) as wire:
        asks = {"OPENAI_BASE_URL": wire.openai_url, "OPENAI_API_KEY": "sk-CANARY-1"}
        many = {"MODEL_EXPLAINER": "openai:explainer", "MODEL_CALLS_AT_ONCE": str(THREADS)}
        processes = worker_processes.Processes(
            worker_processes.environment(tmp_path, "filesystem://localhost//", **asks, **many)
        )
        options = ("--shots", "0", "--repeats", str(REPEATS), "--threads", str(THREADS), "--out", str(report))
        command = ("manage.py", "evaluate", "explain", str(posts), *options)
        try:
            first = processes.start(*command)
            worker_processes.wait_until(lambda: len(wire.heard) >= EXPLAINED + 10, "it comes as far as the scores")
            worker_processes.kill(first)
            connection.close()
            scored = Run.objects.filter(method=SCORING, state=RunState.SUCCEEDED).values_list("public_id", flat=True)
            before = set(scored)
            saved = set(Turn.objects.values_list("run__public_id", "key"))
            assert not report.exists() and Run.objects.filter(method="explain", state="succeeded").count() == EXPLAINED
            second = processes.start(*command)
            assert second.wait(timeout=120) == 0
        finally:
            processes.end()
        heard = wire.heard
    connection.close()
    found = json.loads((report / "report.json").read_text())
    (result,) = found["results"]
    assert result["explanations"]["counts"] == {"scored": EXPLAINED}
    assert result["explanations"]["figures"]["qf"]["mean"] == pytest.approx(0.8)
    # Nothing is explained again, no explanation is scored twice, and what was scored stays as it was.
    assert sum(not is_about_p(each) for each in heard) == EXPLAINED
    scorings = Run.objects.filter(method=SCORING)
    assert Counter(scorings.values_list("state", flat=True)) == {RunState.SUCCEEDED: EXPLAINED}
    assert before <= set(scorings.values_list("public_id", flat=True))
    # Only calls under way at the kill were made again, two at most of each run; all that may have been heard is noted.
    turns = list(Turn.objects.select_related("run"))
    twice = len(heard) - 3 * EXPLAINED
    noted = sum(Flag.POSSIBLY_BILLED_TWICE in turn.flags for turn in turns)
    assert 0 <= twice <= noted <= 2 * THREADS
    assert not saved & {(turn.run.public_id, turn.key) for turn in turns if turn.calls > 1}
