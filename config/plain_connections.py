"""What `manage.py check --deploy` says of connections to other hosts that anybody on the way can read.

A host is this machine's if it is localhost, a loopback address or a socket. A name without a dot counts as near too:
so containers of one machine or one cluster call one another, and nobody outside resolves it. Every other host is
another one, also in a private network.
"""

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Warning

_WITH_TLS = {"require", "verify-ca", "verify-full"}
_PLAIN_BROKERS = {"redis", "amqp", "pyamqp", "sentinel"}


def check_plain_connections(**_kwargs: Any) -> list[CheckMessage]:
    """Warn of each setting that sends keys, passwords or people's data to another host without TLS."""
    return [*_web_addresses(), *_mail(), *_servers(), *_databases()]


def is_near(host: str) -> bool:
    """Return whether a host is this machine, or named as containers of one machine are."""
    plain = host.strip("[]").rstrip(".").lower()
    if not plain or plain.startswith("/"):
        return True
    try:
        return ip_address(plain.partition("%")[0]).is_loopback
    except ValueError:
        return "." not in plain or plain.endswith(".localhost")


def _web_addresses() -> Iterator[CheckMessage]:
    """Warn of http where https belongs: sign-in, and wherever a key goes along."""
    if _is_plain(settings.OIDC_SERVER_URL):
        yield _plain("OIDC_SERVER_URL", "people sign in there", "W003")
    with_keys = [
        ("OPENAI_BASE_URL", settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY),
        ("DASHSCOPE_HTTP_BASE_URL", settings.DASHSCOPE_HTTP_BASE_URL, settings.DASHSCOPE_API_KEY),
        *((f"MODEL_SERVERS ({row.name})", row.address, row.key) for row in settings.MODEL_SERVERS.values()),
        ("GOOGLE_SEARCH_URL", settings.GOOGLE_SEARCH_URL, settings.GOOGLE_SEARCH_KEY),
        ("S3_ENDPOINT", settings.S3_ENDPOINT, settings.S3_SECRET_KEY),
    ]
    for name, address, key in with_keys:
        if key and _is_plain(address):
            yield _plain(name, "your key is sent there", "W004")
    files = settings.STORAGES["default"].get("OPTIONS", {}).get("endpoint_url")
    if files and _is_plain(files):
        yield _plain("MEDIA_ENDPOINT", "the site's files are kept there", "W005")
    if any(_is_plain(origin) for origin in settings.WEBHOOK_ALLOW):
        yield _plain("WEBHOOK_ALLOW", "messages of webhooks are sent there", "W006")


def _mail() -> Iterator[CheckMessage]:
    has_tls = settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL
    if settings.EMAIL_HOST and not has_tls and not is_near(settings.EMAIL_HOST):
        yield Warning(
            "EMAIL_USE_TLS is off: mails with links that open accounts go to EMAIL_HOST without TLS.",
            hint="Set EMAIL_USE_TLS=on, or name a mail server on this machine.",
            id="interplay.W007",
        )


def _servers() -> Iterator[CheckMessage]:
    addresses = (("REDIS_URL", settings.REDIS_URL), ("CELERY_BROKER_URL", settings.CELERY_BROKER_URL))
    for name, several in addresses:
        if any(_is_plain_server(address) for address in several.split(";") if address):
            yield Warning(
                f"{name} names another host without TLS: sessions, jobs or passwords can be read on the way.",
                hint="Use rediss:// or amqps://, or keep the server in a network that only this site uses.",
                id="interplay.W008",
            )


def _databases() -> Iterator[CheckMessage]:
    names = {"default": "DATABASE_URL", "replica": "DATABASE_REPLICA_URL"}
    for alias, database in settings.DATABASES.items():
        hosts = str(database.get("HOST") or "").split(",")
        if "postgresql" not in database["ENGINE"] or all(map(is_near, hosts)):
            continue
        if database.get("OPTIONS", {}).get("sslmode") not in _WITH_TLS:
            yield Warning(
                f"{names.get(alias, alias)} does not ask for TLS: everything the site stores can be read on the way.",
                hint="Add ?sslmode=verify-full&sslrootcert=FILE, or sslmode=require, to the address.",
                id="interplay.W009",
            )


def _plain(name: str, why: str, number: str) -> CheckMessage:
    sentence = f"{name} names another host with http://: {why}, and anybody on the way can read and change it."
    return Warning(sentence, hint="Use an https:// address.", id=f"interplay.{number}")


def _is_plain(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "http" and not is_near(parts.hostname or "")


def _is_plain_server(address: str) -> bool:
    parts = urlsplit(address)
    with_tls = dict(parse_qsl(parts.query)).get("ssl", "").lower() in {"true", "1"}
    return parts.scheme in _PLAIN_BROKERS and not with_tls and not is_near(parts.hostname or "")
