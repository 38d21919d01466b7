"""What a page says to programs of a text that is sold, and whether that text is there all the same.

Many pages send the whole article and lay a box over it. A person sees the beginning; what is under the box is the
page's text, and only where it ends in the middle has the page kept the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import lxml.html

_PAID = re.compile(r'"isAccessibleForFree"\s*:\s*"?(?:https?://schema\.org/)?false', re.IGNORECASE)
_BODY = re.compile(r'"articleBody"\s*:\s*("(?:[^"\\]|\\.)*")')
_SELECTOR = re.compile(r'"cssSelector"\s*:\s*("(?:[^"\\]|\\.)*"|\[[^\]]{0,500}\])')
_NAMES = re.compile(r"([.#])([\w-]{2,60})\Z")
_OVER = re.compile(
    r"overlay|modal|dialog|pop-?up|layer|barrier|lightbox|backdrop|dimmed|blocker|piano|tp-|fc-ab|sticky", re.IGNORECASE
)
_LIES_OVER = re.compile(r"position\s*:\s*(?:fixed|absolute|sticky)", re.IGNORECASE)
_SELLS = re.compile(
    r"subscri|\babo\b|abonn|suscri|assin|prenum|구독|유료|회원|订阅|訂閱|付费|付費|会员|會員|有料|購読|подпис|اشترا|abone",
    re.IGNORECASE,
)
_TAGS = ("div", "section", "aside", "dialog", "form", "p")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SOME, _ALL, _BOX = 160, 300, 800  # letters; a character of East Asian scripts counts as three
_END_OF_BODY = 40
_CUT = re.compile(r"(?:…|\.\.\.|⋯)[\s\]\)”\"]*\Z")
_WHOLE = re.compile(r"[.!?。！？][\s\]\)”\"’」』]*\Z")


@dataclass(frozen=True)
class Sold:
    """What a page states of a text for subscribers: that it is one, which parts are, and the text itself."""

    is_paid: bool = False
    parts: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    body: str = ""


def sold_of(tree: lxml.html.HtmlElement) -> Sold:
    """Return what the page's JSON-LD says of a text for subscribers."""
    stated = [node.text or "" for node in tree.iter("script") if node.get("type") == "application/ld+json"]
    if not any(map(_PAID.search, stated)):
        return Sold()
    parts = {part for text in stated for found in _SELECTOR.findall(text) for part in _parts(found)}
    bodies = (_value(found) for text in stated for found in _BODY.findall(text))
    return Sold(True, frozenset(parts), max((body for body in bodies if isinstance(body, str)), key=len, default=""))


def _value(written: str) -> Any:
    try:
        return json.loads(written, strict=False)
    except ValueError:
        return ""


def _parts(written: str) -> Iterator[tuple[str, str]]:
    value = _value(written)
    for selector in value if isinstance(value, list) else [value]:
        for one in str(selector).split(","):
            if named := _NAMES.search(one.strip()):
                yield ("id" if named[1] == "#" else "class", named[2])


def shows_all(tree: lxml.html.HtmlElement, sold: Sold) -> bool:
    """Return whether what a page sells stands in it, seen: in the part it names, to its end, or under a box."""
    if sold.parts and sum(map(_letters, _in_parts(tree, sold.parts))) >= _SOME:
        return True
    whole = _packed(tree.text_content())
    if len(sold.body) >= _SOME and _packed(sold.body)[-_END_OF_BODY:] in whole:
        return True
    boxes = [node for node in tree.iter(*_TAGS) if _is_box(node)]
    if not boxes:
        return False
    lines = [line for node in tree.iter("p") if not _inside(node, boxes) and (line := node.text_content().strip())]
    told = [line for line in lines if _WHOLE.search(line)]
    return bool(told) and not any(map(_CUT.search, lines)) and sum(_weight(line) for line in told) >= _ALL


def _in_parts(tree: lxml.html.HtmlElement, parts: frozenset[tuple[str, str]]) -> Iterator[lxml.html.HtmlElement]:
    """Yield the outermost elements that are named as sold, but for those that only offer a subscription."""
    taken: list[lxml.html.HtmlElement] = []
    for node in tree.iter("*"):
        named = {("class", name) for name in node.get("class", "").split()} | {("id", node.get("id", ""))}
        if parts & named and not _inside(node, taken):
            taken.append(node)
            yield node


def _is_box(node: lxml.html.HtmlElement) -> bool:
    """Return whether it is a small part that lies over the page and offers a subscription."""
    marks = " ".join(node.get(name, "") for name in ("class", "id", "role"))
    lies_over = _OVER.search(marks) or _LIES_OVER.search(node.get("style", "")) or node.get("aria-modal")
    return bool(lies_over) and _letters(node) < _BOX and bool(_SELLS.search(node.text_content()))


def _inside(node: lxml.html.HtmlElement, holders: list[lxml.html.HtmlElement]) -> bool:
    return bool(holders) and (node in holders or any(outer in holders for outer in node.iterancestors()))


def _letters(node: lxml.html.HtmlElement) -> int:
    """Return the letters of the sentences of an element that offer no subscription."""
    sentences = re.split(r"(?<=[.!?。！？\n])", node.text_content())
    return sum(_weight(sentence) for sentence in sentences if not _SELLS.search(sentence))


def _weight(text: str) -> int:
    packed = _packed(text)
    return len(packed) + 2 * len(_EAST_ASIAN.findall(packed))


def _packed(text: str) -> str:
    return "".join(text.split())
