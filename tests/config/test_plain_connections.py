"""`check --deploy` names each connection to another host that is not encrypted, once, with its setting (B134)."""

from types import SimpleNamespace

import pytest

from config import plain_connections
from config.plain_connections import check_plain_connections, is_near
from providers.servers import ModelServer


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("", True),
        ("localhost", True),
        ("box.localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("/run/postgresql", True),
        ("redis", True),
        ("db.lab.example", False),
        ("10.0.0.5", False),
        ("fd00::5", False),
        ("db.default.svc.cluster.local", False),
    ],
)
def test_which_hosts_are_near(host, near):
    assert is_near(host) is near


def server(address, key="secret"):
    return {"lab": ModelServer("lab", "openai", address, key)}


def bucket(endpoint):
    return {"default": {"BACKEND": "config.media_bucket.MediaBucket", "OPTIONS": {"endpoint_url": endpoint}}}


def postgres(host, **options):
    return {"default": {"ENGINE": "config.postgresql", "HOST": host, "OPTIONS": options}}


FAR, NEAR = "http://far.example.org/v1", "http://127.0.0.1:9000/v1"
NAMED = {
    "OIDC_SERVER_URL": {"OIDC_SERVER_URL": FAR},
    "OPENAI_BASE_URL": {"OPENAI_BASE_URL": FAR, "OPENAI_API_KEY": "secret"},
    "DASHSCOPE_HTTP_BASE_URL": {"DASHSCOPE_HTTP_BASE_URL": FAR, "DASHSCOPE_API_KEY": "secret"},
    "MODEL_SERVERS (lab)": {"MODEL_SERVERS": server(FAR)},
    "GOOGLE_SEARCH_URL": {"GOOGLE_SEARCH_URL": FAR, "GOOGLE_SEARCH_KEY": "secret"},
    "S3_ENDPOINT": {"S3_ENDPOINT": FAR, "S3_SECRET_KEY": "secret"},
    "MEDIA_ENDPOINT": {"STORAGES": bucket(FAR)},
    "WEBHOOK_ALLOW": {"WEBHOOK_ALLOW": ["https://a.example", "http://receiver.example:8080"]},
    "EMAIL_USE_TLS": {"EMAIL_HOST": "mail.example.org", "EMAIL_USE_TLS": False},
    "REDIS_URL": {"REDIS_URL": "redis://:pw@cache.example.org:6379/0"},
    "CELERY_BROKER_URL": {"CELERY_BROKER_URL": "amqp://near//;amqp://u:pw@queue.example.org//"},
    "DATABASE_URL": {"DATABASES": postgres("db,db.example.org", sslmode="prefer")},
}
QUIET = {
    "https": {"OIDC_SERVER_URL": "https://id.example.org"},
    "this machine": {"OIDC_SERVER_URL": NEAR, "MODEL_SERVERS": server(NEAR), "STORAGES": bucket(NEAR)},
    "a server without a key": {"MODEL_SERVERS": server(FAR, "")},
    "a container beside this one": {"REDIS_URL": "redis://redis:6379/0", "DATABASES": postgres("db")},
    "mail with TLS": {"EMAIL_HOST": "mail.example.org", "EMAIL_USE_TLS": True},
    "mail with TLS from the start": {"EMAIL_HOST": "mail.example.org", "EMAIL_USE_TLS": False, "EMAIL_USE_SSL": True},
    "mail of this machine": {"EMAIL_HOST": "localhost", "EMAIL_USE_TLS": False},
    "a cache with TLS": {"REDIS_URL": "rediss://cache.example.org:6379/0"},
    "a broker with TLS": {"CELERY_BROKER_URL": "amqps://u:pw@queue.example.org//"},
    "a broker with TLS by option": {"CELERY_BROKER_URL": "amqp://u:pw@queue.example.org//?ssl=true"},
    "a broker of files": {"CELERY_BROKER_URL": "filesystem://localhost//"},
    "a database with TLS": {"DATABASES": postgres("db.example.org", sslmode="verify-full")},
    "a database by a socket": {"DATABASES": postgres("/run/postgresql")},
}


NOTHING_FAR = {
    **dict.fromkeys(
        ("OIDC_SERVER_URL", "OPENAI_BASE_URL", "DASHSCOPE_HTTP_BASE_URL", "S3_ENDPOINT", "REDIS_URL", "EMAIL_HOST"), ""
    ),
    **dict.fromkeys(("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "GOOGLE_SEARCH_KEY", "S3_SECRET_KEY"), ""),
    "GOOGLE_SEARCH_URL": "https://www.googleapis.com/customsearch/v1",
    "MODEL_SERVERS": {},
    "WEBHOOK_ALLOW": [],
    "STORAGES": {"default": {}},
    "DATABASES": {"default": {"ENGINE": "django.db.backends.sqlite3"}},
    "CELERY_BROKER_URL": "filesystem://localhost//",
    "EMAIL_USE_TLS": True,
    "EMAIL_USE_SSL": False,
}


def said(monkeypatch, values):
    monkeypatch.setattr(plain_connections, "settings", SimpleNamespace(**NOTHING_FAR | values))
    return check_plain_connections()


@pytest.mark.parametrize(("name", "values"), NAMED.items(), ids=NAMED)
def test_a_connection_that_can_be_read_is_named(monkeypatch, name, values):
    (warning,) = said(monkeypatch, values)
    assert warning.msg.startswith(f"{name} ")
    assert warning.hint
    assert "secret" not in warning.msg
    assert "pw" not in warning.msg


@pytest.mark.parametrize("values", QUIET.values(), ids=QUIET)
def test_nothing_is_said_where_nobody_can_read(monkeypatch, values):
    assert said(monkeypatch, values) == []
