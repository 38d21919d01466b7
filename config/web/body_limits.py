"""How large the body of a request may be, by the view of its address. The server asks before it reads one."""

from django.conf import settings
from django.urls import Resolver404, resolve

SMALL = 2**16
"""Where neither a file nor a long text is expected. `takes_files` and `takes_long_texts` mark the other views."""


def always_taken() -> int:
    """Return the number of bytes that every address takes."""
    return min(SMALL, settings.UPLOAD_MAX_BYTES)


def body_limit(path: str, content_type: str) -> int:
    """Return the number of bytes that an address takes as a body of this type."""
    view = _view(path)
    if content_type.partition(";")[0].strip().lower() == "multipart/form-data" and getattr(view, "takes_files", False):
        return settings.UPLOAD_MAX_BYTES
    return settings.DATA_UPLOAD_MAX_MEMORY_SIZE if getattr(view, "takes_long_texts", False) else SMALL


def _view(path: str) -> object:
    """Return what answers at the address, or at the one that it leads to. Returns None if nothing does."""
    for address in (path, f"{path}/"):
        try:
            return resolve(address).func
        except Resolver404:
            continue
    return None
