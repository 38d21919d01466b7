"""What stops when a model server refuses: one run, one model or a provider; through the command and over HTTP."""

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone

from builders import make_item, make_project
from providers.servers import ModelServer
from runs.models import Pause, Run
from runs.queue import provider_pauses, task_messages
from wire.server import Behaviour, Exchange, WireServer, sensible, status

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = b"<!DOCTYPE html><html><head><title>Attention Required!</title></head><body>You have been blocked</body></html>"


@pytest.fixture
def wire(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[WireServer]:
    with WireServer() as server:
        settings.MODEL_SERVERS = {"waf": ModelServer("waf", "openai", server.openai_url, "sk-CANARY-1")}
        settings.MODEL_BINDINGS, settings.MODEL_ALLOWED, settings.MODEL_BACKOFF = {}, ["waf:*"], 0
        monkeypatch.setattr(task_messages, "enqueue_task", lambda name, run_id: True)
        yield server


def posts(number: int, blocked: tuple[int, ...] = ()) -> None:
    project = make_project(slug="garden")
    for place in range(number):
        make_item(project, f"Post {place} about {'vermin' if place in blocked else 'roses'}.")


def firewall(exchange: Exchange) -> None:
    """Answer a post that holds the word with a page; else sensibly."""
    if "vermin" in exchange.heard.said():
        exchange.send_bytes(403, PAGE, {"Content-Type": "text/html"})
    else:
        sensible(exchange)


def by_word(behaviour: Behaviour, word: str = "vermin") -> Behaviour:
    return lambda exchange: (behaviour if word in exchange.heard.said() else sensible)(exchange)


def run(*options: str, model: str = "waf:m", threads: int = 1) -> tuple[int, list[dict[str, Any]], str]:
    """Run the baseline with --wait. Return the exit code, the rows and what was said."""
    out, said, code = StringIO(), StringIO(), 0
    with suppress(SystemExit):
        code = 1
        call_command(
            *("run", "baseline", "garden", "--variant", "category", "--auxiliary", model, "--wait", "--json"),
            *("--threads", str(threads), *options),
            stdout=out,
            stderr=said,
        )
        code = 0
    return code, json.loads(out.getvalue()), said.getvalue()


def states() -> dict[str, int]:
    return {state: Run.objects.filter(state=state).count() for state in Run.objects.values_list("state", flat=True)}


def end_pauses() -> None:
    """Let the time of all pauses pass; the order in which runs wait stays."""
    Pause.objects.update(until=timezone.now() - timedelta(seconds=1))
    Run.objects.filter(state="queued").update(not_before=F("not_before") - timedelta(seconds=400))


@pytest.mark.parametrize("threads", [1, 8])
def test_two_of_forty_posts_that_a_firewall_blocks_stop_nobody_else(wire: WireServer, threads: int) -> None:
    posts(40, blocked=(0, 20))
    wire.always(firewall)
    code, _rows, said = run(threads=threads)
    assert (states(), code) == ({"succeeded": 38, "failed": 2}, 1)
    assert (len(wire.heard), provider_pauses.pauses_in_force()) == (40, [])
    assert "403 with a page instead of JSON: Attention Required!" in said
    assert "Not done: 2 failed." in said
    wire.always(sensible)
    assert (run("--retry-failed")[0], states()) == (0, {"succeeded": 40})


def test_an_unclear_refusal_is_one_post_s_where_a_harmless_request_is_answered(wire: WireServer) -> None:
    posts(5, blocked=(0,))
    wire.always(by_word(status(403, "AccessDenied", "Access denied.")))
    code, _rows, said = run()
    assert (states(), code) == ({"succeeded": 4, "failed": 1}, 1)
    assert (len(wire.heard), provider_pauses.pauses_in_force()) == (6, [])
    assert "it is this one that is turned away" in said
    turned_away = Run.objects.get(state="failed")  # the harmless answer cost 150 tokens, and it pays for them
    turn = turned_away.turns.get()
    assert (turned_away.tokens, turned_away.retries) == (150, 1)
    assert (turn.input_tokens, turn.output_tokens, turn.usage_estimated) == (120, 30, False)


def test_an_unclear_refusal_that_a_harmless_request_meets_pauses_the_provider(wire: WireServer) -> None:
    posts(9)
    wire.always(status(403, "AccessDenied", "Access denied."))
    code, rows, said = run(threads=4)
    (pause,) = provider_pauses.pauses_in_force()
    ended = states()["failed"]
    assert (states()["queued"], code, pause.name, pause.waiting) == (9 - ended, 1, "waf", 9 - ended)
    assert 1 <= ended <= 4  # the posts under way end at once, and the others are not asked
    assert "waf is paused until" in said and "A harmless request met the same" in said
    assert {row["waits"]["for"] for row in rows if row["state"] == "queued"} == {"pause"}
    assert len(wire.heard) <= 4 + 1  # the posts under way, and one harmless request for all of them


def test_a_model_that_may_not_be_used_leaves_the_provider_s_others_alone(wire: WireServer) -> None:
    posts(3)
    locked = "Project `p` does not have access to model `gpt-locked`"
    wire.queue(*[status(403, "model_not_found", locked)] * 9, model="gpt-locked")
    code, _rows, said = run(model="waf:gpt-locked")
    (pause,) = provider_pauses.pauses_in_force()
    assert (states(), code, pause.name, pause.waiting) == ({"failed": 1, "queued": 2}, 1, "waf:gpt-locked", 2)
    assert "does not have access to model" in said
    assert len(wire.heard) == 1
    assert run(model="waf:open")[0] == 0
    assert states() == {"failed": 1, "queued": 2, "succeeded": 3}


def test_a_post_that_the_key_is_refused_for_ends_alone(wire: WireServer) -> None:
    """The first post is answered with 401 whenever it is asked; the others only wait for the end of the pause."""
    posts(4, blocked=(0,))
    wire.always(by_word(status(401, "invalid_api_key", "Your key is not valid for this.")))
    run()
    assert states() == {"failed": 1, "queued": 3}
    end_pauses()
    run()  # asks the failed one anew
    assert states() == {"failed": 2, "succeeded": 3}
    assert [("vermin" in heard.said()) for heard in wire.heard] == [True, False, False, False, True]


def test_a_short_answer_that_the_account_can_pay_for_is_asked_for_once(wire: WireServer) -> None:
    posts(1)
    wire.queue(status(402, "402", "You requested up to 800 tokens, but can only afford 327."))
    assert run()[0] == 0
    limits = [heard.body["max_tokens"] for heard in wire.heard]
    assert limits[1:] == [327] and limits[0] > 327
