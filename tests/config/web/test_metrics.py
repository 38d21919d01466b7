"""Who may read /metrics: nobody until an operator sets a token or networks."""

import os
import subprocess
import sys
from ipaddress import ip_network

import pytest
from django.conf import settings

pytestmark = pytest.mark.django_db

TOKEN = "a-long-token-for-prometheus"


@pytest.fixture
def on(settings, tmp_path):
    settings.METRICS = True
    settings.METRICS_FOLDER = tmp_path
    return settings


def asked(client, token: str = "", address: str = "192.0.2.9"):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return client.get("/metrics", headers=headers, REMOTE_ADDR=address)


def test_without_a_setting_the_address_does_not_exist(client):
    missing = client.get("/nowhere-at-all")
    answer = asked(client, TOKEN)
    assert answer.status_code == missing.status_code == 404
    assert answer.json()["code"] == "not_found"


def test_with_a_token_only_who_has_it_reads(client, on):
    on.METRICS_TOKEN = TOKEN
    answer = asked(client, TOKEN)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    assert b"interplay_database_up 1.0" in answer.content
    for wrong in ("", "another", f"{TOKEN}x", "é"):
        refusal = asked(client, wrong)
        assert (refusal.status_code, refusal["WWW-Authenticate"]) == (401, "Bearer")
        assert b"interplay_" not in refusal.content


def test_with_networks_only_their_addresses_read(client, on):
    on.METRICS_NETWORKS = [ip_network("10.0.0.0/8"), ip_network("2001:db8::/32")]
    assert asked(client, address="10.1.2.3").status_code == 200
    assert asked(client, address="2001:db8::7").status_code == 200
    for address in ("192.0.2.9", "2001:db9::7", "", "somewhere"):
        assert asked(client, address=address).status_code == 403


def test_with_both_both_are_asked_for(client, on):
    on.METRICS_TOKEN, on.METRICS_NETWORKS = TOKEN, [ip_network("10.0.0.0/8")]
    assert asked(client, TOKEN, "10.1.2.3").status_code == 200
    assert asked(client, TOKEN, "192.0.2.9").status_code == 403
    assert asked(client, "", "10.1.2.3").status_code == 401


def test_a_caller_cannot_choose_the_address_that_is_compared(client, on):
    on.METRICS_NETWORKS = [ip_network("10.0.0.0/8")]
    answer = client.get("/metrics", headers={"X-Forwarded-For": "10.1.2.3"}, REMOTE_ADDR="192.0.2.9")
    assert answer.status_code == 403


def test_nothing_is_sent_to_it(client, on):
    on.METRICS_TOKEN = TOKEN
    assert client.post("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 405


@pytest.mark.parametrize(("token", "loaded"), [("", False), (TOKEN, True)])
def test_only_where_it_is_switched_on_something_is_loaded_and_counted(tmp_path, token, loaded):
    program = """
import sys, django
django.setup()
from django.conf import settings
from django.test import Client
Client(SERVER_NAME="127.0.0.1").get("/nowhere/")
counts = "config.monitoring.middleware.RequestCounts" in settings.MIDDLEWARE
assert counts == ("prometheus_client" in sys.modules) == bool(list(settings.VAR_DIR.glob("metrics/counter_*.db")))
sys.exit(counts)
"""
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "VAR_DIR": str(tmp_path)}
    environ |= {"METRICS_TOKEN": token, "DATABASE_URL": ""}
    done = subprocess.run([sys.executable, "-c", program], cwd=settings.BASE_DIR, env=environ, capture_output=True)
    assert done.returncode == loaded, done.stderr.decode()
