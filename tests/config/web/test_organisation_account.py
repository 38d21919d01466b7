"""Sign-in with an organisation's account, against a provider of ours on 127.0.0.1 that can misbehave (B133)."""

import base64
import hashlib
import hmac
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.openid_connect import urls as provider_urls
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from django.core.cache import cache
from django.urls import include, path

from builders import make_user
from config import urls as site_urls
from config.web import organisation_account

pytestmark = pytest.mark.django_db

urlpatterns = [
    path("accounts/oidc/<str:provider_id>/login/callback/", organisation_account.callback),
    path("accounts/", include(provider_urls.urlpatterns)),
    *site_urls.urlpatterns,
]
handler404 = site_urls.handler404

RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
FOREIGN = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CURVE = ec.generate_private_key(ec.SECP256R1())
EDWARDS = ed25519.Ed25519PrivateKey.generate()
PUBLIC_PEM = RSA.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def published(key, kid, algorithm, **more):
    """Return a public key as a key set has it."""
    of = jwt.algorithms.get_default_algorithms()[algorithm]
    return {**json.loads(of.to_jwk(key.public_key())), "kid": kid, **more}


class Provider(BaseHTTPRequestHandler):
    """A provider. What it answers stands in `server.answers`; what it was asked in `server.asked`."""

    def do_GET(self):
        self.server.asked.append(self.path)
        status, body = self.server.answers[self.path]
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    do_POST = do_GET

    def log_message(self, *_words):
        pass


@pytest.fixture
def provider(settings, monkeypatch):
    cache.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    server.address, server.asked = address, []
    server.keys = {"keys": [published(RSA, "one", "RS256")]}
    configuration = {
        "issuer": address,
        "authorization_endpoint": f"{address}/authorize",
        "token_endpoint": f"{address}/token",
        "userinfo_endpoint": f"{address}/userinfo",
        "jwks_uri": f"{address}/keys",
    }
    server.answers = {
        "/.well-known/openid-configuration": (200, configuration),
        "/userinfo": (200, {"sub": "sub-1"}),
        "/keys": (200, server.keys),
    }
    monkeypatch.setitem(registry.provider_map, "openid_connect", OpenIDConnectProvider)
    application = {"provider_id": "oidc", "name": "Campus", "client_id": "interplay", "secret": "s" * 32}
    settings.SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [{**application, "settings": {"server_url": address}}]}
    }
    settings.ROOT_URLCONF = __name__
    yield server
    server.shutdown()
    server.server_close()
    cache.clear()


@pytest.fixture
def wren():
    user = make_user("wren")
    SocialAccount.objects.create(user=user, provider="oidc", uid="sub-1")
    return user


def begun(client, process="login"):
    """Begin a sign-in; return what the address of the provider says."""
    response = client.post(f"/accounts/oidc/oidc/login/?process={process}")
    assert response.status_code == 302
    return {name: values[0] for name, values in parse_qs(urlsplit(response["Location"]).query).items()}


def finished(
    client, provider, *, key=RSA, algorithm="RS256", kid="one", token=None, state=None, process="login", **changes
):
    """Come back from the provider with a token of these claims; None leaves a claim out."""
    sent = begun(client, process)
    claims = {
        "iss": provider.address,
        "aud": "interplay",
        "sub": "sub-1",
        "iat": int(time.time()),
        "exp": int(time.time()) + 300,
        "nonce": sent["nonce"],
        **changes,
    }
    claims = {name: value for name, value in claims.items() if value is not None}
    headers = {"kid": kid} if kid else {}
    token = token(claims) if token else jwt.encode(claims, key, algorithm=algorithm, headers=headers)
    provider.answers["/token"] = (200, {"access_token": "a", "token_type": "Bearer", "id_token": token})
    return client.get("/accounts/oidc/oidc/login/callback/", {"code": "c", "state": state or sent["state"]})


def is_in(client):
    return "_auth_user_id" in client.session


def test_a_sign_in_sends_a_nonce_that_is_new_each_time(client, provider):
    first, second = begun(client), begun(client)
    assert len(first["nonce"]) == 64
    assert first["nonce"] != second["nonce"]
    assert first["state"] not in first["nonce"]


SIGNED = {
    "RS256": (RSA, "RS256", {}),
    "RS512": (RSA, "RS512", {}),
    "PS256": (RSA, "PS256", {}),
    "ES256": (CURVE, "ES256", {}),
    "EdDSA": (EDWARDS, "EdDSA", {}),
    "RS256, and the set says so": (RSA, "RS256", {"alg": "RS256", "use": "sig"}),
}


@pytest.mark.parametrize(("key", "algorithm", "more"), SIGNED.values(), ids=SIGNED)
def test_a_signed_token_signs_in(client, provider, wren, key, algorithm, more):
    provider.keys["keys"] = [published(key, "one", algorithm, **more)]
    assert finished(client, provider, key=key, algorithm=algorithm).status_code == 302
    assert client.session["_auth_user_id"] == str(wren.pk)


def test_an_account_that_is_connected_with_none_here_is_told_what_to_do(client, provider, wren):
    provider.answers["/userinfo"] = (200, {"sub": "sub-2"})
    page = finished(client, provider, sub="sub-2")
    while page.status_code == 302:
        page = client.get(page["Location"])
    words = page.content.decode()
    assert not is_in(client)
    assert "Accounts are made by invitation" in words and "sign up" not in words.lower()


def test_a_token_without_the_name_of_its_key_is_checked_with_the_only_one(client, provider, wren):
    assert finished(client, provider, kid=None).status_code == 302
    assert is_in(client)


def as_shared_secret(claims):
    """Return a token signed with the public key as if it were a secret, which the library refuses to make."""

    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    signed = part({"alg": "HS256", "kid": "one", "typ": "JWT"}) + b"." + part(claims)
    mark = base64.urlsafe_b64encode(hmac.digest(PUBLIC_PEM, signed, hashlib.sha256)).rstrip(b"=")
    return (signed + b"." + mark).decode()


REFUSED = {
    "of a foreign key": {"key": FOREIGN},
    "of a key that is not named": {"kid": "another"},
    "not signed": {"token": lambda claims: jwt.encode(claims, None, algorithm="none")},
    "signed with the public key as a secret": {"token": as_shared_secret},
    "signed with the client's secret": {"key": "s" * 32, "algorithm": "HS256"},
    "of another site": {"aud": "elsewhere"},
    "of several sites, without a party": {"aud": ["interplay", "elsewhere"]},
    "of another party": {"aud": ["interplay", "elsewhere"], "azp": "elsewhere"},
    "of another party alone": {"azp": "elsewhere"},
    "of another provider": {"iss": "https://elsewhere.example"},
    "too old": {"exp": int(time.time()) - 3600},
    "from tomorrow": {"iat": int(time.time()) + 86_400},
    "without an end": {"exp": None},
    "without a subject": {"sub": None},
    "of another subject than the userinfo": {"sub": "sub-9"},
    "with another nonce": {"nonce": "0" * 64},
    "without a nonce": {"nonce": None},
    "no token": {"token": lambda claims: "no-token"},
    "with a name of a key that is no text": {
        "token": lambda claims: jwt.encode(claims, RSA, algorithm="RS256", headers={"kid": "\ud83d\ude00"})
    },
}


@pytest.mark.parametrize("changes", REFUSED.values(), ids=REFUSED)
def test_a_token_that_is_not_right_signs_nobody_in(client, provider, wren, changes):
    response = finished(client, provider, **changes)
    assert response.status_code == 401
    assert not is_in(client)


def test_a_token_is_taken_once(client, provider, wren):
    assert finished(client, provider, jti="one").status_code == 302
    client.logout()
    assert finished(client, provider, jti="one").status_code == 401


def test_the_state_of_another_session_signs_nobody_in(client, provider, wren):
    response = finished(client, provider, state="0" * 16)
    assert response.status_code != 302 or not is_in(client)
    assert not is_in(client)


def test_several_parties_are_taken_if_this_site_is_the_authorized_one(client, provider, wren):
    assert finished(client, provider, aud=["interplay", "elsewhere"], azp="interplay").status_code == 302


def test_a_new_key_is_learnt_and_unknown_ones_are_asked_for_once_a_minute(client, provider, wren):
    assert finished(client, provider).status_code == 302
    client.logout()
    provider.keys["keys"].append(published(CURVE, "two", "ES256"))
    for _ in range(3):
        assert finished(client, provider, kid="unknown").status_code == 401
    assert provider.asked.count("/keys") == 1  # learnt a moment ago
    _kept, asked = organisation_account.kept_under(f"{provider.address}/keys")
    cache.delete(asked)  # a minute later
    assert finished(client, provider, key=CURVE, algorithm="ES256", kid="two").status_code == 302
    assert provider.asked.count("/keys") == 2
    client.logout()
    assert finished(client, provider).status_code == 302  # the first key is still known, and not asked for
    assert provider.asked.count("/keys") == 2


@pytest.mark.parametrize("part", ["/keys", "/.well-known/openid-configuration", "/userinfo"])
def test_a_provider_that_is_away_gives_one_sentence_and_no_sign_in(client, provider, wren, part):
    sent = begun(client)
    claims = {
        "iss": provider.address, "aud": "interplay", "sub": "sub-1", "iat": int(time.time()),
        "exp": int(time.time()) + 300, "nonce": sent["nonce"],
    }  # fmt: skip
    token = jwt.encode(claims, RSA, algorithm="RS256", headers={"kid": "one"})
    provider.answers["/token"] = (200, {"access_token": "a", "token_type": "Bearer", "id_token": token})
    provider.answers[part] = (503, {})
    response = client.get("/accounts/oidc/oidc/login/callback/", {"code": "c", "state": sent["state"]})
    assert response.status_code == 503
    assert "The sign-in of your organisation does not answer at the moment; nobody was signed in." in (
        response.content.decode()
    )
    assert not is_in(client)


def test_a_provider_that_is_away_at_the_beginning_gives_the_same_sentence(client, provider):
    provider.answers["/.well-known/openid-configuration"] = (503, {})
    response = client.post("/accounts/oidc/oidc/login/")
    assert response.status_code == 503
    assert "does not answer at the moment" in response.content.decode()


def test_keys_that_could_not_be_fetched_are_asked_for_at_the_next_sign_in(client, provider, wren):
    provider.answers["/keys"] = (503, {})
    assert finished(client, provider).status_code == 503
    provider.answers["/keys"] = (200, provider.keys)
    assert finished(client, provider).status_code == 302


def test_without_a_key_set_the_other_rules_hold(client, provider, wren):
    _status, configuration = provider.answers["/.well-known/openid-configuration"]
    del configuration["jwks_uri"]
    assert finished(client, provider, nonce="0" * 64).status_code == 401
    assert finished(client, provider, aud="elsewhere").status_code == 401
    assert finished(client, provider).status_code == 302


@pytest.mark.parametrize(
    "keys", [{}, [], {"keys": [None, 1]}, {"keys": [{"kty": "RSA", "kid": "one", "n": "x"}]}], ids=str
)
def test_a_key_set_that_cannot_be_read_signs_nobody_in(client, provider, wren, keys):
    provider.answers["/keys"] = (200, keys)
    assert finished(client, provider).status_code == 401
    assert not is_in(client)


def test_a_connection_without_a_proof_is_not_kept_until_the_owner_gives_one(client, provider):
    jay = make_user("jay", "a long enough passphrase")
    client.force_login(jay)
    answer = finished(client, provider, process="connect")
    assert answer["Location"] == "/accounts/reauthenticate/?next=/accounts/3rdparty/"
    later = client.get("/accounts/2fa/totp/activate/")["Location"]
    assert client.post(later, {"password": "a long enough passphrase"})["Location"] == "/accounts/2fa/totp/activate/"
    assert not SocialAccount.objects.filter(user=jay).exists()
    finished(client, provider, process="connect")
    assert SocialAccount.objects.get(user=jay).uid == "sub-1"
