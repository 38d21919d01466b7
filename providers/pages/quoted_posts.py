"""What people answer to a quotation: the posts of a thread, whatever software draws them.

A finder of main texts knows articles. Of a board it may keep what is quoted and lose the reply beside it, or move it
to another place. So the lines of every post that stands in a row with one that quotes are looked for in what it found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

import lxml.html

_QUOTE_TAGS = ("blockquote", "fieldset")
_BOX_TAGS = ("div", "td", "aside", "section")
_QUOTES = re.compile(
    r"(?:^|[\s_-])(?:bb[_-]?code[_-]?|bbc[_-]?(?:standard[_-]?)?|block|post)?(?:quote[ds]?|quotation|cita(?:tion|te)?|引用)"
    r"(?:[_-]?(?:text|body|content|container|message|block|box))?(?:$|[\s_-])",
    re.IGNORECASE,
)
_LEGEND = re.compile(r"\s*(?:引用|인용|quot|zitat|cita|цитат)", re.IGNORECASE)
_POST_BODIES = re.compile(r"post_?message|post-?body|post-?content|message-?(?:text|body|content)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_POST_TAGS = ("div", "article", "section", "table", "tr", "li", "dl")
_MOST_MARKS, _BOXES = 200, 4
_SHORT = 12
"""Letters, an East Asian one counted as three; a shorter line is a name, a date or a button."""
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def is_quotation(node: lxml.html.HtmlElement) -> bool:
    """Return whether an element holds what somebody else wrote; some boards put a whole post into a `blockquote`."""
    if node.tag == "blockquote":
        return not _POST_BODIES.search(node.get("class", ""))
    if node.tag == "fieldset":
        return bool(_LEGEND.match(node.findtext("legend") or ""))
    return node.tag in _BOX_TAGS and bool(_QUOTES.search(node.get("class", "")))


def lines_of_posts(
    tree: lxml.html.HtmlElement, text_of: Callable[[lxml.html.HtmlElement], str]
) -> Iterator[Sequence[str]]:
    """Yield the lines of each post that quotes, and of all posts in its row if several do.

    Of a quotation that stands in no row of posts it is what follows it. `text_of` returns the visible text of an
    element, a line for each of its blocks.
    """
    marks = (node for node in tree.iter() if isinstance(node.tag, str) and _marks_a_post(node))
    rows: dict[lxml.html.HtmlElement, set[lxml.html.HtmlElement]] = {}
    for mark in islice(marks, _MOST_MARKS):
        post = _post_around(mark)
        if post is None:
            yield _after(mark)
        elif (row := post.getparent()) is not None:
            rows.setdefault(row, set()).add(post)
    for row, posts in rows.items():
        yield text_of(row if len(posts) > 1 else posts.pop()).splitlines()


def has_all(text: str, lines: Sequence[str]) -> bool:
    """Return whether a text has the longer of these lines, in their order; spacing and signs at its ends aside."""
    packed, at = _packed(text), 0
    for line in map(_packed, lines):
        if len(line) < _SHORT and len(line) + 2 * len(_EAST_ASIAN.findall(line)) < _SHORT:
            continue
        if (found := packed.find(line, at)) < 0:
            return False
        at = found + len(line)
    return True


def _marks_a_post(node: lxml.html.HtmlElement) -> bool:
    return (
        node.tag in _QUOTE_TAGS
        or is_quotation(node)
        or bool(_POST_BODIES.search(f"{node.get('class', '')} {node.get('id', '')}"))
    )


def _post_around(mark: lxml.html.HtmlElement) -> lxml.html.HtmlElement | None:
    """Return the innermost element around it that has others of its kind beside it.

    Returns None if there is none.
    """
    for post in mark.iterancestors(*_POST_TAGS):
        likeness = _likeness(post)
        if any(_likeness(other) == likeness for other in chain(_before(post), post.itersiblings(post.tag))):
            return post
    return None


def _before(post: lxml.html.HtmlElement) -> Iterator[lxml.html.HtmlElement]:
    yield from post.itersiblings(post.tag, preceding=True)


def _after(quotation: lxml.html.HtmlElement) -> Sequence[str]:
    """Return the text that stands loose behind a quotation, or behind what holds nothing else."""
    node: lxml.html.HtmlElement | None = quotation
    for _ in range(_BOXES):
        if node is None or (node.tail or "").strip() or node.getnext() is not None:
            break
        node = node.getparent()
    return [" ".join(node.tail.split())] if node is not None and node.tail else []


def _likeness(node: lxml.html.HtmlElement) -> str:
    return _DIGITS.sub("", node.get("class", ""))


def _packed(text: str) -> str:
    return "".join(text.split())
