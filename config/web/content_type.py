"""A check of Content-Type, before Django makes a request of it.

Django decodes address and form by the caller's charset inside the request's constructor, before any middleware. There
a charset such as `hex` would end in 500. Pages and API use UTF-8 only, so no charset is passed on to Django.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

FOREIGN_CHARSET = "interplay.foreign_charset"
"""The environment's key for a charset that is not UTF-8; `FrontDoor` refuses bodies with it."""
_UTF_8 = {"utf-8", "utf8", "us-ascii", "ascii"}
_KIND = re.compile(r"\s*([\w.+-]{1,64}/[\w.+-]{1,100})\s*(?:;|\Z)", re.ASCII)
_CHARSET = re.compile(r";\s*charset(\*?)\s*=\s*\"?([^\s\";]{0,100})", re.IGNORECASE)
_BOUNDARY = re.compile(r";\s*boundary\s*=\s*(\"[^\"\\\\;]{1,200}\"|[^\s\";]{1,200})\s*(?:;|\Z)", re.IGNORECASE)


def content_type(header: str) -> tuple[str, str]:
    """Return a Content-Type with kind and boundary only, and the charset if it is not UTF-8 (else empty)."""
    kind = _KIND.match(header)
    if kind is None:
        return "", ""
    boundary = _BOUNDARY.search(header) if kind[1].lower().startswith("multipart/") else None
    charset = _CHARSET.search(header)
    foreign = charset is not None and (bool(charset[1]) or charset[2].lower() not in _UTF_8)
    plain = kind[1] if boundary is None else f"{kind[1]}; boundary={boundary[1]}"
    return plain, (charset[2] or "?") if charset is not None and foreign else ""


def with_plain_content_type(application: Application) -> Application:
    """Return the WSGI application with a check of Content-Type before it."""

    def checked(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("CONTENT_TYPE"):
            environ["CONTENT_TYPE"], foreign = content_type(environ["CONTENT_TYPE"])
            if foreign:
                environ[FOREIGN_CHARSET] = foreign
        return application(environ, start_response)

    return checked
