"""The quoted strings of an explanation (design section 8). Apostrophes and straight single marks quote nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from moderation.domain.hatexscore.normalize import Span

_CASED = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
_MARKS = [
    re.compile(pattern)
    for pattern in (
        # A straight mark behind a digit stands for inches or seconds; a blank line ends what was never closed.
        r'(?<!\d)"(?=\S)(?P<said>(?:(?!\n\s*\n)[^"])*)(?<=\S)"',
        r"“(?P<said>[^“”]+)”",
        r"„(?P<said>[^„“”]+)[“”]",
        rf"(?<![{_CASED}0-9])‘(?P<said>(?:[^‘’]|(?<=[{_CASED}])’(?=[{_CASED}]))+)’(?![{_CASED}])",
        r"«(?P<said>[^«»]+)»",
        r"「(?P<said>[^「」]+)」",
        r"『(?P<said>[^『』]+)』",
    )
]
BLANK = "\x01"


@dataclass(frozen=True)
class Quotation:
    """A quoted string: `text` without the marks and outer spaces, at `start` … `end`; `outer` holds the marks too."""

    text: str
    start: int
    end: int
    outer: Span


def quotations(explanation: str) -> list[Quotation]:
    """Everything in quotation marks, in the order of the explanation; one within another counts as well."""
    found = []
    for marks in _MARKS:
        for hit in marks.finditer(explanation):
            said = hit["said"]
            text = said.strip()
            if text:
                start = hit.start("said") + len(said) - len(said.lstrip())
                found.append(Quotation(text, start, start + len(text), hit.span()))
    return sorted(found, key=lambda each: (each.outer, each.text))


def blanked(explanation: str, quoted: Sequence[Quotation]) -> str:
    """The explanation with each quotation replaced by signs of the same length.

    Where a quotation closes its sentence, the full stop stands in place of its last mark.
    """
    signs = list(explanation.replace(BLANK, " "))
    for each in quoted:
        start, end = each.outer
        signs[start:end] = BLANK * (end - start)
        if each.text[-1] in ".!?。！？" and not explanation[end : end + 1].strip():
            signs[end - 1] = each.text[-1]
    return "".join(signs)
