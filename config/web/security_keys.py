"""Security keys and passkeys as a second step. They are bound to the host of SITE_URL, whatever a request names.

They come after the password and open nothing alone: a project that demands a second step gets two. What the site keeps
of a key is its public half, which needs no seal. The library does not compare the counters by which a copied key could
be told; keys of today that can be copied (passkeys) do not count.
"""

import logging
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from allauth.mfa.webauthn import forms
from allauth.mfa.webauthn.internal import auth
from cryptography.exceptions import InvalidSignature
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

log = logging.getLogger(__name__)

_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, struct.error, InvalidSignature)


def host() -> str:
    """Return the host that keys are bound to."""
    return urlsplit(settings.SITE_URL).hostname or ""


def takes_keys() -> bool:
    """Return whether browsers use keys at the site's address: with https and a name, or on one's own machine."""
    try:
        ip_address(host())
    except ValueError:
        return settings.SITE_URL.startswith("https:") or host() == "localhost"
    return False


class AddKeyForm(forms.AddWebAuthnForm):  # type: ignore[misc]  # the library has no types
    def clean(self) -> Any:
        with _refused():
            if credential := self.cleaned_data.get("credential"):
                _check_origin(auth.parse_registration_response(credential))
            return super().clean()


class _OwnKey:
    def clean(self) -> Any:
        """Return the fields, with the key in the place of its proof. The page shows errors of the whole form alone."""
        fields: dict[str, Any] = super().clean()  # type: ignore[misc]  # of the form beside it
        with _refused():
            if proof := fields.get("credential"):
                _check_origin(auth.parse_authentication_response(proof))
                fields["credential"] = super().clean_credential()  # type: ignore[misc]  # of the same
        return fields

    def clean_credential(self) -> Any:
        return self.cleaned_data["credential"]  # type: ignore[attr-defined]  # the form's


class KeyForm(_OwnKey, forms.AuthenticateWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """The second step at sign-in."""


class KeyAgainForm(_OwnKey, forms.ReauthenticateWebAuthnForm):  # type: ignore[misc]  # as above
    """The proof before a change of the account. Its view leads elsewhere, with the errors of this one field."""

    def clean(self) -> Any:
        try:
            return super().clean()
        except ValidationError as refused:
            self.add_error("credential", refused)
            return self.cleaned_data


def _check_origin(answer: Any) -> None:
    """Raise ValueError unless the page that used the key is one of ours.

    The library takes each port and each part of the host's domain, and every page where the site has no https.
    """
    origin: str = answer.response.client_data.origin
    if origin.casefold() != "://".join(urlsplit(settings.SITE_URL)[:2]).casefold():
        raise ValueError(origin)


@contextmanager
def _refused() -> Iterator[None]:
    """Turn whatever is wrong with a key's answer into a sentence; the library fails on a part that is missing."""
    try:
        yield
    except (*_UNREADABLE, ValidationError) as fault:
        log.info("a security key was refused: %s", type(fault).__name__)
        raise ValidationError(_("The key was refused. Try again, or use another second step.")) from None
