"""Pages of the kinds that people meet, in fourteen languages, read as the agent reads them, against what a person sees.

A row of `met_pages.jsonl` has a page, perhaps its `encoding`, `type` and `url`, and what is right: one of `codes`, or
the words that it `says` in their order, those that are not its text (`hides`), readers' `comments`, the `source`, the
words of the `rating`, `quotes` as [words, whether they are found, doubts that must be told], and `sentences` as [words,
the whole sentence]. Those of `pages_read_once.jsonl` were drawn before the rules for paywalls and dates were made.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import wire
from moderation.domain.antihateagent.doubts import doubts_of, rated_claim
from moderation.domain.antihateagent.passages import find_quote, sentence_of
from providers.http.fetch import FetchedPage, media_type_of, require_read
from providers.http.safe_urls import FetchFault
from providers.search.steps import FetchAnswer, read_answer

ROWS = [
    json.loads(line)
    for name in ("met_pages.jsonl", "pages_read_once.jsonl")
    for line in Path(*wire.__path__, name).read_text("utf-8").splitlines()
]


def read(row: Mapping[str, Any]) -> FetchAnswer:
    body = row["page"].encode(row.get("encoding", "utf-8"))
    media_type, charset = media_type_of(row.get("type", "text/html; charset=utf-8"))
    url = row.get("url", "https://a.example/x")
    try:
        require_read(media_type)
    except FetchFault as fault:
        return FetchAnswer(url=url, code=fault.code)
    return read_answer(FetchedPage(url, media_type, charset, body, False), "2026-11-30T00:00:00Z")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['kind']}: {row['name']}")
def test_a_page_is_read_as_a_person_reads_it(row: Mapping[str, Any]) -> None:
    page = read(row)
    codes = row.get("codes", [])
    if page.code or (codes and not row.get("may_read")):
        assert page.code in codes
        return
    assert problems(row, page) == []


def problems(row: Mapping[str, Any], page: FetchAnswer) -> list[object]:
    """Return what is not as it should be: words lost, kept, in the wrong place or order, and wrong facts."""
    whole = " ".join(page.text.split())
    article = " ".join(page.text[: page.comments_at or None].split())
    found: list[object] = []
    at = 0
    for words in row.get("says", ()):
        place = article.find(words, 0 if row.get("any_order") else at)
        found += [("lost", words)] if place < 0 else []
        at = max(at, place)
    found += [("kept", words) for words in row.get("hides", ()) if words in whole]
    found += [
        ("not among comments", words) for words in row.get("comments", ()) if words in article or words not in whole
    ]
    found += [(name, page.source[name]) for name, value in row.get("source", {}).items() if not fits(page, name, value)]
    told = json.dumps(page.source["claim_review"], ensure_ascii=False)
    found += [("rating", told) for words in row.get("rating", ()) if words not in told]
    if row.get("language"):
        found += [("language", page.language)] if page.language != row["language"] else []
    for words, is_there, doubts in row.get("quotes", ()):
        span = find_quote(words, page.text)
        if is_there is not None and (span is not None) != is_there:
            found.append(("quotation", words))
        elif span and doubts is not None:
            claim = rated_claim(page.source)
            named = {*doubts_of(page.text, span, comments_at=page.comments_at, rated_claim=claim)}
            found += [("doubts", words, named)] if not named >= set(doubts) or (named and not doubts) else []
    for words, sentence in row.get("sentences", ()):
        span = find_quote(words, page.text)
        around = sentence_of(page.text, span) if span else None
        found += [] if around and page.text[around.start : around.end] == sentence else [("sentence", words)]
    return found


def fits(page: FetchAnswer, name: str, value: object) -> bool:
    stated = page.source[name]
    return value in stated if isinstance(value, str) and stated else bool(stated == value)
