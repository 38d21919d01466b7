"""Lists of the API, one page at a time."""

from collections.abc import Callable, Iterable
from typing import Any

from django.core.paginator import Paginator
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

MOST = 200
"""Entries of one page at most."""
_DEFAULT = 50
_LAST = 10**9

PAGING = (
    OpenApiParameter(
        "page",
        {"type": "integer", "minimum": 1, "maximum": _LAST},
        description="The page, from 1. A page beyond the last one has no results.",
    ),
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": MOST},
        description=f"Entries a page: {_DEFAULT}, at most {MOST}.",
    ),
)
"""The query of every list that comes in pages."""


def page_of(request: Request, rows: Any, shown: Callable[[list[Any]], Any], filters: Iterable[str] = ()) -> Response:
    """Return the page of the rows that the query asks for; `shown` turns its rows into JSON values.

    `filters` are the list's own. Raises ValidationError for a filter that the list does not have, and for a page or
    limit that is no number of the range.
    """
    refuse_unknown(request, *filters, "page", "limit")
    asked = number(request, "page", 1, _LAST)
    pages = Paginator(rows, number(request, "limit", _DEFAULT, MOST))
    return Response(
        {
            "count": pages.count,
            "page": asked,
            "pages": pages.num_pages,
            "results": shown(list(pages.page(asked).object_list) if asked <= pages.num_pages else []),
        }
    )


def refuse_unknown(request: Request, *filters: str) -> None:
    """Do nothing if the query has these filters alone.

    Raises ValidationError for another one, which would be ignored otherwise: the list would be of too much.
    """
    for name in request.query_params:
        if name not in filters:
            sentence = f"There is no filter {name[:40]!r}; there are {', '.join(sorted(filters))}."
            raise ValidationError({name[:80]: sentence}, "unknown_filter")


def number(request: Request, name: str, default: int, most: int) -> int:
    """Return a whole number of the query; the default where it is missing or empty.

    Raises ValidationError, by the name, for anything but a whole number from 1 to most.
    """
    text = request.query_params.get(name, "")
    if not text:
        return default
    digits = text.lstrip("0") if text.isascii() and text.isdigit() else ""
    if not digits or len(digits) > len(str(most)) or int(digits) > most:
        raise ValidationError({name: f"A whole number from 1 to {most:,}."}, "not_in_range")
    return int(digits)
