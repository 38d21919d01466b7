"""The title and visible text of a page, as a person would read it (threats PI7).

trafilatura finds the main text. Everything a reader does not see is removed first: comments, scripts, hidden elements,
attributes. The rest is still a stranger's text that a prompt must fence.
"""

import re
import unicodedata
from dataclasses import dataclass
from importlib import import_module

import lxml.html
from lxml import etree

from providers.http.fetch import FetchedPage

LONGEST = 40_000
"""Characters of a page that are kept."""
_UNSEEN_TAGS = (
    "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "math", "canvas", "head", "select",
    "datalist", "dialog", "audio", "video",
)  # fmt: skip
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*\.?0+(?![.\d])|font-size\s*:\s*0(?![.\d])"
    r"|(?:max-)?(?:height|width)\s*:\s*0(?![.\d])|text-indent\s*:\s*-\s*\d{3,}|(?:left|top|right)\s*:\s*-\s*\d{3,}"
    r"|clip(?:-path)?\s*:\s*(?:rect\(\s*0|inset\(\s*(?:50|100)%|circle\(\s*0)|transform\s*:\s*scale\(\s*0\s*\)"
    r"|(?<![\w-])color\s*:\s*transparent",
    re.IGNORECASE,
)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIMPLE = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?(?P<rest>(?:[.#][\w-]+)*)", re.IGNORECASE)
_MOST_RULES, _MOST_NODES = 2000, 15_000  # a page made to keep its reader busy is read as it stands


@dataclass(frozen=True)
class PageText:
    """Title and text, in NFC, without what databases refuse; `cut` says that the text goes on."""

    title: str
    text: str
    cut: bool


def read_page(page: FetchedPage) -> PageText:
    """Return the visible text of a fetched page; empty if there is none."""
    if page.media_type in ("text/plain", "text/markdown"):
        return _tidy("", _decoded(page))
    tree = _parsed(page)
    if tree is None:
        return PageText("", "", False)
    return html_text(tree)


def html_text(tree: lxml.html.HtmlElement) -> PageText:
    """Return the visible text of a parsed page; the tree is changed."""
    title = " ".join((tree.findtext(".//title") or "").split())
    _strip_unseen(tree)
    whole = _all_text(tree)
    main = _main_text(tree) if sum(1 for _ in tree.iter()) < _MOST_NODES else None
    return _tidy(title, main if main and 3 * len(main) > len(whole) else whole)


def _main_text(tree: lxml.html.HtmlElement) -> str | None:
    """Return the text without menus and footers.

    Returns None for a page that trafilatura cannot read.
    """
    try:
        text: str | None = import_module("trafilatura").extract(  # 20 MB, for those who read a page
            tree, include_comments=True, include_tables=True, include_images=False, include_links=False,
            favor_recall=True, fast=True, with_metadata=False,
        )  # fmt: skip
    except (ValueError, TypeError, RecursionError, etree.LxmlError):
        return None
    return text


def _parsed(page: FetchedPage) -> lxml.html.HtmlElement | None:
    try:
        parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=False)
        return lxml.html.document_fromstring(_decoded(page).encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError):
        return None


_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{2,40})", re.IGNORECASE)


def _decoded(page: FetchedPage) -> str:
    """Return the page as text, decoded by its header, by what it says itself, or as UTF-8."""
    stated = _META.search(page.content[:4096])
    for name in (page.charset, stated.group(1).decode("ascii", "replace") if stated else "", "utf-8"):
        try:
            if name:
                return page.content.decode(name, "replace" if name == "utf-8" or page.cut else "strict")
        except (LookupError, UnicodeError):
            continue
    return page.content.decode("utf-8", "replace")


def _strip_unseen(tree: lxml.html.HtmlElement) -> None:
    selectors = _hidden_by_style(tree)
    for node in list(tree.iter()):
        if not isinstance(node.tag, str) or node is tree or node.getparent() is None:
            continue
        if node.tag in _UNSEEN_TAGS or _is_hidden(node) or any(_matches(node, selector) for selector in selectors):
            node.drop_tree()
        else:
            for name in ("alt", "title", "aria-label", "placeholder", "content"):
                node.attrib.pop(name, None)


def _is_hidden(node: lxml.html.HtmlElement) -> bool:
    return (
        "hidden" in node.attrib
        or node.get("aria-hidden", "").lower() == "true"
        or (node.tag == "input" and node.get("type", "").lower() == "hidden")
        or bool(_HIDING.search(node.get("style", "")))
    )


def _hidden_by_style(tree: lxml.html.HtmlElement) -> list[tuple[str, frozenset[str], frozenset[str]]]:
    """Return the simple selectors (tag, classes, ids) that the page's own style sheets hide."""
    hidden = []
    for style in tree.iter("style"):
        for selector, rule in _RULE.findall(style.text or "")[:_MOST_RULES]:
            if not _HIDING.search(rule):
                continue
            for part in selector.split(","):
                simple = _SIMPLE.fullmatch(part.strip())
                if simple and part.strip() and part.strip().lower() not in ("html", "body"):
                    marks = re.findall(r"[.#][\w-]+", simple["rest"])
                    classes = frozenset(mark[1:] for mark in marks if mark[0] == ".")
                    hidden.append(
                        ((simple["tag"] or "").lower(), classes, frozenset(m[1:] for m in marks if m[0] == "#"))
                    )
    return hidden[:200]


def _matches(node: lxml.html.HtmlElement, selector: tuple[str, frozenset[str], frozenset[str]]) -> bool:
    tag, classes, ids = selector
    if tag and node.tag != tag:
        return False
    return classes <= set(node.get("class", "").split()) and (not ids or ids == {node.get("id", "")})


_BLOCKS = {"p", "div", "li", "br", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "blockquote", "pre"}


def _all_text(tree: lxml.html.HtmlElement) -> str:
    pieces: list[str] = []
    for node in tree.iter():
        if node.tag in _BLOCKS:
            pieces.append("\n")
        pieces.append(node.text or "")
        if node.tail:
            pieces.append(("\n" if node.tag in _BLOCKS else "") + node.tail)
    lines = (" ".join(line.split()) for line in "".join(pieces).splitlines())
    return "\n".join(line for line in lines if line)


def _tidy(title: str, text: str) -> PageText:
    clean = unicodedata.normalize("NFC", text.replace("\x00", "")).encode("utf-8", "replace").decode("utf-8")
    clean = re.sub(r"\n{3,}", "\n\n", clean.replace("\r\n", "\n").replace("\r", "\n")).strip()
    name = unicodedata.normalize("NFC", title.replace("\x00", "")).encode("utf-8", "replace").decode("utf-8")[:300]
    return PageText(name, clean[:LONGEST], len(clean) > LONGEST)
