"""A text as a stream of visible characters that each know where they come from, with and without its disguises."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotation.domain.folding import hangul
from annotation.domain.folding.chinese import simplified
from annotation.domain.folding.text import plain
from annotation.domain.glossary import korean
from annotation.domain.glossary.disguises import WRITTEN, How, Ways
from annotation.domain.glossary.normalize import is_glued

REPEATED, _JAMO = frozenset({How.REPEATED}), frozenset({How.JAMO})
_STRETCHED = re.compile("([\u3400-\u9fff\uac00-\ud7a3])\\1")
_BETWEEN_LETTERS = re.compile(
    "[\u3400-\u9fff\uac00-\ud7a3][\\s.]?[\\da-zA-Zㄱ-ㅣ]{1,2}[\\s.]?[\u3400-\u9fff\uac00-\ud7a3]"
)
_SIGNS = frozenset("丨丶丿亅ㆍ・･")
"""Strokes of characters and middle dots, which are no words: they stand between characters as signs do."""


class Stream(NamedTuple):
    """The characters of a text in one written form, with the source of each: first position, position after it."""

    chars: str
    starts: Sequence[int]
    ends: Sequence[int]
    ways: Ways = WRITTEN


class _Visible(dict[str, str]):
    """The written form of each character in a stream; "" where it is left out."""

    def __missing__(self, char: str) -> str:
        shown = "" if char in _SIGNS else "".join(map(simplified, plain(char)))
        kept = "".join(part for part in shown if part.isalnum() or (is_glued(part) and part.isprintable()))
        self[char] = kept
        return kept


VISIBLE = _Visible()


def stream_of(text: str) -> Stream:
    """Return the visible characters of a text and where each comes from."""
    shown = list(map(VISIBLE.__getitem__, text))
    chars = "".join(shown)
    starts = [at for at, parts in enumerate(shown) if parts]
    if len(starts) < len(chars):  # a few characters are several
        starts = [at for at, parts in enumerate(shown) for _part in parts]
    return Stream(chars, starts, [at + 1 for at in starts])


def streams_of(text: str) -> Iterator[Stream]:
    """Yield the streams in which terms are looked up: as written, and without each disguise that the text shows."""
    stream = stream_of(text)
    yield stream
    if _BETWEEN_LETTERS.search(text):
        kept = [at for at, char in enumerate(stream.chars) if not (char.isascii() or hangul.HAS_JAMO.match(char))]
        yield _part(stream, kept, WRITTEN)
    if _STRETCHED.search(stream.chars):
        yield _squeezed(stream)
    if korean.STRETCH.search(stream.chars):
        yield _unstretched(stream)
    if hangul.HAS_JAMO.search(text):
        shown = _Jamo(text)
        yield Stream("".join(shown.chars), shown.starts, shown.ends, _JAMO)


def _squeezed(stream: Stream) -> Stream:
    """Return a stream in which each run of one character is one character."""
    firsts = [at for at, char in enumerate(stream.chars) if at == 0 or char != stream.chars[at - 1]]
    afters = [*firsts[1:], len(stream.chars)]
    return Stream(
        "".join(stream.chars[at] for at in firsts),
        [stream.starts[at] for at in firsts],
        [stream.ends[at - 1] for at in afters],
        REPEATED,
    )


def _unstretched(stream: Stream) -> Stream:
    """Return a stream in which each Korean syllable that is drawn out over several is one syllable."""
    chars, starts, ends = [], [], []
    at = 0
    while at < len(stream.chars):
        stretch = korean.STRETCH.match(stream.chars, at)
        after = stretch.end() if stretch else at + 1
        chars.append(korean.unstretched(stretch[0]) if stretch else stream.chars[at])
        starts.append(stream.starts[at])
        ends.append(stream.ends[after - 1])
        at = after
    return Stream("".join(chars), starts, ends, REPEATED)


class _Jamo:
    """A stream whose jamo are put together to syllables."""

    def __init__(self, text: str) -> None:
        kept = [at for at, char in enumerate(text) if VISIBLE[char] or hangul.HAS_JAMO.match(char)]
        self.chars, self.starts, self.ends = [], [], []
        for shown, first, after in hangul.composed([text[at] for at in kept]):
            for char in VISIBLE[shown]:
                self.chars.append(char)
                self.starts.append(kept[first])
                self.ends.append(kept[after - 1] + 1)


def _part(stream: Stream, kept: Sequence[int], ways: Ways) -> Stream:
    return Stream(
        "".join(stream.chars[at] for at in kept),
        [stream.starts[at] for at in kept],
        [stream.ends[at] for at in kept],
        ways,
    )
