"""Hostile files on every page that takes one beside the import: one sentence, no row, little time (threats B121–B126).

Each file is a few kilobytes or compresses to that. `tests/annotation/imports/` does the same for the import itself.
"""

import zlib
from collections.abc import Callable
from io import BytesIO
from itertools import chain
from time import process_time
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.domain.formats.base import Unreadable
from builders import make_member, make_open_item, make_project
from moderation.domain.evaluation.predictions import read_predictions

pytestmark = pytest.mark.django_db


def pdf(*objects: str, root: str = "1 0 R", stream: bytes = b"", filters: str = "") -> bytes:
    """Return a PDF of these objects, without a table of their places; the last one may be a stream."""
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % (number, text.encode()) for number, text in enumerate(objects, 1))
    if stream:
        head = f"{len(objects) + 1} 0 obj\n<< /Length {len(stream)} {filters} >>\nstream\n".encode()
        body += head + stream + b"\nendstream\nendobj\n"
    return b"%PDF-1.7\n" + body + f"trailer << /Root {root} /Size 9 >>\n%%EOF".encode()


CATALOG = "<< /Type /Catalog /Pages 2 0 R >>"
PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>"


def pdfs() -> dict[str, bytes]:
    """Return hostile documents by what they are. Packing one takes a second, which collecting the tests need not."""
    bomb = zlib.compress(b"BT (weeds) Tj ET " * 8_000_000, 9)  # 136 MB of drawn words in 330 kB
    return {
        "only a head": b"%PDF-1.7",
        "a head before other bytes": b"%PDF-1.7\n" + bytes(range(256)) * 40,
        "a picture": b"\x89PNG\r\n\x1a\n" + bytes(4000),
        "a page tree that holds itself": pdf(CATALOG, "<< /Type /Pages /Count 1 /Kids [2 0 R] >>"),
        "a parent that is its own page": pdf(CATALOG, "<< /Type /Pages /Parent 2 0 R /Count 9 /Kids [2 0 R 2 0 R] >>"),
        "a count of pages in the billions": pdf(CATALOG, "<< /Type /Pages /Count 9999999999 /Kids [] >>"),
        "a catalog that is missing": pdf(CATALOG, root="7 0 R"),
        "arrays in arrays": pdf("[" * 50_000),
        "a table of places that leads to itself": b"%PDF-1.7\nxref\n0 1\n0000000000 65535 f \n"
        b"trailer << /Size 1 /Root 1 0 R /Prev 9 >>\nstartxref\n9\n%%EOF",
        "a stream that unpacks to hundreds of megabytes": pdf(
            CATALOG, "<< /Type /Pages /Count 1 /Kids [3 0 R] >>", PAGE, stream=bomb, filters="/Filter /FlateDecode"
        ),
        "a stream packed a hundred times": pdf(
            CATALOG,
            "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            PAGE,
            stream=b"x",
            filters=f"/Filter [{'/A85 ' * 100}]",
        ),
    }


JSON = {
    "no JSON": b"{",
    "brackets without an end": b"[" * 100_000,
    "braces without an end": b'{"a":' * 50_000,
    "quotes without an end": b'{"a": "' + b'\\"' * 60_000,
    "a number of 100,000 digits": b'{"a": ' + b"9" * 100_000 + b"}",
    "not a number": b'{"a": NaN}',
    "NUL in a text": b'{"a": ["\\u0000"]}',
    "NUL in a name": b'{"\\u0000": ["a"]}',
    "half a character": b'{"a": ["\\ud800"]}',
    "half a character in a name": b'{"\\ud800": ["a"]}',
    "one name twice": b'{"a": ["b"], "a": ["c"]}',
    "UTF-16": '{"a": ["b"]}'.encode("utf-16"),
    "other bytes": bytes(range(256)) * 40,
}
TABLES = {
    "NUL": b"id,part\na\x00,test\n",
    "100,000 columns": b"," * 100_000,
    "one line of two megabytes": b"a" * 2_000_000,
    "a quote without an end": b'"' + b'""' * 100_000,
    "UTF-16": "a,test\n".encode("utf-16"),
    "other bytes": bytes(range(256)) * 40,
    **{name: JSON[name] for name in ("brackets without an end", "NUL in a text", "a number of 100,000 digits")},
}


class Garden:
    """A project with an item, and its admin's browser."""

    def __init__(self) -> None:
        self.project = make_project("garden")
        make_open_item(self.project)
        self.browser = Client()
        self.browser.force_login(make_member(self.project, Role.ADMIN).user)

    def send(self, page: str, field: str, file_name: str, content: bytes, **more: Any) -> HttpResponseBase:
        file = SimpleUploadedFile(file_name, content)
        return self.browser.post(reverse(page, args=["garden"]), {field: file, **more})

    def rows(self) -> dict[str, int]:
        ours = [apps.get_app_config(name).get_models() for name in ("annotation", "moderation", "generation", "runs")]
        return {model.__name__: model._default_manager.count() for model in chain(*ours)}


def document(garden: Garden, content: bytes) -> HttpResponseBase:
    return garden.send("moderation:documents", "file", "a.pdf", content)


def group_list(garden: Garden, content: bytes) -> HttpResponseBase:
    return garden.send("moderation:group-list-add", "file", "list.json", content, name="mine")


def split_list(garden: Garden, content: bytes) -> HttpResponseBase:
    return garden.send("annotation:releases", "split_file", "list.csv", content, key=str(uuid4()))


def glossary(garden: Garden, content: bytes) -> HttpResponseBase:
    return garden.send("annotation:glossary-import", "file", "glossary.csv", content)


def sentences_of(answer: Any) -> list[str]:
    """Return what the page says at the form, and of the rows of the file."""
    at_the_form = [str(error) for errors in answer.context["form"].errors.values() for error in errors]
    came = answer.context.get("came")
    return at_the_form + ([error.reason for error in came.errors] if came else [])


Way = Callable[[Garden, bytes], HttpResponseBase]
WAYS: dict[str, tuple[Way, Callable[[], dict[str, bytes]]]] = {
    "document": (document, pdfs),
    "group list": (group_list, lambda: JSON),
    "split list": (split_list, lambda: TABLES),
    "glossary": (
        glossary,
        lambda: TABLES | {name: JSON[name] for name in ("quotes without an end", "half a character")},
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_hostile_file_is_refused_in_one_sentence_and_changes_nothing(way: str) -> None:
    send, files = WAYS[way]
    garden = Garden()
    before, odd = garden.rows(), {}
    for name, content in files().items():
        began = process_time()
        answer = send(garden, content)
        spent = process_time() - began
        sentences = sentences_of(answer) if answer.status_code == 422 else []
        if answer.status_code != 422 or len(sentences) != 1 or spent > 6 or garden.rows() != before:
            odd[name] = (answer.status_code, sentences, round(spent, 2))
    assert odd == {}


@pytest.mark.parametrize("name", {**JSON, **TABLES})
def test_a_hostile_file_of_answers_is_refused_with_its_place(name: str) -> None:
    began = process_time()
    with pytest.raises(Unreadable) as refusal:
        read_predictions(BytesIO({**TABLES, **JSON}[name]))
    assert refusal.value.error.reason
    assert process_time() - began < 6
