"""Where a source stands, as people read it."""

from functools import lru_cache
from importlib import import_module
from urllib.parse import urlsplit


@lru_cache(maxsize=1024)
def domain_of(url: str) -> str:
    """Return the domain that was registered for the URL's host: "example.co.uk" of "www.a.example.co.uk".

    What stands before it is chosen freely by its owner, and could hold a sentence. By the public suffix list, with
    which users of one host are domains of their own; under a suffix that the list does not know, the last two parts. An
    address in numbers stays as it is; "document" for the address of a project's document.
    """
    if url.startswith("document:"):
        return "document"
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return url[:100]
    if ":" in host or host.replace(".", "").isdigit():
        return host
    return _registered(host) or ".".join(host.split(".")[-2:])[:100] or url[:100]


def is_domain(host: str) -> bool:
    """Return whether a text is a host below a public suffix: "example.org", not "e.g" or "report.pdf"."""
    return bool(_registered(host)) and host == host.lower()


def _registered(host: str) -> str:
    """Return the registered domain of a host; empty if it is in none."""
    known = import_module("tld").get_fld(host, fix_protocol=True, fail_silently=True, search_private=True)
    return str(known or "")
