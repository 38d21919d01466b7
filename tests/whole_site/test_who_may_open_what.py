"""Every address of the site × method × role × an object of the own project, of another one, and of none.

The rows are in `tests/support/site_addresses.py`, the objects in `tests/support/site_objects.py`, the people in
`tests/support/two_projects.py`. A route without a row fails the suite, and so do a row without a route and a part of
an address that names no real row. Whoever a row does not name gets what a missing page gives, byte for byte; no text
and no id of the other project comes out, and no row of it changes. Every answer to an annotator is searched for what
annotators must never see (threats T1, T2). What bodies and queries name is tried in `test_ids_of_another_project.py`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import product
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from knox.models import AuthToken

from site_addresses import API, METHODS, ROUTES, Route
from site_objects import A, D, R, Word
from two_projects import (
    FOREIGN,
    LEFT,
    OUTSIDERS,
    REMOVED,
    SITE_ADMIN,
    Answer,
    Both,
    Rows,
    Visitor,
    both,
    by_page,
    by_token,
    changes,
    made_up,
    module_both,
    rows_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.once]

__all__ = ["both", "module_both"]

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


def unreal(name: str, wanted: Iterable[str], here: Mapping[str, Any], elsewhere: Mapping[str, Any], rows: Rows) -> str:
    """Return what is wrong with the objects of a route in a sentence that says what to add. Returns "" if nothing is.

    `wanted` are the parts of the address, `rows` all rows of the project `here`.
    """
    add = "write a function for this kind of object in tests/support/site_objects.py and name it in the route's row"
    if missing := set(wanted) ^ set(here):
        return f"{name}: the address and its row differ in {sorted(missing)}; {add}"
    values = {str(value) for table in rows.values() for row in table for value in row}
    for part, value in here.items():
        if isinstance(value, Word) or name in OF_PERSONS:
            continue
        if value == elsewhere[part]:
            return f"{name}: {part} is {value} in both projects; {add}, or make it a Word if it chooses a form"
        if not {str(value), sha256(str(value).encode()).hexdigest()} & values:
            return f"{name}: {part} names no row of the project; {add}"
    return ""


OF_PERSONS = {"annotation:mail-stop", "annotation:sign-in-end", "annotation:token-end"}
"""Routes whose object belongs to a person, and to no project."""


def test_every_part_of_an_address_names_a_real_object_of_each_project(both: Both):
    rows = rows_of(both.here.project)
    faults = [
        unreal(name, pattern.pattern.converters, both.parts["here"][name], both.parts["elsewhere"][name], rows)
        for name, pattern in routes()
        if name in ROUTES
    ]
    assert not any(faults), "\n".join(filter(None, faults))


@pytest.mark.parametrize(
    ("here", "elsewhere", "said"),
    [
        ({"slug": "a"}, {"slug": "b"}, "differ in ['public_id']"),
        ({"slug": "a", "public_id": uuid4()}, {"slug": "b", "public_id": uuid4()}, "public_id names no row"),
        ({"slug": "a", "public_id": UUID(int=1)}, {"slug": "b", "public_id": UUID(int=1)}, "in both projects"),
        ({"slug": "a", "public_id": UUID(int=1)}, {"slug": "b", "public_id": UUID(int=2)}, ""),
        ({"slug": "a", "public_id": Word("csv")}, {"slug": "b", "public_id": Word("csv")}, ""),
    ],
)
def test_a_part_without_a_real_object_is_told(here: dict[str, Any], elsewhere: dict[str, Any], said: str):
    fault = unreal("new", ("slug", "public_id"), here, elsewhere, {"Kind": [("a", UUID(int=1))]})
    assert said in fault
    assert bool(said) == ("site_objects.py" in fault)


# ── Who may ───────────────────────────────────────────────────────────────────


def missing(visitor: Visitor) -> dict[bool, Answer]:
    """Return what the visitor gets where nothing is: of the API (True) and of pages."""
    names = {True: "api:project", False: "annotation:project"}
    answers = {api: visitor.ask("get", reverse(name, args=["no-such-project"])) for api, name in names.items()}
    assert {answer.status for answer in answers.values()} == {404}
    return answers


def undone(visitor: Visitor, method: str, address: str) -> Answer:
    """Ask, and undo whatever it changed."""
    with transaction.atomic():
        answer = visitor.ask(method, address)
        transaction.set_rollback(True)
    return answer


SAYS_WHO_MAY = {("annotation:label", "get")}
"""The page that members are sent to: it tells those who are no annotators so, with 403."""


@pytest.mark.parametrize("role", (A, R, D))
def test_a_role_opens_its_addresses_alone_and_no_annotator_is_unblinded(role: Any, both: Both):
    """A method that is refused to who may open the address is refused before anybody's role is looked at.

    So the annotator alone asks for each address with methods beside those of pages.
    """
    visitor = by_page(FOREIGN[role], both)
    nothing, faults = missing(visitor), []
    for name, route in sorted(ROUTES.items()):
        address, opens = both.address(name, "here"), route.roles is None or role in route.roles
        for method in METHODS if role == A else asked_with(route, opens):
            answer = undone(visitor, method, address)
            if opens or method not in route.methods:
                faults += [(name, method, answer.status)] * (not is_within(answer, route, method))
            elif (name, method) in SAYS_WHO_MAY:
                faults += [(name, method, answer.status)] * (answer.status != 403)
            else:
                faults += [(name, method, answer.status)] * (answer != nothing[name.startswith(API)])
            faults += [(name, method, leak) for leak in both.leaks(answer, address)]
            faults += [(name, method, what) for what in unblinding(answer) if role == A]
    assert faults == []


def asked_with(route: Route, opens: bool) -> list[str]:
    """Return the methods of the route, and those of pages where somebody may open it."""
    return [method for method in METHODS if method in route.methods or (opens and method in ("get", "post"))]


def is_within(answer: Answer, route: Route, method: str) -> bool:
    """Whether the answer is one that somebody who may open the address gets."""
    if method not in route.methods:
        return answer.status == 405 or (answer.status == 404 and method == "post")
    return answer.status < 500 and answer.status not in (401, 405) and (answer.status != 404 or route.missing_is_fine)


def unblinding(answer: Answer) -> list[str]:
    return [secret for secret, canary in NEVER_FOR_ANNOTATORS.items() if canary in answer.raw]


OPEN_ALL_THE_SAME = {
    SITE_ADMIN: {
        *("annotation:project-new", "queues", "queues-act", "api:reports", "api:report-answer"),
        *(f"annotation:report-{page}" for page in ("answer", "picture", "blurred")),
    },
    LEFT: {"annotation:history"},
    REMOVED: {"annotation:history", "annotation:withdraw"},
}
"""What an outsider may open in another project: a site admin answers reports; who was a member reads their own answers,
and who was removed may still leave.
"""


def closed_to(who: str) -> Iterator[tuple[str, Route]]:
    """Return the routes that the outsider may not open in another project."""
    for name, route in sorted(ROUTES.items()):
        if route.roles is not None and name not in OPEN_ALL_THE_SAME.get(who, ()):
            yield name, route


@pytest.mark.parametrize("who", OUTSIDERS)
def test_an_object_of_another_project_is_like_none(who: str, both: Both):
    visitor, before = by_page(who, both), rows_of(both.elsewhere.project)
    nothing, faults = missing(visitor), []
    for name, route in closed_to(who):
        address = both.address(name, "elsewhere")
        for method in route.methods:
            answer = visitor.ask(method, address)
            faults += [(name, method, answer.status)] * (answer != nothing[name.startswith(API)])
            faults += [(name, method, leak) for leak in both.leaks(answer, address)]
    assert faults == []
    assert changes(before, rows_of(both.elsewhere.project)) == []


@pytest.mark.parametrize("who", OUTSIDERS)
def test_an_object_of_another_project_is_like_none_for_a_token(who: str, both: Both):
    visitor, before = by_token(who, both), rows_of(both.elsewhere.project)
    nothing, faults = visitor.ask("get", "/api/v1/projects/no-such-project/"), []
    for name, route in closed_to(who):
        for method in route.methods if name.startswith(API) else ():
            answer = visitor.ask(method, both.address(name, "elsewhere"))
            faults += [(name, method, answer.status)] * (answer != nothing)
    assert (nothing.status, faults) == (404, [])
    assert changes(before, rows_of(both.elsewhere.project)) == []


OTHER_METHODS = {False: ("put", "head", "options"), True: ("put", "patch", "delete", "head", "options")}
"""What is asked besides GET and POST, of pages and of the API: pages refuse all changing methods but POST alike."""


def test_no_method_tells_a_real_address_from_a_made_up_one(both: Both):
    """Another project's admin asks both with every method."""
    visitor, before = by_page(FOREIGN[D], both), rows_of(both.elsewhere.project)
    faults = []
    for name, _route in closed_to(FOREIGN[D]):
        for method in ("get", "post", *OTHER_METHODS[name.startswith(API)]):
            real, none = (visitor.ask(method, both.address(name, of)) for of in ("elsewhere", "nowhere"))
            refused = real.status in (404, 405) or method == "options"
            faults += [(name, method, real.status, none.status)] * (real != none or not refused)
    assert faults == []
    assert changes(before, rows_of(both.elsewhere.project)) == []


GONE = {
    "annotation:renew": (409,),
    "generation:injection-remove": (302,),
    **dict.fromkeys(("api:report-answer", "api:label", "api:seat-label", "api:seat-first-answer"), (400,)),
}
"""Addresses that answer otherwise where nothing is: a seat that is lost, an entry that is gone, a body read first."""


@pytest.mark.parametrize("role", (A, R, D))
def test_an_object_of_another_project_is_none_of_the_own_one(role: Any, both: Both):
    visitor, before = by_page(FOREIGN[role], both), rows_of(both.elsewhere.project)
    faults = []
    for name, route in closed_to(FOREIGN[role]):
        for (part, foreign, none), method in product(list(both.mixed(name)), route.methods):
            real, gone = visitor.ask(method, foreign), visitor.ask(method, none)
            refused = real.status in (404, *GONE.get(name, ()))
            faults += [(name, part, method, real.status, gone.status)] * (real != gone or not refused)
            faults += [(name, part, method, leak) for leak in both.leaks(real, foreign)]
    assert faults == []
    assert changes(before, rows_of(both.elsewhere.project)) == []


def test_before_the_consent_an_object_is_like_none(both: Both):
    """Somebody invited who has not consented learns as an annotator nothing of what is there."""
    visitor, before = Visitor("newcomer", both.without_consent.user), rows_of(both.elsewhere.project)
    faults = []
    for name, route in sorted(ROUTES.items()):
        own = both.parts["elsewhere"][name]
        for method in route.methods if route.roles == (A,) and any(type(part) is UUID for part in own.values()) else ():
            real = visitor.ask(method, both.address(name, "elsewhere"))
            gone = visitor.ask(method, reverse(name, kwargs={**made_up(own), "slug": own["slug"]}))
            faults += [(name, method, real.status, gone.status)] * (real != gone)
    assert faults == []
    assert changes(before, rows_of(both.elsewhere.project)) == []


def test_a_token_of_somebody_else_is_like_none(both: Both):
    visitor, before = by_page(FOREIGN[D], both), list(AuthToken.objects.order_by("pk").values_list())
    real, none = (visitor.ask("post", both.address("annotation:token-end", of)) for of in ("elsewhere", "nowhere"))
    assert real == none
    assert list(AuthToken.objects.order_by("pk").values_list()) == before


# The login page chooses its language here; nothing but a cookie is set.
# Whoever holds the link of an invitation may look at it, and a published release is there for everybody.
OPEN_TO_STRANGERS = {
    *("annotation:look", "annotation:invitation", "annotation:mail-stop"),
    *(f"annotation:public-{page}" for page in ("release", "ask", "request", "download")),
}


def test_a_route_sends_strangers_to_the_door(both: Both):
    visitor, door, faults = Visitor("nobody"), reverse("account_login"), []
    for name, method in product(sorted(set(ROUTES) - OPEN_TO_STRANGERS), METHODS):
        real, none = (visitor.ask(method, both.address(name, of)) for of in ("elsewhere", "nowhere"))
        at_the_door = real.status == 405 or (real.status == 302 and real.to.startswith(door))
        refused = real.status == 401 if name.startswith(API) else at_the_door
        faults += [(name, method, real.status, none.status, real.to)] * (real != none or not refused)
    assert faults == []


@pytest.mark.parametrize("method", METHODS)
def test_the_administration_is_closed_to_everybody_but_site_admins(method: str, both: Both):
    visitors = [Visitor("nobody"), *(by_page(who, both) for who in FOREIGN.values())]
    for path in administration_paths():
        for visitor in visitors:
            answer = visitor.ask(method, path)
            assert answer.status in (302, 403, 404, 405), (path, answer.status)
            if answer.status == 302:
                assert "/login/" in answer.to, (path, answer.to)


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
