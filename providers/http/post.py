"""Posting to addresses that people of this site give, as carefully as pages are fetched (threats T7, B82-B96)."""

import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from providers.http.fetch import Fetcher
from providers.http.safe_urls import CheckedUrl, FetchFault, check_url


class Poster(Fetcher):
    """Posts to https addresses of public hosts, and to origins that an operator allows wherever they are."""

    def __init__(self, agent: str = "Interplay", *, receivers: Collection[str] = (), **options: Any) -> None:
        """Take the allowed origins, as scheme://host:port (without a default port), and the options of a Fetcher."""
        super().__init__(agent, robots=False, **options)
        self._receivers = frozenset(receivers)

    def check(self, url: str) -> CheckedUrl:
        """Return the parts of an address, checked without a lookup. Raises FetchFault."""
        return self._named(url) or self._public(url)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Send a body once and return the status of the answer, which is not read. No redirect is followed.

        Raises FetchFault with a code and one sentence.
        """
        deadline = time.monotonic() + self.limits.seconds
        denied, target = self._denied, self._named(url)
        if target is not None:
            addresses: Sequence[str] = self._look_up(target, deadline)
            denied = replace(denied, permitted=frozenset(addresses))
        else:
            target = self._public(url)
            addresses = self._addresses(target, deadline)
        connection = self._connection(target, addresses, denied, deadline)
        with self._faults_of(target):
            try:
                answer = connection.handle_request(self._request(target, ("*/*",), body, headers))
                answer.close()
                return answer.status
            finally:
                connection.close()

    def _named(self, url: str) -> CheckedUrl | None:
        """Return the parts of an address whose origin the operator allows. Returns None for every other one."""
        with suppress(ValueError):
            parts = urlsplit(url)
            if f"{parts.scheme}://{parts.netloc}".lower() in self._receivers and url.isascii() and url.isprintable():
                port = parts.port or (443 if parts.scheme == "https" else 80)
                path = urlunsplit(("", "", parts.path or "/", parts.query, ""))
                return CheckedUrl(parts.scheme, parts.hostname or "", port, path.replace(" ", "%20"))
        return None

    def _public(self, url: str) -> CheckedUrl:
        target = check_url(url)
        if target.scheme != "https":
            raise FetchFault("bad_scheme", "The address begins with https://.")
        self._denied.require_allowed_host(target.host)
        return target
