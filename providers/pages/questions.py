"""Questions that a page asks its reader, with answers to choose from: consent, an age; and banners over a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import lxml.html

from providers.pages import consent_walls

_MOST_BUTTONS = 50
_CONSENT = re.compile(
    r"(?:cookie|consent|gdpr|cmp\d?|privacy)[_-]?(?:wall|banner|dialog|modal|popup|notice|message|overlay|box|layer|prompt"
    r"|container|bar)|(?<![a-z])(?:cookies?|consent|gdpr|ccpa|cmp)(?![a-z])|onetrust|didomi|cybot|usercentrics|iubenda|truste|qc-cmp|sp_message|fc-consent|quantcast|klaro",
    re.IGNORECASE,
)
_ANSWERS = ("button", "a", "input", "span", "div")
_BOXES = ("div", "section", "aside", "form", "dialog")
_OF_A_THREAD = re.compile(r"(?:^|[\s_-])(?:post|reply|comment|thread|topic|poster|username|author)", re.IGNORECASE)
_FEW_LINKS, _MOST_ANSWERS, _ANSWER = 3, 5, 40
_BANNER = 600
"""Letters at most of a banner over a text."""
_HIGHEST = 8  # levels from a button to its banner


def buttons_of(tree: lxml.html.HtmlElement, but: lxml.html.HtmlElement | None = None) -> Iterator[str]:
    """Yield the labels of up to 50 buttons, and of links that work as such, but for those of one part."""
    left_out = set() if but is None else set(but.iter())
    found = (node for node in tree.iter(*_ANSWERS) if node not in left_out and _is_button(node))
    for node in islice(found, _MOST_BUTTONS):
        yield " ".join((node.get("value", "") if node.tag == "input" else node.text_content()).split())


def _is_button(node: lxml.html.HtmlElement) -> bool:
    if node.tag == "input":
        return node.get("type", "").lower() in ("button", "submit")
    is_made_one = node.tag == "button" or str(node.get("role")) == "button"
    if node.tag != "a" or is_made_one:
        return is_made_one
    return str(node.get("href", "#")).startswith(("#", "javascript:"))


def _is_of_consent(node: lxml.html.HtmlElement) -> bool:
    return bool(_CONSENT.search(f"{node.get('id', '')} {node.get('class', '')}"))


def asks(tree: lxml.html.HtmlElement) -> bool:
    """Return whether the page, or the dialog that holds most of its words, is a few lines with answers below."""
    boxes = (node for node in tree.iter(*_BOXES) if _is_dialog(node) or _is_of_consent(node))
    box = next(boxes, tree)
    if 3 * len(box.text_content()) < 2 * len(tree.text_content()):
        box = tree
    answers = [label for label in buttons_of(box) if label]
    links = sum(1 for node in box.iter("a") if not _is_button(node))
    if not answers:
        answers = list(islice(labels_of_links(box), _MOST_ANSWERS + 1))
        links = 0 if consent_walls.are_answers(answers) else _MOST_ANSWERS
    is_plain = next(box.iter("article", "time", "table", "video", "textarea", "blockquote"), None) is None
    is_plain = is_plain and sum(1 for node in box.iter("*") if _OF_A_THREAD.search(node.get("class", ""))) < 2
    is_plain = is_plain and len(list(islice(box.iter("img"), 2))) <= 1  # of the site
    are_answers = 1 < len(answers) <= _MOST_ANSWERS and max(map(len, answers)) <= _ANSWER
    return is_plain and links <= _FEW_LINKS and are_answers


def labels_of_links(tree: lxml.html.HtmlElement) -> Iterator[str]:
    """Return the labels of the first links."""
    labels = (" ".join(node.text_content().split()) for node in tree.iter("a"))
    return islice(filter(None, labels), _MOST_BUTTONS)


def banners(tree: lxml.html.HtmlElement) -> set[lxml.html.HtmlElement]:
    """Return the questions about cookies, with their buttons, of a page that holds much more."""
    whole = len(tree.text_content())
    buttons = islice((node for node in tree.iter(*_ANSWERS) if _is_button(node)), _MOST_BUTTONS)
    return {banner for button in buttons if (banner := _banner_around(button, whole // 3)) is not None}


def _banner_around(button: lxml.html.HtmlElement, longest: int) -> lxml.html.HtmlElement | None:
    """Return the largest part around a button that is a banner.

    Returns None if none is.
    """
    banner = None
    for box in islice(button.iterancestors(), _HIGHEST):
        written = box.text_content()
        if len(written) > min(longest, _BANNER):
            break
        if box.tag in _BOXES and consent_walls.is_banner(written, list(buttons_of(box))):
            banner = box
    return banner


def _is_dialog(node: lxml.html.HtmlElement) -> bool:
    return node.tag == "dialog" or "dialog" in node.get("role", "") or node.get("aria-modal") == "true"


def part_of_consent(tree: lxml.html.HtmlElement) -> lxml.html.HtmlElement | None:
    """Return the first part that the page's code names as asking for consent."""
    return next(filter(_is_of_consent, tree.iter(*_BOXES)), None)
