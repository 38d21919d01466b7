"""Sessions are read by a statement of the site's own; they end as Django's do."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import User
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


def test_an_account_named_by_its_key_is_read_as_a_query_reads_it() -> None:
    account = make_member(make_project("yard")).user
    assert account is not None
    with CaptureQueriesContext(connection) as queries:
        for key in (account.pk, str(account.pk)):
            found = User.objects.get(pk=key)
            usual = User.objects.filter(pk=key).get()
            assert vars(found) == vars(usual) | {"_state": found._state, "reports_wait": False}
    assert len(queries) == 4
    found.first_name = "Wren"
    found.save()
    assert User.objects.get(pk=account.pk).first_name == "Wren"
    assert User.objects.get(pk=account.pk, first_name="Wren") == User.objects.get(Q(pk=account.pk)) == account


@pytest.mark.parametrize("key", [0, -1, 2**31 - 1, None])
def test_an_account_that_is_not_there_is_missed_as_usual(key: int | None) -> None:
    with pytest.raises(User.DoesNotExist):
        User.objects.get(pk=key)


def test_a_key_that_is_no_number_is_refused_as_usual() -> None:
    for read in (User.objects.get, User.objects.filter(username="wren").get):
        with pytest.raises(ValueError, match="expected a number but got 'none'"):
            read(pk="none")
