"""Import files from elsewhere: by an https address, from a bucket with the site's keys, data sets by their names."""

from pathlib import PurePosixPath
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from django.utils.translation import gettext as _

from annotation.domain.formats.base import RowError, Unreadable
from annotation.imports.files.data_sets_by_name import HUB, bring_data_set
from providers import wiring_web
from providers.http.fetch import FILES
from providers.http.safe_urls import FetchFault

HTTPS, BUCKET = "https://", "s3://"
_UNPROCESSABLE = 422


def is_elsewhere(name: str) -> bool:
    """Return whether a file is named by an address, of whatever kind."""
    return "://" in name[:12]


def bring(address: str, target: BinaryIO) -> None:
    """Write the file behind an address to `target`. Raises Unreadable with one sentence."""
    if address.startswith(HUB):
        bring_data_set(address, target)
        return
    try:
        if address.startswith(BUCKET):
            wiring_web.copy_from_bucket(address, target)
        elif address.startswith(HTTPS):
            target.write(_fetched(address))
        else:
            raise FetchFault("bad_scheme", _("A file is fetched from an https or s3 address."))
    except FetchFault as fault:
        reason = f"{name_of(address)}: {fault.sentence}"
        code = "web_page" if fault.code == "web_page" else "file_not_fetched"
        raise Unreadable(RowError(0, code, reason, status=_UNPROCESSABLE)) from None
    target.flush()


def _fetched(address: str) -> bytes:
    page = wiring_web.file_fetcher().fetch(address, FILES, whole=True)
    if not page.url.startswith(HTTPS):
        raise FetchFault("bad_scheme", _("The address leads on to one without https."))
    if page.cut:
        raise FetchFault("broken", _("The file broke off on its way."))
    beginning = page.content[:200].lstrip().lower()
    if page.media_type.endswith("html") or beginning.startswith((b"<!doctype html", b"<html")):
        sentence = _("The address leads to a web page, not to a file. Give the address that begins the download.")
        raise FetchFault("web_page", sentence)
    return page.content


def name_of(address: str) -> str:
    """Return the name by which people recognise the file: the last part of the path, or the host."""
    parts = urlsplit(address)
    return unquote(PurePosixPath(parts.path).name)[:255] or (parts.hostname or address)[:255]
