"""Every address with a limit of work: what it refuses takes nothing from the limit, and loops are bounded."""

from collections.abc import Iterator

import pytest
from django.contrib.messages import SUCCESS, get_messages
from django.http import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from config.web.rate_limit_table import GUESSES, LIMITS, Rate
from site_addresses import API, ROUTES
from site_objects import World, module_world, world

pytestmark = [pytest.mark.django_db, pytest.mark.once]

__all__ = ["module_world", "world"]


def limited_routes() -> Iterator[tuple[str, str, str]]:
    """Every address that changes something within a limit of work: its name, its method and the limit."""

    def walk(patterns: list[URLPattern | URLResolver], space: str) -> Iterator[tuple[str, str, str]]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, f"{space}{pattern.namespace}:" if pattern.namespace else space)
                continue
            name, view = f"{space}{pattern.name}", getattr(pattern.callback, "view_class", None)
            if space in API and view:
                methods = [method for method in ("post", "put", "patch", "delete") if hasattr(view, method)]
                yield from ((name, method, getattr(view, "rate", "submit")) for method in methods)
            elif limit := getattr(pattern.callback, "rate_limit", None):
                yield name, "post", limit

    yield from (route for route in walk(get_resolver().url_patterns, "") if route[2] not in GUESSES)


WORK = sorted(limited_routes())


def is_refusal(answer: HttpResponseBase) -> bool:
    said = [message.level for message in get_messages(answer.wsgi_request)._queued_messages]  # type: ignore[attr-defined]
    return answer.status_code >= 400 or (answer.status_code == 302 and bool(said) and SUCCESS not in said)


def sent(world: World, name: str, method: str) -> HttpResponseBase:
    """Send what no address takes: an empty form, or JSON that is no object."""
    route, client = ROUTES[name], Client()
    roles = [role for role in world.members if route.roles is None or role in route.roles] or list(world.members)
    user = world.members[roles[-1]].user
    assert user is not None
    client.force_login(user)
    body = {"data": "[7]", "content_type": "application/json"} if name.startswith(API) else {"data": {}}
    return getattr(client, method)(reverse(name, kwargs=route.parts(world)), **body)  # type: ignore[no-any-return]


@pytest.mark.parametrize(("name", "method", "limit"), WORK, ids=[f"{name} {method}" for name, method, _limit in WORK])
def test_what_is_refused_takes_nothing_from_its_limit(world: World, settings, name: str, method: str, limit: str):
    assert limit in LIMITS
    settings.RATE_LIMITS = {limit: Rate(1, 3600), "refused": Rate(2, 3600), "not_found": Rate(2, 3600)}
    first = sent(world, name, method)
    if not is_refusal(first):
        return
    assert first.status_code != 429
    assert sent(world, name, method).status_code == first.status_code
    if first.status_code != 429:
        assert sent(world, name, method).status_code == 429


def test_most_addresses_refuse_an_empty_form(world: World):
    """Otherwise the test above would say little."""
    taken = {name for name, method, _limit in WORK if not is_refusal(sent(world, name, method))}
    assert len(taken) < len(WORK) / 3, sorted(taken)
