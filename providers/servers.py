"""The model servers that a site names beside OpenAI and DashScope."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

PROTOCOLS = ("openai", "dashscope")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
BUILT_IN = (*PROTOCOLS, "keyword", "detoxify", "scripted")
"""The providers of models that no setting has to name."""
_TAKEN = {*BUILT_IN, "local", "google", "searxng"}
_HOST = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?")


@dataclass(frozen=True)
class ModelServer:
    """A server by its name: a role's model there is `name:model`. `key` is left out of the repr."""

    name: str
    protocol: str
    address: str
    key: str = field(default="", repr=False)


def is_web_address(address: str) -> bool:
    """Return whether this is an http or https address of one host, without a password and a fragment."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:  # brackets that do not belong together, a port that is none
        return False
    host = parts.hostname or ""
    if re.search(r"\s", address) or "#" in address or "@" in parts.netloc or port == 0:
        return False
    return parts.scheme in ("http", "https") and (":" in host or _HOST.fullmatch(host) is not None)


def server_problem(name: str, protocol: str, address: str) -> str:
    """Return what is wrong with a server's name, protocol or address, as the end of a sentence; empty if nothing is."""
    if not _NAME.fullmatch(name):
        return f"names a server {name!r}: a name has small letters, digits and hyphens, and begins with a letter"
    if name in _TAKEN:
        return f"names a server {name!r}, which is a name of the site's own"
    if protocol not in PROTOCOLS:
        return f"gives {name} the protocol {protocol!r}: it must be one of {', '.join(PROTOCOLS)}"
    if not is_web_address(address):
        return f"gives {name} an address that does not look like https://models.example.org/v1"
    return ""
