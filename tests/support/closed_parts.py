"""What somebody who keeps texts closed sees of a page before they open anything."""

from html.parser import HTMLParser

WORD = "canaryword"
HIDDEN_BY_STYLE = {"q", "bdi"}
"""In lists, `.queue q` and `.reads > bdi` are hidden by the style sheet."""
VOID = {
    "br",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "wbr",
    "col",
    "area",
    "base",
    "embed",
    "track",
    "line",
    "rect",
}


class Open(HTMLParser):
    """Collect where the word can be seen: in text or attributes outside of closed details and of hidden elements."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word
        self.path: list[tuple[str, dict[str, str | None]]] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if tag not in VOID:
            self.path.append((tag, own))
        read_out = [own.get(name) for name in ("title", "aria-label", "alt", "placeholder")]
        if any(self.word in (text or "") for text in read_out):
            self.look(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        while any(name == tag for name, _own in self.path) and self.path.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.word in data:
            self.look(data.strip()[:60])

    def look(self, what: str) -> None:
        if not self._is_closed():
            self.seen.append(" > ".join([*(f"{tag}.{own.get('class', '')}" for tag, own in self.path[-4:]), what]))

    def _is_closed(self) -> bool:
        for place, (tag, own) in enumerate(self.path):
            inside_summary = any(name == "summary" for name, _own in self.path[place:])
            if tag == "details" and "open" not in own and not inside_summary:
                return True
            if "hidden" in own or tag in ("script", "template"):
                return True
            classes = (own.get("class") or "").split()
            if {"queue", "reads"} & set(classes) and any(name in HIDDEN_BY_STYLE for name, _own in self.path[place:]):
                return True
        return False


def seen_on(page: str, word: str = WORD) -> list[str]:
    """Return where the word can be seen on a page as it comes."""
    reader = Open(word)
    reader.feed(page)
    return reader.seen
