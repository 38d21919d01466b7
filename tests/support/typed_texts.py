"""The places of a page in which somebody types a text, as a browser sees them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

_TYPED = ("", "text", "search", "url")


@dataclass(frozen=True)
class TypedText:
    """A textarea or a line of text: its name, the action of its form, and how much a browser lets people type."""

    name: str
    action: str
    most: int | None


@dataclass
class _Reader(HTMLParser):
    found: list[TypedText] = field(default_factory=list)
    action: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if tag == "form":
            self.action = own.get("action") or ""
        is_line = tag == "input" and (own.get("type") or "") in _TYPED
        if (tag == "textarea" or is_line) and own.get("name") and "readonly" not in own:
            most = own.get("maxlength")
            self.found.append(TypedText(own["name"] or "", self.action, int(most) if most else None))


def typed_texts(page: Any) -> list[TypedText]:
    """Return the places of an answer's page in which a text can be typed."""
    reader = _Reader()
    reader.feed(page.content.decode())
    return reader.found
