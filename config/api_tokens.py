"""Tokens of the API, read with more care than the library does."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed


class ReadableTokens(TokenAuthentication):  # type: ignore[misc]  # the library has no types
    """Refuses with 401 what cannot be a token; the library would fail on bytes that are no UTF-8."""

    def authenticate_credentials(self, token: bytes) -> Any:
        if not token.isalnum():
            raise AuthenticationFailed(_("Invalid token."))
        return super().authenticate_credentials(token)


class ReadableTokensInSchema(KnoxTokenScheme):  # type: ignore[no-untyped-call]  # registers itself by existing
    """Says in the API's description how a token is sent."""

    target_class = "config.api_tokens.ReadableTokens"
