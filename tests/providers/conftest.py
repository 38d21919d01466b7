"""A wire server per test, and models of both vendors behind it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from providers.http.bounds import Bounds
from providers.messages import Message, Model, Request
from providers.vendors import dashscope, openai
from wire.server import WireServer

QUICK = Bounds(connect=2, read=1, wall=1.5, body=200_000)

SCHEMA = {
    "type": "object",
    "properties": {
        "category": {"type": "string", "enum": ["0", "1"]},
        "explanation": {"type": "string"},
        "severity": {"type": "integer", "minimum": 0, "maximum": 3},
    },
    "required": ["category", "explanation", "severity"],
    "additionalProperties": False,
}

Connect = Callable[..., Model]
Configure = Callable[..., None]


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.fixture(params=["openai", "dashscope"])
def vendor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def connect(wire: WireServer, vendor: str) -> Connect:
    """Makes a model of the vendor that talks to the wire server; closed bounds keep tests quick."""

    def make(name: str = "wire-sensible", *, key: str = "sk-CANARY-1", bounds: Bounds = QUICK) -> Model:
        if vendor == "openai":
            endpoint = openai.Endpoint(key, wire.openai_url, bounds=bounds)
            return openai.connect(endpoint).model(name)
        return dashscope.connect(dashscope.Endpoint(key, wire.dashscope_url, bounds=bounds)).model(name)

    return make


@pytest.fixture
def question() -> Request:
    """A question as a prior asks it."""
    return Request(
        role="prior_text",
        messages=(
            Message.of("system", "Answer in JSON.\n- 0: NotHate\n- 1: Hate"),
            Message.of("user", "weeds in the white roses again"),
        ),
        schema=SCHEMA,
    )


@pytest.fixture
def configure(settings: Any) -> Configure:
    """Sets bindings (MODEL_…) and other settings."""

    def put(**given: Any) -> None:
        bound = {name: value for name, value in given.items() if name.startswith("MODEL_") and isinstance(value, str)}
        settings.MODEL_BINDINGS = bound
        for name, value in given.items():
            if name not in bound:
                setattr(settings, name, value)

    return put
