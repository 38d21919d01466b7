"""Remove from log lines what they may not contain: secrets, and row values that databases quote in their errors."""

import logging
import os
import re
from collections.abc import Mapping, Sequence
from urllib.parse import unquote, urlsplit

_SECRET_NAME = re.compile(r"(KEY|PASSWORD|SECRET|TOKEN|KEY_FALLBACKS)$")
_ADDRESS_NAME = re.compile(r"(_URL|_DSN)$")
_LOOKS_SECRET = re.compile(
    r"\bsk-[A-Za-z0-9_-]{6,}"
    r"|(?<=Bearer )\S+|(?<=bearer )\S+"
    r"|(?<=://)[^\s/@:]*:[^\s/@]+(?=@)"
)
_ONE_HOUR = 3600
SECRET_ADDRESSES = (
    "invite/<token>",
    "mail/stop/<token>",
    "data/<key>/asked/<token>",
    "accounts/confirm-email/<key>",
    "accounts/password/reset/key/<uidb36>-<key>",
)
"""Addresses whose last part opens something for whoever knows it. docs/operators.md lists them for a proxy's log."""
# As a path, as somebody mistypes it (`//`, `/./`, a backslash, a space), and inside the query of another address, where
# a slash may be written as %2F or %252F.
_SLASH, _PART = r"(?:(?:/|\\|%(?:25)*(?:2F|5C))(?:[\s.]|%(?:25)*20)*)+", r"[^\s/?#&\"'<>]+"


def _before_the_secret(address: str) -> str:
    *parts, _secret = address.split("/")
    return _SLASH.join([*(f"{_PART}?" if part.startswith("<") else part for part in parts), ""])


_SECRET_ADDRESS = re.compile(f"({'|'.join(map(_before_the_secret, SECRET_ADDRESSES))}){_PART}", re.IGNORECASE)
# What an identity provider sends back with somebody who signs in.
_ONE_TIME_CODE = re.compile(r"([?&](?:code|state)=)[^\s&#\"'<>]+")
# PostgreSQL repeats row values after DETAIL: and literals after LINE 1:; texts of items are such values.
_QUOTED_VALUES = re.compile(r"^(DETAIL|CONTEXT|LINE \d+): .*$", re.MULTILINE)


def secret_values(environ: Mapping[str, str]) -> list[str]:
    """Return the environment's values that look secret by their names, longest first, and passwords of addresses."""
    secrets = {
        secret
        for name, value in environ.items()
        if _SECRET_NAME.search(name)
        for secret in (value, *map(str.strip, value.split(",") if name.endswith("_FALLBACKS") else ()))
    }
    for name, value in environ.items():
        if _ADDRESS_NAME.search(name) and "@" in value:
            secrets.add(urlsplit(value).password or "")
            secrets.add(unquote(urlsplit(value).password or ""))
    return sorted((value for value in secrets if len(value) >= 6), key=len, reverse=True)


def all_secrets(more: Sequence[str]) -> list[str]:
    """Return those that the environment does not hold, and those that it holds."""
    return [*(value for value in more if len(value) >= 6), *secret_values(os.environ)]


def redact(text: str, secrets: list[str]) -> str:
    """Return the text without secrets and quoted row values."""
    for value in secrets:
        text = text.replace(value, "[redacted]")
    for pattern in (_SECRET_ADDRESS, _ONE_TIME_CODE):
        text = pattern.sub(r"\1[redacted]", text)
    return _QUOTED_VALUES.sub(r"\1: [left out]", _LOOKS_SECRET.sub("[redacted]", text))


class Refusals(logging.Filter):
    """Makes of what callers did wrong (4xx) a line of INFO: warnings are for what an operator should look at.

    Django's own sign of an attack, such as a foreign host name, stays a warning, once an hour for each kind. All are
    counted by `interplay_http_requests_total`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is written, and change its level."""
        if not record.name.startswith("django.") or not 400 <= getattr(record, "status_code", 0) < 500:
            return True
        is_attack = record.name.startswith("django.security.") and record.name != "django.security.csrf"
        is_news = is_attack and record.created - self._told.get(record.name, 0) >= _ONE_HOUR
        if is_news:
            self._told[record.name] = record.created
        record.levelno = logging.WARNING if is_news else logging.INFO
        record.levelname = logging.getLevelName(record.levelno)
        return logging.getLogger().isEnabledFor(record.levelno)  # LOG_LEVEL


class Redacting(logging.Formatter):
    """Formats a record, including its traceback, and removes what may not be in a log.

    `secrets` are values that the environment does not hold itself, such as keys in files.
    """

    def __init__(self, fmt: str | None = None, datefmt: str | None = None, *, secrets: Sequence[str] = ()) -> None:
        super().__init__(fmt, datefmt)
        self._secrets = all_secrets(secrets)

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record), self._secrets)
