"""What is read of pages in many languages and layouts, against what a person sees of them."""

import pytest

from providers.http.fetch import FetchedPage, media_type_of
from providers.search import steps
from wire.seen_pages import SeenPage, seen_pages

PAGES = seen_pages()
LEAST_RIGHT = 0.97


def plain(text: str) -> str:
    return "".join(text.split())


def wrong(made: SeenPage) -> str:
    """Return what is read otherwise than a person sees it; empty if nothing is."""
    media_type, charset = media_type_of(made.type)
    page = FetchedPage("https://a.example/", media_type, charset, made.content, False)
    read = steps.read_answer(page, "2026-01-01T00:00:00+00:00")
    if read.code or made.code:
        return "" if read.code in (made.code, *made.others) and made.code else f"{read.code} {plain(read.text)[:60]}"
    text, at = plain(read.text), 0
    for sentence in map(plain, made.says):
        if (found := text.find(sentence, at)) < 0:
            return f"without {sentence!r}: {read.text!r}"
        at = found + len(sentence)
    if present := [words for words in made.hides if plain(words) in text]:
        return f"with {present}"
    if made.encoding and read.encoding != made.encoding:
        return f"read as {read.encoding}"
    stated = {name: read.source.get(name) for name in made.source}
    return "" if stated == dict(made.source) else f"states {stated}"


@pytest.mark.parametrize("is_sealed", [False, True], ids=["open", "sealed"])
def test_pages_are_read_as_a_person_sees_them(is_sealed: bool) -> None:
    pages = [page for page in PAGES if page.sealed is is_sealed]
    faults = {page.name: fault for page in pages if (fault := wrong(page))}
    assert len(pages) >= 40
    assert len(faults) <= (1 - LEAST_RIGHT) * len(pages), faults
