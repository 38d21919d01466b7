"""All methods against llama.cpp's own server, which nobody here wrote, with a model of random weights.

The server holds the model to the schema of each question, so that it answers in form, with words at random. It is built
from source: LLAMA_SERVER names the program (see docs/operators.md), and without it these tests are skipped.
"""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.domain.choices import Role
from annotation.models import Item, Project
from builders import make_item, make_member, make_picture, make_project
from injection_models import entry, make_injecting_project, make_pool
from moderation.methods import local_documents
from providers import wiring
from providers.learnt_facts import site_facts
from providers.profiles import Fact, Lesson
from runs.models import Run, Turn
from tiny_model import write_model
from worker_processes import free_port

PROGRAM = os.environ.get("LLAMA_SERVER", "")

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM, reason="LLAMA_SERVER names no llama-server"),
]

_VARIED = ("--dry-multiplier", "4", "--dry-base", "2", "--dry-allowed-length", "1")
POSTS = ("Weeds in the white roses again.", "장미밭에 또 잡초가 있다.", "The roses bloom, and newcomers plant more.")


@contextmanager
def llama_server(folder: Path, *options: str) -> Iterator[str]:
    """Start the server on a free port and yield its address."""
    write_model(folder / "random.gguf")
    port = free_port()
    command = [PROGRAM, "-m", str(folder / "random.gguf"), "--host", "127.0.0.1", "--port", str(port), "-t", "1"]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen([*command, *_VARIED, *options], stdout=log, stderr=log)
    try:
        until = time.monotonic() + 30
        with socket.socket() as probe:
            while probe.connect_ex(("127.0.0.1", port)):
                assert server.poll() is None and time.monotonic() < until, "the server did not start"
                time.sleep(0.1)
        time.sleep(1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("llama"), "-c", "32768", "--parallel", "2") as address:
        yield address


@pytest.fixture(autouse=True)
def _site(settings: Any, address: str) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = address, ""
    settings.MODEL_ATTEMPTS, settings.MODEL_BACKOFF = 2, 0
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:random", "MODEL_VISION": "openai:random"}
    settings.MODEL_CALLS_AT_ONCE = 2
    site_facts.know([])
    for cache in (wiring._connection, wiring._breaker, wiring._gate):
        cache.cache_clear()


@pytest.fixture
def project() -> Project:
    project = make_project("garden")
    for number, text in enumerate(POSTS, 1):
        make_item(project, text, external_id=f"post-{number}")
    return project


def command(name: str, *arguments: str) -> Any:
    out = StringIO()
    call_command(name, *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.parametrize(
    "method",
    [
        ("baseline",),
        ("baseline", "--variant", "binary"),
        ("baseline", "--variant", "agent"),
        ("explain",),
        ("explain", "--shots", "2"),
        ("arcade",),
        ("arcade", "--track", "deep", "--rounds", "2"),
        ("arcade", "--prompts", "paper", "--task", "binary"),
        ("arcade", "--prompts", "plain"),
        ("predict",),
        ("predict", "--prompts", "paper"),
    ],
)
def test_methods_come_to_a_verdict(project: Project, method: tuple[str, ...]) -> None:
    found = command("run", method[0], "garden", *method[1:], "--wait")
    assert [row["state"] for row in found] == ["succeeded"] * 3, list(Run.objects.values("state", "detail"))
    assert method[0] == "explain" or {row["hateful"] for row in found} <= {True, False}
    assert site_facts.about("openai:random") == ()  # it takes all that is sent, schemas too


def test_prose_without_a_form_is_unreadable_after_three_answers(project: Project) -> None:
    found = command("run", "baseline", "garden", "--variant", "comment", "--wait")
    assert {(row["state"], row["reason_code"]) for row in found} == {("unreadable", "invalid_output")}


def test_evidence_is_searched_read_and_weighed(project: Project) -> None:
    page = b"Weeds in white roses are a metaphor, says the handbook. Who says weeds there means newcomers."
    local_documents.add_document(project, "weeds.txt", page, make_member(project, Role.ADMIN))
    Item.objects.update(text="\U0001f339\U0001f339 ?!")  # words at random copy no text: here is none to copy
    found = command("run", "antihateagent", "garden", "--wait")
    assert [row["state"] for row in found] == ["succeeded"] * 3, list(Run.objects.values("state", "detail"))


def test_priors_explanations_replies_and_their_critics_are_answered(project: Project) -> None:
    assert command("compute_priors", "garden")["done"] == 3
    written = command("counterspeech", "garden", "--items", "post-1", "--candidates", "2")
    assert {row["state"] for row in written} == {"succeeded"}
    assert all(row["candidates"] for row in written)
    assert {run.state for run in Run.objects.all()} == {"succeeded"}


def test_explanations_are_scored_by_the_model_s_own_estimate(tmp_path: Path) -> None:
    said = [
        {"text": text, "explanation": f"“{text[:10]}” is about newcomers. It is hateful.", "prediction": "hateful"}
        for text in POSTS
    ]
    file = tmp_path / "explanations.jsonl"
    file.write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    assert command("hatexscore", str(file), "--estimator", "model")["counts"]["scored"] == 3


def test_what_a_model_without_eyes_cannot_do_is_told_at_once_and_learnt(tmp_path: Path) -> None:
    project, admin = make_injecting_project()
    make_pool(admin)
    make_item(project, POSTS[0], external_id="post-1", picture=make_picture(project))
    (found,) = command("run", "baseline", "garden", "--wait")
    assert (found["state"], found["reason_code"]) == ("failed", "bad_request")
    assert "image input is not supported" in Run.objects.get().detail
    assert site_facts.about("openai:random") == (Lesson(Fact.NO_PICTURES),)
    (tmp_path / "plan.json").write_text(json.dumps([entry()]), encoding="utf-8")
    with pytest.raises(SystemExit):
        command("inject", "garden", "--plan", str(tmp_path / "plan.json"))
    assert "image input is not supported" in Run.objects.get(method="injection").detail


def test_a_prompt_that_is_too_long_ends_the_run_with_its_size(project: Project, settings: Any, tmp_path: Path) -> None:
    with llama_server(tmp_path, "-c", "512") as small:
        settings.OPENAI_BASE_URL = small
        found = command("run", "baseline", "garden", "--items", "post-1", "--wait")
    assert [(row["state"], row["reason_code"]) for row in found] == [("failed", "bad_request")]
    assert "exceeds the available context size (512 tokens)" in Run.objects.get().detail


def test_the_server_tells_what_it_had_read_before(project: Project) -> None:
    command("run", "arcade", "garden", "--items", "post-1", "--track", "deep", "--rounds", "3", "--wait")
    later = Turn.objects.filter(key__in=["prosecutor.3", "defender.3"])
    assert all(turn.cached_tokens > turn.input_tokens / 4 for turn in later), list(later.values("key", "cached_tokens"))
