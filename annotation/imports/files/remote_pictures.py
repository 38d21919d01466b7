"""Pictures that a table names by URL: fetched by the guarded fetcher, once each, within limits per import."""

import threading
import time

from django.utils.translation import gettext as _

from annotation.domain.formats.fields import is_address
from annotation.domain.pictures.decoding import BadPicture
from annotation.media.picture_sources import PictureSource
from providers import wiring_web
from providers.http.fetch import PICTURES
from providers.http.safe_urls import FetchFault

MOST = 1000
"""The maximum number of URLs in one import."""
SECONDS = 1200.0
"""The maximum time in seconds for all fetching of one import; after it, further URLs are refused."""
BYTES = 2_000_000
"""The maximum size of one fetched picture; a ZIP may contain larger ones."""
_UNPROCESSABLE = 422


class WithAddresses:
    """A source of pictures, extended by the web: names that begin with http:// or https:// are fetched.

    A dry run fetches too, because only then does it know the result of the import. With `fetches` off (for a page or a
    request that somebody waits for), URLs are refused.
    """

    def __init__(self, inner: PictureSource, *, fetches: bool) -> None:
        self.complete, self.renamed = inner.complete, inner.renamed
        self._inner = inner
        self._fetches = fetches
        self._lock = threading.Lock()
        self._fetched = 0
        self._until: float | None = None

    def find(self, name: str) -> str | None:
        """Return the key of a picture (see PictureSource); a URL is its own key."""
        return name if is_address(name) else self._inner.find(name)

    def read(self, key: str, limit: int) -> bytes:
        """Return the picture's bytes (see PictureSource).

        Raises BadPicture with the fetcher's message if the URL gives no picture.
        """
        if not is_address(key):
            return self._inner.read(key, limit)
        if not self._fetches:
            sentence = _("Pictures are fetched for uploaded files only: upload the rows as a file.")
            raise BadPicture("picture_url", sentence, _UNPROCESSABLE)
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
                sentence = _("More than %(most)d addresses in one file. Put the pictures into a ZIP with the table.")
                raise BadPicture("too_many_addresses", sentence % {"most": MOST}, 413, MOST)
            if now > self._until:
                sentence = _("Fetching the pictures of this file took longer than %(minutes)d minutes.")
                raise BadPicture("addresses_too_slow", sentence % {"minutes": int(SECONDS / 60)}, 413)
