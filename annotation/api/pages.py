"""Lists of the API, one page at a time."""

from collections.abc import Callable, Iterable
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.core.key_pages import AFTER, BEFORE, UnknownKey, is_asked_by_key, key_of, page_by_key

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
BY_KEY = (
    *PAGING,
    OpenApiParameter(
        AFTER,
        {"type": "string"},
        description="In place of `page`: the entries after this one, which the answer before names as `next`; empty: "
        "the first ones. Nothing is counted then, so that a page far down takes as long as the first.",
    ),
    OpenApiParameter(
        BEFORE,
        {"type": "string"},
        description="In place of `page`: the entries before this one, which the answer before names as `previous`.",
    ),
)
"""The query of a list that comes in pages by number, and by key."""


def page_of(request: Request, rows: Any, shown: Callable[[list[Any]], Any], filters: Iterable[str] = ()) -> Response:
    """Return the page of the rows that the query asks for; `shown` turns its rows into JSON values.

    `filters` are the list's own. Raises ValidationError for a filter that the list does not have, and for a page or
    limit that is no number of the range.
    """
    page, found = _numbered(request, rows, filters)
    return Response({**page, "results": shown(found)})


def _numbered(request: Request, rows: Any, filters: Iterable[str]) -> tuple[dict[str, Any], list[Any]]:
    """Return what a page by number says of itself, and its rows."""
    refuse_unknown(request, *filters, "page", "limit")
    asked = number(request, "page", 1, _LAST)
    pages = Paginator(rows, number(request, "limit", _DEFAULT, MOST))
    found = list(pages.page(asked).object_list) if asked <= pages.num_pages else []
    return {"count": pages.count, "page": asked, "pages": pages.num_pages}, found


def page_by_key_of(
    request: Request,
    rows: QuerySet[Any],
    among: QuerySet[Any],
    shown: Callable[[list[Any]], Any],
    filters: Iterable[str] = (),
    key: str = "public_id",
) -> Response:
    """Return the page that the query asks for, by key or by number; `among` are the rows whose keys are known.

    `key` is the field of the public id, of the row or of one that it refers to.

    Raises ValidationError as `page_of` does, and for a key of no entry.
    """
    if not is_asked_by_key(request.query_params):
        about, found = _numbered(request, rows, (*filters, AFTER, BEFORE))
        edges = {
            "previous": key_of(found[0], key) if found and about["page"] > 1 else None,
            "next": key_of(found[-1], key) if found and about["page"] < about["pages"] else None,
        }
        return Response({**about, **edges, "results": shown(found)})
    refuse_unknown(request, *filters, AFTER, BEFORE, "limit")
    try:
        page = page_by_key(rows, among, request.query_params, number(request, "limit", _DEFAULT, MOST), key)
    except UnknownKey as unknown:
        name = BEFORE if request.query_params.get(BEFORE) else AFTER
        raise ValidationError({name: "It names no entry of this list."}, unknown.code) from None
    return Response(
        {
            "count": None,
            "page": None,
            "pages": None,
            "previous": page.previous,
            "next": page.next,
            "results": shown(list(page.rows)),
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
