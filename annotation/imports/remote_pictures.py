"""Pictures that a table names by address: fetched by the guarded fetcher, once each, within bounds of the import."""

import threading
import time

from django.utils.translation import gettext as _

from annotation.domain.formats.fields import is_address
from annotation.domain.pictures.decoding import BadPicture
from annotation.media.pictures import PictureSource
from providers import wiring_web
from providers.http.fetch import PICTURES
from providers.http.safe_urls import FetchFault

MOST = 1000
"""Addresses of one import."""
SECONDS = 1200.0
"""What all fetching of one import may take; after that every further address is refused."""
BYTES = 2_000_000
"""Of one picture that is fetched; a ZIP takes larger ones."""
_UNPROCESSABLE = 422


class WithAddresses:
    """A place of pictures, and the web beside it: names that begin with http:// or https:// are fetched.

    A dry run fetches as well: only so does it know what the import would meet. With `fetches` off (a page or a request
    that somebody waits for) addresses are refused.
    """

    def __init__(self, inner: PictureSource, *, fetches: bool) -> None:
        self.complete = inner.complete
        self._inner = inner
        self._fetches = fetches
        self._lock = threading.Lock()
        self._fetched = 0
        self._until: float | None = None

    def find(self, name: str) -> str | None:
        """See PictureSource; an address is its own key."""
        return name if is_address(name) else self._inner.find(name)

    def read(self, key: str, limit: int) -> bytes:
        """See PictureSource. Raises BadPicture with the fetcher's sentence where the address brings no picture."""
        if not is_address(key):
            return self._inner.read(key, limit)
        if not self._fetches:
            said = _("Pictures are fetched for uploaded files only: upload the rows as a file.")
            raise BadPicture("picture_url", said, _UNPROCESSABLE)
        self._count()
        try:
            page = wiring_web.page_fetcher().fetch(key, PICTURES, whole=True, size=min(limit, BYTES))
        except FetchFault as fault:
            raise BadPicture(f"fetch_{fault.code}", fault.sentence, _UNPROCESSABLE) from None
        return page.content

    def _count(self) -> None:
        with self._lock:
            self._fetched += 1
            now = time.monotonic()
            self._until = self._until or now + SECONDS
            if self._fetched > MOST:
                said = _("More than %(most)d addresses in one file. Put the pictures into a ZIP with the table.")
                raise BadPicture("too_many_addresses", said % {"most": MOST}, 413, MOST)
            if now > self._until:
                said = _("Fetching the pictures of this file took longer than %(minutes)d minutes.")
                raise BadPicture("addresses_too_slow", said % {"minutes": int(SECONDS / 60)}, 413)
