"""How large a body each address takes: the server reads no more before a thread has the request."""

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, get_resolver

from config.web.body_limits import SMALL, body_limit

APPS = ("annotation", "config", "generation", "moderation")
FORM, UPLOAD = "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"


@pytest.mark.parametrize(
    ("path", "content_type", "limit"),
    [
        ("/accounts/login/", FORM, SMALL),
        ("/accounts/logout/", UPLOAD, SMALL),
        ("/me/look/", FORM, SMALL),
        ("/no/such/address", UPLOAD, SMALL),
        ("*", "", SMALL),
        ("/p/winter/guidelines/", FORM, 5 * 2**20),
        ("/p/winter/guidelines/", UPLOAD, 5 * 2**20),
        ("/api/v1/projects/winter/imports/", "application/json", 5 * 2**20),
        ("/p/winter/import/", UPLOAD, 512 * 2**20),
        ("/p/winter/import/", "Multipart/Form-Data;boundary=x", 512 * 2**20),
        ("/p/winter/import/", FORM, 5 * 2**20),
        ("/projects/new/", UPLOAD, 512 * 2**20),
    ],
)
def test_only_forms_with_a_file_are_large(path: str, content_type: str, limit: int) -> None:
    assert body_limit(path, content_type) == limit


def views(patterns: Any) -> Iterator[Any]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield pattern.callback
        else:
            yield from views(pattern.url_patterns)


def test_a_view_that_reads_files_is_marked_and_no_other() -> None:
    own = {view for view in views(get_resolver().url_patterns) if view.__module__.startswith(APPS)}
    reads = {view for view in own if "request.FILES" in inspect.getsource(inspect.unwrap(view))}
    assert len(reads) >= 12
    assert reads == {view for view in own if getattr(view, "takes_files", False)}
