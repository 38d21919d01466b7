"""T20: a key in the environment appears nowhere, whatever fails."""

import logging
import os

import pytest
from django.test import Client

import builders
from config.logging_filters import Redacting, redact, secret_values

CANARY = "sk-CANARY-1"


def test_secrets_are_known_by_their_names_and_by_the_addresses_they_stand_in():
    environ = {
        "OPENAI_API_KEY": "sk-abcdef",
        "DATABASE_URL": "postgres://u:p%40ssword@h/n",
        "EMAIL_HOST_PASSWORD": "letters",
        "LANG": "en_GB.UTF-8",
    }
    assert set(secret_values(environ)) == {"sk-abcdef", "p%40ssword", "p@ssword", "letters"}


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
