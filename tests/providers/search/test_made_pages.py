"""More than a hundred pages of the web's kinds: the right text or a named fault for each, never silent garbage."""

from collections.abc import Iterator

import pytest

from providers.search import steps
from wire.made_pages import MadePage, made_pages
from wire.pages import OUTER, PageServer, Web, page

PAGES = made_pages()


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    answers = {f"/{at}": page(made.content, made.type, **made.headers) for at, made in enumerate(PAGES)}
    with PageServer(answers) as outer, PageServer() as inner:
        yield Web(outer, inner, {"pages.example": [OUTER]})


def plain(text: str) -> str:
    return " ".join(text.split())


def judged(made: MadePage, answer: dict[str, object]) -> str:
    """Return what is wrong; empty if it is the right text or the right fault."""
    if made.fault or answer["fault"]:
        found = f"{answer['code']}: {answer['fault']}"
        return "" if answer["code"] == made.fault and made.fault else f"{found!r} instead of {made.fault or 'its text'}"
    text = plain(str(answer["text"]))
    if plain(made.says) not in text or "ORDER" in text:
        return f"GARBAGE {text[:90]!r}"
    if made.encoding and answer.get("encoding") != made.encoding:
        return f"encoding {answer.get('encoding')} instead of {made.encoding}"
    return ""


def test_each_page_is_read_rightly_or_says_why_it_is_not(web: Web) -> None:
    assert len(PAGES) > 100
    fetcher = web.fetcher(robots=False, seconds=60)
    faults = {}
    for at, made in enumerate(PAGES):
        answer = steps.fetch(fetcher, f"http://pages.example/{at}")
        if fault := judged(made, answer):
            faults[made.name] = fault
    assert faults == {}
