"""A server that nobody here wrote and that speaks the OpenAI protocol works by its address alone.

It is `fakellm` from the package index, started as its own process with canned replies; the site is told OPENAI_BASE_URL
and a model's name, no key, and nothing of it is replaced.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings as site
from django.core.management import call_command

from builders import make_item, make_project
from providers import wiring
from runs.models import Turn
from worker_processes import free_port

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.once]  # it is about the wire

CUE = {
    "id": "c1",
    "cue_type": "Metaphor",
    "target_group": "gardeners",
    "claim": "Weeds stand for people.",
    "hate_type": 5,
    "justification": "The post calls them a plague.",
}
# One canned reply a model.
CANNED: dict[str, Any] = {
    "version": 1,
    "defaults": {"fallback": "deterministic_echo"},
    "rules": [
        {
            "name": role,
            "when": {"model_matches": f"house-{role}"},
            "respond": {"content": f"```json\n{json.dumps(value)}\n```"},
        }
        for role, value in {
            "baseline": {"category": 0, "reason": "It is about a garden."},
            "gatekeeper": {"cues": []},
            "prosecutor": {"cues": [CUE]},
            "defender": {"rebuttals": [{"id": "c1", "evidence": "roses", "rebuttal": "It means plants."}]},
            "judge": {"category": 0, "reason": "It means plants."},
        }.items()
    ],
}


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    port = free_port()
    (tmp_path / "canned.yaml").write_text(yaml.safe_dump(CANNED), encoding="utf-8")
    program = Path(sys.executable).parent / "fakellm"
    server = subprocess.Popen(
        [program, "serve", "--port", str(port), "--config", "canned.yaml"],
        cwd=tmp_path,
        env={"PATH": os.environ.get("PATH", "")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 30
        with socket.socket() as probe:
            while probe.connect_ex(("127.0.0.1", port)):
                assert server.poll() is None and time.monotonic() < until, "the server did not start"
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait()


@pytest.fixture(autouse=True)
def _site(settings: Any, address: str) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = address, ""
    settings.MODEL_ATTEMPTS = 1
    settings.MODEL_BINDINGS = {
        f"MODEL_{role.upper()}": f"openai:house-{role}"
        for role in ("baseline", "gatekeeper", "prosecutor", "defender", "judge")
    }
    wiring._breaker.cache_clear()


def run(*arguments: str) -> Any:
    out = StringIO()
    call_command("run", *arguments, "--wait", "--json", stdout=out)
    return json.loads(out.getvalue())


def test_a_baseline_and_a_whole_courtroom_are_held_by_a_server_of_others() -> None:
    make_item(make_project("garden"), "Weeds in the white roses again.", external_id="post-1")
    (answer,) = run("baseline", "garden")
    assert (answer["state"], answer["hateful"], answer["calls"]) == ("succeeded", False, 1)
    (answer,) = run("arcade", "garden", "--rounds", "1")
    assert (answer["state"], answer["hateful"], answer["reason"]) == ("succeeded", False, "It means plants.")
    assert [turn["key"] for turn in answer["turns"]] == ["gate", "prosecutor.1", "defender.1", "judge"]
    assert set(Turn.objects.values_list("model", flat=True)) >= {"house-baseline", "house-judge"}
    assert Turn.objects.filter(input_tokens=0).count() == 0
    assert site.OPENAI_BASE_URL.startswith("http://127.0.0.1:")
