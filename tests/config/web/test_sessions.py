"""Sessions are read by a statement of the site's own; they end as Django's do."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from builders import make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    member = make_member(make_project("garden"))
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def is_signed_in(browser: Client) -> bool:
    answer: Any = browser.get("/")
    return bool(answer.status_code == 200)


def test_a_session_ends_with_its_time_its_row_and_its_account(browser: Client) -> None:
    assert is_signed_in(browser)
    row = Session.objects.get()
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not is_signed_in(browser)
    browser.cookies["sessionid"] = row.session_key
    row.save()
    assert is_signed_in(browser)
    Session.objects.all().delete()
    assert not is_signed_in(browser)


def test_an_unknown_or_strange_key_is_nobodys_session(browser: Client) -> None:
    for key in ("", "x" * 32, "' OR 1=1 --", "é" * 40):
        browser.cookies["sessionid"] = key
        assert not is_signed_in(browser)


def test_a_change_of_the_session_is_there_at_the_next_request(browser: Client) -> None:
    session = browser.session
    session["colour"] = "green"
    session.save()
    assert browser.session["colour"] == "green" and is_signed_in(browser)
