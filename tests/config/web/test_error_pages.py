import json
import logging
import re
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone

import builders
from config.models import Pulse
from config.monitoring.logging_filters import Redacting
from config.web import error_pages
from runs.models import WorkerLoad


def failing(error):
    """What the site answers when a page ends with that error."""
    try:
        raise error
    except type(error):
        return error_pages.server_error(RequestFactory().get("/"))


def test_a_database_that_is_away_is_503_with_the_time_to_wait():
    away = OperationalError("unable to open database file")
    answer = failing(away)
    assert answer.status_code == 503
    assert answer["Retry-After"] == "10"
    assert b"try again" in answer.content


def test_a_fault_of_ours_is_500_and_tells_nothing_of_it():
    answer = failing(ValueError("sk-CANARY-1 at /srv/secret"))
    assert answer.status_code == 500
    assert b"CANARY" not in answer.content


def test_the_api_hears_of_an_outage_in_json():
    try:
        raise OperationalError("database is locked")
    except OperationalError:
        answer = error_pages.server_error(RequestFactory().get("/api/v1/projects/"))
    assert answer.status_code == 503
    assert json.loads(answer.content)["code"] == "unavailable"


@pytest.mark.django_db
def test_foreign_and_missing_are_the_same_404_byte_for_byte(client):
    builders.make_project(slug="theirs")
    client.force_login(builders.make_user())
    foreign, missing = (client.get(f"/p/{slug}/dashboard/") for slug in ("theirs", "nowhere"))
    assert (foreign.status_code, missing.status_code) == (404, 404)
    token = re.compile(rb'(?<=X-CSRFToken": ")\w+|(?<=csrfmiddlewaretoken" value=")\w+')
    assert token.sub(b"", foreign.content.replace(b"theirs", b"nowhere")) == token.sub(b"", missing.content)


@pytest.mark.django_db
def test_who_prefers_json_gets_json(client):
    client.force_login(builders.make_user())
    answer = client.get("/nothing/", headers={"accept": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.django_db
def test_health_is_red_without_a_worker_and_green_with_one(client):
    WorkerLoad.objects.create(process="a:1", at=timezone.now(), runs=0, delay=0)
    assert client.get("/readyz").status_code == 200
    assert (client.get("/healthz").status_code, client.get("/healthz").json()["worker"]) == (503, "late")
    Pulse.beat("worker")
    assert (client.get("/healthz").status_code, client.get("/healthz").json()["worker"]) == (200, "ok")


@pytest.mark.django_db
def test_f27_health_turns_red_ninety_seconds_after_the_last_sweep(client):
    WorkerLoad.objects.create(process="a:1", at=timezone.now(), runs=0, delay=0)
    for seconds, code in ((80, 200), (91, 503)):
        Pulse.objects.update_or_create(part="worker", defaults={"at": timezone.now() - timedelta(seconds=seconds)})
        assert client.get("/healthz").status_code == code


def test_a_request_that_fails_before_anybody_signed_in_still_gets_a_page():
    request = HttpRequest()
    request.META = {"SERVER_NAME": "localhost", "SERVER_PORT": "80"}
    assert error_pages.failure(request, 413, "too_large", "Too large.").status_code == 413


@pytest.mark.django_db
def test_what_the_database_quotes_never_reaches_the_log(caplog):
    with caplog.at_level(logging.ERROR), connection.cursor():
        try:
            raise ValueError(f"duplicate key\nDETAIL:  Key (text)=(a {'can' + 'ary'} text) already exists.")
        except ValueError:
            logging.getLogger("x").exception("failed")
    assert "canary" not in Redacting().format(caplog.records[0])


@pytest.mark.django_db
@pytest.mark.parametrize(("site", "shown"), [("same-origin", True), ("cross-site", False), ("", False)])
def test_a_form_from_before_a_sign_in_in_another_tab_shows_what_was_typed(site, shown):
    client = Client(enforce_csrf_checks=True)
    client.force_login(builders.make_user())
    form = {"csrfmiddlewaretoken": "a" * 64, "note": "What I saw, in many words.", "password": "a secret or two"}
    headers = {"Referer": "http://testserver/p/garden/label/", "Sec-Fetch-Site": site}
    answer = client.post("/p/garden/label/undo/", form, headers=headers)
    page = answer.content.decode()
    assert answer.status_code == 403
    assert ("What I saw, in many words." in page, 'href="/p/garden/label/"' in page) == (shown, shown)
    assert "a secret or two" not in page
    assert "a" * 64 not in page


@pytest.mark.django_db
def test_who_signed_in_in_another_tab_is_led_on_from_the_sign_in_page():
    client = Client(enforce_csrf_checks=True)
    client.force_login(builders.make_user())
    page = "/accounts/login/?next=/me/data/"
    stale = {"csrfmiddlewaretoken": "a" * 64, "login": "wren", "password": "a secret or two"}
    assert client.post(page, stale, follow=True).redirect_chain[-1][0] == "/me/data/"
