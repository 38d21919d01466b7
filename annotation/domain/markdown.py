"""Guidelines: Markdown written by an admin, rendered as safe HTML.

Raw HTML in the Markdown is shown as text. The rendered HTML is filtered by an allow-list: no pictures (they would be
loaded from other servers), no scripts, no styles; links lead to http, https, mailto or a place on the page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre",
    "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "code": set[str](), "th": set[str](), "td": set[str]()}
_SCHEMES = {"http", "https", "mailto"}

_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])


def _put_below_the_title(state: StateCore) -> None:
    """Make each heading one level lower: the page that shows the guidelines has its own title."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"


_markdown.core.ruler.push("below_the_title", _put_below_the_title)


def render(text: str) -> str:
    """Return the guidelines as safe HTML."""
    return nh3.clean(
        _markdown.render(text),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )


# ── Changes between two versions ─────────────────────────────────────────


class TextChange(StrEnum):
    """The kind of change of a piece of text."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"
    SKIPPED = "skipped"
    """Unchanged lines that are not shown; the text is their number."""


@dataclass(frozen=True)
class Piece:
    """A part of a line."""

    kind: TextChange
    text: str


Line = tuple[Piece, ...]

_AROUND = 2  # unchanged lines shown beside a change
_LINES = 4_000_000  # line counts multiplied; above it the old text is shown whole, then the new text
_WORDS = 250_000
_WORD = re.compile(
    r"\s+|[^\W\u3040-\u9fff]+|.", re.DOTALL
)  # Chinese and Japanese have no spaces: compared by character


def changes(old: str, new: str) -> tuple[Line, ...]:
    """Return the lines of both versions with removed and added words marked; empty if nothing changed."""
    before, after = old.splitlines(), new.splitlines()
    if before == after:
        return ()
    if len(before) * len(after) > _LINES:
        return (*_whole(before, TextChange.GONE), *_whole(after, TextChange.NEW))
    lines: list[Line] = []
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for number, (step, a, b, c, d) in enumerate(steps):
        if step == "equal":
            lines += _unchanged(after[c:d], first=number == 0, last=number == len(steps) - 1)
        else:
            lines += _changed(before[a:b], after[c:d])
    return tuple(lines)


def _unchanged(lines: list[str], *, first: bool, last: bool) -> Iterator[Line]:
    head, tail = (0 if first else _AROUND), (0 if last else _AROUND)
    left_out = len(lines) - head - tail
    if left_out < 2:
        yield from _whole(lines, TextChange.SAME)
        return
    yield from _whole(lines[:head], TextChange.SAME)
    yield (Piece(TextChange.SKIPPED, str(left_out)),)
    yield from _whole(lines[len(lines) - tail :], TextChange.SAME)


def _changed(before: list[str], after: list[str]) -> Iterator[Line]:
    """Yield lines that are similar to the old ones with word changes, up to the first that is not; then the rest."""
    paired = 0
    for old, new in zip(before, after, strict=False):
        line = _words(old, new)
        if line is None:
            break
        yield line
        paired += 1
    yield from _whole(before[paired:], TextChange.GONE)
    yield from _whole(after[paired:], TextChange.NEW)


def _words(old: str, new: str) -> Line | None:
    """Return one line with its changed words. Returns None if the lines have little in common."""
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    if len(old_words) * len(new_words) > _WORDS:
        return None
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    if matcher.ratio() < 0.4:
        return None
    pieces = []
    for step, a, b, c, d in matcher.get_opcodes():
        if step == "equal":
            pieces.append(Piece(TextChange.SAME, "".join(new_words[c:d])))
        else:
            pieces += [Piece(TextChange.GONE, "".join(old_words[a:b]))] if b > a else []
            pieces += [Piece(TextChange.NEW, "".join(new_words[c:d]))] if d > c else []
    return tuple(pieces)


def _whole(lines: list[str], kind: TextChange) -> Iterator[Line]:
    return ((Piece(kind, line),) for line in lines)


def table_cell(words: str) -> str:
    """Return words as one cell of a Markdown table: in one line, bars written so that they part nothing."""
    return " ".join(words.split()).replace("|", "\\|")
