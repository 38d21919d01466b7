"""Wrong passwords and codes are counted for the account, whoever tries; its owner gets in and is told once."""

import re
import time
from collections import Counter

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core import mail as outbox
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

import builders
from annotation.domain.choices import Role
from annotation.mail import queue, send
from annotation.members.accounts.password_links import password_link
from annotation.models import Mail, User
from concurrency import at_once
from config.web.guesses import COOKIE

PASSWORD = "a long enough passphrase"
LOGIN, CODE, AGAIN = "/accounts/login/", "/accounts/2fa/authenticate/", "/accounts/reauthenticate/"

pytestmark = pytest.mark.usefixtures("rate_limits")


@pytest.fixture
def wren(db, settings, monkeypatch):
    settings.EMAIL_HOST = "mail.example.org"
    monkeypatch.setattr(queue, "ring", lambda mail_id: True)
    user = builders.make_user("wren", PASSWORD, email="wren@example.org", language="ko")
    EmailAddress.objects.create(user=user, email="wren@example.org", primary=True, verified=True)
    return user


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands, and can be set forward."""
    ahead, now = [0.0], time.time()
    monkeypatch.setattr("time.time", lambda: now + ahead[0])
    return ahead


def sign_in(password="wrong", *, name="wren", client=None, address="192.0.2.1"):
    return (client or Client()).post(LOGIN, {"login": name, "password": password}, REMOTE_ADDR=address)


def attack(times, name="wren"):
    """Try a wrong password from so many networks of IPv6, one after the other; return the statuses."""
    return [sign_in(name=name, address=f"2001:db8:{number:x}::1").status_code for number in range(times)]


def told():
    for row in Mail.objects.order_by("pk"):
        send.send_mail(row.pk)
    return [message.subject for message in outbox.outbox]


def test_an_account_slows_down_whoever_asks_and_a_name_of_nobody_alike(wren, clock):  # B127
    for name in ("wren", "nobody"):
        assert attack(40, name) == [200] * 10 + [429] * 30, name


def test_other_ways_of_writing_the_name_are_the_same_account(wren, clock):
    names = ["wren", "WREN", " Wren ", "wREN"] * 3
    assert [sign_in(name=name, address=f"192.0.2.{n}").status_code for n, name in enumerate(names)] == (
        [200] * 10 + [429] * 2
    )


def test_the_owner_gets_in_from_a_browser_in_which_they_signed_in_before_while_it_goes_on(wren, clock):
    own = Client()
    assert sign_in(PASSWORD, client=own).status_code == 302
    own.post("/accounts/logout/")
    assert attack(15)[-1] == 429
    assert sign_in(PASSWORD).status_code == 429  # a new browser waits
    assert sign_in("mistyped", client=own).status_code == 200
    assert sign_in(PASSWORD, client=own).status_code == 302


def test_a_known_browser_has_a_limit_too_and_a_cookie_of_another_account_is_none(wren, clock):
    robin = builders.make_user("robin", PASSWORD)
    own = Client()
    sign_in(PASSWORD, client=own, name="robin")
    own.post("/accounts/logout/")
    tries = [sign_in(client=own, name="robin", address=f"192.0.2.{n}").status_code for n in range(12)]
    assert tries == [200] * 10 + [429] * 2
    assert attack(12)[-1] == 429
    assert sign_in(PASSWORD, client=own).status_code == 429
    assert str(robin.public_id) not in own.cookies[COOKIE].value
    own.cookies[COOKIE] = own.cookies[COOKIE].value[:-1] + "A"
    assert sign_in(PASSWORD, client=own).status_code == 429


def test_a_new_browser_waits_a_minute_at_most_and_tries_that_wait_make_it_no_longer(wren, clock):
    for _ in range(20):
        attack(2)
        clock[0] += 60
    assert attack(3)[-1] == 429
    refused = sign_in(PASSWORD)
    assert refused.status_code == 429 and int(refused["Retry-After"]) <= 60
    clock[0] += int(refused["Retry-After"])
    assert sign_in(PASSWORD).status_code == 302


def test_a_link_for_a_new_password_opens_the_account_at_once_in_that_browser(wren, clock):
    assert attack(15)[-1] == 429
    own, new = Client(), "another passphrase of mine"
    form = own.get(password_link(wren).replace("http://127.0.0.1:8000", ""), follow=True)
    assert own.post(form.request["PATH_INFO"], {"password1": new, "password2": new}).status_code == 302
    assert sign_in(new).status_code == 429
    assert sign_in(new, client=own).status_code == 302


def test_the_same_password_is_counted_wherever_it_is_asked_for(wren, clock):
    open_session = Client()
    open_session.force_login(wren)
    asked = {
        AGAIN: {"password": "wrong"},
        "/accounts/password/change/": {"oldpassword": "wrong", "password1": "x" * 20, "password2": "x" * 20},
        "/me/data/erase/": {"proof": "wrong"},
    }
    for number in range(12):
        path, fields = list(asked.items())[number % 3]
        answer = open_session.post(path, fields, REMOTE_ADDR=f"192.0.2.{number}")
        assert (answer.status_code == 429) == (number >= 10), path
    assert sign_in(PASSWORD).status_code == 429


def test_a_project_is_not_deleted_by_guessing_its_admins_password(db):
    project = builders.make_project("winter")
    admin = Client()
    admin.force_login(builders.make_member(project, Role.ADMIN).user)
    fields = {"name": project.name, "password": "wrong"}
    answers = [admin.post("/p/winter/life/delete/", fields, REMOTE_ADDR=f"192.0.2.{n}").status_code for n in range(12)]
    assert answers[-2:] == [429] * 2


@pytest.fixture
def codes(wren):
    TOTP.activate(wren, generate_totp_secret())
    return RecoveryCodes.activate(wren).get_unused_codes()


def at_the_code(number):
    client = Client(REMOTE_ADDR=f"192.0.2.{number}")
    assert client.post(LOGIN, {"login": "wren", "password": PASSWORD})["Location"] == CODE
    return client


def test_codes_are_ten_in_five_minutes_from_twenty_addresses_with_four_each(wren, codes, clock):
    answers = []
    for number in range(20):
        client = at_the_code(number)
        answers += [client.post(CODE, {"code": f"{number * 7 + n:06d}"}).status_code for n in range(4)]
    assert answers == [200] * 10 + [429] * 70
    assert client.post(CODE, {"code": codes[0]}).status_code == 429
    clock[0] += 301
    assert client.post(CODE, {"code": codes[0]}).status_code == 302


def test_codes_of_a_session_that_is_open_count_with_those_at_sign_in(wren, codes):
    open_session = Client()
    open_session.force_login(wren)
    for number in range(10):
        way = {"path": "/accounts/2fa/reauthenticate/", "data": {"code": "0"}, "REMOTE_ADDR": f"198.51.100.{number}"}
        assert open_session.post(**way).status_code == 200
    assert open_session.post(**way).status_code == 429
    assert at_the_code(1).post(CODE, {"code": codes[0]}).status_code == 429


def test_right_codes_take_nothing_from_the_limit(wren, codes):
    assert [at_the_code(n).post(CODE, {"code": codes[n]}).status_code for n in range(10)] == [302] * 10
    assert at_the_code(11).post(CODE, {"code": "000000"}).status_code == 200


def test_a_key_that_is_refused_is_no_code(wren, codes):
    for number in range(12):
        assert at_the_code(number).post(CODE, {"credential": "{}"}).status_code == 200
    assert at_the_code(99).post(CODE, {"code": codes[0]}).status_code == 302


def test_the_owner_is_told_once_in_their_language_and_at_the_next_sign_in(wren, clock):
    assert attack(10) == [200] * 10
    assert told() == []  # it may have been a bad memory
    for _ in range(3):
        attack(4)
        clock[0] += 3600
    assert told() == ["[Interplay] 계정에 잘못된 비밀번호가 여러 번 입력되었습니다"]
    own = Client()
    own.cookies.load({"django_language": "en"})
    User.objects.filter(pk=wren.pk).update(language="en")
    clock[0] += 3600
    page = own.post(LOGIN, {"login": "wren", "password": PASSWORD}, follow=True).content.decode()
    assert "tried many wrong passwords" in page
    assert "tried many wrong passwords" in own.get("/me/sign-ins/").content.decode()
    again = Client().post(LOGIN, {"login": "wren", "password": PASSWORD}, follow=True).content.decode()
    assert "tried many wrong passwords" not in again


def test_who_tries_codes_knows_the_password_and_the_mail_says_so(wren, codes):
    User.objects.update(language="en")
    for number in range(12):
        at_the_code(number).post(CODE, {"code": "000000"})
    assert told() == ["[Interplay] Many wrong codes for your account"]
    assert "choose a new password now" in " ".join(outbox.outbox[0].body.split())


def test_a_known_and_an_unknown_name_cost_the_same_statements(wren, clock):
    def statements(name):
        with CaptureQueriesContext(connection) as caught:
            answer = sign_in(name=name)
        return answer.status_code, [re.sub(r"'[^']*'|\d+", "", query["sql"]) for query in caught.captured_queries]

    assert statements("wren") == statements("nobody")
    for name in ("wren", "nobody"):
        attack(12, name)
    assert statements("wren") == statements("nobody")


def test_a_form_without_its_token_is_no_try(wren):
    strict = Client(enforce_csrf_checks=True)
    assert [sign_in(client=strict, address=f"192.0.2.{n}").status_code for n in range(20)] == [403] * 20
    assert sign_in(PASSWORD).status_code == 302


def test_what_waits_for_its_account_takes_nothing_from_its_address(wren, clock):
    attack(12)
    assert [sign_in(PASSWORD, address="203.0.113.9").status_code for _ in range(20)] == [429] * 20
    builders.make_user("robin", PASSWORD)
    assert sign_in("wrong", name="robin", address="203.0.113.9").status_code == 200


def test_guesses_that_come_at_once_are_as_few(transactional_db, settings):
    settings.PASSWORD_HASHERS = ["config.web.password_hasher.Argon2id"]
    builders.make_user("wren", PASSWORD)
    come = [lambda n=n: sign_in(address=f"192.0.2.{n}").status_code for n in range(24)]
    assert Counter(at_once(come))[200] <= 11  # the next one is due a second after the tenth


def test_a_right_password_twenty_times_at_once_is_no_attack(transactional_db, settings, monkeypatch):
    monkeypatch.setattr("config.web.rate_limits.PATIENCE", 60.0)
    builders.make_user("wren", PASSWORD)
    assert Counter(at_once([lambda: sign_in(PASSWORD).status_code] * 20)) == {302: 20}
    assert User.objects.get().passwords_guessed_at is None
