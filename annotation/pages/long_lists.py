"""Pages of lists that may be long: by number up to a bound, and by key as far as one likes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from annotation.core.key_pages import KeyPage, UnknownKey, is_asked_by_key, key_of, page_by_key

MOST_COUNTED = 10_000
"""So many rows are counted, and found by a number of their page."""
MOST_COSTLY = 1_000
"""The same, where it takes long to find the rows that match."""


class BoundedPaginator(Paginator[Any]):
    """Count a queryset up to `most` rows. What comes after these has no page of a number; `next_key` leads there."""

    def __init__(self, rows: QuerySet[Any], length: int, most: int = MOST_COUNTED, key: str = "public_id") -> None:
        super().__init__(rows, length)
        self.rows, self.key, self._most = rows, key, most

    @cached_property
    def count(self) -> int:
        """The number of rows on all pages that have a number."""
        return min(self._counted, self._most)

    @property
    def has_more(self) -> bool:
        """Whether there are more rows than those."""
        return self._counted > self._most

    @cached_property
    def _counted(self) -> int:
        return self.rows.order_by().values("pk")[: self._most + 1].count()

    def next_key(self, page: Page[Any]) -> str | None:
        """Return the key that leads on from the last page with a number. Returns None if another number does."""
        rows = list(page.object_list)
        return key_of(rows[-1], self.key) if rows and self.has_more and not page.has_next() else None


@dataclass(frozen=True)
class ListedPage:
    """A page of a list as templates show it."""

    object_list: Any
    paginator: BoundedPaginator | None = None
    """None: the list has no pages of a number."""
    number: int | None = None
    """None: it is asked for by key."""
    previous: Mapping[str, Any] | None = None
    """What the address of the page before it says of its place. None: there is none."""
    next: Mapping[str, Any] | None = None

    @property
    def has_other_pages(self) -> bool:
        return self.previous is not None or self.next is not None


def listed_page(rows: BoundedPaginator, among: QuerySet[Any], query: Mapping[str, str]) -> ListedPage:
    """Return the page that the query names: by `after` or `before`, else by `page`.

    Keys are of rows of `among`. A key that is of none of them gives the first page, as a wrong number does.
    """
    if is_asked_by_key(query):
        try:
            return keyed_page(page_by_key(rows.rows, among, query, rows.per_page, rows.key), rows)
        except UnknownKey:
            pass
    page = rows.get_page(query.get("page"))
    key = rows.next_key(page)
    return ListedPage(
        page.object_list,
        rows,
        page.number,
        _place(page=page.previous_page_number()) if page.has_previous() else None,
        _place(page=page.next_page_number()) if page.has_next() else _place(after=key) if key else None,
    )


def keyed_page(page: KeyPage[Any], paginator: BoundedPaginator | None = None) -> ListedPage:
    """Return a page by key as templates show it."""
    return ListedPage(
        page.rows,
        paginator,
        None,
        _place(before=page.previous) if page.previous else None,
        _place(after=page.next) if page.next else None,
    )


def _place(**given: Any) -> dict[str, Any]:
    """Return the parameters that name a page; those that are not given leave the address."""
    return {"page": None, "after": None, "before": None, **given}
