"""Settings that point the site's models at a wire server, for all tests over the wire."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from providers import wiring
from wire.server import WireServer


@contextmanager
def models_at_a_server(
    settings: Any, roles: Sequence[str], *, delay: float = 0, attempts: int = 2
) -> Iterator[WireServer]:
    """Start a wire server and bind each of these roles to a model named like the role, without waits between attempts.

    Any model of the server may be chosen for a run or project.
    """
    with WireServer(delay=delay) as server:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.openai_url, "sk-CANARY-1"
        settings.MODEL_ATTEMPTS, settings.MODEL_BACKOFF = attempts, 0
        settings.MODEL_BINDINGS = {f"MODEL_{role.upper()}": f"openai:{role.lower()}" for role in roles}
        settings.MODEL_ALLOWED = ["openai:*"]
        for cache in (wiring._connection, wiring._breaker, wiring._gate):
            cache.cache_clear()
        yield server
