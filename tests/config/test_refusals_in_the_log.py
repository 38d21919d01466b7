"""What callers do wrong is no warning; what an operator should look at is one."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import SuspiciousOperation
from django.test import Client

from config.monitoring.logging_filters import Refusals

pytestmark = pytest.mark.django_db


class Lines(logging.Handler):
    """Keeps what is written: level and logger."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, str]] = []
        self.addFilter(Refusals())

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append((record.levelname, record.name))


@pytest.fixture(autouse=True)
def _default_level(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


@pytest.fixture
def written() -> Iterator[list[tuple[str, str]]]:
    lines = Lines()
    logging.getLogger().addHandler(lines)
    yield lines.seen
    logging.getLogger().removeHandler(lines)


def test_addresses_that_lead_nowhere_and_refusals_are_info(client: Client, written: list[Any]) -> None:
    for path in ("/nowhere/", "/api/v1/projects/", "/p/nothing/"):
        assert 400 <= client.get(path, follow=True).status_code < 500 or path == "/p/nothing/"
    client.post("/nowhere/")
    assert {level for level, name in written if name.startswith("django.")} == {"INFO"}
    assert ("INFO", "django.request") in written


def test_a_form_without_its_token_is_info_however_many_come(written: list[Any]) -> None:
    client = Client(enforce_csrf_checks=True)
    for _ in range(3):
        assert client.post("/accounts/login/", {"login": "a"}).status_code == 403
    assert ("INFO", "django.security.csrf") in written
    assert [line for line in written if line[0] == "WARNING"] == []


def test_a_foreign_host_name_is_a_warning_once_an_hour(
    client: Client, written: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        assert client.get("/livez", headers={"host": "evil.example"}).status_code == 400
    levels = [level for level, name in written if name == "django.security.DisallowedHost"]
    assert levels == ["WARNING", *["INFO"] * 4]


def record(name: str, level: int, status: int | None, created: float = 1e9) -> logging.LogRecord:
    made = logging.LogRecord(name, level, "path", 1, "words", None, None)
    made.created = created
    if status is not None:
        made.status_code = status
    return made


@pytest.mark.parametrize(
    ("name", "status", "level"),
    [
        ("django.request", 404, "INFO"),
        ("django.request", 429, "INFO"),
        ("django.request", 499, "INFO"),
        ("django.request", 500, "ERROR"),
        ("django.request", 503, "ERROR"),
        ("django.request", None, "ERROR"),
        ("django.security.csrf", 403, "INFO"),
        (f"django.security.{SuspiciousOperation.__name__}", 400, "WARNING"),
        ("annotation.mail.send", 404, "ERROR"),
    ],
)
def test_the_level_follows_from_status_and_kind(name: str, status: int | None, level: str) -> None:
    line = record(name, logging.ERROR, status)
    assert Refusals().filter(line)
    assert (line.levelname, line.levelno) == (level, getattr(logging, level))


def test_kinds_and_hours_have_warnings_of_their_own() -> None:
    refusals = Refusals()

    def level(kind: str, seconds: float) -> str:
        line = record(f"django.security.{kind}", logging.ERROR, 400, 1e9 + seconds)
        refusals.filter(line)
        return line.levelname

    assert [level("A", 0), level("A", 3599), level("B", 1), level("A", 3600)] == [
        "WARNING",
        "INFO",
        "WARNING",
        "WARNING",
    ]


def test_where_the_log_takes_warnings_alone_refusals_are_not_written(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)  # as LOG_LEVEL=WARNING
    assert not Refusals().filter(record("django.request", logging.WARNING, 404))
    assert Refusals().filter(record("django.request", logging.ERROR, 500))
