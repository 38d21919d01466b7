"""Pictures that a table names by address: fetched by the guarded fetcher; all rows or none, every fault by its line."""

import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from PIL import Image

from annotation.imports.files import remote_pictures
from annotation.imports.options import ImportOptions
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.models import Item, Picture, Project
from antihateagent_web import a_web
from builders import make_project
from providers import wiring_web
from wire.pages import PageServer, page, redirect


@pytest.fixture
def project(db: None) -> Project:
    return make_project("garden")


@pytest.fixture
def outer(monkeypatch: pytest.MonkeyPatch) -> Iterator[PageServer]:
    with PageServer() as outer, PageServer() as inner:
        fetcher = a_web(outer, inner).fetcher(seconds=2.0)
        monkeypatch.setattr(wiring_web, "_fetcher", lambda agent: fetcher)
        yield outer
        assert inner.log == []


def png(colour: str = "green", side: int = 40) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(out, "PNG")
    return out.getvalue()


def imported(project: Project, addresses: Sequence[str], **how: Any) -> ImportReport:
    rows = [{"id": f"p{at}", "text": f"post {at}", "image": url} for at, url in enumerate(addresses, 1)]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return import_file(project, io.BytesIO(content), ImportOptions(), **how)


def codes(report: ImportReport) -> list[tuple[int, str]]:
    return [(error.line, error.code) for error in report.errors]


def test_pictures_are_fetched_and_stored_without_their_addresses_being_followed_again(
    project: Project, outer: PageServer
) -> None:
    outer.pages |= {
        "/a.png": page(png(), "image/png"),
        "/b": redirect("/c.png"),
        "/c.png": page(png("red"), "image/png"),
    }
    report = imported(project, ["http://a.example/a.png", "http://a.example/b", "http://a.example/a.png"])
    assert (codes(report), report.stored, report.items) == ([], True, 3)
    assert Picture.objects.count() == 2
    first, second, third = Item.objects.order_by("external_id")
    assert first.picture_id == third.picture_id != second.picture_id
    assert outer.read().count("a.example/a.png") == 1


def test_one_picture_that_cannot_be_had_keeps_all_rows_out_and_is_named_by_its_line(
    project: Project, outer: PageServer
) -> None:
    outer.pages |= {
        "/a.png": page(png(), "image/png"),
        "/page": page("<p>hello"),
        "/no.png": page(b"not a picture", "image/png"),
        "/large.png": page(b"\x89PNG\r\n\x1a\n" + b"0" * 2_100_000, "image/png"),
        "/robots.txt": page("User-agent: *\nDisallow: /private", "text/plain"),
    }
    addresses = ["a.png", "page", "no.png", "large.png", "gone.png", "private/a.png"]
    bad = ["http://127.0.0.1/a.png", "http://a.example:22/a.png"]
    report = imported(project, [*(f"http://a.example/{name}" for name in addresses), *bad])
    assert [code for line, code in codes(report) if line == 1] == []
    assert dict(codes(report)) | {3: ""} == {
        2: "fetch_bad_type",
        3: "",
        4: "fetch_too_large",
        5: "fetch_status",
        6: "fetch_robots",
        7: "fetch_blocked_address",
        8: "fetch_blocked_port",
    }
    assert not report.stored
    assert (Item.objects.count(), Picture.objects.count()) == (0, 0)


def test_an_import_has_a_limit_of_addresses(
    project: Project, outer: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_pictures, "MOST", 2)
    for name in "abc":
        outer.pages[f"/{name}.png"] = page(png(name in "ab" and "red" or "blue"), "image/png")
    report = imported(project, [f"http://a.example/{name}.png" for name in "abc"])
    assert [code for _line, code in codes(report)] == ["too_many_addresses"]


def test_a_request_that_somebody_waits_for_fetches_nothing(project: Project, outer: PageServer) -> None:
    report = imported(project, ["http://a.example/a.png"], fetches=False)
    assert codes(report) == [(1, "picture_url")]
    assert outer.log == []
