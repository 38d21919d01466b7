"""Guidelines: Markdown that an admin wrote, as HTML that cannot do anything.

Raw HTML in the Markdown is shown as text, and what the renderer makes passes an allow-list: no pictures (they
would fetch from elsewhere), no scripts, no styles; links go to http, https, mailto or a place on the page.
"""

import nh3
from markdown_it import MarkdownIt

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre",
    "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "code": set[str](), "th": set[str](), "td": set[str]()}
_SCHEMES = {"http", "https", "mailto"}

_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])


def render(text: str) -> str:
    """The guidelines as safe HTML."""
    return nh3.clean(
        _markdown.render(text),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
