"""No header of a request ends in 5xx: the site as a web server calls it (threats B124)."""

import encodings.aliases
import io
import string
from collections.abc import Iterator
from itertools import cycle, product
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import given
from hypothesis import strategies as st

from config.web.content_type import content_type
from config.wsgi import application

ADDRESSES = ("/", "/livez", "/readyz", "/accounts/login/", "/static/app.css", "/api/v1/projects/", "/data/x/")
CHARSETS = sorted({*encodings.aliases.aliases, *encodings.aliases.aliases.values(), "klingon", "undefined", "idna"})
QUERIES = ("", "a=1", "a=%ff&b=%E4", "xn--a=%2e")
MARKS = ("charset=", "charset*=", "x=1; Charset=")


@pytest.fixture(autouse=True)
def _one_connection() -> Iterator[None]:
    """Keep the test's own database connection, which a request of a real server would close."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def status(address: str, header: str, query: str = "", body: bytes = b"", **more: str) -> int:
    """Return the status of a request with this Content-Type; an exception is a 500."""
    statuses: list[str] = []
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST" if body else "GET",
        "PATH_INFO": address,
        "QUERY_STRING": query,
        "CONTENT_TYPE": header,
        "CONTENT_LENGTH": str(len(body)),
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        "wsgi.url_scheme": "http",
        "wsgi.version": (1, 0),
        "REMOTE_ADDR": "127.0.0.1",
        **more,
    }
    answer = application(environ, lambda line, headers, *fault: statuses.append(line))
    for _piece in answer:
        pass
    if hasattr(answer, "close"):
        answer.close()
    return int(statuses[0].split()[0])


@pytest.mark.django_db
@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.once  # a charset is read before anything is looked up
def test_no_charset_brings_an_address_down(address: str) -> None:
    """Each charset with one query at each address, another one at the next address."""
    queries = cycle(QUERIES)
    for _ in range(ADDRESSES.index(address)):
        next(queries)
    for charset, query in zip(CHARSETS, queries, strict=False):
        assert status(address, f"text/html; charset={charset}", query) < 500, (charset, query)


@pytest.mark.django_db
@pytest.mark.once  # the charset is read, and refused, before anything is looked up
def test_no_charset_brings_a_form_down_and_none_but_utf_8_is_read() -> None:
    """Each charset in each kind of form, under each mark in one of them."""
    multipart = b'--b\r\nContent-Disposition: form-data; name="login"\r\n\r\na\r\n--b--\r\n'
    kinds = (
        ("application/x-www-form-urlencoded", b"login=a&password=b"),
        ("multipart/form-data; boundary=b", multipart),
        ("application/json", b"{}"),
    )
    for (first, charset), (number, (kind, body)) in product(enumerate(CHARSETS), enumerate(kinds)):
        mark = MARKS[(first + number) % len(MARKS)]
        answer = status("/accounts/login/", f"{kind}; {mark}{charset}", body=body)
        assert answer < 500, (charset, kind, mark)
        is_plain = charset.lower() in {"utf8", "utf-8", "us-ascii", "ascii"} and mark != "charset*="
        assert (answer == 415) is not is_plain, (charset, kind, mark)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "header",
    [
        "text/html; charset*=nope''hex", "text/html; x*=idna''%ff", "multipart/form-data; boundary*=nope''x",
        "multipart/form-data; boundary=\u00e4", "multipart/form-data; boundary=", 'multipart/form-data; boundary="a',
        "a" * 60_000, "text/html" + "; a=b" * 10_000, ";", "/", "text/", "\u00ff/\u00fe", "text/html;charset",
    ],
)  # fmt: skip
def test_odd_headers_are_answered(header: str) -> None:
    for address in ADDRESSES:
        assert status(address, header, "a=1") < 500
    assert status("/accounts/login/", header, body=b"x" * 20) < 500


@pytest.mark.django_db
def test_a_thousand_parameters_with_a_charset_are_as_many_as_without() -> None:
    many = "&".join(["a"] * 1_001)
    for address in ADDRESSES:
        assert status(address, "text/html; charset=utf-8", many) == status(address, "text/html", many) < 500


@given(
    st.text(st.characters(max_codepoint=255), max_size=60), st.sampled_from(["charset=", "boundary=", "charset*=", ""])
)
def test_what_is_left_of_a_header_is_a_kind_and_a_boundary(text: str, mark: str) -> None:
    for header in (text, f"multipart/form-data; {mark}{text}", f"text/html;{mark}{text}; charset=utf-8"):
        plain, _foreign = content_type(header)
        kind, _semicolon, parameter = plain.partition("; ")
        assert not kind or (set(kind) <= set(string.ascii_letters + string.digits + "_.+-/") and "/" in kind)
        assert not parameter or parameter.startswith("boundary=")
        assert content_type(plain)[0] == plain


def test_a_form_keeps_its_boundary() -> None:
    assert content_type('multipart/form-data; charset=utf-8; boundary="a b"') == (
        'multipart/form-data; boundary="a b"',
        "",
    )
    assert content_type("text/html; charset=hex") == ("text/html", "hex")
    assert content_type("application/json; charset=UTF-8") == ("application/json", "")
