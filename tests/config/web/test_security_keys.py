"""Security keys as a second step: of this site alone, after the password, told to the owner, and theirs alone."""

import json
import re

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail as outbox
from django.test import Client
from django.urls import reverse

import builders
from annotation.domain.choices import Role, SecondFactor
from annotation.mail import queue, send
from annotation.models import Mail
from config.web.security_keys import takes_keys
from soft_key import SoftKey

pytestmark = pytest.mark.django_db

PASSWORD, SITE = "a long enough passphrase", "https://labels.example.org"
ADD, CODE, LIST = "/accounts/2fa/webauthn/add/", "/accounts/2fa/authenticate/", "/accounts/2fa/webauthn/"
REFUSED = "The key was refused."
AGAIN = "/accounts/2fa/webauthn/reauthenticate/"


@pytest.fixture(autouse=True)
def _site(settings, monkeypatch):
    settings.SITE_URL = SITE
    settings.EMAIL_HOST = "mail.example.org"
    settings.MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = False
    monkeypatch.setattr(queue, "ring", lambda mail_id: True)


@pytest.fixture
def wren():
    return builders.make_user("wren", PASSWORD, email="wren@example.org")


@pytest.fixture
def own(client, wren):
    client.post("/accounts/login/", {"login": "wren", "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def options(client, path, kind):
    page = client.get(path)
    assert page.status_code == 200, page
    return json.loads(re.search(r'id="js_data"[^>]*>(.*?)</script>', page.content.decode())[1])[kind]


def add(client, key, name="My key"):
    asked = options(client, ADD, "creation_options")
    return client.post(ADD, {"name": name, "credential": key.register(asked)})


def at_second_step(name="wren"):
    client = Client()
    assert client.post("/accounts/login/", {"login": name, "password": PASSWORD})["Location"] == CODE
    return client


def test_a_key_is_added_gives_recovery_codes_and_signs_in_after_the_password(own, wren):
    key = SoftKey(SITE)
    shown = own.get(add(own, key)["Location"])
    [codes] = re.findall(r"<textarea[^>]*>\s*(.*?)</textarea>", shown.content.decode(), re.S)
    assert codes.split() == shown.context["unused_codes"] and len(codes.split()) == 10
    assert all(reverse(name) in shown.content.decode() for name in ("mfa_download_recovery_codes", "mfa_index"))
    kinds = {row.type for row in Authenticator.objects.filter(user=wren)}
    assert kinds == {"webauthn", "recovery_codes"}
    later = at_second_step()
    assert later.get("/me/").status_code == 302
    assert later.post(CODE, {"credential": key.sign(options(later, CODE, "request_options"))}).status_code == 302
    assert later.get("/me/").status_code == 200


def test_keys_are_bound_to_the_host_of_the_site_whatever_the_request_names(own, settings):
    settings.ALLOWED_HOSTS = ["*"]
    own.defaults["HTTP_HOST"] = "other.example.net"
    asked = options(own, ADD, "creation_options")["publicKey"]
    assert asked["rp"]["id"] == "labels.example.org"
    assert asked["user"]["name"] == "wren"


ELSEWHERE = {
    "another site": SoftKey("https://evil.example"),
    "another site that says that it is ours": SoftKey("https://evil.example", "labels.example.org"),
    "another port": SoftKey("https://labels.example.org:8443", "labels.example.org"),
    "a part of our domain": SoftKey("https://user.labels.example.org", "labels.example.org"),
    "without https": SoftKey("http://labels.example.org", "labels.example.org"),
    "ours, with another host's key": SoftKey(SITE, "evil.example"),
}


@pytest.mark.parametrize("insecure", [False, True], ids=["https", "http allowed"])
@pytest.mark.parametrize("key", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_key_that_was_used_elsewhere_is_refused(own, settings, key, insecure):  # B128
    settings.MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = insecure
    answer = add(own, key)
    assert answer.status_code == 200 and REFUSED in answer.content.decode()
    assert not Authenticator.objects.exists()
    good = SoftKey(SITE)
    add(own, good)
    good.origin, good._host = key.origin, key._host
    later = at_second_step()
    answer = later.post(CODE, {"credential": good.sign(options(later, CODE, "request_options"))})
    assert answer.status_code == 200 and REFUSED in answer.content.decode()
    assert later.get("/me/").status_code == 302


def test_a_proof_works_once_and_only_for_its_own_question(own):
    key = SoftKey(SITE)
    add(own, key)
    later, other = at_second_step(), at_second_step()
    proof = key.sign(options(later, CODE, "request_options"))
    options(other, CODE, "request_options")
    assert other.post(CODE, {"credential": proof}).status_code == 200
    assert later.post(CODE, {"credential": proof}).status_code == 302
    assert at_second_step().post(CODE, {"credential": proof}).status_code == 200


def test_somebody_elses_key_opens_nothing(own):
    add(own, SoftKey(SITE))
    theirs, robin = SoftKey(SITE), Client()
    builders.make_user("robin", PASSWORD)
    robin.post("/accounts/login/", {"login": "robin", "password": PASSWORD})
    robin.post("/accounts/reauthenticate/", {"password": PASSWORD})
    add(robin, theirs)
    later = at_second_step()
    assert later.post(CODE, {"credential": theirs.sign(options(later, CODE, "request_options"))}).status_code == 200
    mine = Authenticator.objects.get(user__username="wren", type="webauthn")
    for name in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
        assert robin.post(reverse(name, args=[mine.pk]), {"name": "x"}).status_code == 404


NO_CREDENTIAL = ["", "{}", "[]", "7", '{"id": 1}', '{"id": "AA", "response": {}}', "null", "{", '"x"']


@pytest.mark.parametrize("credential", NO_CREDENTIAL)
def test_what_is_no_credential_is_refused_with_a_sentence(own, credential):
    assert own.post(ADD, {"credential": credential}).status_code == 200
    add(own, SoftKey(SITE))
    later = at_second_step()
    assert later.post(CODE, {"credential": credential}).status_code == 200


def test_no_part_of_a_credential_breaks_the_page(own):
    key = SoftKey(SITE)
    for part in ("id", "rawId", "type", "response", "clientExtensionResults", "clientDataJSON", "attestationObject"):
        for wrong in (None, "AAAA", {}):
            answer = json.loads(key.register(options(own, ADD, "creation_options")))
            (answer if part in answer else answer["response"])[part] = wrong
            said = own.post(ADD, {"credential": json.dumps(answer)})
            assert said.status_code == 302 or REFUSED in said.content.decode(), (part, wrong)
    Authenticator.objects.all().delete()
    add(own, key)
    later = at_second_step()
    for part in ("id", "rawId", "type", "response", "clientDataJSON", "authenticatorData", "signature"):
        for wrong in (None, "AAAA", {}):
            answer = json.loads(key.sign(options(later, CODE, "request_options")))
            (answer if part in answer else answer["response"])[part] = wrong
            said = later.post(CODE, {"credential": json.dumps(answer)})
            if part == "type" and said.status_code == 302:  # it says nothing of who one is
                later = at_second_step()
                continue
            assert said.status_code == 200 and REFUSED in said.content.decode(), (part, wrong)


def test_a_key_with_the_name_of_mine_and_another_secret_is_refused(own):
    key, thief = SoftKey(SITE), SoftKey(SITE)
    add(own, key)
    thief._id = key._id
    later = at_second_step()
    assert later.post(CODE, {"credential": thief.sign(options(later, CODE, "request_options"))}).status_code == 200


def test_a_key_proves_again_who_one_is(own):
    key = SoftKey(SITE)
    add(own, key)
    stored = own.session
    for method in stored["account_authentication_methods"]:
        method["at"] -= 360
    stored.save()
    assert own.get(ADD)["Location"].startswith("/accounts/")
    refused = own.post(AGAIN, {"credential": SoftKey(SITE).sign(options(own, AGAIN, "request_options"))}, follow=True)
    assert REFUSED in refused.content.decode() and own.get(ADD).status_code == 302
    proof = key.sign(options(own, AGAIN, "request_options"))
    assert own.post(AGAIN, {"credential": proof}).status_code == 302
    assert own.get(ADD).status_code == 200


def test_a_new_and_a_removed_key_are_told_and_other_sessions_end(own, wren):
    other = Client()
    other.force_login(wren)
    add(own, SoftKey(SITE), "On my ring")
    assert (own.get("/me/").status_code, other.get("/me/").status_code) == (200, 302)
    row = Authenticator.objects.get(type="webauthn")
    assert own.post(reverse("mfa_edit_webauthn", args=[row.pk]), {"name": "In the safe"}).status_code == 302
    assert "In the safe" in own.get(LIST).content.decode()
    assert own.post(reverse("mfa_remove_webauthn", args=[row.pk])).status_code == 302
    assert not Authenticator.objects.exists()  # the recovery codes went with it
    for mail in Mail.objects.order_by("pk"):
        send.send_mail(mail.pk)
    assert [mail.subject for mail in outbox.outbox if "ey" in mail.subject] == [
        "[Interplay] Security Key Added",
        "[Interplay] Security Key Removed",
    ]


def test_a_project_that_demands_a_second_step_takes_a_key(own, wren):
    project = builders.make_project("winter", second_factor=SecondFactor.EVERYONE)
    builders.make_member(project, Role.ADMIN, user=wren)
    assert "Two-step sign-in is asked for" in own.get("/p/winter/items/").content.decode()
    add(own, SoftKey(SITE))
    assert own.get("/p/winter/items/").status_code == 200


def test_no_key_signs_in_without_the_password(client, db):
    assert client.get("/accounts/2fa/webauthn/login/").status_code == 404
    assert "passkey" not in client.get("/accounts/login/").content.decode()


def test_what_is_kept_of_a_key_is_public_and_is_not_in_the_persons_file_or_a_page(own):
    add(own, SoftKey(SITE))
    kept = Authenticator.objects.get(type="webauthn").data
    assert kept.keys() == {"name", "credential"}
    assert kept["credential"]["response"].keys() == {"clientDataJSON", "attestationObject"}


@pytest.mark.parametrize(
    ("address", "takes"),
    {
        "https://labels.example.org": True,
        "http://localhost:8000": True,
        "http://127.0.0.1:8000": False,
        "https://192.0.2.7": False,
        "https://[2001:db8::1]": False,
        "http://labels.example.org": False,
    }.items(),
)
def test_keys_are_offered_where_browsers_use_them(own, settings, address, takes):
    settings.SITE_URL = address
    assert takes_keys() == takes
    page = own.get("/accounts/2fa/").content.decode()
    assert (ADD in page) == takes and ("only at an https address with a name" in page) != takes
