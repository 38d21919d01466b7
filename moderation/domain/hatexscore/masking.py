"""Finding what an explanation quotes in the text, and masking it (design section 8; paper, section 3.2).

A quote is found without regard to case, else with up to 15 % and five edits; never within a word.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import fuzzysearch

from moderation.domain.hatexscore.normalize import Span, fold, glued, is_whole

MASK = "[MASK]"
MOST_EDITS = 5
EDITS_SHARE = 0.15
_MASK_FOLDED = MASK.lower()
_EDGES = " \t\r\n.,;:!?…。，、；：！？-–—"
_ODD_SPACE = re.compile(r"[^\S ]|  ")
_GAPS = re.compile(r"\s*(?:\[\s*(?:…|\.{3})\s*\]|\(\s*(?:…|\.{3})\s*\)|…|\.{3,})\s*")


@dataclass(frozen=True)
class Rationale:
    """A quote that stands in the text, and where; several places where it stands there several times."""

    quote: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Masked:
    """The text with everything quoted masked; the spans are of the text before, in order, not touching."""

    text: str
    spans: tuple[Span, ...]
    rationales: tuple[Rationale, ...]


def mask(text: str, quotes: Sequence[str]) -> Masked:
    """Mask these quotes wherever they stand. Masking the result again with the same quotes changes nothing."""
    folded = fold(text)
    wanted = {quote: _wanted(quote) for quote in dict.fromkeys(quotes) if quote.strip()}
    found: dict[str, list[Span]] = {quote: [] for quote in wanted}
    covered = _masks(folded.text)
    own = list(covered)
    while True:
        new: list[Span] = []
        for start, end in _left(folded.text, covered):
            segment = folded.text[start:end]
            for quote, forms in wanted.items():
                hits = [(start + low, start + high) for low, high in _hits(segment, forms)]
                found[quote] += hits
                new += hits
        if not new:
            break
        covered = _merged([*covered, *new])
    spans = [folded.original(*span) for span in covered if span not in own]
    rationales = tuple(
        Rationale(quote, tuple(folded.original(*span) for span in sorted(set(hits))))
        for quote, hits in found.items()
        if hits
    )
    return Masked(_replaced(text, spans), tuple(spans), rationales)


def _wanted(quote: str) -> tuple[tuple[str, ...], ...]:
    """Return the forms in which a quote is looked for: rows of parts that must all be there, the best form first."""
    whole = " ".join(fold(quote).text.split())
    bare = whole.strip(_EDGES)
    forms: list[tuple[str, ...]] = [(whole,), (bare,)] if bare and bare != whole else [(whole,)]
    parts = tuple(part.strip(_EDGES) for part in _GAPS.split(whole) if part.strip(_EDGES))
    if len(parts) > 1:
        forms.append(parts)
    return tuple(forms)


def _hits(segment: str, forms: Sequence[Sequence[str]]) -> list[Span]:
    """Where the first form that fits stands in the segment; exact before fuzzy."""
    for find in (_exact, _near):
        for parts in forms:
            places = [find(segment, part) for part in parts]
            if all(places):
                return [span for spans in places for span in spans]
    return []


def _exact(segment: str, wanted: str) -> list[Span]:
    if wanted in segment:
        found = list(_everywhere(segment, wanted))
    elif " " in wanted and _ODD_SPACE.search(segment):
        spaced = re.compile(r"\s+".join(re.escape(word) for word in wanted.split(" ")))
        found = [hit.span() for hit in spaced.finditer(segment)]
    else:
        return []
    return [span for span in found if is_whole(segment, *span)]


def _everywhere(segment: str, wanted: str) -> Iterator[Span]:
    at = segment.find(wanted)
    while at >= 0:
        if is_whole(segment, at, at + len(wanted)):
            yield at, at + len(wanted)
            at = segment.find(wanted, at + len(wanted))
        else:
            at = segment.find(wanted, at + 1)


def _near(segment: str, wanted: str) -> list[Span]:
    most = min(MOST_EDITS, int(EDITS_SHARE * len(wanted)))
    if not most or len(segment) < len(wanted) - most:
        return []
    # From few edits to many: whoever is near by few is found at once, and most quotes that are far never looked for.
    for allowed in range(1, most + 1):
        if any(piece in segment for piece in _pieces(wanted, allowed + 1)):
            hits = fuzzysearch.find_near_matches(wanted, segment, max_l_dist=allowed)
            near = [span for hit in hits if (span := _near_span(segment, hit.start, hit.end, wanted, most))]
            if near:
                return near
    return []


def _pieces(wanted: str, number: int) -> list[str]:
    """Cut the text into so many pieces: with one edit fewer than pieces, one of them stands somewhere unchanged."""
    size = len(wanted) // number
    return [wanted[at * size : (at + 1) * size if at + 1 < number else None] for at in range(number)]


def _near_span(segment: str, start: int, end: int, wanted: str, most: int) -> Span | None:
    """Return the span out to the ends of its words. Returns None if it is not near enough then."""
    span = _widened(segment, start, end)
    if span[0] >= span[1] or not is_whole(segment, *span):
        return None
    return span if span == (start, end) or edits(segment[slice(*span)], wanted, most) <= most else None


def _widened(segment: str, start: int, end: int) -> Span:
    """Return the span without spaces at its ends, and out to the ends of the words it cuts."""
    while start < end and segment[start].isspace():
        start += 1
    while end > start and segment[end - 1].isspace():
        end -= 1
    while 0 < start < end and glued(segment[start - 1], segment[start]):
        start -= 1
    while start < end < len(segment) and glued(segment[end - 1], segment[end]):
        end += 1
    return start, end


def edits(one: str, other: str, most: int) -> int:
    """Return the Levenshtein distance; some number above `most` if it is larger than that."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    row = list(range(len(other) + 1))
    for number, sign in enumerate(one, 1):
        above, row[0] = row[0], number
        for place, wanted in enumerate(other, 1):
            above, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, above + (sign != wanted))
        if min(row) > most:
            return most + 1
    return row[-1]


def _masks(text: str) -> list[Span]:
    """Masks that stand in the text already: nothing is looked for inside them."""
    found, at = [], text.find(_MASK_FOLDED)
    while at >= 0:
        found.append((at, at + len(MASK)))
        at = text.find(_MASK_FOLDED, at + len(MASK))
    return found


def _left(text: str, covered: Sequence[Span]) -> list[Span]:
    """Return the spans that are not covered."""
    edges = [0, *(place for span in covered for place in span), len(text)]
    return [(low, high) for low, high in list(pairwise(edges))[::2] if low < high]


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _replaced(text: str, spans: Sequence[Span]) -> str:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], MASK]
        at = end
    return "".join([*pieces, text[at:]])
