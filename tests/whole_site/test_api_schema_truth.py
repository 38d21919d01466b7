"""The API's description is true: every operation is called by everybody, and every answer is held against it.

The addresses and the world are those of `tests/support/site_addresses.py`, the calls that are accepted those of
`tests/support/api_calls.py`; an operation without a row in both fails here.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import pytest
from django.db import OperationalError, transaction
from django.http import HttpResponseBase
from django.test import Client, override_settings
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from knox.auth import TokenAuthentication

from annotation.models import User
from api_calls import CALLS, Call
from api_schema import Operation, disagreements, document, free_forms, operation_at, operations
from builders import make_member, make_project, make_user
from config.web import rate_limit_table
from config.web.content_type import FOREIGN_CHARSET
from site_addresses import API, METHODS, ROUTES
from site_objects import A, D, R, World, module_world, world

pytestmark = pytest.mark.django_db

__all__ = ["module_world", "world"]

NOT_DESCRIBED = {"api:docs", "api:schema"}
"""The description itself and the page that shows it."""
NAMES = sorted(name for name in ROUTES if name.startswith(API) and name not in NOT_DESCRIBED)
JSON = "application/json"
BODIES: dict[str, tuple[bytes, str]] = {
    "an empty object": (b"{}", JSON),
    "a list": (b"[1, 2]", JSON),
    "no JSON": (b'{"key": ', JSON),
    "wrong values": (b'{"key": 1, "category": "x", "rows": [], "decision": 7, "name": {}, "on": []}', JSON),
    "a form": (b"category=1", "application/x-www-form-urlencoded"),
    "multipart": (
        b'--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nx\r\n--b--\r\n',
        "multipart/form-data; boundary=b",
    ),
}

WITH_BODY = ("post", "put", "patch")
ONE_BODY = {"an empty object": BODIES["an empty object"]}


@pytest.fixture(autouse=True)
def _models(settings: Any) -> None:
    """Name models for every role; nothing is asked of them."""
    settings.OPENAI_API_KEY = "sk-test"
    settings.MODEL_ALLOWED = ["openai:*", "keyword:*"]
    settings.MODEL_BINDINGS = {
        f"MODEL_{role}": "openai:nobody" for role in ("TEXT", "VISION", "SAMPLE_WRITER", "PARAPHRASER")
    }


def client_of(person: User | None, **options: Any) -> Client:
    client = Client(raise_request_exception=False, **options)
    if person is not None:
        client.force_login(person)
    return client


def insiders(world: World) -> Iterator[tuple[str, Client]]:
    """Yield a client of each role of the project."""
    for role, member in world.members.items():
        yield str(role), client_of(member.user)


def outsiders() -> Iterator[tuple[str, Client]]:
    """Yield clients of people without a role in the project, and of nobody."""
    yield "another project's admin", client_of(make_member(make_project("elsewhere"), A, R, D).user)
    yield "somebody without a project", client_of(make_user())
    yield "a site admin", client_of(make_user(is_staff=True, is_superuser=True))
    yield "nobody", client_of(None)


def sent(client: Client, method: str, address: str, body: bytes = b"", kind: str = JSON) -> HttpResponseBase:
    """Send a request and undo what it changed."""
    with transaction.atomic():
        answer: HttpResponseBase = client.generic(method.upper(), address, body, kind)
        transaction.set_rollback(True)
    return answer


def described(method: str, address: str) -> Operation:
    operation = operation_at(method, address)
    assert operation is not None, (method, address)
    return operation


@pytest.mark.once
def test_the_description_keeps_to_the_standard_and_is_made_without_a_warning(capsys: pytest.CaptureFixture[str]):
    made = SchemaGenerator().get_schema(request=None, public=True)
    validate_schema(made)
    assert capsys.readouterr().err == ""


@pytest.mark.once
def test_every_operation_has_a_route_and_a_call_and_the_other_way_round(world: World):
    described_here = {
        (method, name)
        for name in NAMES
        for method in METHODS
        if operation_at(method, reverse(name, kwargs=ROUTES[name].parts(world)))
    }
    routed = {(method, name) for name in NAMES for method in ROUTES[name].methods}
    assert not described_here - set(CALLS), (
        f"{sorted(described_here - set(CALLS))}: add a call that succeeds to CALLS in tests/support/api_calls.py"
    )
    assert not described_here ^ routed, (
        f"{sorted(described_here ^ routed)}: tests/support/site_addresses.py and the views (extend_schema) "
        "do not name the same methods"
    )
    assert not set(CALLS) - described_here, f"{sorted(set(CALLS) - described_here)}: no operation; remove it from CALLS"
    assert len(described_here) == len(operations())


@pytest.mark.once
def test_every_answer_has_a_form_and_every_part_of_the_description_has_words():
    free = [problem for operation in operations().values() for problem in free_forms(operation)]
    assert not free, f"give these a type in api/answers.py of their app, or a serializer: {free}"
    speechless = [str(operation) for operation in operations().values() if not operation.spec.get("description")]
    speechless += [
        f"{operation} {status}"
        for operation in operations().values()
        for status, answer in operation.answers.items()
        if not answer["description"]
    ]
    speechless += [
        f"{operation} ?{parameter['name']}"
        for operation in operations().values()
        for parameter in operation.spec.get("parameters", ())
        if parameter["in"] == "query" and not parameter.get("description")
    ]
    speechless += [
        name for name, schema in document()["components"]["schemas"].items() if not schema.get("description")
    ]
    assert not speechless, f"write a docstring or a description (extend_schema) for each of these: {speechless}"


@pytest.mark.once
@pytest.mark.parametrize("accept", ["application/xml", "text/html", "image/png", "application/vnd.api+json", "*/*;q=0"])
def test_an_answer_comes_in_its_own_media_type_whatever_the_caller_would_like(accept: str, world: World):
    for name in ("api:projects", "api:seat-blurred", "api:release-file"):
        call = CALLS["get", name]
        with transaction.atomic():
            address = reverse(name, kwargs=call.address_parts(name, world))
            answer = client_of(world.members[call.role].user).get(address, headers={"Accept": accept})
            assert answer.status_code == 200
            assert disagreements(described("get", address), answer) == []
            transaction.set_rollback(True)


@pytest.mark.once
@pytest.mark.parametrize("name", NAMES)
def test_everybody_gets_what_is_described(name: str, world: World):
    address = reverse(name, kwargs=ROUTES[name].parts(world))
    wrong: set[str] = set()
    for bodies, people in ((BODIES, insiders(world)), (ONE_BODY, outsiders())):
        for who, client in people:
            for method in ROUTES[name].methods:
                for what, (body, kind) in bodies.items() if method in WITH_BODY else ONE_BODY.items():
                    answer = sent(client, method, address, body, kind)
                    wrong |= {f"{who}, {what}: {one}" for one in disagreements(described(method, address), answer)}
    assert sorted(wrong) == []


@pytest.mark.parametrize(("method", "name"), sorted(CALLS))
def test_a_call_that_is_accepted_gets_what_is_described(method: str, name: str, world: World):
    call: Call = CALLS[method, name]
    person = world.members[call.role].user
    with transaction.atomic():
        address = reverse(name, kwargs=call.address_parts(name, world))
        body = json.dumps(call.body(world)).encode() if method in WITH_BODY else b""
        answer = client_of(person).generic(method.upper(), address, body, JSON)
        text = b"" if answer.streaming else answer.content
        assert answer.status_code == call.status, text[:500]
        assert disagreements(described(method, address), answer) == []
        transaction.set_rollback(True)


# ── Refusals that every operation has ─────────────────────────────────────────


def refusal_faults(name: str, answer: HttpResponseBase, status: int) -> list[str]:
    """Return what differs between an answer and the described refusal of this name."""
    spec = {"responses": {str(status): {"$ref": f"#/components/responses/{name}"}}}
    return disagreements(Operation("any", name, spec), answer)


@pytest.mark.once
def test_a_method_that_an_address_does_not_have_is_refused_as_described(world: World):
    client = client_of(world.members[D].user)
    for name in NAMES:
        address = reverse(name, kwargs=ROUTES[name].parts(world))
        for method in ("trace", *sorted(set(METHODS) - set(ROUTES[name].methods))):
            answer = client.generic(method.upper(), address)
            assert refusal_faults("MethodNotAllowed", answer, 405) == [], (name, method)
            assert method.upper() not in answer["Allow"].split(", "), (name, method)


@pytest.mark.once
def test_an_address_without_an_operation_is_refused_as_described(world: World):
    answer = client_of(world.members[A].user).get("/api/v1/nothing/")
    assert refusal_faults("NotFound", answer, 404) == []


@pytest.mark.once
def test_every_operation_declares_every_refusal_of_the_whole_site():
    for operation in operations().values():
        own = {"404"} if "{slug}" in operation.path else set()
        assert own | {"400", "401", "403", "413", "415", "429", "503"} <= set(operation.answers), str(operation)


Sender = Callable[[World, User, str, str], HttpResponseBase]


def with_options(**options: Any) -> Sender:
    return lambda world, user, verb, address: client_of(user).generic(verb, address, **options)


def without_a_form_token(world: World, user: User, verb: str, address: str) -> HttpResponseBase:
    return client_of(user, enforce_csrf_checks=True).generic(verb, address, b"{}", JSON)


def bound_to_a_second_step(world: World, user: User, verb: str, address: str) -> HttpResponseBase:
    type(world.project).objects.filter(pk=world.project.pk).update(second_factor="everyone")
    return client_of(user).generic(verb, address, b"{}" if verb != "GET" else b"", JSON)


def too_often(world: World, user: User, verb: str, address: str) -> HttpResponseBase:
    client = client_of(user)
    with override_settings(RATE_LIMITS=dict.fromkeys(rate_limit_table.LIMITS, rate_limit_table.Rate(1, 60))):
        sent(client, verb, address)
        return client.generic(verb, address)


def without_a_database(world: World, user: User, verb: str, address: str) -> HttpResponseBase:
    with mock.patch.object(TokenAuthentication, "authenticate_credentials", side_effect=OperationalError("locked")):
        return client_of(None).generic(verb, address, headers={"Authorization": "Token abc"})


def in_another_charset(world: World, user: User, verb: str, address: str) -> HttpResponseBase:
    """Send a body whose charset the WSGI application has set aside, as it does for every charset but UTF-8."""
    return client_of(user).generic(verb, address, b"{}", JSON, **{FOREIGN_CHARSET: "utf-16"})


REFUSED: dict[str, tuple[int, str, Sender]] = {
    "NUL in the address": (400, "nul_character", with_options(QUERY_STRING="a=%00")),
    "a length that is no number": (400, "content_length", with_options(CONTENT_LENGTH="many")),
    "no token": (401, "not_authenticated", lambda world, user, verb, address: client_of(None).generic(verb, address)),
    "a wrong token": (
        401,
        "authentication_failed",
        lambda world, user, verb, address: client_of(None).generic(
            verb, address, headers={"Authorization": "Token abc"}
        ),
    ),
    "no second step": (403, "second_factor_needed", bound_to_a_second_step),
    "no token of a form": (403, "permission_denied", without_a_form_token),
    "a body that is too large": (413, "too_large", with_options(CONTENT_LENGTH=str(2**40))),
    "a compressed body": (415, "content_encoding", with_options(headers={"Content-Encoding": "gzip"})),
    "another charset": (415, "charset", in_another_charset),
    "too many requests": (429, "too_many", too_often),
    "a database that is away": (503, "unavailable", without_a_database),
}


@pytest.mark.once
@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_of_the_whole_site_has_the_described_form_at_every_operation(what: str, world: World):
    status, code, send = REFUSED[what]
    for name in NAMES:
        user = world.members[(ROUTES[name].roles or (A,))[0]].user
        assert user is not None
        parts = ROUTES[name].parts(world)
        for method in ROUTES[name].methods:
            if what == "no token of a form" and method == "get" or what == "no second step" and not parts:
                continue
            with transaction.atomic():
                answer = send(world, user, method.upper(), reverse(name, kwargs=parts))
                transaction.set_rollback(True)
            assert disagreements(described(method, reverse(name, kwargs=parts)), answer) == []
            assert (answer.status_code, json.loads(answer.content)["code"]) == (status, code), (name, method)
