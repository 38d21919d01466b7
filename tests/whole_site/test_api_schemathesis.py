"""Schemathesis walks the API's description: every operation and role, with values nobody here has thought of.

Each operation gets values that the description allows and values that it forbids, at the addresses of the world of
`tests/support/site_addresses.py`. No answer may be 5xx, and each must be as the description says: status, media type,
headers and body. The requests go through the whole application, without a server.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.urls import reverse
from hypothesis import HealthCheck, Phase, given, settings
from knox.models import AuthToken
from schemathesis import Case, GenerationMode, checks

from annotation.models import User
from api_schema import Operation, closed_document, operation_at
from config.wsgi import application
from site_addresses import API, ROUTES
from site_objects import A, D, World, module_world, world

pytestmark = [pytest.mark.django_db, pytest.mark.once, pytest.mark.slow]

__all__ = ["module_world", "world"]

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
NAMES = sorted(name for name in ROUTES if name.startswith(API) and name not in ("api:docs", "api:schema"))
MEMBERS = ("annotator", "reviewer", "admin")
REQUESTS = 6
"""For each operation and role. Others are refused before a value is read: `test_api_schema_truth.py`."""
ALLOWED, FORBIDDEN = GenerationMode.POSITIVE, GenerationMode.NEGATIVE


@pytest.fixture(scope="module")
def description() -> Any:
    """Return the description as Schemathesis reads it, with objects closed and the application behind it."""
    loaded = schemathesis.openapi.from_dict(closed_document())
    loaded.app = application
    return loaded


@pytest.fixture(autouse=True)
def _one_connection() -> Iterator[None]:
    """Keep the test's connection open, as Django's own client does: every request is within its transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def headers(user: User | None) -> dict[str, str]:
    return {"Accept-Encoding": "identity", "Authorization": f"Token {AuthToken.objects.create(user)[1]}"}


def send(case: Case, sent: dict[str, str]) -> None:
    """Send a request, check its answer, and undo what it changed."""
    with transaction.atomic():
        answer = case.call(headers=sent)
        transaction.set_rollback(True)
    case.validate_response(answer, checks=CHECKS, headers=sent)


@pytest.mark.parametrize("who", MEMBERS)
@pytest.mark.parametrize("name", NAMES)
def test_no_value_brings_the_api_down_or_makes_the_description_untrue(
    name: str, who: str, description: Any, world: World
):
    parts = ROUTES[name].parts(world)
    address, fixed = reverse(name, kwargs=parts), {part: str(value) for part, value in parts.items()}
    sent = headers(world.members[type(A)(who)].user)
    for method in ROUTES[name].methods:
        described = operation_at(method, address)
        assert described is not None
        operation = description[described.path][method.upper()]
        walk(operation, ALLOWED, fixed, sent, REQUESTS)
        if takes_values(described):
            walk(operation, FORBIDDEN, fixed, sent, REQUESTS)


def takes_values(operation: Operation) -> bool:
    """Whether the operation has a body or a query, so that there are values that it forbids."""
    return "requestBody" in operation.spec or any(
        parameter["in"] == "query" for parameter in operation.spec.get("parameters", ())
    )


def walk(operation: Any, mode: GenerationMode, fixed: dict[str, str], sent: dict[str, str], requests: int) -> None:
    """Send so many generated requests to an operation at a fixed address."""

    @settings(
        max_examples=requests,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def walked(case: Case) -> None:
        case.path_parameters = fixed
        send(case, sent)

    walked()


@pytest.mark.parametrize("name", [name for name in NAMES if "get" in ROUTES[name].methods])
def test_no_address_brings_the_api_down_or_makes_the_description_untrue(name: str, description: Any, world: World):
    described = operation_at("get", reverse(name, kwargs=ROUTES[name].parts(world)))
    assert described is not None
    sent = headers(world.members[D].user)

    @settings(
        max_examples=10,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=description[described.path]["GET"].as_strategy(generation_mode=ALLOWED))
    def walked(case: Case) -> None:
        send(case, sent)

    walked()
