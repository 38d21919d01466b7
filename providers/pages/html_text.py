"""The title and visible text of a page, as a person would read it (threats PI7).

trafilatura finds the main text. Everything a reader does not see is removed first: comments, scripts, hidden elements,
attributes. The rest is still a stranger's text that a prompt must fence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import cast

import lxml.etree
import lxml.html

from providers.pages.byline import byline_of
from providers.pages.markup import say_markup, take_comments, take_out_link_lists
from providers.pages.paywalls import shows_all, sold_of
from providers.pages.questions import asks, banners, buttons_of, labels_of_links, part_of_consent
from providers.pages.quoted_posts import has_all, lines_of_posts
from providers.pages.source import NOT_SAID, PageSource, language_of, source_of
from providers.pages.tables import cells_of_tables, in_rows

_UNSEEN_TAGS = (
    "script", "style", "noscript", "noframes", "template", "iframe", "object", "embed", "svg", "canvas", "head",
    "select", "datalist", "dialog", "audio", "video",
)  # fmt: skip
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*\.?0+(?![.\d])"
    r"|font-size\s*:\s*0(?![.\d])"
    r"|(?:max-)?(?:height|width)\s*:\s*0(?![.\d])|text-indent\s*:\s*-\s*\d{3,}|(?:left|top|right)\s*:\s*-\s*\d{3,}"
    r"|clip(?:-path)?\s*:\s*(?:rect\(\s*0|inset\(\s*(?:50|100)%|circle\(\s*0)|transform\s*:\s*scale\(\s*0\s*\)"
    r"|(?<![\w-])color\s*:\s*transparent",
    re.IGNORECASE,
)
_FORMATTING_TAGS = (
    "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "mark", "nobr", "q", "s", "samp", "small", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
)  # fmt: skip
_INLINE_TAGS = ("a", "span", "br", "img")
_OF_AMP = (
    "amp-ad",
    "amp-embed",
    "amp-sticky-ad",
    "amp-sidebar",
    "amp-consent",
    "amp-user-notification",
    "amp-analytics",
)
_SIGNATURE = re.compile(r"(?:^|[\s_-])(?:user_?|post_?|message-?)?sig(?:nature)?s?(?:$|[\s_-])", re.IGNORECASE)
# Rules begin at a brace only: tried at every character, a style sheet without braces would take hours.
_RULE = re.compile(r"(?<![^{}])([^{}]+)\{([^{}]*)\}")
_SIMPLE = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?(?P<rest>(?:[.#][\w-]+)*)", re.IGNORECASE)
_SOME = 300  # characters
_MOST_RULES, _MOST_NODES = 2000, 15_000  # a page made to keep its reader busy is read as it stands


_DEEPEST = 200
_SHELLS = {"root", "app", "__next", "__nuxt", "___gatsby", "svelte", "main-app", "react-root"}
_LEADS_ON = re.compile(r"\s*\d?\d(?:\.\d*)?\s*[;,]\s*url\s*=\s*['\"]?\s*[^\s'\"]", re.IGNORECASE)
_PERSON = re.compile(r"user|author|nick|member|poster", re.IGNORECASE)


@dataclass(frozen=True)
class SeenText:
    """What a person sees of a page, and what tells a page that shows nothing: its scripts, and what it says without.

    `comments` are what readers wrote under it, `source` what it states of itself. `language` is as the page states it;
    `is_paid`, `is_empty_shell` and `leads_on` (a browser leaves it by itself within seconds) are what it says to
    programs; `shows_sold` says that what it sells stands in it. `buttons` are the labels of its buttons; `is_consent`
    says that its code names a part of it as asking for consent, `is_question` that it is a few lines with answers to
    choose from: no article, few links. `heading` is its first. `asks_password` and `has_captcha` say that it has a form
    for one, and no field for a text of the reader's.
    """

    title: str = ""
    text: str = ""
    language: str = ""
    noscript: str = ""
    has_scripts: bool = False
    is_empty_shell: bool = False
    is_paid: bool = False
    leads_on: bool = False
    comments: str = ""
    source: PageSource = NOT_SAID
    buttons: tuple[str, ...] = ()
    is_consent: bool = False
    is_question: bool = False
    heading: str = ""
    asks_password: bool = False
    has_captcha: bool = False
    shows_sold: bool = False


def parsed(text: str) -> lxml.html.HtmlElement | None:
    """Return the page as a tree of bounded depth.

    Returns None if there is no element in it.
    """
    content = text.encode("utf-8", "replace")
    try:
        parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=False)
        tree = lxml.html.document_fromstring(content, parser=parser)
        if any(entry.type == lxml.etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
            # The parser leaves out what lies deeper than 256 elements.
            flat = lxml.etree.HTMLParser(target=_Shallow(), encoding="utf-8", huge_tree=True)
            return cast(lxml.html.HtmlElement, lxml.etree.fromstring(content, flat))
        return tree
    except (lxml.etree.LxmlError, ValueError, AssertionError):
        return None


class _Shallow:
    """Builds a tree of at most 200 levels. What is deeper becomes text of the last level, if it is not hidden."""

    def __init__(self) -> None:
        self._builder = lxml.etree.TreeBuilder(element_factory=lxml.html.html_parser.makeelement)
        self._open: list[bool] = []  # of each open element: whether a person sees it

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if len(self._open) < _DEEPEST:
            self._builder.start(tag, dict(attributes))
            self._open.append(True)
            return
        self._open.append(self._open[-1] and tag not in _UNSEEN_TAGS and not _hides(tag, attributes))
        if tag in _BLOCKS:
            self._builder.data("\n")

    def end(self, tag: str) -> None:
        if len(self._open) <= _DEEPEST:
            self._builder.end(tag)
        self._open.pop()

    def data(self, text: str) -> None:
        if not self._open or self._open[-1]:
            self._builder.data(text)

    def close(self) -> lxml.html.HtmlElement:
        return self._builder.close()


def html_text(tree: lxml.html.HtmlElement) -> SeenText:
    """Return the visible text of a parsed page; the tree is changed."""
    title = " ".join((tree.findtext(".//title") or "").split())
    scripts = list(tree.iter("script"))
    noscript = " ".join(node.text_content() for node in tree.iter("noscript"))[:2000]
    sold = sold_of(tree)
    is_shell = any(node.get("id") in _SHELLS and not len(node) for node in tree.iter("div", "main", "app-root"))
    leads_on = any(
        node.get("http-equiv", "").strip().lower() == "refresh" and _LEADS_ON.match(node.get("content", ""))
        for node in tree.iter("meta")
    )
    source, in_meta = source_of(tree), language_of(tree)
    has_captcha = any(map(_is_captcha, tree.iter("div", "form", "iframe", "script")))
    _strip_unseen(tree)
    shows_sold = shows_all(tree, sold)
    writes = next(tree.iter("textarea"), None) is not None
    asks_password = not writes and any(node.get("type", "").lower() == "password" for node in tree.iter("input"))
    banner = part_of_consent(tree)
    is_consent = banner is not None and 2 * len(banner.text_content()) > len(tree.text_content())
    # Over a text, a banner's buttons say nothing of the page.
    buttons = tuple(buttons_of(tree, None if is_consent else banner))
    is_question = asks(tree)
    if is_question and not buttons:
        buttons = tuple(labels_of_links(tree))
    if not is_question and not is_consent and (over_text := banners(tree)):
        for part in over_text:
            _empty(part)
        buttons = tuple(buttons_of(tree, banner))
    say_markup(tree)
    taken = take_comments(tree)
    comments = "\n".join(_all_text(holder) for holder in taken)
    take_out_link_lists(tree)
    source = _with_byline(source, tree)
    whole = _all_text(tree)
    if sum(1 for _ in tree.iter()) < _MOST_NODES:
        lxml.etree.strip_tags(tree, *_FORMATTING_TAGS)
        _wrap_loose_text(tree)
        _join_words(tree)
        main, posts = _main_text(tree), list(lines_of_posts(tree, _all_text))
        text = in_rows(main, tree) if main and 3 * len(main) > len(whole) else whole
        if not all(has_all(text, lines) for lines in posts):
            text = _text_without_menus(tree) or whole
    else:
        text = _text_without_menus(tree) or whole
    heading = " ".join(next((node.text_content() for node in tree.iter("h1", "h2")), "").split())[:_SOME]
    language = tree.get("lang", "") or tree.get("{http://www.w3.org/XML/1998/namespace}lang", "") or in_meta
    text, comments = text.replace("\f", "\n"), comments.replace("\f", "\n")
    return SeenText(
        title, text, language.strip(), noscript, bool(scripts), is_shell, sold.is_paid, leads_on, comments, source,
        buttons, is_consent, is_question, heading, asks_password, has_captcha and not writes, shows_sold,
    )  # fmt: skip


_CAPTCHA = re.compile(
    r"captcha|cf-(?:turnstile|challenge|chl)|challenge-(?:form|platform|running)|geetest|(?:^"
    r"|\s)nc[-_](?:container|wrapper)"
    r"|slide-?verify|perimeterx|px-block|datadome|_incapsula_",
    re.IGNORECASE,
)


def _is_captcha(node: lxml.html.HtmlElement) -> bool:
    return any(_CAPTCHA.search(node.get(name, "")) for name in ("id", "class", "src"))


def _with_byline(source: PageSource, tree: lxml.html.HtmlElement) -> PageSource:
    """Return the source with what the lines about the heading say of what it does not state to programs."""
    if source.author and source.published and source.changed and source.publisher:
        return source
    said = byline_of(tree)
    published = source.published or said.published
    changed = source.changed or (said.changed if said.changed >= published else "")
    return replace(
        source,
        author=source.author or said.author,
        publisher=source.publisher or said.publisher,
        published=published,
        changed=changed,
    )


def _main_text(tree: lxml.html.HtmlElement) -> str | None:
    """Return the text without menus and footers.

    Returns None for a page that trafilatura cannot read.
    """
    try:
        text: str | None = import_module("trafilatura").extract(  # 20 MB, for those who read a page
            tree, include_comments=True, include_tables=True, include_images=False, include_links=False,
            favor_recall=True, fast=True, with_metadata=False,
        )  # fmt: skip
    except (ValueError, TypeError, RecursionError, lxml.etree.LxmlError):
        return None
    return text


def _text_without_menus(tree: lxml.html.HtmlElement) -> str:
    """Return the text of a page in which no main part is found, without menus and links that stand alone.

    Empty if next to nothing is left.
    """
    for menu in list(tree.iter("nav", "footer")):
        if menu.tag != "footer" or next(menu.iterancestors("article", "blockquote", "li"), None) is None:
            _empty(menu)
    for link in list(tree.iter("a")):
        parent = link.getparent()
        is_person = _PERSON.search(link.get("class", ""))
        if parent is not None and not is_person and not (link.tail or "").strip() and not (parent.text or "").strip():
            parent.remove(link)
    text = _all_text(tree)
    return text if len(text) > _SOME else ""


def _strip_unseen(tree: lxml.html.HtmlElement) -> None:
    selectors = _hidden_by_style(tree)
    for node in list(tree.iter()):
        if not isinstance(node.tag, str) or node is tree or node.getparent() is None:
            continue
        if (
            node.tag in _UNSEEN_TAGS
            or node.tag in _OF_AMP
            or _hides(node.tag, node.attrib)
            or _is_beside_the_text(node)
            or any(_matches(node, selector) for selector in selectors)
        ):
            _empty(node)
        else:
            for name in ("title", "aria-label", "placeholder", "content"):
                node.attrib.pop(name, None)


def _is_beside_the_text(node: lxml.html.HtmlElement) -> bool:
    """Return whether it is what an AMP page shows if something fails, a signature, or a link that edits a heading."""
    parent = node.getparent()
    if parent is None:
        return False
    if "fallback" in node.attrib or (node.tag in ("div", "span") and "placeholder" in node.attrib):
        return str(parent.tag).startswith("amp-")
    if parent.tag in _HEADINGS and node.tag in ("span", "a"):
        return bool(_EDITS.fullmatch(node.text_content()))
    return node.tag in ("div", "p", "td", "aside", "section") and bool(_SIGNATURE.search(node.get("class", "")))


_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_EDITS = re.compile(r"\s*[\[［【]\s*[^\[\]]{1,20}[\]］】]\s*")


def _empty(node: lxml.html.HtmlElement) -> None:
    """Take all out of an element but the text behind it: to move that elsewhere would copy all before it."""
    node.clear(keep_tail=True)
    node.tag = "span"


def _join_words(tree: lxml.html.HtmlElement) -> None:
    """Remove the tags inside of sentences, and keep their text: trafilatura may begin a line at each of them.

    Links that are longer than the text around them stay, because menus are known by them.
    """
    around: dict[lxml.html.HtmlElement, int] = {}
    for node in tree.iter("a", "span"):
        if (parent := node.getparent()) is None or len(node):
            continue
        if parent not in around:
            around[parent] = _own_length(parent)
        if around[parent] >= _own_length(node):
            node.tag = _FORMATTING_TAGS[0]  # to strip all at once copies no text
    lxml.etree.strip_tags(tree, _FORMATTING_TAGS[0])


def _own_length(node: lxml.html.HtmlElement) -> int:
    """Return the characters of the element's text that stand in no other element, without spaces."""
    return sum(len("".join((text or "").split())) for text in (node.text, *(child.tail for child in node)))


def _wrap_loose_text(tree: lxml.html.HtmlElement) -> None:
    """Put text that stands beside paragraphs into paragraphs of its own: trafilatura may leave it out.

    A row of links is no such text.
    """
    for holder in list(tree.iter("body", "center", "main", "article", "section")):
        if not _own_length(holder):
            continue
        added = [holder.makeelement("p")]
        children = list(holder)
        added[0].text, holder.text = holder.text, None
        holder.insert(0, added[0])
        for child in children:
            if all(node.tag in _INLINE_TAGS for node in child.iter()):
                added[-1].append(child)
                continue
            added.append(holder.makeelement("p"))
            added[-1].text, child.tail = child.tail, None
            child.addnext(added[-1])
        for paragraph in added:
            if not len(paragraph) and not (paragraph.text or "").strip():
                holder.remove(paragraph)
            elif _own_length(paragraph) <= sum(len(link.text_content()) for link in paragraph.iter("a")):
                paragraph.drop_tag()


def _hides(tag: str, attributes: Mapping[str, str]) -> bool:
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden", "").lower() == "true"
        or (tag == "input" and attributes.get("type", "").lower() == "hidden")
        or bool(_HIDING.search(attributes.get("style", "")))
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


_BLOCKS = {
    "p", "div", "li", "br", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "blockquote", "pre", "td",
    "th", "dt", "dd", "button", "option", "label", "form", "main", "header", "footer", "nav", "aside", "table", "ul",
    "ol",
}  # fmt: skip


def _all_text(tree: lxml.html.HtmlElement) -> str:
    """Return the text, a line for each block, and for each row of a table of figures."""
    pieces: list[str] = []
    cells = set(cells_of_tables(tree))
    for event, node in lxml.etree.iterwalk(tree, events=("start", "end")):
        if node in cells:
            pieces.append(" | " if event == "start" and node.getprevious() is not None else "")
        elif node.tag in _BLOCKS:
            pieces.append("\n")
        pieces.append((node.text if event == "start" else node is not tree and node.tail) or "")
    lines = (" ".join(line.split()) for line in "".join(pieces).splitlines())
    return "\n".join(line for line in lines if line)
