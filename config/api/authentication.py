"""The API's tokens, read more strictly than the library does."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from annotation.members.accounts.api_tokens import note_use
from config.web.own_password import NEEDED, needed_sentence


class StrictTokenAuthentication(TokenAuthentication):  # type: ignore[misc]  # the library has no types
    """Refuses with 401 what cannot be a token; the library would fail on bytes that are not UTF-8."""

    def authenticate(self, request: Request) -> Any:
        """Return the person and the token, and note where the token was used.

        Returns None if the request carries no token.
        """
        credentials = super().authenticate(request)
        if credentials is not None:
            if credentials[0].must_change_password:
                raise PermissionDenied(needed_sentence(), NEEDED)
            note_use(credentials[1], request.META.get("REMOTE_ADDR", ""), request.headers.get("User-Agent", ""))
        return credentials

    def authenticate_credentials(self, token: bytes) -> Any:
        if not token.isalnum():
            raise AuthenticationFailed(_("Invalid token."))
        return super().authenticate_credentials(token)


class StrictTokenScheme(KnoxTokenScheme):  # type: ignore[no-untyped-call]  # registers itself by existing
    """Describes in the API's schema how a token is sent."""

    target_class = "config.api.authentication.StrictTokenAuthentication"
