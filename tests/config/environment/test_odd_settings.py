"""Each variable is taken rightly, or refused by `check` in one sentence; none fails only later, or passes unread."""

import json
import os
import subprocess
import sys

import pytest
from django.conf import settings

from config import operator_warnings
from config.environment import env, env_file

TRY = """
import importlib, json, os, sys
from django.core.exceptions import ImproperlyConfigured
before = dict(os.environ)
for line in sys.stdin:
    os.environ.clear()
    os.environ.update(before | json.loads(line))
    try:
        import config.settings
        importlib.reload(config.settings)
        answer = ""
    except ImproperlyConfigured as refused:
        answer = str(refused)
    except OSError as refused:  # `config.start` makes the same sentence of it
        answer = f"{str(refused.filename)[:40]} cannot be used: {refused.strerror}."
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """Read the settings once more with other variables, in one process for all of them."""
    folder = tmp_path_factory.mktemp("var")
    environ = {"PATH": os.environ["PATH"], "VAR_DIR": str(folder), "INTERPLAY_ENV": "", "SECRET_KEY": "k" * 50}
    process = subprocess.Popen(
        [sys.executable, "-c", TRY],
        cwd=settings.BASE_DIR,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def read(**variables: str) -> str:
        process.stdin.write(f"{json.dumps(variables)}\n")
        process.stdin.flush()
        return str(json.loads(process.stdout.readline()))

    yield read
    process.stdin.close()
    process.wait(60)
    process.stdout.close()


REFUSED = [
    ({"HSTS_PRELOAD": "maybe"}, "HSTS_PRELOAD must be on or off"),
    ({"HSTS_PRELOAD": "on"}, "HSTS_PRELOAD needs a SITE_URL that begins with https://"),
    ({"SECRET_KEY": "short"}, "SECRET_KEY has a key of 5 characters"),
    ({"SECRET_KEY_FALLBACKS": "x"}, "SECRET_KEY_FALLBACKS has a key of 1 characters"),
    ({"SECRET_KEY_FALLBACKS": f"{'k' * 40},abc"}, "SECRET_KEY_FALLBACKS has a key of 3 characters"),
    ({"MEDIA_BUCKET": "Bad_Bucket"}, "MEDIA_BUCKET must have 3 to 63"),
    ({"MEDIA_BUCKET": "a..b"}, "MEDIA_BUCKET must have 3 to 63"),
    ({"MEDIA_BUCKET": "ab"}, "MEDIA_BUCKET must have 3 to 63"),
    ({"MEDIA_BUCKET": "site", "MEDIA_REGION": "us east"}, "MEDIA_REGION must look like"),
    ({"MEDIA_BUCKET": "site", "MEDIA_PREFIX": "../other"}, "MEDIA_PREFIX must be the name of a folder"),
    ({"MEDIA_BUCKET": "site", "MEDIA_ACCESS_KEY": "a"}, "MEDIA_ACCESS_KEY needs MEDIA_SECRET_KEY too"),
    ({"MEDIA_ENDPOINT": "https://minio.example.org"}, "MEDIA_ENDPOINT needs MEDIA_BUCKET"),
    ({"MEDIA_PREFIX": "lab"}, "MEDIA_PREFIX needs MEDIA_BUCKET"),
    ({"S3_SECRET_KEY": "b"}, "S3_SECRET_KEY needs S3_ACCESS_KEY too"),
    ({"GOOGLE_SEARCH_KEY": "AIza"}, "GOOGLE_SEARCH_KEY needs GOOGLE_SEARCH_ENGINE too"),
    ({"OIDC_SERVER_URL": "https://id.example.org"}, "OIDC_SERVER_URL needs OIDC_CLIENT_ID"),
    ({"EMAIL_HOST": "smtp.example.org:587"}, "EMAIL_HOST must be the name of one server"),
    ({"EMAIL_HOST": "smtp://example.org"}, "EMAIL_HOST must be the name of one server"),
    ({"EMAIL_HOST": "a", "EMAIL_HOST_USER": "b"}, "EMAIL_HOST_USER needs EMAIL_HOST_PASSWORD too"),
    ({"EMAIL_PORT": "465"}, "EMAIL_PORT 465 needs TLS from the first byte"),
    ({"EMAIL_PORT": "0"}, "EMAIL_PORT must be a whole number from 1 to 65535"),
    ({"METRICS_TOKEN": "two words"}, "METRICS_TOKEN must have ASCII letters"),
    ({"METRICS_TOKEN": "naïve"}, "METRICS_TOKEN must have ASCII letters"),
    ({"METRICS_NETWORKS": "10.0.0.1/8"}, "METRICS_NETWORKS must list networks"),
    ({"PROMPTS_DIR": "/nowhere/prompts"}, "PROMPTS_DIR names /nowhere/prompts, which does not exist."),
    ({"WORKER_HEARTBEAT_FILE": "/nowhere/beat"}, "WORKER_HEARTBEAT_FILE needs its folder"),
    ({"WORKER_QUEUES": "runs"}, "WORKER_QUEUES needs a broker"),
    ({"WORKER_QUEUES": "debates"}, "WORKER_QUEUES may list"),
    ({"QUEUE_PREFIX": "Lab 1"}, "QUEUE_PREFIX must match"),
    ({"WEB_THREADS": "0"}, "WEB_THREADS must be a whole number from 1 to 1000"),
    ({"WEB_CONCURRENCY": "many"}, "WEB_CONCURRENCY must be a whole number"),
    ({"CONNECTIONS_PER_ADDRESS": "-1"}, "CONNECTIONS_PER_ADDRESS must be a whole number"),
    ({"MODEL_ALLOWED": "nowhere:some-model"}, "MODEL_ALLOWED names a server that is not in MODEL_SERVERS"),
    ({"TRUSTED_PROXIES": "yes"}, "TRUSTED_PROXIES must be a whole number"),
    ({"ALLOWED_HOSTS": "https://a.example.org"}, "ALLOWED_HOSTS must list host names"),
    ({"SITE_URL": "labels.example.org"}, "SITE_URL must look like"),
    ({"LOG_LEVEL": "loud"}, "LOG_LEVEL must be one of"),
    ({"REDIS_URL": "http://queue"}, "REDIS_URL must look like"),
    ({"CELERY_BROKER_URL": "sqs://"}, "CELERY_BROKER_URL must look like"),
    ({"DATABASE_URL": "mysql://a/b"}, "DATABASE_URL must look like"),
]


@pytest.mark.parametrize(("variables", "sentence"), REFUSED, ids=lambda value: str(value)[:60])
def test_what_could_only_fail_later_is_refused_in_one_sentence(tried, variables, sentence):
    said = tried(**variables)
    assert said.startswith(sentence), said
    assert "\n" not in said


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"HSTS_PRELOAD": "on", "SITE_URL": "https://labels.example.org"},
        {"SECRET_KEY_FALLBACKS": f"{'a' * 40}, {'b' * 40}"},
        {"MEDIA_BUCKET": "interplay-files", "MEDIA_PREFIX": "sites/lab/", "MEDIA_REGION": "garage"},
        {"MEDIA_BUCKET": "a.b", "MEDIA_ACCESS_KEY": "a", "MEDIA_SECRET_KEY": "b"},
        {"EMAIL_HOST": "192.0.2.7"},
        {"EMAIL_HOST": "2001:db8::7", "EMAIL_HOST_USER": "a", "EMAIL_HOST_PASSWORD": "b c"},
        {"METRICS_TOKEN": "a-b_c.d~e+f/g="},
        {"PROMPTS_DIR": "/tmp"},  # noqa: S108  # any folder that is there
        {"WORKER_QUEUES": "runs,imports,releases,figures,rest"},
        {"WORKER_QUEUES": "runs", "CELERY_BROKER_URL": "redis://queue:6379/0"},
        {"ADMIN_PATH": "/deep/down/"},
        {"ADMIN_PATH": "accounts-of-staff"},
        {"MODEL_ALLOWED": "openai:*,lab:*", "MODEL_SERVERS": "lab openai https://models.example.org/v1"},
        {"OIDC_SERVER_URL": "https://id.example.org", "OIDC_CLIENT_ID": "interplay"},
        {"DATABASE_URL": "postgres://u:p@h/n?sslmode=require"},
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_makes_sense_is_taken(tried, variables):
    assert tried(**variables) == ""


def test_an_empty_variable_is_the_default_whatever_it_is(tried):
    names = sorted(env.NAMES - {"VAR_DIR", "SECRET_KEY", "SECRET_KEY_FILE"})
    assert len(names) > 100
    assert tried(**dict.fromkeys(names, "")) == ""
    assert tried(**dict.fromkeys(names, "  ")) == ""


@pytest.mark.parametrize("value", ["-1", "x y", "\u201cquoted\u201d", "\x7f", "a" * 5000, "/dev/null", "{}", "0"])
def test_no_value_of_any_variable_ends_in_anything_but_a_sentence(tried, value):
    for name in sorted(env.NAMES - {"VAR_DIR", "STATIC_ROOT", "MEDIA_ROOT"}):
        said = tried(**{name: value})
        assert "\n" not in said and "Traceback" not in said and not said.startswith("'"), (name, said)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("SITE_URLL", "SITE_URL"),
        ("SITEURL", "SITE_URL"),
        ("DATABASE_URI", "DATABASE_URL"),
        ("MODEL_JUGDE", "MODEL_JUDGE"),
        ("WORKER_QUEUE", "WORKER_QUEUES"),
        ("SECRET_KEY_FALLBACK", "SECRET_KEY_FALLBACKS"),
        ("SITE_URL_FILE", "SITE_URL"),
        ("INTERPLAY_ENVV", "INTERPLAY_ENV"),
    ],
)
def test_a_name_near_one_of_ours_is_told_with_it(name, near):
    assert operator_warnings.misspelt({name: "x"}) == {name: near}


def test_names_of_the_shell_and_of_other_programs_are_left_alone():
    others = "HOME PATH USER LANG LANGUAGE SHELL TERM PWD OLDPWD EDITOR HOSTNAME LC_ALL TZ MAIL EMAIL VIRTUAL_ENV"
    others += " KUBERNETES_SERVICE_HOST REDIS_HOST REDIS_PORT DATABASE_HOST DB_URL AWS_SECRET_ACCESS_KEY S3_BUCKET"
    others += " OTEL_SERVICE_NAME PYTHONPATH OPENAI_ORG_ID HTTP_PROXY NO_PROXY SSL_CERT_FILE TMPDIR GUNICORN_CMD_ARGS"
    assert operator_warnings.misspelt(dict.fromkeys(others.split(), "x")) == {}


def test_in_the_site_s_own_file_a_name_need_not_be_so_near(monkeypatch):
    assert operator_warnings.misspelt({"SMTP_HOST": "x", "TRUST_PROXY": "1"}) == {}
    monkeypatch.setattr(env_file, "loaded", {"TRUST_PROXY"})
    assert operator_warnings.misspelt({"TRUST_PROXY": "1"}) == {"TRUST_PROXY": "TRUSTED_PROXIES"}


@pytest.mark.parametrize("path", ["accounts", "/api/v1/", "p", "healthz", "queues/"])
def test_an_administration_in_the_place_of_other_pages_is_refused(settings, path):
    assert operator_warnings.check_admin_path() == []
    settings.ADMIN_PATH = path.strip("/") + "/"
    (error,) = operator_warnings.check_admin_path()
    assert error.is_serious() and path.strip("/").split("/")[0] in error.msg


def test_the_names_that_are_known_are_those_of_the_settings():
    assert {"SITE_URL", "DATABASE_URL", "DATABASE_URL_FILE", "MODEL_JUDGE", "WEB_THREADS", "COLLECTING"} <= env.NAMES
