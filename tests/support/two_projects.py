"""Two projects with one of everything, the people around them, and what the second one must not give away.

Every text column of `elsewhere` holds `CANARY`. A visitor asks without a browser's client, which would copy the
context of every template.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, models, transaction
from django.http import HttpResponseBase
from django.test import Client, RequestFactory, override_settings
from django.test.client import ClientHandler
from django.urls import reverse
from knox.models import AuthToken

from annotation.domain.choices import Role
from annotation.members import participation
from annotation.models import Membership, Project, User
from annotation.projects.purge import paths_to
from builders import make_member, make_user
from hostile_texts import in_a_key, unguard, written
from runs.models import Account, Run, Turn
from site_addresses import ROUTES
from site_objects import A, D, Parts, R, Word, World, make_world

CANARY = "canary-of-elsewhere"
UUIDS = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TOKEN = re.compile(rb'(name="csrfmiddlewaretoken" value=|"X-CSRFToken": *|nonce=)"[^"]+"')
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z?")
Rows = dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Answer:
    """What came back. `content` and `to` are without form tokens, nonces and the address itself."""

    status: int
    kind: str
    to: str
    content: bytes
    raw: str = field(compare=False, repr=False)

    def without(self, sent: object) -> "Answer":
        """Return the answer without a value that the visitor sent, and without ids and times, which may be new."""
        value = f'value="{sent}"' if isinstance(sent, int) else str(sent)  # a bare 10 may be a width
        to, content = self.to.replace(value, ""), self.content.decode("utf-8", "replace").replace(value, "")
        blank = _TIME.sub("", UUIDS.sub("", content)).encode()
        return Answer(self.status, self.kind, UUIDS.sub("", to), blank, self.raw.replace(value, ""))


@dataclass
class Visitor:
    """Somebody who asks: with a session, a token of the API, or neither."""

    name: str
    user: User | None = None
    token: str = ""
    _headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.token:
            self._headers["HTTP_AUTHORIZATION"] = f"Token {self.token}"
        elif self.user is not None:
            client = Client()
            client.force_login(self.user)
            self._headers["HTTP_COOKIE"] = f"sessionid={client.cookies['sessionid'].value}"

    def ask(self, method: str, address: str, body: str | bytes = "", kind: str = "application/json") -> Answer:
        """Ask, and read the answer to its end, which closes a file."""
        path, _mark, query = address.partition("?")
        request = _FACTORY.generic(method.upper(), path, body, kind, QUERY_STRING=query, **self._headers)
        request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
        if _HANDLER._middleware_chain is None:
            _HANDLER.load_middleware()
        return _read(_HANDLER.get_response(request), address)


_FACTORY, _HANDLER = RequestFactory(), ClientHandler()


def _read(answer: HttpResponseBase, address: str) -> Answer:
    whole = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
    path = address.partition("?")[0]
    blank = _TOKEN.sub(b"", whole)
    for asked in (address, path) if len(path) > 1 else ():
        blank = blank.replace(asked.encode(), b"")
    to = answer.headers.get("Location", "").replace(f"next={quote(path)}", "next=")
    raw = f"{sorted(answer.headers.items())} {whole.decode('utf-8', 'replace')}"
    return Answer(answer.status_code, answer.headers.get("Content-Type", ""), to, blank, raw)


@dataclass
class Both:
    """The project `here`, the project `elsewhere`, and the parts of every address in both."""

    here: World
    elsewhere: World
    parts: dict[str, dict[str, Mapping[str, Any]]]
    left: Membership
    removed: Membership
    without_consent: Membership
    ids: frozenset[str] = frozenset()

    def address(self, name: str, of: str) -> str:
        """Return the address of the route in `here`, in `elsewhere` or nowhere."""
        return reverse(name, kwargs=made_up(self.parts["here"][name]) if of == "nowhere" else self.parts[of][name])

    def mixed(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Return for each object in the address: its part, `here` with the object of elsewhere, and with none."""
        own, foreign = self.parts["here"][name], self.parts["elsewhere"][name]
        nothing = made_up(own)
        for part in own:
            if "slug" in own and part != "slug" and not isinstance(own[part], Word):
                yield (
                    part,
                    reverse(name, kwargs={**own, part: foreign[part]}),
                    reverse(name, kwargs={**own, part: nothing[part]}),
                )

    def leaks(self, answer: Answer, asked: str) -> list[str]:
        """Return what the answer holds of `elsewhere`: its texts, and ids that were not asked for."""
        ids = self.ids.intersection(UUIDS.findall(answer.raw)) - set(UUIDS.findall(asked))
        return [CANARY] * (CANARY in answer.raw) + sorted(ids)


def made_up(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return parts of the same form that name nothing."""
    gone: dict[type, Callable[[], Any]] = {UUID: uuid4, int: lambda: 987654, str: lambda: "nothing-of-this-name"}
    return {name: value if isinstance(value, Word) else gone[type(value)]() for name, value in parts.items()}


# ── Rows ──────────────────────────────────────────────────────────────────────


def rows_of(project: Project) -> Rows:
    """Return all rows that belong to the project, by table."""
    found = {Project: Project.objects.filter(pk=project.pk).values_list()}
    for model, path in paths_to(Project).items():
        found[model] = model._default_manager.filter(**{path: project.pk}).values_list()
    runs = Run.objects.filter(project=project.public_id)
    found |= {Run: runs.values_list(), Turn: Turn.objects.filter(run__in=runs).values_list()}
    found[Account] = Account.objects.filter(project=project.public_id).values_list()
    return {model._meta.label: list(rows.order_by("pk")) for model, rows in found.items()}


def changes(before: Rows, after: Rows) -> list[str]:
    """Return a line for each table whose rows are not the same."""
    pairs = {table: (rows, after[table]) for table, rows in before.items() if rows != after[table]}
    return [
        f"{table}: {[row for row in old if row not in new]} became {[row for row in new if row not in old]}"
        for table, (old, new) in pairs.items()
    ]


def crossing(both: Both) -> list[str]:
    """Return the rows of `here` that point to `elsewhere`: by a foreign key, or by a public id in a column."""
    paths = {**paths_to(Project), Project: "pk"}
    here, found = both.here.project, []
    for model, path in paths.items():
        rows = model._default_manager.filter(**{path: here.pk})
        for key in model._meta.concrete_fields:
            if isinstance(key, models.ForeignKey) and key.related_model in paths and key.related_model is not Project:
                to = f"{key.name}__{paths[key.related_model]}"
                found += [f"{model._meta.label}.{key.name}"] * rows.filter(**{to: both.elsewhere.project.pk}).exists()
    return found + sorted(both.ids.intersection(UUIDS.findall(repr(rows_of(here)))))


def plant(project: Project) -> None:
    """Write the canary into every text column of the project's rows."""
    people = User.objects.filter(memberships__project=project)
    for user in people:
        # A pseudonym is the canary with a number too, and no user name may be one of them.
        name = f"{CANARY}-person-{user.pk}"
        User.objects.filter(pk=user.pk).update(username=name, email=f"{name}@example.org")
    for model, path in {**paths_to(Project), Project: "pk"}.items():
        keys = list(model._default_manager.filter(**{path: project.pk}).values_list("pk", flat=True))
        for column in written(model):
            if keys and (column.max_length or 99) > len(CANARY) + 8:
                _plant(model, column, keys)


def _plant(model: type[models.Model], column: "models.Field[Any, Any]", keys: list[Any]) -> None:
    """Write the canary into a column, except where a rule of the database links its text with another column."""
    rows: models.QuerySet[models.Model] = models.QuerySet(model)
    for key in keys:
        text = f"{CANARY}-{key}" if in_a_key(column) else CANARY
        with suppress(IntegrityError), transaction.atomic():
            rows.filter(pk=key).update(**{column.name: text})


def ids_of(project: Project) -> frozenset[str]:
    """Return every public id among the project's rows."""
    return frozenset(str(value) for rows in rows_of(project).values() for row in rows for value in row if _is_id(value))


def _is_id(value: object) -> bool:
    return isinstance(value, UUID)


# ── People ────────────────────────────────────────────────────────────────────

NO_MEMBER = "somebody with an invitation"
FOREIGN = {A: "the annotator of another project", R: "its reviewer", D: "its admin"}
LEFT, REMOVED, SITE_ADMIN = "somebody who left", "somebody who was removed", "the site's admin"
OUTSIDERS = (NO_MEMBER, *FOREIGN.values(), LEFT, REMOVED, SITE_ADMIN)
"""Everybody with an account who may open nothing of `elsewhere`."""


def account_of(who: str, both: Both) -> User:
    """Return the account of an outsider."""
    members = {FOREIGN[role]: member for role, member in both.here.members.items()}
    members |= {LEFT: both.left, REMOVED: both.removed}
    if who in members:
        user = members[who].user
        assert user is not None
        return user
    return make_user(is_staff=who == SITE_ADMIN, is_superuser=who == SITE_ADMIN)


def by_page(who: str, both: Both) -> Visitor:
    """Return the outsider with a session."""
    return Visitor(who, account_of(who, both))


def by_token(who: str, both: Both) -> Visitor:
    """Return the outsider as a program that has a token of the API."""
    user = account_of(who, both)
    return Visitor(who, user, AuthToken.objects.create(user)[1])


# ── The worlds ────────────────────────────────────────────────────────────────


def make_both() -> Both:
    """Make both projects, with the objects of all addresses, and plant the canary."""
    here, elsewhere = make_world(), make_world("elsewhere", 2)
    built: dict[tuple[str, Parts], Mapping[str, Any]] = {}
    parts: dict[str, dict[str, Mapping[str, Any]]] = {"here": {}, "elsewhere": {}}
    for of, world in (("here", here), ("elsewhere", elsewhere)):
        for name, route in ROUTES.items():
            parts[of][name] = built.setdefault((of, route.parts), {}) or route.parts(world)
            built[of, route.parts] = parts[of][name]
    unguard()
    plant(elsewhere.project)
    left, removed = (make_member(elsewhere.project, *Role) for _ in range(2))
    participation.withdraw(left)
    participation.deactivate(removed, elsewhere.members[D])
    newcomer = make_member(elsewhere.project, *Role, consent_version=0)
    return Both(here, elsewhere, parts, left, removed, newcomer, ids_of(elsewhere.project))


@pytest.fixture(scope="module")
def module_both(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Both, Path]]:
    """Share both projects, and the folder of their files, between all tests of a module."""
    folder = tmp_path_factory.mktemp("both")
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(MEDIA_ROOT=folder):
            made = make_both()
        yield made, folder
        transaction.set_rollback(True)


@pytest.fixture
def both(module_both: tuple[Both, Path], db: None, settings: Any) -> Both:
    """Return a copy of the module's two projects, over the same rows."""
    made, settings.MEDIA_ROOT = module_both
    return deepcopy(made)
