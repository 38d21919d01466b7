"""A server of each model family for the methods' tests, which say what it answers."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from providers import wiring
from providers.learnt_facts import site_facts
from wire import families
from wire.server import Behaviour, Heard, WireServer


class Family(NamedTuple):
    """A model, how its server behaves, how many requests it rejects, and what an accepted one lacks."""

    model: str
    behaves: Behaviour
    rejected: int
    lacks: str


FAMILIES = {
    "GPT-5": Family("openai:gpt-5", families.gpt5, 0, "temperature max_tokens"),
    "a thinking model": Family("openai:o4-mini", families.thinking(900), 0, "temperature max_tokens"),
    "Qwen": Family("dashscope:qwen3-8b", families.hybrid_qwen, 1, "max_completion_tokens"),
    "DashScope": Family("dashscope:qwen-plus", families.thinking(0), 0, "max_completion_tokens"),
    "a local server without schemas": Family("openai:small", families.without_schema, 1, "json_schema"),
    "a server of text only": Family("openai:tiny", families.text_only, 2, "response_format"),
}


@contextmanager
def server_of(
    family: Family, answer: Callable[[Heard], str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[WireServer]:
    """Start a server of the family that answers so, and point the site's settings at it."""
    monkeypatch.setattr(families, "answer_for", answer)
    monkeypatch.setattr(
        families, "sensible", lambda exchange: exchange.send(200, exchange.reply(answer(exchange.heard)))
    )
    with WireServer() as server:
        server.always(family.behaves)
        settings.OPENAI_BASE_URL, settings.DASHSCOPE_HTTP_BASE_URL = server.openai_url, server.dashscope_url
        settings.OPENAI_API_KEY = settings.DASHSCOPE_API_KEY = "sk-CANARY-1"
        settings.MODEL_ATTEMPTS, settings.MODEL_BACKOFF = 2, 0
        settings.MODEL_ALLOWED = ["openai:*", "dashscope:*"]
        site_facts.know([])
        for cache in (wiring._connection, wiring._breaker, wiring._gate):
            cache.cache_clear()
        yield server
    site_facts.know([])


def nothing_rejected(heard: Iterable[Heard], family: Family) -> None:
    """Assert that no such request has what the family's server rejects."""
    for request in heard:
        # By either protocol the parameters stand beside the messages.
        sent = json.dumps({name: value for name, value in request.body.items() if name not in ("messages", "input")})
        assert not any(f'"{word}"' in sent for word in family.lacks.split())
