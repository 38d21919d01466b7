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
    if problem := api_address_problem(address):
        return f"gives {name} an address that {problem}"
    return ""


def address_setting(server: str) -> str:
    """Return the variable that holds a server's address."""
    return _ADDRESS_SETTINGS.get(server, "MODEL_SERVERS")


def address_advice(server: str, address: str) -> str:
    """Return the sentence for whoever typed an address at which no model server is."""
    ending = "" if server == "dashscope" else "; most addresses end with /v1"
    where = f"at {address}" if address else "at the vendor's own address"
    return f"No model server answers {where}: look at {address_setting(server)}{ending}"


def api_address_problem(address: str) -> str:
    """Return what is wrong with the address of a model server, with the right one; empty if nothing is.

    The end of a sentence. An address is the part that all calls share: without a query, and without the path of one
    call. The query is not repeated: it may hold a key.
    """
    plain, _mark, query = address.partition("?")
    right = _CALL_PATH.sub("", plain.rstrip("/")) or plain
    if query or _mark:
        azure = ". Azure needs no api-version where the address ends with /openai/v1" if "api-version" in query else ""
        return f"has a query after the ?, which no address of a model server has: write {right}{azure}"
    if right.rstrip("/") != plain.rstrip("/"):
        return f"names the path of one call: write {right}, without {plain.rstrip('/')[len(right) :]}"
    return ""


_ADDRESS_SETTINGS = {"openai": "OPENAI_BASE_URL", "dashscope": "DASHSCOPE_HTTP_BASE_URL"}
_CALL_PATH = re.compile(
    r"/+(?:chat/completions|completions|embeddings|responses|models(?:/[^/]*)?|messages|images/generations"
    r"|api/(?:chat|generate|tags|embed)|services(?:/[^?]*)?)$",
    re.IGNORECASE,
)
