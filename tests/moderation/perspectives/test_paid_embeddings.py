"""A vendor's embedding counts in the project's budget: set aside before each call, given back where it failed."""

import json
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command

from annotation.models import Project
from builders import make_item, make_project
from moderation.models import Perspective
from moderation.perspectives import edit
from predict_models import HATE, OTHER, add_examples, script
from providers import tokens, wiring
from providers.messages import ProviderError
from providers.vendors.embeddings import LocalEmbedding
from runs.execution import budget
from runs.models import Account, Run
from runs.spending.embedding_budget import charged_to_project
from wire.server import WireServer
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

TEXTS = [f"weed {number} among roses" for number in range(40)]
"""Two batches of a vendor's: 32 and 8."""


@pytest.fixture
def wire(settings: Any, tmp_path: Path) -> Iterator[WireServer]:
    settings.MODEL_EMBEDDING, settings.MODEL_EMBEDDING_DIMENSIONS = "openai:near", 256
    settings.EXAMPLES_FOLDER = tmp_path / "examples"
    with models_at_a_server(settings, ("perspective", "debater", "debate_judge", "describer")) as server:
        yield server


@pytest.fixture
def project() -> Project:
    return make_project("garden")


def spent(project: Project) -> tuple[int, int]:
    account = Account.objects.get(project=project.public_id)
    return account.calls, account.tokens


def test_each_exchange_is_a_call_and_its_words_are_tokens(wire: WireServer, project: Project) -> None:
    charged_to_project(project.public_id, wiring.embedder()).embed([*TEXTS, "  "])
    assert [len(each.texts) for each in wire.heard] == [32, 8]
    assert spent(project) == (2, sum(tokens.estimate_tokens(text) for text in TEXTS))


def test_nothing_is_asked_that_goes_over_a_limit(wire: WireServer, project: Project) -> None:
    budget.set_project_limits(project.public_id, calls=1, tokens=None)
    with pytest.raises(ProviderError, match="budget for model calls is used up") as refused:
        charged_to_project(project.public_id, wiring.embedder()).embed(TEXTS)
    assert (refused.value.code, len(wire.heard), spent(project)[0]) == ("budget_exceeded", 1, 1)


def test_the_limit_of_the_sites_day_holds_too(wire: WireServer, project: Project, settings: Any) -> None:
    settings.RUN_SITE_CALLS_A_DAY = 1
    with pytest.raises(ProviderError, match="budget of today"):
        charged_to_project(project.public_id, wiring.embedder()).embed(TEXTS)
    assert (len(wire.heard), spent(project)[0]) == (1, 1)


def test_a_call_that_brought_nothing_is_given_back(wire: WireServer, project: Project) -> None:
    wire.queue("503", "503")
    with pytest.raises(ProviderError):
        charged_to_project(project.public_id, wiring.embedder()).embed(TEXTS[:1])
    assert (len(wire.heard), spent(project)) == (2, (0, 0))


def test_the_built_in_embedding_costs_nothing(project: Project) -> None:
    built_in = LocalEmbedding()
    assert charged_to_project(uuid4(), built_in) is built_in


def test_examples_are_embedded_at_their_projects_expense(wire: WireServer, project: Project) -> None:
    add_examples(project, "k-mhas", *((text, True) for text in TEXTS))
    edit.embed_examples(Perspective.objects.get(project=project, code="k-mhas"), lambda done, count: None)
    assert spent(project) == (2, sum(tokens.estimate_tokens(text) for text in TEXTS))


def test_a_debate_pays_one_call_for_what_is_alike_however_many_look_at_it(wire: WireServer, project: Project) -> None:
    text = "Weeds in the white roses again."
    make_item(project, text, external_id="post-1")
    for code in ("k-mhas", "kold"):
        add_examples(project, code, *((text, True) for text in TEXTS))
        edit.embed_examples(Perspective.objects.get(project=project, code=code), lambda done, count: None)
    before, heard = spent(project), len(wire.heard)
    script(wire, HATE, OTHER, HATE, OTHER, HATE)
    (found,) = debated()
    assert (found["state"], found["calls"], len(wire.heard) - heard) == ("succeeded", 11, 11)
    assert [each.texts for each in wire.heard[heard:]].count([text]) == 1
    run = Run.objects.get()
    turn = run.turns.get(key="examples")
    assert (turn.model, turn.calls, turn.input_tokens) == ("openai:near", 1, tokens.estimate_tokens(text))
    assert set(turn.value["perspectives"]) == {"k-mhas", "kold"}
    assert spent(project) == (before[0] + run.calls, before[1] + run.tokens)


def test_a_debate_without_budget_asks_not_even_what_is_alike(wire: WireServer, project: Project) -> None:
    make_item(project, "Weeds in the white roses again.", external_id="post-1")
    add_examples(project, "k-mhas", *((text, True) for text in TEXTS))
    edit.embed_examples(Perspective.objects.get(project=project, code="k-mhas"), lambda done, count: None)
    heard = len(wire.heard)
    Project.objects.update(call_budget=spent(project)[0])
    (found,) = debated()
    assert (found["state"], found["reason_code"], len(wire.heard)) == ("failed", "budget_exceeded", heard)


def test_vectors_that_nobody_made_so_far_are_paid_by_the_project_too(wire: WireServer, project: Project) -> None:
    make_item(project, "Weeds in the white roses again.", external_id="post-1")
    add_examples(project, "k-mhas", *((text, True) for text in TEXTS))
    script(wire, HATE, OTHER, HATE, OTHER, HATE)
    (found,) = debated()
    assert found["state"] == "succeeded"
    run = Run.objects.get()
    assert spent(project) == (run.calls + 2, run.tokens + sum(tokens.estimate_tokens(text) for text in TEXTS))


def test_vectors_that_the_budget_does_not_allow_end_the_debate(wire: WireServer, project: Project) -> None:
    make_item(project, "Weeds in the white roses again.", external_id="post-1")
    add_examples(project, "k-mhas", *((text, True) for text in TEXTS))
    Project.objects.update(call_budget=2)  # what is alike, and one batch of two
    (found,) = debated()
    assert (found["state"], found["reason_code"]) == ("failed", "budget_exceeded")
    assert [len(each.texts) for each in wire.heard] == [32]
    assert spent(project)[0] <= 2


def debated() -> list[dict[str, Any]]:
    out = StringIO()
    with suppress(SystemExit):  # its code says that a run failed
        call_command("run", "predict", "garden", "--json", "--wait", "--threads", "1", stdout=out)
    found: list[dict[str, Any]] = json.loads(out.getvalue())
    return found
