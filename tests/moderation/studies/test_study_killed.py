"""A study is killed twice: no answered call is made again, and its tables are those that anybody else counts."""

import csv
import hashlib
import json
import re
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db import connection

import worker_processes
from runs.models import Run, Turn
from wire.server import Exchange, WireServer, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.faults]

POSTS, THREADS, KILLED_AFTER = 60, 4, (70, 190)
BITS = ("000", "001", "010", "011", "100", "101", "110", "111")
DIFFICULTY = {"000": "Easy", "011": "Easy", "101": "Easy", "111": "Easy", "100": "Normal", "010": "Normal"}
STUDY = """
title = "Killed"
task = "six"
[data]
file = "posts.json"
text_only = true
[[arms]]
methods = ["baseline", "arcade"]
rounds = 2
[[arms]]
methods = "arcade"
name = "other judge"
rounds = 2
judges = "openai:other"
"""
LINES = {"baseline": "baseline", "arcade, K = 2": "judge", "other judge": "other"}
"""The model whose answer is the line's answer."""
REFUSED = {"baseline": 3, "other": 5}
"""These models refuse every post whose number leaves this rest of 10."""


def drawn(word: str, most: int) -> int:
    """Return a number below `most` that depends on the word alone."""
    return int(hashlib.sha256(word.encode()).hexdigest(), 16) % most


def gold(number: int) -> tuple[int, str]:
    """Return the category and the pattern of a post."""
    pattern = BITS[number % 8]
    return (1 + drawn(f"gold {number}", 5) if pattern[2] == "1" else 0), pattern


def category_said(model: str, number: int) -> int | None:
    """Return what a model that decides says about a post: right in about two of three. Returns None for a refusal."""
    if number % 10 == REFUSED.get(model):
        return None
    return gold(number)[0] if drawn(f"{model} {number}", 3) else drawn(f"other {model} {number}", 6)


def reply(model: str, number: int) -> Any:
    """Return what the model of a role says about a post."""
    if model in LINES.values():
        category = category_said(model, number)
        return None if category is None else {"reason": "because", "category": category}
    if model == "defender":
        return {"rebuttals": []}
    if drawn(f"{model} {number}", 4) == 0:
        return {"cues": []}
    cue = {"id": "c1", "cue_type": "Metaphor", "target_group": "gardeners", "hate_type": 5, "claim": "c"}
    return {"cues": [cue | {"justification": "j", "counter_argument": "c"}]}


class Till:
    """Answers until it has taken as many calls as it may; an answered call is paid, one that is held is not."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.paid: Counter[tuple[str, str]] = Counter()
        self.closes_at = 0

    def __call__(self, exchange: Exchange) -> None:
        with self.lock:
            # The call of a process that was killed may arrive late; nobody can receive its answer.
            is_open = self.paid.total() < self.closes_at and not exchange.is_abandoned()
            if is_open:
                self.paid[exchange.heard.model, exchange.heard.digest] += 1
        if not is_open:
            exchange.pause(600)
            exchange.hang_up()
            return
        number = re.search(r"post number (\d+)", exchange.heard.said())
        assert number is not None
        value = reply(exchange.heard.model, int(number[1]))
        answer = say(None, refusal="I will not label this.") if value is None else say(json.dumps(value))
        answer(exchange)


def test_a_study_killed_twice_pays_no_call_twice_and_its_tables_are_counted_alike(tmp_path: Path) -> None:
    records = {
        f"p{number}": {
            "tweet_text": f"This is post number {number}.",
            "final_label": gold(number)[0],
            "text_label": int(gold(number)[1][0]),
            "image_label": int(gold(number)[1][1]),
            "type": gold(number)[1],
        }
        for number in range(POSTS)
    }
    (tmp_path / "posts.json").write_text(json.dumps(records))
    (tmp_path / "study.toml").write_text(STUDY)
    till, report = Till(), tmp_path / "report"
    with WireServer(otherwise=till) as wire:
        roles = ("gatekeeper", "prosecutor", "defender", "judge", "baseline")
        asks = {f"MODEL_{role.upper()}": f"openai:{role}" for role in roles}
        asks |= {"OPENAI_BASE_URL": wire.openai_url, "OPENAI_API_KEY": "sk-CANARY-1", "MODEL_ALLOWED": "openai:*"}
        asks |= {"MODEL_CALLS_AT_ONCE": str(THREADS)}
        processes = worker_processes.Processes(
            worker_processes.environment(tmp_path, "filesystem://localhost//", **asks)
        )
        command = ("manage.py", "study", str(tmp_path / "study.toml"), "--threads", str(THREADS), "--out", str(report))
        try:
            for most in KILLED_AFTER:
                till.closes_at = most
                process = processes.start(*command)
                # Every answer that was paid is saved, and further calls are under way: then the process is killed.
                worker_processes.wait_until(lambda most=most: saved() == most, f"{most} answers are saved")
                worker_processes.wait_until(lambda most=most: len(wire.heard) > most, "a call is under way")
                assert process.poll() is None and not report.exists()
                worker_processes.kill(process)
            till.closes_at = 10_000
            assert processes.start(*command).wait(timeout=240) == 0
        finally:
            processes.end()
    connection.close()
    assert set(till.paid.values()) == {1}
    assert till.paid.total() == saved()
    by_model = Counter(model for model, _digest in till.paid.elements())
    assert (by_model["baseline"], by_model["gatekeeper"]) == (POSTS, POSTS)
    # The second judge judges the debates that reached a judge, and no debate is held twice.
    assert by_model["other"] == by_model["judge"] <= POSTS
    held = Run.objects.filter(method="arcade", state="succeeded", forked_from=None)
    assert held.count() == POSTS
    check_tables(report)


def saved() -> int:
    """Return the number of answers that were asked for and saved."""
    count = Turn.objects.filter(calls__gt=0).count()
    connection.close()
    return count


# ── An independent recomputation ──────────────────────────────────────────────


def answer_of(line: str, number: int) -> int | None:
    """Return the category that a line says by the rules of the debate. Returns None if it refused."""
    model = LINES[line]
    if model != "baseline" and not reply("gatekeeper", number)["cues"] and not reply("prosecutor", number)["cues"]:
        return 0  # neither track found a cue: dismissed without a judge
    return category_said(model, number)


def table(report: Path, key: str) -> list[list[str]]:
    with (report / f"{key}.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))[1:]


def check_tables(report: Path) -> None:
    from sklearn.metrics import accuracy_score, f1_score  # noqa: PLC0415 (loads scipy)

    answers = {line: [answer_of(line, number) for number in range(POSTS)] for line in LINES}
    truth = [gold(number)[0] for number in range(POSTS)]
    for row in table(report, "accuracy"):
        told = [(t, said) for t, said in zip(truth, answers[row[0]], strict=True) if said is not None]
        right, said = zip(*told, strict=True)
        figures = [accuracy_score(right, said), *(f1_score(right, said, average=how) for how in ("macro", "weighted"))]
        assert [float(cell) for cell in row[5:8]] == pytest.approx(figures)
    check_kinds(report, answers, truth)
    check_pairs(report, answers, truth)
    rows = {row[0]: int(row[1]) for row in table(report, "refusals")}
    assert rows == {line: said.count(None) for line, said in answers.items()}
    assert all(rows[line] for line in ("baseline", "other judge"))


def check_kinds(report: Path, answers: dict[str, list[int | None]], truth: list[int]) -> None:
    expected: dict[tuple[str, str], list[int]] = {}
    for line, said in answers.items():
        for number in range(POSTS):
            pattern = gold(number)[1]
            difficulty = DIFFICULTY.get(pattern, "Hard")
            for kind in (pattern, difficulty, *([] if difficulty == "Easy" else ["Normal + hard"])):
                row = expected.setdefault((line, kind), [0, 0, 0])
                row[0] += said[number] is not None
                row[1] += said[number] == truth[number]
                row[2] += said[number] is None
    written = {(row[0], row[1]): [int(row[2]), int(row[3]), int(row[5])] for row in table(report, "patterns")}
    assert written == expected
    assert {row[6] for row in table(report, "patterns")} == {"0"}


def check_pairs(report: Path, answers: dict[str, list[int | None]], truth: list[int]) -> None:
    from scipy import stats  # noqa: PLC0415 (takes a second)

    rows = table(report, "paired")
    assert len(rows) == 3
    for _dataset, first, second, items, *cells in rows:
        both = [n for n in range(POSTS) if answers[first][n] is not None and answers[second][n] is not None]
        columns = np.array([[truth[n] for n in both], *([answers[line][n] for n in both] for line in (first, second))])
        figures = [float(cell) for cell in cells]
        assert int(items) == len(both)
        assert [figures[0], figures[3]] == pytest.approx(differences(*columns))
        draw = np.random.default_rng(99)
        resamples = [differences(*columns[:, draw.integers(0, len(both), len(both))]) for _ in range(500)]
        bounds = np.quantile(resamples, [0.025, 0.975], axis=0)
        assert [figures[1], figures[2]] == pytest.approx(bounds[:, 0], abs=0.04)
        assert [figures[4], figures[5]] == pytest.approx(bounds[:, 1], abs=0.04)
        right = columns[1:] == columns[0]
        only = int((right[0] & ~right[1]).sum()), int((~right[0] & right[1]).sum())
        assert figures[6] == pytest.approx(stats.binomtest(only[0], sum(only)).pvalue)


def differences(truth: Any, first: Any, second: Any) -> list[float]:
    from sklearn.metrics import accuracy_score, f1_score  # noqa: PLC0415 (loads scipy)

    accuracies = accuracy_score(truth, first) - accuracy_score(truth, second)
    return [accuracies, f1_score(truth, first, average="macro") - f1_score(truth, second, average="macro")]
