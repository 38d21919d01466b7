"""Guidelines: Markdown that an admin wrote, as HTML that cannot do anything.

Raw HTML in the Markdown is shown as text, and what the renderer makes passes an allow-list: no pictures (they
would fetch from elsewhere), no scripts, no styles; links go to http, https, mailto or a place on the page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

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


# ── What changed between two versions ─────────────────────────────────────────


class Kind(StrEnum):
    """What became of a stretch of text."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"
    SKIPPED = "skipped"
    """Unchanged lines that are left out; the text says how many."""


@dataclass(frozen=True)
class Piece:
    """A stretch of a line."""

    kind: Kind
    text: str


Line = tuple[Piece, ...]

_AROUND = 2  # unchanged lines shown beside a change
_LINES = 4_000_000  # lines of both versions multiplied: beyond that one is shown after the other
_WORDS = 250_000
_WORD = re.compile(r"\s+|[^\W\u3040-\u9fff]+|.", re.DOTALL)  # Chinese and Japanese have no spaces: sign by sign


def changes(old: str, new: str) -> tuple[Line, ...]:
    """The lines of both versions with what went and what came, word by word; empty where nothing changed."""
    before, after = old.splitlines(), new.splitlines()
    if before == after:
        return ()
    if len(before) * len(after) > _LINES:
        return (*_whole(before, Kind.GONE), *_whole(after, Kind.NEW))
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
        yield from _whole(lines, Kind.SAME)
        return
    yield from _whole(lines[:head], Kind.SAME)
    yield (Piece(Kind.SKIPPED, str(left_out)),)
    yield from _whole(lines[len(lines) - tail :], Kind.SAME)


def _changed(before: list[str], after: list[str]) -> Iterator[Line]:
    """Lines that are like the old ones word by word, as far as that goes; the rest one after the other."""
    paired = 0
    for old, new in zip(before, after, strict=False):
        line = _words(old, new)
        if line is None:
            break
        yield line
        paired += 1
    yield from _whole(before[paired:], Kind.GONE)
    yield from _whole(after[paired:], Kind.NEW)


def _words(old: str, new: str) -> Line | None:
    """One line with its changed words; None where little is left of the old one."""
    one, two = _WORD.findall(old), _WORD.findall(new)
    if len(one) * len(two) > _WORDS:
        return None
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    if matcher.ratio() < 0.4:
        return None
    pieces = []
    for step, a, b, c, d in matcher.get_opcodes():
        if step == "equal":
            pieces.append(Piece(Kind.SAME, "".join(two[c:d])))
        else:
            pieces += [Piece(Kind.GONE, "".join(one[a:b]))] if b > a else []
            pieces += [Piece(Kind.NEW, "".join(two[c:d]))] if d > c else []
    return tuple(pieces)


def _whole(lines: list[str], kind: Kind) -> Iterator[Line]:
    return ((Piece(kind, line),) for line in lines)
