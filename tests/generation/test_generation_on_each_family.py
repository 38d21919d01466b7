"""Counterspeech and samples are written on a server of each family; what a server cannot do is said."""

import json
from typing import Any

import pytest

from builders import make_project
from counterspeech_models import POST, Desk
from generation.counterspeech import request
from generation.injection import batches
from generation.models import Candidate, Sample
from injection_models import GROUP, entry, is_a_look, make_injecting_project, make_pool
from providers.profiles import read_amendments
from runs.execution import runner, worker
from runs.models import Run
from wire.family_servers import FAMILIES, nothing_rejected, server_of
from wire.server import Heard

pytestmark = pytest.mark.django_db(transaction=True)

REPLY = "Nobody on this street was planted here first."
TEXT = "The sign was painted over before the neighbours even woke up."


@pytest.mark.parametrize("name", FAMILIES)
def test_a_post_is_explained_answered_and_the_answer_judged(
    settings: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    family = FAMILIES[name]
    roles = ("COUNTERSPEAKER", "CRITIC", "DESCRIBER")
    settings.MODEL_BINDINGS = {f"MODEL_{role}": family.model for role in roles}
    desk = Desk(replies={"informative": [REPLY]}, scores={REPLY: (-0.9, 0.8, 0.0, "informative")})
    exchange = request.open_on_text(make_project("garden"), POST)
    asked: list[int] = []
    with server_of(family, desk.answer, settings, monkeypatch) as server:
        for wish in (request.explain(exchange), request.write(exchange, options={"intents": ["informative"]})):
            runner.claim_and_perform(wish.run.pk, worker.planned_model)
            wish.run.refresh_from_db()
            assert wish.run.state == "succeeded", wish.run.detail
            asked.append(len(server.heard))
    assert exchange.explanations.get().missing == {}
    row = Candidate.objects.get()
    assert (row.text, row.conforms, row.reward) == (REPLY, True, pytest.approx(2.75 / 3))
    # The seven sides are asked at once, so each may be rejected; what was learnt from them holds from then on.
    nothing_rejected(server.heard[asked[0] :], family)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_model_that_answers_plainly_writes_one_reply_an_answer(
    settings: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    family = FAMILIES[name]
    roles = ("COUNTERSPEAKER", "CRITIC", "DESCRIBER")
    settings.MODEL_BINDINGS = {f"MODEL_{role}": family.model for role in roles}
    settings.MODEL_PROFILES = read_amendments({family.model: {"plain": True, "n": True}})
    desk = Desk(plain={"informative": [f"“{REPLY}”", REPLY, "Gardens with many kinds of plants are healthy."]})
    exchange = request.open_on_text(make_project("garden"), POST)
    with server_of(family, desk.answer, settings, monkeypatch):
        wish = request.write(exchange, options={"intents": ["informative"], "candidates": 3})
        runner.claim_and_perform(wish.run.pk, worker.planned_model)
    wish.run.refresh_from_db()
    assert wish.run.state == "succeeded", wish.run.detail
    found = wish.run.outcome["intents"]["informative"]
    assert (len(found["candidates"]), found["near_duplicates"], found["unusable"]) == (2, 1, {})
    assert REPLY in {row.text for row in Candidate.objects.all()}


def looks_or_writes(heard: Heard) -> str:
    """Return what the picture shows, or a text to it."""
    if is_a_look(heard):
        return json.dumps({"description": "A sign in a street.", "category": 1, "target_group": GROUP})
    return json.dumps({"text": TEXT, "target_group": GROUP, "text_label": 0, "final_label": 0, "people": []})


@pytest.mark.parametrize("name", FAMILIES)
def test_a_sample_is_written_to_a_picture(settings: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    family = FAMILIES[name]
    roles = ("DESCRIBER", "SAMPLE_WRITER", "PARAPHRASER", "TEXT", "VISION")
    settings.MODEL_BINDINGS = {f"MODEL_{role}": family.model for role in roles}
    _project, admin = make_injecting_project()
    make_pool(admin)
    with server_of(family, looks_or_writes, settings, monkeypatch) as server:
        batches.begin(admin.project, [entry()], actor=admin, seed=7)
        runner.claim_and_perform(Run.objects.get().pk, worker.planned_model)
    run, sample = Run.objects.get(), Sample.objects.get()
    if name == "a server of text only":
        assert (run.state, sample.state, sample.text) == ("failed", "failed", "")
        assert "not a multimodal model" in run.detail and "MODEL_DESCRIBER" in run.detail
    else:
        assert (sample.state, sample.text) == ("waiting", TEXT)
        nothing_rejected(server.heard[family.rejected :], family)
