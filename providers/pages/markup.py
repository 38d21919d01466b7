"""What markup means to a person: powers, struck text, quotations, captions, descriptions of pictures, comments.

These are changed into plain text before the main text is looked for, since its finder drops markup and all that hangs
on it: "10<sup>6</sup>" would become "106", and a struck figure would stand beside the one that replaced it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import lxml.etree
import lxml.html

from providers.pages.dates import dates_in
from providers.pages.quoted_posts import is_quotation

_STRUCK = re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through", re.IGNORECASE)
_ORDINAL = re.compile(r"\s*(?:st|nd|rd|th|er|re|e|ème|o|a|os|as|tm|sm|®|™|°)\s*", re.IGNORECASE)
_LONG_NUMBER = re.compile(r"(?:\d{3}|\d[.,]\d+)\Z")
_MARKS_NOTE = re.compile(r"\s*[\[(*†‡§]")
_QUOTED = re.compile(r"\s*[“„«\"「『‘>]")
_SAYS_WHOSE = re.compile(r"posted-?by|attribution|author|title|header|expand", re.IGNORECASE)
_BLOCKS = ("p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "dd", "dt", "td", "th", "tr", "section")
_BYLINE = re.compile(r"(?:^|[\s_-])(?:by-?line|authors?|writer|reporter|journalist|기자)(?:$|[\s_-])", re.IGNORECASE)
_LONGEST_BYLINE, _SHORTEST_ALT = 200, 3

_COMMENTS = re.compile(
    r"(?:^|[\s_-])(?:(?:user|reader|fb|article|post|news|view)?[_-]?comments?(?:s|list|area|section|wrap\w*|box"
    r"|thread)?"
    r"|disqus\w*|livefyre|u_cbox\w*|cmt\w*|reply[_-]?list|respond)(?:$|[\s_-])",
    re.IGNORECASE,
)
_COMMENTS_HEAD = re.compile(
    r"\W*(?:\d[\d,.]*\s*)?(?:(?:readers?|user)['’]?s?\s+)?(?:comments?|responses|discussion|댓글|의견|评论|評論"
    r"|留言|网友评论"
    r"|コメント|kommentare?|commentaires?|comentarios?|comentários|commenti|комментари[ий]|التعليقات|yorumlar)"
    r"\W*(?:\d[\d,.]*)?\W*",
    re.IGNORECASE,
)
_HOLDERS = ("section", "div", "ol", "ul", "aside", "article", "footer", "details")
_HEADS = ("h2", "h3", "h4", "h5", "h6")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LEAST_ARTICLE = 80
"""Characters beside the comments: with fewer the page is a board, and its posts are its text."""


def say_markup(tree: lxml.html.HtmlElement) -> None:
    """Write into the text what a person sees by markup alone. The tree is changed."""
    for node in [node for node in tree.iter() if isinstance(node.tag, str) and is_quotation(node)]:
        _quotation(node)
    for node in list(tree.iter(*_SAYS)):
        _SAYS[node.tag](node)
    for node in list(tree.iter()):
        if isinstance(node.tag, str) and _STRUCK.search(node.get("style", "")):
            _leave_out(node)
        elif _is_byline(node):
            _keep(node)


def _leave_out(node: lxml.html.HtmlElement) -> None:
    node.clear(keep_tail=True)
    node.tag = "span"


def _power(node: lxml.html.HtmlElement) -> None:
    """Write "^" before a power or the number of a note; nothing before the letters of an ordinal."""
    raised, below = node.text_content(), node.getnext()
    if below is not None and below.tag == "sub" and (node.tail or "").strip() in _FRACTION_SIGNS:
        node.text, node.tail = f"{' ' if _ends_in_digit(node) else ''}{(node.text or '').strip()}", "/"
    elif raised.strip() and not _is_ordinal(node, raised) and not _MARKS_NOTE.match(raised):
        node.text = f"^{(node.text or '').lstrip()}"


def _is_ordinal(node: lxml.html.HtmlElement, raised: str) -> bool:
    """Return whether raised letters belong to the word or number before; of a year or decimal they name a note."""
    return bool(_ORDINAL.fullmatch(raised)) and not (len(raised.strip()) == 1 and _LONG_NUMBER.search(_before(node)))


def _before(node: lxml.html.HtmlElement) -> str:
    """Return the text right before a node."""
    parent, before = node.getparent(), node.getprevious()
    return (before.tail if before is not None else parent.text if parent is not None else "") or ""


def _ends_in_digit(node: lxml.html.HtmlElement) -> bool:
    return _before(node)[-1:].isdigit()


_FRACTION_SIGNS = ("/", "⁄", "∕")


def _formula(node: lxml.html.HtmlElement) -> None:
    """Write a formula as one types it: the finder of the main text drops it, and its figures."""
    said, tail = _typed(node), node.tail
    node.clear()
    node.tag, node.text, node.tail = "span", said, tail


def _typed(node: lxml.html.HtmlElement) -> str:
    if not isinstance(node.tag, str) or node.tag.startswith("annotation"):
        return ""
    parts = [_typed(part) for part in node]
    if node.tag in _JOINED and len(parts) == 2:
        return _JOINED[node.tag].join(part if part.isalnum() else f"({part})" for part in parts)
    return "".join([(node.text or "").strip(), *parts])


_JOINED = {"msup": "^", "mfrac": "/"}


def _quotation(node: lxml.html.HtmlElement) -> None:
    """Put quotation marks around each block of a quotation that has none, but for those that say whose it is."""
    blocks = [block for block in node.iter(*_BLOCKS) if block is not node and not _has_block(block)] or [node]
    for block in blocks:
        if not _SAYS_WHOSE.search(block.get("class", "")):
            _quote_block(block)


def _quote_block(block: lxml.html.HtmlElement) -> None:
    said = block.text_content()
    named = block[0] if len(block) and block[0].tag in ("cite", "legend") and not (block.text or "").strip() else None
    if named is not None:
        said = said.strip().removeprefix(named.text_content().strip())
    if not said.strip() or _QUOTED.match(said):
        return
    if named is not None:
        named.tail = f" “{(named.tail or '').lstrip()}"
    else:
        block.text = f"“{(block.text or '').lstrip()}"
    if len(block):
        block[-1].tail = f"{(block[-1].tail or '').rstrip()}”"
    else:
        block.text = f"{(block.text or '').rstrip()}”"


def _has_block(node: lxml.html.HtmlElement) -> bool:
    return any(child.tag in _BLOCKS for child in node)


def _picture(node: lxml.html.HtmlElement) -> None:
    """Write the text that a page gives for a picture in its place."""
    alt = " ".join(node.get("alt", "").split())
    if len(alt) >= _SHORTEST_ALT:
        node.tail = f" [{alt}] {node.tail or ''}"


def _keep(node: lxml.html.HtmlElement) -> None:
    """Make it a paragraph like any other: the finder of the main text leaves out captions and lines of authors."""
    for name in ("class", "id", "itemprop", "rel", "role"):
        node.attrib.pop(name, None)
    if node.tag in _HOLDERS or node.tag in ("figure", "figcaption", "address", "header"):
        node.tag = "div" if _has_block(node) else "p"


_SAYS = {
    "del": _leave_out,
    "s": _leave_out,
    "strike": _leave_out,
    "sup": _power,
    "math": _formula,
    "q": _quotation,
    "img": _picture,
    "figure": _keep,
    "figcaption": _keep,
}


def _is_byline(node: lxml.html.HtmlElement) -> bool:
    if not isinstance(node.tag, str) or node.tag in ("a", "body", "html", "main", "article"):
        return False
    marks = f"{node.get('class', '')} {node.get('rel', '')} {node.get('itemprop', '')}"
    return bool(_BYLINE.search(marks)) and 0 < len(node.text_content().strip()) <= _LONGEST_BYLINE


def take_comments(tree: lxml.html.HtmlElement) -> list[lxml.html.HtmlElement]:
    """Take the readers' comments out of the page and return them. On a page that holds little else they stay."""
    found = list(_comment_holders(tree))
    inside = sum(_length(node) for node in found)
    if not inside or _length(tree) - inside < _LEAST_ARTICLE:
        return []
    for node in found:
        node.drop_tree()
    return found


def _comment_holders(tree: lxml.html.HtmlElement) -> Iterator[lxml.html.HtmlElement]:
    """Yield the outermost elements that hold comments, by their marks or by a heading that says so."""
    taken: set[lxml.html.HtmlElement] = set()
    for node in list(tree.iter(*_HOLDERS, *_HEADS)):
        for holder in _holders_at(node):
            if holder not in taken and taken.isdisjoint(holder.iterancestors()):
                taken.add(holder)
                yield holder


def _holders_at(node: lxml.html.HtmlElement) -> list[lxml.html.HtmlElement]:
    if node.tag in _HOLDERS:
        return [node] if _holds_comments(node) else []
    return _after_heading(node) if _COMMENTS_HEAD.fullmatch(node.text_content().strip()[:60]) else []


def _holds_comments(node: lxml.html.HtmlElement) -> bool:
    marks = f"{node.get('id', '')} {node.get('class', '')}"
    if "schema.org/comment" in node.get("itemtype", "").lower():
        return not _is_in_thread(node)
    return bool(_COMMENTS.search(marks))


def _is_in_thread(node: lxml.html.HtmlElement) -> bool:
    """Return whether it stands in a thread of a forum: what others write there is its text."""
    return any("schema.org/discussionforum" in outer.get("itemtype", "").lower() for outer in node.iterancestors())


def _after_heading(head: lxml.html.HtmlElement) -> list[lxml.html.HtmlElement]:
    """Return what stands under a heading: its own section, else what follows up to the next such heading."""
    holder = head.getparent()
    if holder is not None and holder.tag in _HOLDERS and holder.index(head) == 0:
        return [holder]
    following = []
    for node in head.itersiblings():
        if node.tag in _HEADS and node.tag <= head.tag:
            break
        following.append(node)
    return following


def _length(node: lxml.html.HtmlElement) -> int:
    """Return its letters; a character of East Asian scripts counts as three."""
    written = "".join(node.text_content().split())
    return len(written) + 2 * len(_EAST_ASIAN.findall(written))


_LIST_HOLDERS = ("aside", "section", "div", "ul", "ol", "table")
_LEAST_PROSE, _HEADLINE, _LEFT = 120, 8, 12  # letters
_MOST_LISTS, _MOST_OF_LIST = 500, 5000


def take_out_link_lists(tree: lxml.html.HtmlElement) -> None:
    """Take the lists of other articles out of a page that has a text of its own: their headlines are not its words.

    Such a list begins with a heading of its own, or stands aside, and holds nothing but links of several words, dates
    and pictures. On a page of links alone they are the text.
    """
    lists = []
    for node in islice(tree.iter(*_LIST_HOLDERS), _MOST_LISTS):
        if _is_list_of_links(node) and not any(outer in lists for outer in node.iterancestors()):
            lists.append(node)
    if lists and _length(tree) - sum(map(_length, lists)) - sum(map(_length, tree.iter("nav"))) >= _LEAST_PROSE:
        for node in lists:
            _leave_out(node)


def _is_list_of_links(node: lxml.html.HtmlElement) -> bool:
    if len(node.text_content()) > _MOST_OF_LIST:
        return False
    first = next((child for child in node.iter() if child is not node and (child.text or "").strip()), None)
    heading = first if first is not None and _is_heading(first, node) else None
    links = [length for link in node.iter("a") if link is not heading and (length := _length(link))]
    is_row = heading is not None and heading.tag == "span" and len(links) < 2  # of a name and a date, as in a byline
    if not links or is_row or (heading is None and node.tag != "aside") or sum(links) < _HEADLINE * len(links):
        return False
    beside = [child for child in node.iter("time", "h2", "h3", "h4", "h5", "h6") if next(child.iter("a"), None) is None]
    told = sum(map(_length, beside)) + (_length(heading) if heading is not None and heading not in beside else 0)
    dates = sum(end - start for start, end, _day in dates_in(node.text_content()))
    return _length(node) - sum(links) - told - dates < _LEFT


def _is_heading(node: lxml.html.HtmlElement, holder: lxml.html.HtmlElement) -> bool:
    inside = {outer.tag for outer in (node, *node.iterancestors()) if outer is not holder}
    return node.tag not in ("a", "li") and bool(
        inside & {*_HEADS, "strong", "b", "span", "p", "summary", "dt", "caption"}
    )
