"""Changes of the way into an account: the password is asked for again, the owner is told, and no mail goes astray."""

import json
import time
from importlib import import_module
from types import SimpleNamespace

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.hashers import make_password
from django.core import mail as outbox
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

import builders
from annotation.domain.outgoing import MailState
from annotation.mail import queue, send
from annotation.models import Mail, User
from config.web.accounts import OutsideAccounts, SecondSteps

PASSWORD = "a long enough passphrase"
EMAILS, RESET = "/accounts/email/", "/accounts/password/reset/"


@pytest.fixture(autouse=True)
def _a_mail_server(settings, monkeypatch):
    settings.EMAIL_HOST = "mail.example.org"
    monkeypatch.setattr(queue, "ring", lambda mail_id: True)


@pytest.fixture
def wren(db):
    user = builders.make_user("wren", PASSWORD, email="wren@example.org")
    EmailAddress.objects.create(user=user, email="wren@example.org", primary=True, verified=True)
    return user


@pytest.fixture
def session(client, wren):
    """Signed in, and the password given once more just now."""
    client.post("/accounts/login/", {"login": "wren", "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


@pytest.fixture
def old_session(session):
    """The same six minutes ago: whoever sits down at the open page now."""
    stored = session.session
    for method in stored["account_authentication_methods"]:
        method["at"] = time.time() - 360
    stored.save()
    return session


def sent():
    for mail in Mail.objects.filter(state=MailState.WAITING).order_by("pk"):
        send.send_mail(mail.pk)
    return outbox.outbox


CHANGES = {
    "adds an address": (EMAILS, {"action_add": "", "email": "thief@example.org"}),
    "makes an address the first": (EMAILS, {"action_primary": "", "email": "second@example.org"}),
    "removes an address": (EMAILS, {"action_remove": "", "email": "second@example.org"}),
    "switches the app on": ("/accounts/2fa/totp/activate/", {"code": "123456"}),
    "switches the app off": ("/accounts/2fa/totp/deactivate/", {}),
    "makes new recovery codes": ("/accounts/2fa/recovery-codes/generate/", {}),
    "adds a security key": ("/accounts/2fa/webauthn/add/", {"name": "k", "credential": "{}"}),
    "makes a token": ("/me/tokens/", {"name": "x", "days": 30}),
    "ends a connection": ("/accounts/3rdparty/", {"account": "1"}),
}


@pytest.mark.parametrize(("path", "fields"), CHANGES.values(), ids=CHANGES)
def test_an_open_session_does_not_change_the_way_in(old_session, wren, path, fields):
    EmailAddress.objects.create(user=wren, email="second@example.org", verified=True)
    SocialAccount.objects.create(pk=1, user=wren, provider="oidc", uid="sub-1")
    if "deactivate" in path or "codes" in path:
        TOTP.activate(wren, "JBSWY3DPEHPK3PXP")

    def state():
        kept = (EmailAddress.objects, SocialAccount.objects, Authenticator.objects, wren.auth_token_set)
        return [list(rows.order_by("pk").values()) for rows in kept]

    before = state()
    answer = old_session.post(path, fields)
    assert answer.status_code == 302 and answer["Location"].startswith("/accounts/reauthenticate/"), path
    assert state() == before
    assert sent() == []


def test_with_the_password_it_goes_on(old_session, wren):
    old_session.post("/accounts/reauthenticate/", {"password": PASSWORD})
    old_session.post(EMAILS, {"action_add": "", "email": "new@example.org"})
    assert wren.emailaddress_set.filter(email="new@example.org").exists()


def test_the_address_of_before_is_told_of_a_new_first_address(session, wren):
    EmailAddress.objects.create(user=wren, email="second@example.org", verified=True)
    session.post(EMAILS, {"action_primary": "", "email": "second@example.org"})
    (mail,) = sent()
    assert mail.to == ["wren@example.org"]
    assert "second@example.org" in mail.body


def test_a_new_password_and_a_new_second_step_are_told(session, wren, django_capture_on_commit_callbacks):
    new = "another passphrase of mine"
    session.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    session.post("/accounts/reauthenticate/", {"password": new})
    secret = session.get("/accounts/2fa/totp/activate/").context["form"].secret
    code = format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))
    with django_capture_on_commit_callbacks(execute=True):
        session.post("/accounts/2fa/totp/activate/", {"code": code})
    assert [(mail.to, mail.subject) for mail in sent()] == [
        (["wren@example.org"], "[Interplay] Password Changed"),
        (["wren@example.org"], "[Interplay] Authenticator App Activated"),
    ]


def test_a_new_password_ends_connected_accounts(session, wren):
    SocialAccount.objects.create(user=wren, provider="oidc", uid="thief")
    wren.set_password("another passphrase of mine")
    wren.save()
    assert not SocialAccount.objects.exists()


def test_who_mistypes_is_told_in_the_sites_own_words(client, wren):
    page = client.post("/accounts/login/", {"login": wren.username, "password": "wrong"}).content.decode()
    assert "User name and password do not belong together." in page and "Username" not in page


@pytest.mark.parametrize("host", ["127.0.0.1:9999", "localhost", "testserver."])
def test_links_begin_with_the_address_of_the_site_whatever_the_request_names(client, wren, settings, host):
    settings.SITE_URL, settings.ALLOWED_HOSTS = "https://labels.example.org", ["*"]
    client.post(RESET, {"email": "wren@example.org"}, headers={"host": host})
    (mail,) = sent()
    assert "https://labels.example.org/accounts/password/reset/key/" in mail.body
    assert host not in mail.body + mail.subject


def test_an_address_that_no_account_has_gets_no_mail_and_the_same_answer_for_the_same_work(client, wren):  # T43
    for name in ("confirmed", "given", "passwordless", "inactive"):
        user = builders.make_user(name, PASSWORD, email=f"{name}@example.org", is_active=name != "inactive")
        verified = name == "confirmed"
        EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=verified)
    User.objects.filter(username="passwordless").update(password=make_password(None))
    answers, statements = [], {}
    for name in ("nobody", "confirmed", "given", "passwordless", "inactive"):
        with CaptureQueriesContext(connection) as caught:
            answers.append(client.post(RESET, {"email": f"{name}@example.org"}))
        verbs = [query["sql"].split()[0] for query in caught.captured_queries]
        reads = verbs.count("SELECT") + verbs.count("DECLARE")  # of a cursor, on PostgreSQL
        statements[name] = (reads, verbs.count("INSERT"), len(verbs))
    assert {answer["Location"] for answer in answers} == {answers[0]["Location"]}
    assert statements == dict.fromkeys(statements, statements["nobody"])
    assert [mail.to for mail in sent()] == [[f"{name}@example.org"] for name in ("confirmed", "given", "passwordless")]
    assert not Mail.objects.filter(state=MailState.WAITING).exists()


def test_a_confirmation_tells_no_name_and_speaks_of_no_sign_up(session, wren):
    session.post(EMAILS, {"action_add": "", "email": "stranger@example.org"})
    (mail,) = sent()
    assert mail.to == ["stranger@example.org"]
    assert "wren" not in mail.body + mail.subject
    assert "register" not in mail.body and "sign up" not in mail.body


def test_a_reset_to_an_unconfirmed_address_tells_no_name(client, wren):
    EmailAddress.objects.create(user=wren, email="typo@example.org", verified=False)
    client.post(RESET, {"email": "typo@example.org"})
    assert all("wren" not in mail.body.replace("wren@example.org", "") for mail in sent())


def test_mails_of_accounts_have_limits_for_who_gets_and_who_causes_them(session, client, wren):
    for _ in range(15):
        Client().post(RESET, {"email": "wren@example.org"})
        Client().post(RESET, {"email": "nobody@example.org"})
    assert Mail.objects.count() == 2 * queue.MOST_TO_ONE
    for number in range(30):
        session.post(EMAILS, {"action_add": "", "email": f"s{number}@example.org"})
    assert Mail.objects.filter(user=wren).count() <= queue.MOST_OF_AN_ACCOUNT


def test_who_uses_up_the_links_does_not_silence_the_notices(session, wren):
    for _ in range(15):
        Client().post(RESET, {"email": "wren@example.org"})
    new = "another passphrase of mine"
    session.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    assert "change" in sent()[-1].body


def test_the_secret_of_a_second_step_is_sealed_in_the_database(wren):
    TOTP.activate(wren, "JBSWY3DPEHPK3PXP")
    stored = json.dumps(Authenticator.objects.get().data)
    assert "JBSWY3DPEHPK3PXP" not in stored
    assert SecondSteps().decrypt(Authenticator.objects.get().data["secret"]) == "JBSWY3DPEHPK3PXP"


def test_a_second_step_of_another_key_says_so_and_opens_nothing(wren, settings):
    TOTP.activate(wren, "JBSWY3DPEHPK3PXP")
    settings.SECRET_KEY = "the key of another operator " * 3
    browser = Client(raise_request_exception=False)
    browser.post("/accounts/login/", {"login": "wren", "password": PASSWORD})
    said = browser.post("/accounts/2fa/authenticate/", {"code": "123456"})
    assert said.status_code == 503
    assert "closed with a key that the site no longer has" in said.content.decode()
    assert browser.get("/me/").status_code == 302


def test_secrets_of_before_are_sealed_by_the_migration_and_opened_again(wren):
    Authenticator.objects.create(user=wren, type="totp", data={"secret": "JBSWY3DPEHPK3PXP"})
    Authenticator.objects.create(user=wren, type="recovery_codes", data={"seed": "abc1", "used_mask": 3})
    assert TOTP(Authenticator.objects.get(type="totp")).validate_code("000000") in (True, False)  # read as it is
    change = import_module("config.migrations.0003_second_steps_are_sealed")
    apps = SimpleNamespace(get_model=lambda app, model: Authenticator)
    change.seal_all(apps, None)
    assert [row.data.get("secret", row.data.get("seed"))[:5] for row in Authenticator.objects.all()] == ["gAAAA"] * 2
    change.open_all(apps, None)
    rows = Authenticator.objects.order_by("type")
    assert [row.data for row in rows] == [{"seed": "abc1", "used_mask": 3}, {"secret": "JBSWY3DPEHPK3PXP"}]


ANSWERS = {
    "of two subjects": {"id_token": {"sub": "sub-9"}, "userinfo": {"sub": "sub-1"}},
    "without an id token": {"userinfo": {"sub": "sub-1"}},
    "with an userinfo of nobody": {"id_token": {"sub": "sub-1"}, "userinfo": {"name": "x"}},
    "without an userinfo": {"id_token": {"sub": "sub-1"}},
    "empty": {},
}


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
def test_single_sign_on_needs_one_subject_in_both_answers(answers):
    login = SimpleNamespace(account=SimpleNamespace(extra_data=answers))
    with pytest.raises(PermissionDenied):
        OutsideAccounts().pre_social_login(None, login)


def test_single_sign_on_with_one_subject_goes_on():
    answers = {"id_token": {"sub": "sub-1"}, "userinfo": {"sub": "sub-1"}}
    login = SimpleNamespace(account=SimpleNamespace(extra_data=answers), state={"process": "login"})
    OutsideAccounts().pre_social_login(None, login)


def test_pages_of_accounts_still_open(session):
    for name in ("account_email", "account_change_password", "mfa_index"):
        assert session.get(reverse(name)).status_code == 200
