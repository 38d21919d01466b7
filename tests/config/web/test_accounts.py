import hashlib
import hmac
import json
import re
import struct
import time
from base64 import b32decode
from collections import Counter
from functools import partial

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

import builders
from concurrency import at_once

PASSWORD = "a long enough passphrase"
LOGIN = "/accounts/login/"


@pytest.fixture
def wren(db):
    return builders.make_user("wren", PASSWORD)


def sign_in(client, name="wren", password=PASSWORD, **more):
    return client.post(LOGIN, {"login": name, "password": password, **more})


def without_token(page: bytes) -> bytes:
    return re.sub(rb'(csrfmiddlewaretoken" value="|X-CSRFToken": ")[^"]*|&quot;X-CSRFToken[^}]*', b"", page)


def one_time_code(secret: str) -> str:
    """RFC 6238, SHA-1, 30 s, six digits."""
    digest = hmac.new(b32decode(secret), struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    start = digest[-1] & 15
    return f"{(int.from_bytes(digest[start : start + 4]) & 0x7FFFFFFF) % 10**6:06}"


def test_people_sign_in_with_a_name_and_need_no_address(client, wren):
    answer = sign_in(client)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert wren.email == ""


def test_a_new_session_begins_at_sign_in(client, wren):
    client.get(LOGIN)
    client.session["x"] = 1
    client.session.save()
    before = client.session.session_key
    sign_in(client)
    assert client.session.session_key != before


def test_nobody_signs_up(client, db):
    answer = client.post("/accounts/signup/", {"username": "new", "password1": PASSWORD, "password2": PASSWORD})
    assert get_user_model().objects.count() == 0
    assert "sign up" not in answer.content.decode().lower()


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(client, wren):  # B111
    known = sign_in(client, password="wrong")
    unknown = sign_in(client, name="nobody", password="wrong")
    assert known.status_code == unknown.status_code == 200
    assert without_token(known.content).replace(b"wren", b"nobody") == without_token(unknown.content)


class CountingHasher(PBKDF2PasswordHasher):
    """The hasher of real sites with few rounds, which counts how often it is put to work."""

    iterations = 10
    worked = 0

    def encode(self, *args: object, **kwargs: object) -> str:
        type(self).worked += 1
        return str(super().encode(*args, **kwargs))


def test_a_wrong_password_and_an_unknown_name_cost_the_same_hashing(client, settings, db):  # T17
    settings.PASSWORD_HASHERS = [f"{CountingHasher.__module__}.CountingHasher"]
    builders.make_user("wren", PASSWORD)
    work = []
    for name in ("wren", "nobody"):
        before = CountingHasher.worked
        sign_in(client, name=name, password="wrong")
        work.append(CountingHasher.worked - before)
    assert work == [1, 1]


def test_the_sixth_wrong_password_in_a_minute_is_429_for_known_and_unknown_alike(client, wren, rate_limits):  # B111
    answers = [sign_in(client, name=name, password="wrong") for name in ["wren", "nobody"] * 10]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 15
    assert 1 <= int(answers[-1]["Retry-After"]) <= 60
    last, before = (re.sub(rb"\d+ seconds", b"", without_token(answer.content)) for answer in answers[-2:])
    assert last == before


def test_right_passwords_are_not_counted(client, wren, rate_limits):
    for _ in range(7):
        assert sign_in(Client()).status_code == 302


@pytest.fixture
def room(transactional_db, rate_limits, settings, monkeypatch):
    """Twenty people behind one address, on a site that hashes passwords as real ones do."""
    monkeypatch.setattr("config.web.rate_limits.PATIENCE", 60.0)  # a loaded machine proves nothing here
    settings.PASSWORD_HASHERS = ["config.web.password_hasher.Argon2id"]
    return [builders.make_user(f"person-{number}", PASSWORD) for number in range(20)]


def all_at_once(people, password=PASSWORD, address="192.0.2.7"):
    def come(name):
        return Client(REMOTE_ADDR=address).post(LOGIN, {"login": name, "password": password}).status_code

    return Counter(at_once([partial(come, person.username) for person in people]))


def test_a_room_full_of_people_signs_in_at_once_after_somebody_mistyped(room):
    sign_in(Client(REMOTE_ADDR="192.0.2.7"), "person-0", "wrong")
    assert all_at_once(room) == {302: 20}
    assert all_at_once(room, "wrong") == {200: 4, 429: 16}  # the first one still counts


def test_wrong_passwords_that_come_at_once_are_as_few_as_one_after_the_other(room):
    household = [f"2001:db8:1:2::{number}" for number in range(20)]
    answers = at_once(
        [partial(all_at_once, [person], "wrong", address) for person, address in zip(room, household, strict=True)]
    )
    assert sum(answers, Counter()) == {200: 5, 429: 15}
    assert all_at_once(room[:3], address="2001:db8:1:2::ffff") == {429: 3}


def test_right_passwords_beside_wrong_ones_take_nothing_from_their_count(room):
    acts = [partial(all_at_once, [person], "wrong" if number % 2 else PASSWORD) for number, person in enumerate(room)]
    answers = sum(at_once(acts), Counter())
    assert answers[200] == 5  # of ten wrong ones
    assert all_at_once(room[:1]) == {429: 1}


def test_a_room_full_of_people_gives_its_second_step_at_once(room):
    codes = {}
    for person in room:
        codes[person] = RecoveryCodes.activate(person).get_unused_codes()[0]
        TOTP.activate(person, generate_totp_secret())

    def come(person):
        client = Client(REMOTE_ADDR="192.0.2.7")
        assert sign_in(client, person.username)["Location"] == reverse("mfa_authenticate")
        return client.post(reverse("mfa_authenticate"), {"code": codes[person]}).status_code

    assert Counter(at_once([partial(come, person) for person in room])) == {302: 20}


def test_a_form_without_its_token_holds_no_sign_in_up(client, wren, rate_limits):
    strict = Client(enforce_csrf_checks=True)
    assert [sign_in(strict).status_code for _ in range(6)] == [403] * 5 + [429]  # as a wrong one: nobody knows


def test_asking_for_a_new_password_is_counted_and_answers_the_same_for_everybody(client, wren, rate_limits):
    ask = [client.post("/accounts/password/reset/", {"email": f"nobody{n}@example.org"}) for n in range(6)]
    assert [answer.status_code for answer in ask] == [302] * 5 + [429]
    assert len({answer["Location"] for answer in ask[:5]}) == 1


def test_the_right_password_is_refused_too_while_too_many_were_wrong(client, wren, rate_limits):
    for _ in range(5):
        sign_in(client, password="wrong")
    assert sign_in(client).status_code == 429


@pytest.mark.parametrize(
    "place", ["//evil.example", "https://evil.example/x", "/\\evil.example", "javascript:alert(1)"]
)
def test_signing_in_never_leads_to_another_site(client, wren, place):  # B112
    assert sign_in(client, next=place)["Location"] == "/"


def test_signing_in_leads_back_to_where_one_was_going(client, wren):
    assert sign_in(client, next="/me/")["Location"] == "/me/"


def test_every_page_wants_a_sign_in(client, db):
    for place in ("/", "/me/", "/p/winter/", "/accounts/2fa/"):
        answer = client.get(place)
        assert answer.status_code in {302, 404}
        if answer.status_code == 302:
            assert answer["Location"].startswith(LOGIN)


def switch_on_two_steps(client):
    """As a person would: sign in, give the password once more, scan, type the code."""
    sign_in(client)
    assert client.get(reverse("mfa_activate_totp"))["Location"].startswith(reverse("account_reauthenticate"))
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    page = client.get(reverse("mfa_activate_totp"))
    assert page.status_code == 200
    code = one_time_code(page.context["form"].secret)
    assert client.post(reverse("mfa_activate_totp"), {"code": code}).status_code == 302


def test_people_switch_on_two_step_sign_in_without_an_address(client, wren):
    switch_on_two_steps(client)
    codes = client.get(reverse("mfa_view_recovery_codes")).context["unused_codes"]

    later = Client()
    assert sign_in(later)["Location"] == reverse("mfa_authenticate")
    assert later.get("/").status_code == 302
    assert later.post(reverse("mfa_authenticate"), {"code": "000000"}).status_code == 200
    assert later.post(reverse("mfa_authenticate"), {"code": codes[0]}).status_code == 302
    assert later.get("/").status_code == 200


FOREIGN_WORDS = re.compile("Two-Factor|authenticat(e|ion)\\b|Confirm Access|Sign In|Sign Out|[Dd]eactivat|invalidate")


@pytest.mark.parametrize("language", ["en", "ko", "zh-hans"])
def test_pages_about_signing_in_use_the_words_of_the_others(client, wren, language):
    client.cookies.load({"django_language": language})
    switch_on_two_steps(client)
    later = Client()
    later.cookies.load({"django_language": language})
    sign_in(later)
    names = ("mfa_index", "mfa_deactivate_totp", "mfa_generate_recovery_codes", "mfa_view_recovery_codes")
    pages = {name: client.get(reverse(name)) for name in (*names, "mfa_add_webauthn", "account_change_password")}
    pages |= {name: client.get(reverse(name)) for name in ("account_reauthenticate", "account_logout")}
    pages |= {"mfa_authenticate": later.get(reverse("mfa_authenticate"))}
    pages |= {
        "account_reset_password": Client().get(reverse("account_reset_password"), headers={"accept-language": language})
    }
    assert {name: page.status_code for name, page in pages.items() if page.status_code != 200} == {}
    words = {
        name: strip_tags(re.sub(r"(?s)<(script|style|nav|footer)\b.*?</\1>", "", page.content.decode()))
        for name, page in pages.items()
    }
    found = {name: FOREIGN_WORDS.search(text) for name, text in words.items()}
    assert {name: match.group() for name, match in found.items() if match} == {}


def test_who_forgot_the_password_is_led_to_an_admin_and_a_link_is_offered_where_mail_is_sent(client, settings, db):
    address = reverse("account_reset_password")
    page = client.get(address).content.decode()
    assert "Ask an admin of your project" in page
    assert "Send the link" not in page
    settings.EMAIL_HOST = "mail.example"
    assert "Send the link" in client.get(address).content.decode()


def test_an_unverified_address_does_not_bar_two_step_sign_in(client, wren):
    wren.email = "wren@example.org"
    wren.save()
    sign_in(client)
    client.get(reverse("account_email"))
    assert wren.emailaddress_set.filter(verified=False).exists()
    switch_on_two_steps(client)


def test_guessing_one_time_codes_is_slowed_down(client, wren, rate_limits):
    switch_on_two_steps(client)
    thief = Client()
    sign_in(thief)
    answers = [thief.post(reverse("mfa_authenticate"), {"code": f"{n:06}"}).status_code for n in range(8)]
    assert answers[-1] == 429


def test_a_deactivated_person_is_out_at_once(client, wren):
    sign_in(client)
    wren.is_active = False
    wren.save()
    assert client.get("/").status_code == 302


def test_nobody_makes_themselves_staff(client, wren):  # T3
    sign_in(client)
    client.post(
        "/me/", {"is_staff": "true", "is_superuser": "true", "role": "admin", "username": "root", "theme": "dark"}
    )
    wren.refresh_from_db()
    assert (wren.is_staff, wren.is_superuser, wren.username) == (False, False, "wren")


def test_the_login_page_shows_logins_in_demo_mode_only(client, db, settings):
    settings.DEMO_LOGINS.parent.mkdir(parents=True, exist_ok=True)
    settings.DEMO_LOGINS.write_text(json.dumps([{"role": "annotator", "username": "sample1", "password": "pw-123"}]))
    assert b"pw-123" not in client.get(LOGIN).content
    settings.DEMO = True
    assert b"pw-123" in client.get(LOGIN).content


def test_administration_is_for_staff_and_signs_in_like_everybody(client, wren, settings):
    place = f"/{settings.ADMIN_PATH}"
    assert client.get(place, follow=True).redirect_chain[-1][0].startswith(LOGIN)
    sign_in(client)
    assert client.get(place, follow=True).status_code == 403
    wren.is_staff = wren.is_superuser = True
    wren.save()
    assert client.get(place).status_code == 200
