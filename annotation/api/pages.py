"""Lists of the API, one page at a time."""

from collections.abc import Callable
from typing import Any

from django.core.paginator import Paginator
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

MOST = 200
"""Entries of one page at most."""
_DEFAULT = 50
_LAST = 10**9

PAGING = (
    OpenApiParameter("page", int, description="The page, from 1. A page beyond the last one is the last one."),
    OpenApiParameter("limit", int, description=f"Entries a page: {_DEFAULT}, at most {MOST}."),
)
"""The query of every list that comes in pages."""


def page_of(request: Request, rows: Any, shown: Callable[[list[Any]], Any]) -> Response:
    """Return the page of the rows that the query asks for; `shown` turns its rows into JSON values."""
    page = Paginator(rows, number(request, "limit", _DEFAULT, MOST)).get_page(number(request, "page", 1, _LAST))
    return Response(
        {
            "count": page.paginator.count,
            "page": page.number,
            "pages": page.paginator.num_pages,
            "results": shown(list(page.object_list)),
        }
    )


def number(request: Request, name: str, default: int, most: int) -> int:
    """Return a whole number of the query, held within 1 … most; anything else is the default."""
    text = request.query_params.get(name, "")
    if not (text.isascii() and text.isdigit()):
        return default
    digits = text.lstrip("0") or "0"
    return most if len(digits) > len(str(most)) else min(max(int(digits), 1), most)
