"""Secrets that the site must be able to read again, encrypted in the database with the site's key.

A copy of the database alone does not give them away. Keys of `SECRET_KEY_FALLBACKS` still open what they closed.
"""

import base64
import hashlib
import json
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class CannotOpen(Exception):
    """It was closed with a key that this site does not have any more."""


def seal(value: Any) -> str:
    """Return a JSON value, encrypted."""
    return _box().encrypt(json.dumps(value).encode()).decode("ascii")


def unseal(sealed: str) -> Any:
    """Return the value of something sealed. Raises CannotOpen."""
    try:
        return json.loads(_box().decrypt(sealed.encode()))
    except InvalidToken:
        raise CannotOpen from None


def _box() -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet(
        Fernet(base64.urlsafe_b64encode(hashlib.sha256(b"interplay.sealed" + key.encode()).digest())) for key in keys
    )
