"""T20: a key in the environment appears nowhere, whatever fails."""

import logging
import os
import re
from pathlib import Path

import pytest
from django.contrib.admindocs.views import simplify_regex
from django.test import Client
from django.urls import get_resolver
from django.urls.converters import IntConverter, UUIDConverter

import builders
from config.monitoring.logging_filters import SECRET_ADDRESSES, Redacting, redact, secret_values

CANARY = "sk-CANARY-1"


def test_secrets_are_known_by_their_names_and_by_the_addresses_they_stand_in():
    environ = {
        "OPENAI_API_KEY": "sk-abcdef",
        "DATABASE_URL": "postgres://u:p%40ssword@h/n",
        "EMAIL_HOST_PASSWORD": "letters",
        "LANG": "en_GB.UTF-8",
        "SECRET_KEY_FALLBACKS": "former, before",
    }
    keys = {"sk-abcdef", "former, before", "former", "before"}
    assert set(secret_values(environ)) == keys | {"p%40ssword", "p@ssword", "letters"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("key sk-proj_12345678 refused", "key [redacted] refused"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"),
        ("cannot reach redis://:hush@queue:6379/0", "cannot reach redis://[redacted]@queue:6379/0"),
        ("the hush-hush word", "the [redacted] word"),
        ("DETAIL:  Key (text)=(some post)", "DETAIL: [left out]"),
    ],
)
def test_a_line_is_redacted(line, expected):
    assert redact(line, ["hush-hush"]) == expected


OPEN_PARTS = {"app_label", "code", "content_type_id", "form", "id", "kind", "name", "object_id"}
OPEN_PARTS |= {"path", "pk", "slug", "url"}
"""Parts of addresses, of letters that somebody chooses, that open nothing by themselves."""
OPEN_KEYS = {"data/<key>/", "data/<key>/ask/", "me/tokens/<key>/end/", "p/<slug>/evaluations/<public_id>/tables/<key>/"}
"""Addresses with a key that is no secret: a release's public page, the name of a table, the mark of a token."""


def routes(resolver, before=""):
    """Each address of the site, and whether a part of it is letters that somebody was given."""
    for pattern in resolver.url_patterns:
        path = before + re.sub(r"<\w+:(\w+)>", r"<\1>", simplify_regex(str(pattern.pattern)).lstrip("/"))
        if hasattr(pattern, "url_patterns"):
            yield from routes(pattern, path)
        else:
            kinds = pattern.pattern.converters  # none where the address is a regular expression
            ids = {name for name, kind in kinds.items() if isinstance(kind, IntConverter | UUIDConverter)}
            yield path, bool(set(re.findall(r"<(\w+)>", path)) - ids - OPEN_PARTS)


def test_every_address_with_a_secret_part_is_known_to_the_log():
    ours = dict(routes(get_resolver()))
    secret = {path for path, is_given in ours.items() if is_given} - OPEN_KEYS
    assert {path for path in secret if not path.startswith(SECRET_ADDRESSES)} == set()
    assert [address for address in SECRET_ADDRESSES if not any(path.startswith(address) for path in ours)] == []


@pytest.mark.parametrize("address", SECRET_ADDRESSES)
@pytest.mark.parametrize("slash", ["/", "%2F", "%2f", "%252F", "%25252F", "//", "/./", "\\", "\\\\", "%5C", "/ "])
def test_the_secret_part_of_an_address_is_in_no_line(address, slash):
    *beginning, _last = address.split("/")
    secret = "MQ-c0ffee_:1tX:Abc-9"
    path = slash.join(["", *("k3y" if part.startswith("<") else part for part in beginning), secret, ""])
    line = f"Forbidden (CSRF cookie not set.): https://labels.example{path}?next={path}&x=1"
    assert "c0ffee" not in redact(line, []) and "Abc-9" not in redact(line, [])
    assert "x=1" in redact(line, [])


def test_the_code_of_an_identity_provider_is_in_no_line():
    line = "Bad Request: /accounts/oidc/oidc/login/callback/?code=c0ffee&state=Abc-9 (no session)"
    assert redact(line, []) == (
        "Bad Request: /accounts/oidc/oidc/login/callback/?code=[redacted]&state=[redacted] (no session)"
    )


def test_the_document_lists_each_of_them_for_a_log_of_the_proxy():
    text = Path("docs/operators.md").read_text(encoding="utf-8")
    assert [address for address in SECRET_ADDRESSES if f"`/{address}/`" not in text] == []


@pytest.fixture
def log_lines(monkeypatch):
    """What the site's handler would have written to stderr, with the canary in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    written = []

    class Kept(logging.Handler):
        def emit(self, record):
            written.append(self.format(record))

    handler = Kept(level=logging.DEBUG)
    handler.setFormatter(Redacting("%(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield written
    root.removeHandler(handler)
    root.setLevel(level)


ERROR_PATHS = {
    "not found": lambda client: client.get(f"/nothing/{CANARY}/"),
    "bad host": lambda client: client.get("/", headers={"host": "evil.example"}),
    "no token": lambda client: Client(enforce_csrf_checks=True).post("/accounts/login/", {"login": CANARY}),
    "wrong password": lambda client: Client().post("/accounts/login/", {"login": "x", "password": CANARY}),
    "foreign project": lambda client: client.get("/p/theirs/items/"),
    "bad json": lambda client: client.post("/api/v1/projects/", "{" + CANARY, content_type="application/json"),
    "bad token": lambda client: client.get("/api/v1/projects/", headers={"authorization": f"Bearer {CANARY}"}),
    "gzip": lambda client: client.post("/me/", b"x", "text/plain", headers={"content-encoding": "gzip"}),
    "trace": lambda client: client.generic("TRACE", "/me/"),
    "too large": lambda client: client.post("/me/", b" " * (5 * 2**20 + 1), "text/plain"),
    "unstorable": lambda client: client.get("/me/", QUERY_STRING="q=%00"),
    "too many fields": lambda client: client.post("/me/", {f"f{n}": CANARY for n in range(1001)}),
}


@pytest.mark.django_db
@pytest.mark.parametrize("path", ERROR_PATHS.values(), ids=ERROR_PATHS)
def test_no_error_path_shows_a_key(client, log_lines, path):
    builders.make_project(slug="theirs")
    client.force_login(builders.make_user())
    answer = path(client)
    if "nothing" not in answer.request["PATH_INFO"]:
        assert CANARY.encode() not in answer.content
    assert not [line for line in log_lines if CANARY in line]


@pytest.mark.django_db
@pytest.mark.parametrize("address", SECRET_ADDRESSES)
def test_a_refused_form_does_not_write_the_secret_of_its_address(log_lines, address):
    path = "/" + re.sub("<[^>]+>", "c0ffee", address) + "/"
    Client(enforce_csrf_checks=True).post(path, {"a": "b"})
    Client().delete(path)
    assert log_lines
    assert not [line for line in log_lines if "c0ffee" in line.replace("data/c0ffee", "")]


def test_a_traceback_that_quotes_a_key_is_redacted(log_lines):
    try:
        raise RuntimeError(f"refused with {os.environ['OPENAI_API_KEY']}")
    except RuntimeError:
        logging.getLogger("providers").exception("The provider refused %s", os.environ["OPENAI_API_KEY"])
    assert len(log_lines) == 1
    assert CANARY not in log_lines[0]
    assert "RuntimeError" in log_lines[0]


def test_a_key_that_lies_in_a_file_is_redacted_too():
    line = logging.LogRecord("x", logging.INFO, "", 0, "the key of lab is hush-hush, a is short", (), None)
    assert (
        Redacting("%(message)s", secrets=["hush-hush", "a"]).format(line) == "the key of lab is [redacted], a is short"
    )
