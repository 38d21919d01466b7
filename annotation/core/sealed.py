"""Secrets that the site must be able to read again, encrypted in the database with a key of the site.

A copy of the database alone does not give them away. SEALING_KEY closes them, or what follows from SECRET_KEY where
that is not set. The keys of SEALING_KEY_FALLBACKS, SECRET_KEY and SECRET_KEY_FALLBACKS still open what they closed,
until `manage.py reseal` has sealed it anew.
"""

import base64
import hashlib
import json
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

BEGINNING = "gAAAA"
"""How everything sealed begins."""


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


def reseal(sealed: str) -> str:
    """Return the same value, closed with the site's first key; unchanged if it is. Raises CannotOpen."""
    try:
        _locks()[0].decrypt(sealed.encode())
        return sealed
    except InvalidToken:
        return seal(unseal(sealed))


def keys() -> list[str]:
    """Return the keys that open what is sealed. The first one closes it."""
    first = settings.SEALING_KEY or settings.SECRET_KEY
    former = (*settings.SEALING_KEY_FALLBACKS, settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return list(dict.fromkeys([first, *former]))


def _box() -> MultiFernet:
    return MultiFernet(_locks())


def _locks() -> list[Fernet]:
    digests = (hashlib.sha256(b"interplay.sealed" + key.encode()).digest() for key in keys())
    return [Fernet(base64.urlsafe_b64encode(digest)) for digest in digests]
