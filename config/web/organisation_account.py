"""Sign-in with an organisation's account (OpenID Connect): what the library leaves open is checked here.

- A nonce is sent, and the id token has to carry it: a token of another sign-in is of no use.
- The signature is checked with the provider's key set, where its configuration names one. Only algorithms with a
  public and a private key are taken; `none`, and a public key used as a shared secret, are not.
- Issuer, audience, authorized party, time: OpenID Connect Core 3.1.3.7.

A provider that is away gives one sentence, and nobody is signed in. The library's requests fail by an OSError then.
"""

import logging
from hashlib import sha256
from hmac import compare_digest
from typing import Any

import jwt
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Client, OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.contrib.auth.decorators import login_not_required
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from config.web.error_pages import failure

log = logging.getLogger(__name__)

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""What an id token may be signed with."""
_CLAIMS = ["aud", "exp", "iat", "iss", "sub"]
_LEEWAY = 30  # seconds by which two clocks may differ
_KEPT_SECONDS = 600
_ASKED_AGAIN_AFTER = 60  # seconds; strangers can name keys that there are not


class NonceClient(OAuth2Client):
    """A sign-in whose address carries a nonce."""

    def get_redirect_url(self, authorization_url: str, scope: Any, extra_params: dict[str, Any]) -> str:
        address: str = super().get_redirect_url(
            authorization_url, scope, {**extra_params, "nonce": _nonce(self.state or "")}
        )
        return address


class OrganisationAccount(OpenIDConnectOAuth2Adapter):
    """The way to the provider and back."""

    client_class = NonceClient

    @property
    def openid_config(self) -> Any:
        """The provider's configuration. Raises ImmediateHttpResponse with a page if it is away."""
        try:
            return super().openid_config
        except OSError as fault:
            raise away(self.request, fault) from fault

    def _decode_id_token(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        """Return the claims of a token that is of this sign-in. Raises OAuth2Error."""
        configuration = self.openid_config
        signed = bool(configuration.get("jwks_uri"))
        try:
            claims = jwt.decode(
                id_token,
                key=self._key(configuration["jwks_uri"], id_token) if signed else "",
                algorithms=ALGORITHMS,
                options={"verify_signature": signed, "verify_exp": True, "verify_iat": True, "verify_aud": True,
                         "verify_iss": True, "require": _CLAIMS},
                audience=app.client_id,
                issuer=configuration["issuer"],
                leeway=_LEEWAY,
            )  # fmt: skip
        except (jwt.PyJWTError, KeyError, ValueError, TypeError) as bad:
            raise OAuth2Error(f"the id token is not valid: {bad}") from bad
        _check_party(claims, app.client_id)
        sent = _nonce(self.request.GET.get("state", ""))
        if not compare_digest(str(claims.get("nonce", "")).encode(), sent.encode()):
            raise OAuth2Error("the id token is not of this sign-in: it does not carry its nonce")
        jwtkit.verify_jti(claims)
        return dict(claims)

    def _key(self, address: str, id_token: str) -> jwt.PyJWK:
        """Return the key that the token names. Raises OAuth2Error and ImmediateHttpResponse."""
        header = jwt.get_unverified_header(id_token)
        algorithm = header.get("alg")
        if algorithm not in ALGORITHMS:
            raise OAuth2Error(f"the id token is signed with {algorithm!r}, which is not taken")
        wanted = header.get("kid")
        kept, asked = kept_under(address)
        key = _find(cache.get(kept), wanted, algorithm)
        if key is None and cache.add(asked, value=True, timeout=_ASKED_AGAIN_AFTER):
            keys = self._fetch_keys(address, asked)
            cache.set(kept, keys, _KEPT_SECONDS)
            key = _find(keys, wanted, algorithm)
        if key is None:
            raise OAuth2Error("the id token is signed with a key that the provider does not name")
        return key

    def _fetch_keys(self, address: str, asked: str) -> Any:
        try:
            with get_adapter().get_requests_session() as session:
                answer = session.get(address)
                answer.raise_for_status()
                return answer.json()
        except OSError as fault:
            cache.delete(asked)  # nobody's keys were learnt: the next sign-in asks again
            raise away(self.request, fault) from fault


@login_not_required
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Sign a person in who comes back from the provider."""
    try:
        response: HttpResponse = OAuth2CallbackView.adapter_view(OrganisationAccount(request, provider_id))(request)
    except SocialApp.DoesNotExist:
        raise Http404 from None
    return response


def kept_under(address: str) -> tuple[str, str]:
    """Return where the cache keeps the key set of this address, and that it was asked for."""
    kept = f"oidc-keys:{sha256(address.encode()).hexdigest()}"
    return kept, f"{kept}:asked"


def away(request: HttpRequest, fault: Exception) -> ImmediateHttpResponse:
    """Return what ends a sign-in whose provider does not answer."""
    log.warning("single sign-on: the provider does not answer: %s", type(fault).__name__)
    sentence = _(
        "The sign-in of your organisation does not answer at the moment; nobody was signed in. Try again in a few "
        "minutes, or use your password."
    )
    return ImmediateHttpResponse(failure(request, 503, "organisation_away", sentence))


def _nonce(state: str) -> str:
    """Return the nonce of a sign-in. Its state is random, of one session and used once, so the nonce is too."""
    return salted_hmac("oidc nonce", state, algorithm="sha256").hexdigest()


def _check_party(claims: dict[str, Any], client_id: str) -> None:
    audience = claims["aud"]
    party = claims.get("azp")
    if (isinstance(audience, list) and len(audience) > 1 and party is None) or party not in (None, client_id):
        raise OAuth2Error("the id token was made for another site")


def _find(keys: Any, wanted: str | None, algorithm: str) -> jwt.PyJWK | None:
    """Return the key of this id that signs with the algorithm; without an id the only such key. None: there is none."""
    named = keys.get("keys", []) if isinstance(keys, dict) else []
    usable = [key for key in named if _signs_with(key, algorithm) and wanted in (None, key.get("kid"))]
    return jwt.PyJWK(usable[0], algorithm) if len(usable) == 1 else None


def _signs_with(key: Any, algorithm: str) -> bool:
    family = {"R": "RSA", "P": "RSA", "E": "EC"}[algorithm[0]] if algorithm != "EdDSA" else "OKP"
    is_ours = isinstance(key, dict) and key.get("kty") == family
    return is_ours and key.get("use", "sig") == "sig" and key.get("alg", algorithm) == algorithm
