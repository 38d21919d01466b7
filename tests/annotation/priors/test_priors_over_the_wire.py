"""What a provider's answers and misbehaviour make of a prior (threats L01-L24), through the whole stack."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command

from annotation.models import Prior
from builders import make_item, make_project
from providers import wiring
from runs.execution import runner, worker
from runs.models import Run, Turn
from runs.queue import provider_pauses
from wire.server import WireServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    with WireServer() as server:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.openai_url, "sk-CANARY-1"
        settings.MODEL_ATTEMPTS, settings.MODEL_BACKOFF = 2, 0
        settings.MODEL_READ_SECONDS, settings.MODEL_WALL_SECONDS, settings.MODEL_BODY_BYTES = 1, 2, 200_000
        for cache in (wiring._connection, wiring._breaker, wiring._gate):
            cache.cache_clear()
        yield server


def asked(wire: WireServer, settings: Any, model: str) -> tuple[Prior | None, Run]:
    """One item's prior by this model of the wire server, and the run that brought it."""
    settings.MODEL_BINDINGS = {"MODEL_TEXT": f"openai:{model}"}
    item = make_item(make_project("garden"), "Weeds in the white roses again.")
    call_command("compute_priors", "garden", "--no-wait")
    run = Run.objects.get()
    runner.claim_and_perform(run.pk, worker.planned_model)
    run.refresh_from_db()
    # Whatever happened: every request is a turn's call or a recorded retry.
    assert len(wire.heard) == run.calls + run.retries
    return item.priors.first(), run


@pytest.mark.once  # what is read of an answer does not depend on what stores it
@pytest.mark.parametrize(
    ("model", "state", "reason", "requests"),
    [
        ("wire-sensible", "ok", "", 1),
        ("wire-prose", "unreadable", "invalid_output", 3),  # L01
        ("wire-half", "unreadable", "truncated", 6),  # L03: 800 tokens, doubled up to 16,000
        ("wire-label", "unreadable", "invalid_label", 3),  # L04
        ("wire-severity", "unreadable", "invalid_output", 3),  # L05
        ("wire-severity-word", "unreadable", "invalid_output", 3),
        ("wire-severity-nan", "unreadable", "invalid_output", 3),
        ("wire-missing", "unreadable", "invalid_output", 3),
        ("wire-extra", "ok", "", 1),  # L06
        ("wire-two", "unreadable", "invalid_output", 3),
        ("wire-array", "unreadable", "invalid_output", 3),
        ("wire-null", "unreadable", "empty_output", 2),  # L07
        ("wire-blank", "unreadable", "empty_output", 2),
        ("wire-no-choices", "failed", "provider_error", 1),
        ("wire-refusal", "refused", "refused", 1),  # L08
        ("wire-decline", "refused", "refused", 1),
        ("wire-blocked", "refused", "provider_blocked", 1),  # L09
        ("wire-filter", "refused", "provider_blocked", 1),
        ("wire-hang", "failed", "timeout", 2),  # L10
        ("wire-503", "failed", "provider_error", 2),  # L13
        ("wire-html", "failed", "provider_error", 2),  # L14
        ("wire-empty", "failed", "provider_error", 2),
        ("wire-cut", "failed", "provider_error", 2),  # L15
        ("wire-drip", "failed", "timeout", 2),  # L16
        ("wire-huge", "unreadable", "too_large", 1),  # L17
        ("wire-context", "failed", "bad_request", 1),  # L18
        ("wire-404", "failed", "bad_request", 1),
        ("wire-no-usage", "ok", "", 1),  # L19
        ("wire-repeat", "unreadable", "truncated", 2),  # L21
    ],
)
def test_what_an_answer_makes_of_a_prior(
    wire: WireServer, settings: Any, model: str, state: str, reason: str, requests: int
) -> None:
    prior, run = asked(wire, settings, model)
    assert prior is not None
    assert (prior.state, prior.reason, len(wire.heard)) == (state, reason, requests)
    assert (prior.category is not None) == (state == "ok")
    assert (
        "sk-CANARY-1"
        not in json.dumps(list(Turn.objects.values("detail", "reply", "messages", "rejected"))) + run.detail
    )


@pytest.mark.parametrize("model", ["wire-fenced", "wire-wrapped"])
def test_an_answer_with_something_around_it_is_flagged_as_repaired(
    wire: WireServer, settings: Any, model: str
) -> None:  # L02
    prior, run = asked(wire, settings, model)
    assert prior is not None
    assert (prior.state, run.turns.get().flags) == ("ok", ["repaired"])


def test_usage_that_is_not_stated_is_estimated_and_marked(wire: WireServer, settings: Any) -> None:  # L19
    _, run = asked(wire, settings, "wire-no-usage")
    turn = run.turns.get()
    assert turn.usage_estimated
    assert run.tokens == turn.input_tokens + turn.output_tokens > 100


def test_a_long_retry_after_frees_the_worker(wire: WireServer, settings: Any) -> None:  # L11
    prior, run = asked(wire, settings, "wire-429-600")
    assert (prior, run.state, run.waits, run.retries, run.calls) == (None, "queued", 1, 1, 0)


@pytest.mark.parametrize(("model", "calls"), [("wire-quota", 1), ("wire-401", 1), ("wire-403", 2)])
def test_a_bad_key_or_an_empty_account_ends_the_run_and_tells_the_admin(
    wire: WireServer, settings: Any, model: str, calls: int
) -> None:  # L12
    prior, run = asked(wire, settings, model)
    assert prior is not None
    assert (prior.state, run.state, len(wire.heard)) == ("failed", "failed", calls)
    (pause,) = provider_pauses.pauses_in_force()
    assert (pause.provider, pause.waiting) == ("openai", 0)
    assert "sk-CANARY-1" not in pause.detail + run.detail


def test_an_outage_makes_runs_wait_and_none_fails(wire: WireServer, settings: Any) -> None:  # L23, F16
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:wire-503"}
    settings.MODEL_ATTEMPTS = 5
    project = make_project("garden")
    for _ in range(4):
        make_item(project)
    call_command("compute_priors", "garden", "--no-wait")
    for run in Run.objects.all():
        runner.claim_and_perform(run.pk, worker.planned_model)
    assert set(Run.objects.values_list("state", flat=True)) == {"queued"}
    assert len(wire.heard) == 5
    assert "next try in" in provider_pauses.pauses_in_force()[0].detail


def test_an_answer_that_was_saved_is_served_from_its_turn(wire: WireServer, settings: Any) -> None:  # L24
    _, run = asked(wire, settings, "wire-sensible")
    Prior.objects.all().delete()
    Run.objects.update(state="queued", owner="", outcome=None)
    runner.claim_and_perform(run.pk, worker.planned_model)
    assert len(wire.heard) == 1
    assert Prior.objects.get().state == "ok"


def test_what_the_answer_repeats_of_our_instructions_is_suspected(wire: WireServer, settings: Any) -> None:  # L22
    prior, run = asked(wire, settings, "wire-echo-system")
    assert prior is not None
    assert (prior.state, prior.explanation) == ("unreadable", "")
    assert "injection_suspected" in run.turns.get().flags


def test_the_command_stops_at_a_paused_provider_and_says_so(
    wire: WireServer, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "openai:wire-401"}
    project = make_project("garden")
    for _ in range(5):
        make_item(project)
    with pytest.raises(SystemExit) as ended:
        call_command("compute_priors", "garden", "--json", "--threads", "2")
    said = capsys.readouterr()
    assert ended.value.code == 1
    assert json.loads(said.out)["queued"] >= 3  # only what was under way was asked
    assert len(wire.heard) <= 2
    assert "openai is paused" in said.err
