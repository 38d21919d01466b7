"""Normalise HTML for comparison: remove the white space that only formats the source."""

import re

BLOCKS = (
    "article|aside|blockquote|body|button|caption|dd|details|div|dl|dt|fieldset|figure|footer|form|h1|h2|h3|h4|h5|h6|"
    "head|header|html|legend|li|main|nav|ol|option|p|section|select|summary|svg|table|tbody|td|tfoot|th|thead|title|tr|ul|circle"
)
KEPT = re.compile(r"((?:<textarea|<pre)[^>]*>.*?</(?:textarea|pre)>)", re.DOTALL)


def compact(html: str) -> str:
    """Return the HTML with single spaces, and none at the inner edges of blocks nor at the end of a tag.

    The content of `textarea` and `pre` is not changed.
    """
    html = re.sub(r"<[^<>]+>", lambda tag: re.sub(r" (/?>)$", r"\1", re.sub(r"\s+", " ", tag[0])), html)
    parts = KEPT.split(html)
    parts[::2] = [_compact(part) for part in parts[::2]]
    return "".join(parts)


def _compact(html: str) -> str:
    html = re.sub(r"\s+", " ", html)
    html = re.sub(rf"(<(?:{BLOCKS})(?: [^<>]*)?>) ", r"\1", html)
    html = re.sub(rf" (</(?:{BLOCKS})>)", r"\1", html)
    return re.sub(rf"(</(?:{BLOCKS})>) (?=</?(?:{BLOCKS})\b)", r"\1", html)
