"""The model servers that a site names beside OpenAI and DashScope."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

PROTOCOLS = ("openai", "dashscope")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
_TAKEN = {*PROTOCOLS, "keyword", "detoxify", "local", "google", "searxng", "scripted"}


@dataclass(frozen=True)
class ModelServer:
    """A server by its name: a role's model there is `name:model`. `key` is left out of the repr."""

    name: str
    protocol: str
    address: str
    key: str = field(default="", repr=False)


def server_problem(name: str, protocol: str, address: str) -> str:
    """Return what is wrong with a server's name, protocol or address, as the end of a sentence; empty if nothing is."""
    parts = urlsplit(address)
    if not _NAME.fullmatch(name):
        return f"names a server {name!r}: a name has small letters, digits and hyphens, and begins with a letter"
    if name in _TAKEN:
        return f"names a server {name!r}, which is a name of the site's own"
    if protocol not in PROTOCOLS:
        return f"gives {name} the protocol {protocol!r}: it must be one of {', '.join(PROTOCOLS)}"
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        return f"gives {name} an address that does not look like https://models.example.org/v1"
    return ""
