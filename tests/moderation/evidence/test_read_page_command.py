"""What `read_page` prints of a file and of an address, and what it says of bad input."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from antihateagent_web import a_web, article
from providers import wiring_web
from wire.made_pages import CONSENT, KO, page_of
from wire.pages import PageServer
from wire.pdf_files import pdf


def read(*arguments: str) -> dict[str, Any]:
    printed = io.StringIO()
    call_command("read_page", *arguments, "--json", stdout=printed)
    return dict(json.loads(printed.getvalue()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "boards.html").write_bytes(page_of(KO, lang="ko-KR", title="글").encode("cp949"))
    (tmp_path / "wall.html").write_text(CONSENT)
    (tmp_path / "note").write_bytes("草".encode())
    pages = [f"On day {day} the weather in the hills was fair. " * 14 for day in range(30)]
    pages[19] += "They call newcomers weeds."
    (tmp_path / "report.pdf").write_bytes(pdf(*pages))
    (tmp_path / "long.html").write_text(f"<p>{'word ' * 500_000}</p>")
    return tmp_path


def test_a_file_is_read_as_if_it_had_come_from_a_server(folder: Path) -> None:
    value = read(str(folder / "boards.html"), "--content-type", "text/html; charset=ks_c_5601-1987")
    names = ["url", "type", "encoding", "language", "title", "text", "comments_at", "cut", "code", "fault", "source"]
    assert list(value) == names
    assert KO in value.pop("text")
    unknown = dict.fromkeys(("publisher", "author", "published", "changed", "claim_review", "paywall", "fetched_at"))
    assert value.pop("source") == unknown | {"language": "ko-KR"}
    assert value == {
        "url": str(folder / "boards.html"),
        "type": "text/html",
        "encoding": "euc-kr",
        "language": "ko-KR",
        "title": "글",
        "comments_at": 0,
        "cut": False,
        "code": "",
        "fault": "",
    }
    assert read(str(folder / "note"), "--content-type", "text/plain")["text"] == "草"
    wall = read(str(folder / "wall.html"))
    assert (wall["code"], wall["text"]) == ("consent_wall", "") and "consent" in wall["fault"]
    long = read(str(folder / "long.html"))
    assert (long["cut"], len(long["text"])) == (True, 400_000)


def test_a_quotation_is_told_with_its_sentence_and_what_to_mind(folder: Path) -> None:
    page = folder / "check.html"
    page.write_text(
        "<p>The office counted 412 newcomers in all of 2023.</p>"
        "<p>It is not true that newcomers cause half of all crime. Nobody counted that.</p>"
    )
    whole = read(str(page), "--quote", "newcomers cause half of all crime")
    assert whole["sentence"] == "It is not true that newcomers cause half of all crime."
    assert (whole["found"], whole["passage"], whole["doubts"]) == (
        True,
        "newcomers cause half of all crime",
        ["denied"],
    )
    cut = read(str(page), "--quote", "The office counted 4")
    assert (cut["found"], cut["sentence"]) == (False, None)


def test_the_parts_nearest_to_a_post_are_shown_with_their_page(folder: Path) -> None:
    value = read(str(folder / "report.pdf"), "--about", "Weeds among the newcomers", "--windows", "2")
    assert (value["type"], value["encoding"], len(value["windows"])) == ("application/pdf", "", 2)
    best = value["windows"][0]
    assert "They call newcomers weeds." in best["text"] and 13 <= best["page"] <= 20


def test_an_address_goes_through_the_guarded_fetcher(monkeypatch: pytest.MonkeyPatch) -> None:
    with PageServer({"/a": article(KO, "글")}) as outer, PageServer() as inner:
        fetcher = a_web(outer, inner).fetcher()
        monkeypatch.setattr(wiring_web, "_fetcher", lambda agent: fetcher)
        assert read("http://a.example/a")["title"] == "글"
        assert read("http://127.0.0.1/a")["code"] == "blocked_address"
        assert read("ftp://a.example/a")["code"] == "bad_scheme"
        assert inner.log == []


def test_every_fault_of_a_page_is_an_answer_of_one_shape(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "feed").write_text("<rss><channel></channel></rss>")
    (folder / "empty.html").write_text("")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    office = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    faults = {
        "bad_type": (str(folder / "note"), "--content-type", office),
        "bad_type of a file": (str(folder / "feed"),),
        "no_text": (str(folder / "empty.html"),),
        "bad_pdf": (str(folder / "broken.pdf"),),
        "consent_wall": (str(folder / "wall.html"),),
        "bad_scheme": ("ftp://a.example/a",),
        "blocked_address": ("http://127.0.0.1/a",),
        "status": ("http://a.example/nowhere",),
        "blocked_port": ("http://a.example:6379/",),
    }
    with PageServer() as outer, PageServer() as inner:
        fetcher = a_web(outer, inner).fetcher()
        monkeypatch.setattr(wiring_web, "_fetcher", lambda agent: fetcher)
        values = {code: read(*arguments, "--quote", "words") for code, arguments in faults.items()}
    whole = read(str(folder / "note"), "--content-type", "text/plain", "--quote", "words")
    for code, value in values.items():
        assert (value["code"], value["text"], value["found"]) == (code.partition(" ")[0], "", False)
        assert (list(value), list(value["source"])) == (list(whole), list(whole["source"]))
        assert value["fault"].endswith(".") and value["fault"].count(". ") == 0
    assert office in values["bad_type"]["fault"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.html",), "nowhere.html cannot be read: No such file"),
        (("/",), "cannot be read: Is a directory"),
        (("a\0b",), "cannot be read: that is no name of a file"),
        (("http://a.example/", "--content-type", "text/html"), "--content-type is for files"),
        (("note", "--windows", "9"), "--windows takes a number from 1 to 8"),
    ],
)
def test_bad_input_ends_with_one_sentence(arguments: tuple[str, ...], said: str, folder: Path) -> None:
    known = [str(folder / word) if word == "note" else word for word in arguments]
    with pytest.raises(CommandError, match=said):
        read(*known)
