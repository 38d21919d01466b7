"""Content-Type without what could stop the site: checked before Django makes a request of it.

Django decodes address and form by the charset that the caller names, inside the request's constructor: a name such as
`hex` would end in 500 there, before any middleware. Pages and API speak UTF-8 alone, so no charset reaches Django.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

FOREIGN_CHARSET = "interplay.foreign_charset"
"""The key of the environment under which a charset stands that is not UTF-8; `FrontDoor` refuses bodies in it."""
_UTF_8 = {"utf-8", "utf8", "us-ascii", "ascii"}
_KIND = re.compile(r"\s*([\w.+-]{1,64}/[\w.+-]{1,100})\s*(?:;|\Z)", re.ASCII)
_CHARSET = re.compile(r";\s*charset(\*?)\s*=\s*\"?([^\s\";]{0,100})", re.IGNORECASE)
_BOUNDARY = re.compile(r";\s*boundary\s*=\s*(\"[^\"\\\\;]{1,200}\"|[^\s\";]{1,200})\s*(?:;|\Z)", re.IGNORECASE)


def content_type(header: str) -> tuple[str, str]:
    """Return a Content-Type of kind and boundary alone, and the charset if it is another than UTF-8 (else empty)."""
    kind = _KIND.match(header)
    if kind is None:
        return "", ""
    boundary = _BOUNDARY.search(header) if kind[1].lower().startswith("multipart/") else None
    charset = _CHARSET.search(header)
    foreign = charset is not None and (bool(charset[1]) or charset[2].lower() not in _UTF_8)
    plain = kind[1] if boundary is None else f"{kind[1]}; boundary={boundary[1]}"
    return plain, (charset[2] or "?") if charset is not None and foreign else ""


def with_plain_content_type(application: Application) -> Application:
    """Return the WSGI application behind a check of Content-Type."""

    def checked(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("CONTENT_TYPE"):
            environ["CONTENT_TYPE"], foreign = content_type(environ["CONTENT_TYPE"])
            if foreign:
                environ[FOREIGN_CHARSET] = foreign
        return application(environ, start_response)

    return checked
