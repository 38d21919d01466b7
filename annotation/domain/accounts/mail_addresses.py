"""Mail addresses that reach the same mailbox are the same text."""

import unicodedata
from contextlib import suppress


def normal_address(address: str) -> str:
    """Return the address in lower case and in the letters of Unicode's NFKC, its domain as mail servers write it."""
    name, at, domain = unicodedata.normalize("NFKC", address.strip()).lower().rpartition("@")
    with suppress(UnicodeError):  # no domain; the form says so
        domain = domain.rstrip(".").encode("idna").decode("ascii")
    return name + at + domain
