"""How large a body each address takes: the server reads no more before a thread has the request."""

import inspect
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

import body_sizes
from config.web.body_limits import SMALL, body_limit

FORM, JSON, UPLOAD = "application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=x"
LONG, FILES = 5 * 2**20, 512 * 2**20
PARTS = {
    "IntConverter": 1,
    "UUIDConverter": uuid4(),
    "SlugConverter": "a",
    "StringConverter": "a",
    "PathConverter": "a",
}


@pytest.mark.parametrize(
    ("path", "content_type", "limit"),
    [
        ("/accounts/login/", FORM, SMALL),
        ("/accounts/logout/", UPLOAD, SMALL),
        ("/me/look/", FORM, SMALL),
        ("/no/such/address", UPLOAD, SMALL),
        ("*", "", SMALL),
        ("/admin/auth/user/add/", UPLOAD, SMALL),
        ("/p/winter/people/", FORM, SMALL),
        ("/api/v1/projects/winter/next/", JSON, SMALL),
        ("/p/winter/guidelines/edit/", FORM, LONG),
        ("/p/winter/guidelines/edit/", UPLOAD, LONG),
        ("/api/v1/projects/winter/import/", JSON, LONG),
        ("/api/v1/projects/winter/import", JSON, LONG),
        ("/p/winter/import/", UPLOAD, FILES),
        ("/p/winter/import/", "Multipart/Form-Data;boundary=x", FILES),
        ("/p/winter/import/", FORM, LONG),
        ("/projects/new/", UPLOAD, FILES),
    ],
)
def test_the_view_of_an_address_says_how_much_it_takes(path: str, content_type: str, limit: int) -> None:
    assert body_limit(path, content_type) == limit


def test_a_view_that_reads_files_is_marked_and_no_other() -> None:
    own = {route.callback for _name, route in body_sizes.routes()}
    reads = {view for view in own if "request.FILES" in inspect.getsource(inspect.unwrap(view))}
    assert len(reads) >= 12
    assert reads == {view for view in own if getattr(view, "takes_files", False)}


MADE_FOR_A_REQUEST = {
    "annotation:bulk": "the search beside a reason",
    "annotation:design": "a form for each category and question",
    "annotation:design-preview": "a form for each category and question",
    "annotation:first-answer": "an answer to each further question, beside a note",
    "annotation:glossary-beside": "the answer so far",
    "annotation:label-correct": "an answer to each further question, beside a note",
    "annotation:look-at": "the answer so far",
    "annotation:opt-outs": "fifty groups in own words",
    "annotation:submit": "an answer to each further question, beside a note",
    "api:design": "a whole design",
    "api:settings": "a shape made from the form of the page",
    "generation:candidates": "seven explanations",
    "generation:explanations": "seven explanations",
    "moderation:statement": "a form made from the fields of the register",
}
"""Views whose longest body does not show in their classes, and what makes it long."""
ONLY_SHOWN = {"annotation:care-viewing"}
"""Shows a form with long texts beside its own, and takes none of them."""


def test_every_text_that_a_form_accepts_fits_into_what_its_address_takes() -> None:
    """Where this fails, mark the view with `takes_long_texts` in its `urls.py`, or shorten its texts."""
    views = {name: route.callback for name, route in body_sizes.routes()}
    sizes = {name: body_sizes.largest_body(view) for name, view in views.items()}
    large = {name for name, size in sizes.items() if size > SMALL} - ONLY_SHOWN
    marked = {name for name, view in views.items() if getattr(view, "takes_long_texts", False)}
    files = {name for name, view in views.items() if getattr(view, "takes_files", False)}
    assert large - marked == set()
    assert marked - files - large == MADE_FOR_A_REQUEST.keys()
    assert len(large) >= 25


def test_the_measure_finds_the_largest_form_of_a_view_and_counts_an_emoji_as_it_is_sent() -> None:
    views = {name: route.callback for name, route in body_sizes.routes()}
    assert body_sizes.largest_body(views["moderation:study-start"]) >= 12 * 100_000
    assert body_sizes.largest_body(views["runs-api:appeal"]) == 12 * (4_000 + 200)
    assert body_sizes.largest_body(views["annotation:mail-stop"]) == 0


def address(name: str, route: URLPattern) -> str:
    parts = {part: PARTS[type(kind).__name__] for part, kind in route.pattern.converters.items()}
    return reverse(name, kwargs=parts)


@pytest.fixture
def small_uploads(settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = LONG + 1000


@pytest.mark.usefixtures("small_uploads", "db")
def test_every_address_takes_a_body_up_to_its_limit_and_says_the_limit_of_a_larger_one(client: Client) -> None:  # B32
    fitting, larger = b"a" * (LONG + 1000), b"a" * (LONG + 1001)
    limits = set()
    for name, route in body_sizes.routes():
        if name.startswith("admin:"):
            continue
        where, kind = address(name, route), JSON if "api:" in name else UPLOAD
        limit = body_limit(where, kind)
        limits.add(limit)
        refused = client.post(where, larger[: limit + 1], kind, headers={"accept": "text/html"})
        assert refused.status_code == 413, where
        assert str(limit) in refused.content.decode() and str(limit + 1) in refused.content.decode(), where
        assert client.post(where, fitting[:limit], kind).status_code != 413, where
    assert limits == {SMALL, LONG, LONG + 1000}


def test_a_program_reads_the_limit_in_the_answer(client: Client) -> None:
    refused = client.post("/api/v1/projects/winter/next/", b" " * (SMALL + 1), JSON)
    sentence = "This address takes at most 65536 bytes and was sent 65537; nothing was stored."
    assert (refused.status_code, refused.json()["code"], refused.json()["limit"]) == (413, "too_large", SMALL)
    assert refused.json()["detail"] == sentence
