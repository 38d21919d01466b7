"""What kind of file a page is by its beginning: the type in its header may be wrong or missing.

As browsers look (WHATWG, MIME Sniffing), and one step further: data that a server calls HTML is no page.
"""

import json
import re

HTML, PLAIN = "text/html", ("text/plain", "text/markdown")
_BINARY = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"RIFF", b"\x1f\x8b", b"\x7fELF", b"MZ\x90", b"Rar!",
           b"BZh", b"\xd0\xcf\x11\xe0", b"OggS", b"ID3", b"\x00\x00\x00", b"wOF", b"{\\rtf")  # fmt: skip
_START = 2_000  # characters that are looked at
_WHOLE_PAGE = re.compile(r"\s*(?:<!--.{0,500}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_MARKUP = re.compile(
    r"\s*<(?:!--|(?:script|iframe|h[1-6]|div|font|table|a|style|title|b|br|p|meta|link|center|ul|section|article)[\s>/])",
    re.IGNORECASE,
)
_KEY = r'"(?:[^"\\\n]|\\.){1,100}"'
_JSON_START = re.compile(rf"\s*(?:[\w$.]{{1,60}}\(\s*)?[\[\s]*(?:\{{\s*{_KEY}\s*:|\[\s*{_KEY}\s*,\s*[\"\[{{])")
"""How JSON begins, alone or as the argument of a function; it may be cut off."""
_GUARD = re.compile(r"\A\s*(?:\)\]\}'?,?\s*\n|(?:while|for) ?\((?:1|;;|true)\);?|/\*-?secure-?)\s*")
"""What some servers put before JSON, so that no other page runs it as a script."""
_JSON = json.JSONDecoder()
_XML = re.compile(
    r"\s*(?:<\?xml[^>]{0,300}\?>\s*)?(?:<!--.{0,500}?-->\s*)*"
    r"<(?:rss|feed|rdf:rdf|urlset|sitemapindex|opml|svg|kml|gpx|plist|soap\w{0,3}:envelope|error|response)[\s>]",
    re.IGNORECASE | re.DOTALL,
)


def is_binary(content: bytes) -> bool:
    """Return whether bytes begin as a picture, an archive, a program or another file that is no text."""
    return content.startswith(_BINARY)


def is_whole_page(text: str) -> bool:
    """Return whether a text begins as a document in HTML, whatever its type says."""
    return bool(_WHOLE_PAGE.match(text[:_START]))


def looked_at(text: str) -> str:
    """Return the type of a text that came without one."""
    start = text[:_START]
    return HTML if _WHOLE_PAGE.match(start) or _MARKUP.match(start) or is_data(text) else PLAIN[0]


def is_data(text: str) -> bool:
    """Return whether a text is JSON, perhaps cut off, or XML of another kind than pages, as feeds are."""
    text = _GUARD.sub("", text[:60]) + text[60:]
    start = text[:_START]
    return bool(_JSON_START.match(start) or _XML.match(start)) or _is_json(text.strip())


def _is_json(text: str) -> bool:
    """Return whether it is an object or a list in JSON, or several in a row."""
    if not text.startswith(("{", "[")):
        return False
    try:
        _value, end = _JSON.raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return text[end:].lstrip()[:1] in ("", "{", "[")
