"""Where a source stands, as people read it."""

from urllib.parse import urlsplit


def domain_of(url: str) -> str:
    """Return the host of a URL without a leading "www."; "document" for the address of a project's document."""
    if url.startswith("document:"):
        return "document"
    try:
        return (urlsplit(url).hostname or url).removeprefix("www.")
    except ValueError:
        return url[:100]
