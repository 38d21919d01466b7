"""Where a person is signed in: what is kept, what it costs, and how it ends."""

import json
from datetime import timedelta

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import builders
from annotation.members import erasure
from annotation.members.accounts import open_sessions
from annotation.members.personal_data import data_of
from annotation.models import OpenSession, User
from config.tasks import tidy

pytestmark = pytest.mark.django_db

PASSWORD, NEW = "a long enough passphrase", "another passphrase of mine"
PAGE, OTHERS = "/me/sign-ins/", "/me/sign-ins/others/end/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"


@pytest.fixture
def wren():
    return builders.make_user("wren", PASSWORD)


def signed_in(address="203.0.113.7", user_agent=FIREFOX, name="wren"):
    client = Client(REMOTE_ADDR=address, HTTP_USER_AGENT=user_agent)
    assert client.post("/accounts/login/", {"login": name, "password": PASSWORD}).status_code == 302
    return client


def is_in(client):
    return client.get("/me/").status_code == 200


def test_the_page_shows_browser_range_and_which_one_this_is(wren):  # L33
    signed_in("2001:db8:5:6::7", "curl/8")
    page = signed_in().get(PAGE).content.decode()
    assert "Firefox · Linux" in page and "203.0.113.x" in page and "2001:db8:5::/48" in page
    assert page.count("this one") == 1 and page.count('/end/"') == 2  # the other's, and all others'
    assert "203.0.113.7" not in page and "2001:db8:5:6" not in page
    assert all(row.session_key not in page for row in Session.objects.all())
    rows = json.dumps([*OpenSession.objects.values("browser", "place")])
    assert "203.0.113.7" not in rows and "2001:db8:5:6" not in rows and "rv:127" not in rows


def test_one_session_is_ended_or_all_others(wren):
    own, second, third = (signed_in() for _ in range(3))
    row = OpenSession.objects.get(session=second.session.session_key)
    assert own.post(f"{PAGE}{row.public_id}/end/").status_code == 302
    assert (is_in(own), is_in(second), is_in(third)) == (True, False, True)
    own.post(OTHERS)
    assert (is_in(own), is_in(third)) == (True, False)
    assert OpenSession.objects.count() == 1


def test_nobody_ends_anothers_session_and_this_one_is_signed_out_by_its_own_button(wren):
    builders.make_user("robin", PASSWORD)
    own, stranger = signed_in(), signed_in(name="robin")
    row = OpenSession.objects.get(user=wren)
    stranger.post(f"{PAGE}{row.public_id}/end/")
    stranger.post(OTHERS)
    own.post(f"{PAGE}{row.public_id}/end/")
    assert is_in(own)
    own.post("/accounts/logout/")
    assert not OpenSession.objects.filter(user=wren).exists()


def test_a_new_password_ends_the_other_sessions_and_sign_ins_half_way(wren):
    own, other, half_way = signed_in(), signed_in(), Client()
    stored = half_way.session
    stored["account_login"] = {"user_pk": str(wren.pk)}
    stored.save()
    fields = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert own.post("/accounts/password/change/", fields).status_code == 302
    assert (is_in(own), is_in(other)) == (True, False)
    assert not Session.objects.filter(pk=stored.session_key).exists()
    assert [row.pk for row in open_sessions.open_sessions(wren)] == [own.session.session_key]
    wren.set_password(PASSWORD)
    wren.save()
    assert not is_in(own) and not OpenSession.objects.exists()


def test_a_second_step_ends_the_other_sessions(wren, django_capture_on_commit_callbacks):
    own, other = signed_in(), signed_in()
    own.post("/accounts/reauthenticate/", {"password": PASSWORD})
    secret = own.get("/accounts/2fa/totp/activate/").context["form"].secret
    code = format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))
    with django_capture_on_commit_callbacks(execute=True):
        assert own.post("/accounts/2fa/totp/activate/", {"code": code}).status_code == 302
    assert (is_in(own), is_in(other)) == (True, False)


def test_new_recovery_codes_end_no_session(wren):
    own, other = signed_in(), signed_in()
    RecoveryCodes.activate(wren)
    assert is_in(own) and is_in(other)


def test_a_hash_that_is_made_anew_at_sign_in_ends_no_session(wren):
    own = signed_in()
    User.objects.filter(pk=wren.pk).update(password=wren.password)
    wren.refresh_from_db()
    wren.save()
    assert is_in(own)


def test_last_use_costs_annotators_no_statement_but_one_write_in_five_minutes(wren, monkeypatch):
    own = signed_in()
    is_in(own)

    def writes():
        with CaptureQueriesContext(connection) as caught:
            assert is_in(own)
        return [query["sql"] for query in caught.captured_queries if "opensession" in query["sql"].lower()]

    assert [writes() for _ in range(3)] == [[]] * 3
    OpenSession.objects.update(used_at=timezone.now() - timedelta(minutes=6))
    assert writes() == []  # this process knows that it has just noted it
    open_sessions._noted.clear()
    changed = [sql for sql in writes() if sql.startswith("UPDATE")]
    assert len(changed) == 1
    assert OpenSession.objects.get().used_at > timezone.now() - timedelta(minutes=1)
    open_sessions._noted.clear()  # another process: it reads that it was noted, and writes nothing
    assert not any(sql.startswith(("UPDATE", "INSERT")) for sql in writes())


def test_a_session_of_the_version_before_is_noted_with_its_next_use_and_ended_with_the_others(wren):
    own, old, older = (signed_in() for _ in range(3))
    OpenSession.objects.exclude(pk=own.session.session_key).delete()
    open_sessions._noted.clear()
    assert is_in(old)
    assert OpenSession.objects.count() == 2
    own.post(OTHERS)
    assert (is_in(own), is_in(old), is_in(older)) == (True, False, False)


def test_strangers_and_programs_are_not_noted(wren):
    Client().get("/accounts/login/")
    Client().get("/livez")
    assert not OpenSession.objects.exists()


def test_a_session_that_ends_meanwhile_is_no_fault(wren):
    own = signed_in()
    request = own.get("/me/").wsgi_request
    Session.objects.all().delete()
    open_sessions._noted.clear()
    open_sessions.note_use(request)
    assert not OpenSession.objects.exists()


def test_what_the_version_before_ended_is_not_listed_and_forgotten_within_a_day(wren):
    own, other = signed_in(), signed_in()
    Session.objects.filter(pk=other.session.session_key)._raw_delete("default")
    assert len(own.get(PAGE).context["sessions"]) == 1
    tidy()
    assert OpenSession.objects.get().pk == own.session.session_key


def test_what_is_kept_is_in_the_persons_file_and_goes_with_them(wren):
    own = signed_in()
    (row,) = data_of(wren)["sessions"]
    assert row.keys() == {"browser", "place", "began_at", "used_at"} and row["place"] == "203.0.113.x"
    erasure.erase(wren)
    assert not OpenSession.objects.exists() and not is_in(own)


def test_sessions_that_are_over_are_not_listed_and_cleared_with_their_rows(wren, monkeypatch):
    own = signed_in()
    signed_in()
    over = Session.objects.exclude(pk=own.session.session_key)
    over.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert len(own.get(PAGE).context["sessions"]) == 1
    over.delete()
    assert OpenSession.objects.count() == 1
