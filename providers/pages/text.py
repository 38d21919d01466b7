"""What is read of a fetched page: its text, or a named fault that says why what came is not the page's text.

A page that would be read as other words than it holds, and one that shows a notice in place of its words, have no text
here. Nobody downstream could tell either from evidence.
"""

import re
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from providers.http.encodings import Decoded, decode, is_garbled
from providers.http.fetch import OF_PDF, FetchedPage
from providers.http.reading_process import TooCostly, read_apart, serve
from providers.pages import notices, types
from providers.pages.dates import date_in_address, date_of
from providers.pages.html_text import SeenText, html_text, parsed
from providers.pages.pdf_text import BadPdf, pdf_pages
from providers.pages.source import NOT_SAID, PageSource

LONGEST = 400_000
"""Characters of a page that are kept."""
PAGE_BREAK = "\f"
"""What stands between the pages of a PDF; elsewhere it does not occur."""
_SCRIPTS = (("ko", "\uac00-\ud7a3"), ("ja", "\u3041-\u30ff"), ("zh", "\u4e00-\u9fff"), ("he", "\u05d0-\u05ea"),
            ("el", "\u0391-\u03ce"), ("th", "\u0e01-\u0e5b"))  # fmt: skip
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")

FAULTS = {
    "no_text": "The page holds no text to read.",
    "too_large": "The page is longer than what is read of one, and its beginning holds no text.",
    "garbled": "The page cannot be read: too many of its characters have no meaning in any encoding that was tried.",
    "bad_type": "The page is no text, whatever its type says.",
    "scanned": "The PDF holds pictures of pages and no text; it would have to be read by OCR first.",
    "script_built": "The page is built by scripts in a browser; without them it holds no text.",
    "bot_check": "The page asks whether its reader is a person, or refuses programs, and shows nothing else.",
    "consent_wall": "The page asks for consent to cookies and shows nothing else.",
    "login_wall": "The page asks its reader to sign in and shows nothing else.",
    "paywall": "The page shows its text to subscribers only.",
    "not_found": "The page says that what stood here does not exist.",
    "unavailable": "The page says that it is closed: for repairs, to readers from here, or for sale.",
    "moved": "The page holds nothing but the way to another address.",
    "too_costly": "The page could not be read within its limits of time and memory.",
}
"""What is said of a page that has no text, by code."""


@dataclass(frozen=True)
class PageText:
    """Title and text, in NFC, without what databases refuse; or `code` and `fault`, and no text.

    `cut` says that the text goes on. From `comments_at` on it is what readers wrote under it; 0: nothing is. `source`
    is what the page states of itself (`PageSource`). `encoding` has the name that browsers use; a PDF has none.
    `language` is the one that the page states, else that of its script; empty if neither says it.
    """

    title: str = ""
    text: str = ""
    cut: bool = False
    code: str = ""
    fault: str = ""
    media_type: str = ""
    encoding: str = ""
    language: str = ""
    comments_at: int = 0
    source: Mapping[str, Any] = field(default_factory=NOT_SAID.as_json)


def read_html_apart(content: bytes, patience: float | None = None) -> PageText:
    """Return what `read_page` returns for a file of HTML; a process of its own reads it.

    Raises AllBusy as `read_apart`.
    """
    try:
        return PageText(**read_apart("providers.pages.text", content, types.HTML, patience=patience))
    except TooCostly:
        return _fault("too_costly", types.HTML)


def read_page(page: FetchedPage) -> PageText:
    """Return the visible text of a fetched page, or the fault for which it has none."""
    if page.content.startswith(b"%PDF-") or page.media_type in OF_PDF[:1]:
        return _pdf(page)
    if page.media_type in OF_PDF or types.is_binary(page.content):
        return _fault("bad_type", page.media_type)
    decoded = decode(page.content, page.charset)
    page = replace(page, media_type=page.media_type or types.looked_at(decoded.text))
    is_plain = page.media_type in types.PLAIN
    if not is_plain and types.is_data(decoded.text):
        return _fault("bad_type", page.media_type, decoded.encoding)
    if is_plain and not types.is_whole_page(decoded.text):
        return _page_text(page, decoded, SeenText(text=decoded.text))
    tree = parsed(decoded.text)
    return _page_text(page, decoded, html_text(tree) if tree is not None else SeenText())


def _page_text(page: FetchedPage, decoded: Decoded, seen: SeenText) -> PageText:
    text, title, comments = _tidy(seen.text), _tidy(seen.title)[:300], _tidy(seen.comments)
    code = "garbled" if is_garbled(f"{title}\n{text}") else ""
    if not code and not text and page.cut:
        code = "too_large"
    if not code and page.media_type not in types.PLAIN:
        code = notices.in_place_of_text(title, text, seen)
    if not code and not text:
        code = "no_text"
    if code:
        return _fault(code, page.media_type, decoded.encoding)
    starts = len(text) + 2 if comments and len(text) + 2 < LONGEST else 0
    text = f"{text}\n\n{comments}" if starts else text
    cut = page.cut or len(text) > LONGEST
    return PageText(
        title,
        text[:LONGEST],
        cut,
        media_type=page.media_type,
        encoding=decoded.encoding,
        language=_language(seen.language, text),
        comments_at=starts,
        source=replace(seen.source, published=seen.source.published or date_in_address(page.url)).as_json(),
    )


def _pdf(page: FetchedPage) -> PageText:
    """Return the text of a PDF, a page break between its pages."""
    try:
        read = pdf_pages(page.content, LONGEST)
    except BadPdf as fault:
        return PageText(code="bad_pdf", fault=str(fault), media_type=OF_PDF[0])
    text = PAGE_BREAK.join(_tidy(part.replace(PAGE_BREAK, "\n")) for part in read.pages)
    if read.is_scanned:
        return _fault("scanned", OF_PDF[0])
    if is_garbled(text):
        return _fault("garbled", OF_PDF[0])
    if not text.strip():
        return _fault("no_text", OF_PDF[0])
    cut = page.cut or read.cut or len(text) > LONGEST
    source = PageSource(author=_tidy(read.author)[:200], changed=date_of(read.changed))
    return PageText(
        _tidy(read.title)[:300],
        text[:LONGEST],
        cut,
        media_type=OF_PDF[0],
        language=_language("", text),
        source=source.as_json(),
    )


def _fault(code: str, media_type: str, encoding: str = "") -> PageText:
    return PageText(code=code, fault=FAULTS[code], media_type=media_type, encoding=encoding)


def _language(stated: str, text: str) -> str:
    """Return the language that the page states, else the one whose script most of the text is in."""
    if _LANGUAGE.fullmatch(stated):
        return stated
    start = text[:4000]
    letters = sum(map(str.isalpha, start))
    for language, script in _SCRIPTS:
        if 3 * len(re.findall(f"[{script}]", start)) > letters > 0:
            return language
    return ""


def _tidy(text: str) -> str:
    clean = unicodedata.normalize("NFC", text.replace("\x00", "")).encode("utf-8", "replace").decode("utf-8")
    return re.sub(r"\n{3,}", "\n\n", clean.replace("\r\n", "\n").replace("\r", "\n")).strip()


if __name__ == "__main__":
    serve(lambda content: asdict(read_page(FetchedPage("", sys.argv[1], "", content, False))))
