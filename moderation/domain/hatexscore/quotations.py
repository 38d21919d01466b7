"""The quoted strings of an explanation (design section 8).

Apostrophes and straight single marks quote nothing that is masked; conclusions and groups are not read within them.
"""

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
# Straight single marks quote where they stand around words, never within one.
_SINGLE = re.compile(
    r"(?<![\w'])'(?=[^\s'])(?P<said>(?:[^'\n]|(?<=[A-Za-z])'(?=[A-Za-z])){1,300})(?<=[^\s'])'(?![A-Za-z0-9'])"
)
_JSON_KEY, _JSON_COLON = re.compile(r'[{,]\s*"\w{1,40}"\s*:\s*$'), re.compile(r"\s*:")
BLANK = "\x01"


@dataclass(frozen=True)
class Quotation:
    """A quoted string: `text` without the marks and outer spaces, at `start` … `end`; `outer` holds the marks too."""

    text: str
    start: int
    end: int
    outer: Span


def quotations(explanation: str) -> list[Quotation]:
    """Return everything in quotation marks, in the order of the explanation; one within another counts as well."""
    quoted = []
    for marks in _MARKS:
        for hit in marks.finditer(explanation):
            between = hit["said"]
            text = between.strip()
            if text:
                start = hit.start("said") + len(between) - len(between.lstrip())
                quoted.append(Quotation(text, start, start + len(text), hit.span()))
    return sorted(quoted, key=lambda quotation: (quotation.outer, quotation.text))


def words_of_others(explanation: str, quoted: Sequence[Quotation]) -> list[Quotation]:
    """Return what the explanation says in the words of others: its quotations, those in straight single marks too.

    Keys and values of JSON are the explanation's own words.
    """
    single = [
        Quotation(hit["said"], hit.start("said"), hit.end("said"), hit.span())
        for hit in (_SINGLE.finditer(explanation) if "'" in explanation else ())
    ]
    return [*(quotation for quotation in quoted if not _is_json(explanation, quotation)), *single]


def _is_json(explanation: str, quotation: Quotation) -> bool:
    start, end = quotation.outer
    before = explanation[max(0, start - 60) : start]
    is_key = _JSON_COLON.match(explanation, end) and before.rstrip()[-1:] in ("{", ",")
    return bool(is_key or _JSON_KEY.search(before))


def blanked(explanation: str, quoted: Sequence[Quotation]) -> str:
    """Return the explanation with each quotation replaced by signs of the same length.

    Where a quotation closes its sentence, the full stop stands in place of its last mark.
    """
    signs = list(explanation.replace(BLANK, " "))
    for quotation in quoted:
        start, end = quotation.outer
        signs[start:end] = BLANK * (end - start)
        if quotation.text[-1] in ".!?。！？" and not explanation[end : end + 1].strip():
            signs[end - 1] = quotation.text[-1]
    return "".join(signs)
