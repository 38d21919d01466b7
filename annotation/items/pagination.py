"""Pages of a list whose matches take long to count."""

from functools import cached_property
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet

MOST_COUNTED = 1_000
"""So many matches are counted, and no more are on the pages."""


class BoundedPaginator(Paginator[Any]):
    """Count a queryset up to MOST_COUNTED rows. What comes after these is on no page."""

    @cached_property
    def count(self) -> int:
        """The number of rows on all pages."""
        return min(self._counted, MOST_COUNTED)

    @property
    def has_more(self) -> bool:
        """Whether more rows match than the pages hold."""
        return self._counted > MOST_COUNTED

    @cached_property
    def _counted(self) -> int:
        assert isinstance(self.object_list, QuerySet)
        return self.object_list.order_by().values("pk")[: MOST_COUNTED + 1].count()
