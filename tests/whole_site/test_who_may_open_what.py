"""Every address of the site × method × role × own and foreign project, enumerated from the URL configuration itself.

The rows are in `tests/support/site_addresses.py`. A route without a row fails the suite, and so does a row without a
route. Whoever a row does not name gets what a missing page gives, byte for byte. Every answer to an annotator is
searched for what annotators must never see (threats T1, T2).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation.models import Membership, User
from builders import make_member, make_project, make_user
from site_addresses import API, METHODS, ROUTES, A, D, R, Route, World, module_world, world

pytestmark = [pytest.mark.django_db, pytest.mark.once]

__all__ = ["module_world", "world"]

OPEN_TO_ALL = {"favicon", "healthz", "livez", "metrics", "readyz"}
ACCOUNTS = ("account_", "mfa_", "socialaccount_", "openid_connect_", "accounts/")
"""allauth's own pages: about the person alone, none of them takes a project."""

NEVER_FOR_ANNOTATORS = {
    "the external id": "canary-external-id",
    "the file name": "canary-file-name",
    "the source": "canary-source",
    "the licence": "canary-licence",
    "the target group": "canary-target",
    "the batch": "canary-batch",
    "the known answer before one's own": "canary-explanation",
    "another's note": "canary-note",
    "another's pseudonym": "canary-pseudonym",
}


def routes() -> Iterator[tuple[str, URLPattern]]:
    """Every pattern of the URL configuration by its full name; nameless ones by their path."""

    def walk(patterns: list[Any], space: str, path: str) -> Iterator[tuple[str, URLPattern]]:
        for pattern in patterns:
            here = path + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(
                    pattern.url_patterns, f"{space}{pattern.namespace}:" if pattern.namespace else space, here
                )
            else:
                yield f"{space}{pattern.name or here}", pattern

    yield from walk(get_resolver().url_patterns, "", "")


def ours() -> set[str]:
    """The names of the routes that need a row."""
    return {
        name for name, _pattern in routes() if name not in OPEN_TO_ALL and not name.startswith((*ACCOUNTS, "admin:"))
    }


def test_every_route_has_a_row_and_every_row_a_route():
    without, gone = ours() - set(ROUTES), set(ROUTES) - ours()
    assert not without, (
        f"{sorted(without)}: add each to ROUTES in tests/support/site_addresses.py, with its methods, the roles that "
        "may open it and the parts of its address (or to OPEN_TO_ALL here, if everybody may)"
    )
    assert not gone, (
        f"{sorted(gone)}: no address has these names; remove them from ROUTES in tests/support/site_addresses.py"
    )


_TOKEN = re.compile(rb'(name="csrfmiddlewaretoken" value=|"X-CSRFToken": *)"[^"]+"')


def body(answer: HttpResponseBase, address: str) -> bytes:
    """The answer without what the asker sent along: one-time form tokens and the address itself."""
    return b"" if answer.streaming else _TOKEN.sub(b"", answer.content).replace(address.encode(), b"")


class Blind(Client):
    """An annotator's client: no answer to it may hold what would unblind them (T2), whatever it asked for."""

    def request(self, **environ: Any) -> Any:
        answer = super().request(**environ)
        seen = b"" if answer.streaming else answer.content
        text = (seen + repr(sorted(answer.items())).encode()).decode(errors="replace")
        for what, canary in NEVER_FOR_ANNOTATORS.items():
            assert canary not in text, (environ["REQUEST_METHOD"], environ["PATH_INFO"], what)
        return answer


def client_of(person: Membership | User | None, kind: type[Client] = Client) -> Client:
    client = kind(raise_request_exception=False)
    if person is not None:
        client.force_login(person.user if isinstance(person, Membership) else person)
    return client


def ask(client: Client, method: str, address: str) -> HttpResponseBase:
    """Ask, and undo whatever it changed."""
    with transaction.atomic():
        answer = getattr(client, method)(address, **({} if method == "get" else {"content_type": "application/json"}))
        if hasattr(answer, "streaming_content"):
            for _piece in answer.streaming_content:  # read to the end, which closes the file
                pass
        transaction.set_rollback(True)
    return answer


def nowhere(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The same parts with nothing behind them."""
    gone: dict[str, Any] = {"slug": "no-such-project", "number": 987654, "older": 987653, "path": "none", "key": "none"}
    return {name: gone.get(name) or uuid4() for name in parts}


# ── Who may ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", sorted(ROUTES))
def test_a_route_answers_its_roles_alone_and_no_annotator_is_unblinded(name: str, world: World):
    """Annotators and one role that may open the address try every method, the others those that it has.

    A method that is refused to who may open the address is refused before anybody's role is looked at.
    """
    route = ROUTES[name]
    parts = route.parts(world)
    address, missing = reverse(name, kwargs=parts), reverse(name, kwargs=nowhere(parts))
    stranger = make_member(make_project("elsewhere"), A, R, D)
    allowed = [role for role in world.members if route.roles is None or role in route.roles]
    for role, member in world.members.items():
        client = client_of(member, Blind if role == A else Client)
        methods = METHODS if role in (A, *allowed[-1:]) else route.methods
        if role in allowed:
            answers_within(client, address, route, methods, f"{name} for {role}")
        else:
            looks_missing(client, address, missing, route, methods, f"{name} for {role}")
    if route.roles is not None:
        for person, who in ((stranger, "another project's admin"), (make_user(), "somebody without a project")):
            looks_missing(client_of(person), address, missing, route, route.methods, f"{name} for {who}")


# The login page chooses its language here; nothing but a cookie is set.
# Whoever holds the link of an invitation may look at it, and a published release is there for everybody.
OPEN_TO_STRANGERS = {
    *("annotation:look", "annotation:invitation", "annotation:mail-stop"),
    *(f"annotation:public-{page}" for page in ("release", "ask", "request", "download")),
}


def test_a_route_sends_strangers_to_the_door(world: World):
    for name, method in product(sorted(set(ROUTES) - OPEN_TO_STRANGERS), METHODS):
        answer = ask(client_of(None), method, reverse(name, kwargs=ROUTES[name].parts(world)))
        if name.startswith(API):
            assert answer.status_code == 401, (name, method)
        else:
            assert answer.status_code in (302, 405), (name, method)
            at_the_door = answer.status_code == 405 or answer["Location"].startswith(reverse("account_login"))
            assert at_the_door, (name, method)


def answers_within(client: Client, address: str, route: Route, methods: Iterable[str], what: str) -> None:
    for method in methods:
        answer = ask(client, method, address)
        assert answer.status_code < 500, (what, method)
        if method in route.methods:
            assert answer.status_code not in (401, 405), (what, method)
            if not route.missing_is_fine:
                assert answer.status_code != 404, (what, method)
        else:
            assert answer.status_code in (405, 404), (what, method, answer.status_code)


def looks_missing(client: Client, address: str, missing: str, route: Route, methods: Iterable[str], what: str) -> None:
    for method in methods:
        answer = ask(client, method, address)
        if method not in route.methods:
            assert answer.status_code in (404, 405), (what, method, answer.status_code)
            continue
        gone = ask(client, method, missing)
        assert answer.status_code == gone.status_code == 404, (what, method, answer.status_code, gone.status_code)
        assert body(answer, address) == body(gone, missing), (what, method)


@pytest.mark.parametrize("method", METHODS)
def test_the_administration_is_closed_to_everybody_but_site_admins(method: str, world: World):
    clients = [client_of(person) for person in (*world.members.values(), None)]
    for path in administration_paths():
        for client in clients:
            answer = ask(client, method, path)
            assert answer.status_code in (302, 403, 404, 405), (path, answer.status_code)
            if answer.status_code == 302:
                assert "/login/" in answer["Location"], (path, answer["Location"])


def administration_paths() -> Iterator[str]:
    """Every address under the site's administration, with 1 in place of each part; sign-in and -out excepted."""

    def walk(patterns: list[Any], path: str) -> Iterator[str]:
        for pattern in patterns:
            here = path + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, here)
            elif "(" not in here and pattern.name not in ("login", "logout"):
                yield "/" + re.sub(r"<[^>]+>", "1", here)

    for pattern in get_resolver().url_patterns:
        if str(pattern.pattern) == settings.ADMIN_PATH:
            yield from walk(pattern.url_patterns, settings.ADMIN_PATH)
