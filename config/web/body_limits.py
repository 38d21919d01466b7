"""How large the body of a request may be, by its address alone. The server asks before it reads one."""

from django.conf import settings
from django.urls import Resolver404, resolve

SMALL = 2**16
"""Where neither a file nor a long text is expected: sign-in, one's own pages, and addresses that do not exist."""
_LONG_TEXTS = ("/p/", "/api/")
"""Below these, and in the administration, are guidelines, questions and lists of rows."""


def body_limit(path: str, content_type: str) -> int:
    """Return the number of bytes that an address takes as a body of this type."""
    if content_type.partition(";")[0].strip().lower() == "multipart/form-data" and _takes_files(path):
        return settings.UPLOAD_MAX_BYTES
    return settings.DATA_UPLOAD_MAX_MEMORY_SIZE if path.startswith((*_LONG_TEXTS, f"/{settings.ADMIN_PATH}")) else SMALL


def _takes_files(path: str) -> bool:
    try:
        return getattr(resolve(path).func, "takes_files", False)
    except Resolver404:
        return False
