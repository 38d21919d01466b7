"""Parts of the item's text: pairs of offsets in code points, start and the place after the end, sorted.

Together it is the characters that a strict majority marked.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any
from xml.sax.saxutils import quoteattr

from annotation.domain.questions.kinds.kind import WHOLE, Key, Kind, StudioResult
from annotation.domain.questions.question import Question
from annotation.domain.questions.refusals import refuse_answer, shown
from annotation.domain.refusal import gettext_noop as _
from annotation.domain.statistics.agreement import Alpha
from annotation.domain.statistics.span_agreement import Spans, lengths_of, marked_by, span_alpha

SPAN_LIMIT = 200
"""The most spans of one answer."""


class Span(Kind):
    name = _("parts of the post's text")
    answer_type = [[WHOLE]]
    together = (
        "of a *span* the characters that a strict majority marked, [start, end) in code points, with `overlap`, "
        "the mean share of characters that two people have in common"
    )
    measure = "unitizing"
    marks_text = True

    def read(self, question: Question, value: object, text: str) -> list[list[int]]:
        """Return the spans sorted, those that touch or overlap as one; a quotation means its next place in the text."""
        if not isinstance(value, list | tuple) or len(value) > SPAN_LIMIT:
            sentence = f"{question.lead()} Mark at most {SPAN_LIMIT} parts of the text."
            refuse_answer("bad_span", sentence, question.code)
        merged: list[list[int]] = []
        after: dict[str, int] = {}
        for start, end in sorted(_offsets(question, part, text, after) for part in value):
            if merged and start <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        return merged

    def sent(self, values: Sequence[str], quoted: str) -> Any:
        """Return the marked parts: by their places from the script, else as the words quoted line by line."""
        value = values[-1] if values else ""
        if not value:
            return [line.strip() for line in quoted.splitlines() if line.strip()]
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value

    def consensus(self, answers: Sequence[Spans]) -> tuple[tuple[int, int], ...]:
        return majority_spans(answers)

    def overlap(self, answers: Sequence[Spans]) -> float:
        return span_overlap(answers)

    def counted(self, length: int, answers: Sequence[Spans]) -> Key:
        return lengths_of(length, answers)

    def alpha(self, items: Mapping[Any, int], question: Question) -> Alpha:
        return span_alpha(items)

    def parts(self, question: Question, value: Any, text: str, language: str) -> Sequence[str]:
        return quotations(value, text)

    def field_value(self, value: Any) -> str:
        """Return the parts marked so far, as JSON for the script; empty if none are known by their place."""
        pairs = _pairs(value)
        return json.dumps(pairs) if pairs else ""

    def studio_control(self, question: Question, attributes: str) -> str:
        return f"<Labels {attributes}>\n    <Label value={quoteattr(question.code)}/>\n  </Labels>"

    def studio_results(self, code: str, value: Spans, text: str) -> Iterable[StudioResult]:
        for number, (start, end) in enumerate(value):
            region = {"start": start, "end": end, "text": text[start:end], "labels": [code]}
            yield StudioResult("labels", region, f"-{number}")

    def from_studio(self, value: Mapping[str, Any], before: Any) -> Any:
        if "start" not in value or "end" not in value:
            return None
        return [*(before if isinstance(before, list) else ()), [value["start"], value["end"]]]


def quotations(value: object, text: str) -> list[str]:
    """Return the parts of the text that an answer marks, and those that it quotes, as words."""
    quoted = [part for part in value if isinstance(part, str)] if isinstance(value, list) else []
    return [*quoted, *(text[start:end] for start, end in _pairs(value))]


def majority_spans(answers: Sequence[Spans]) -> tuple[tuple[int, int], ...]:
    """Return the characters that more than half of the answers marked, as spans: sorted, touching ones as one."""
    spans: list[tuple[int, int]] = []
    for start, end, marks in marked_by(answers):
        if 2 * marks <= len(answers):
            continue
        if spans and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return tuple(spans)


def span_overlap(answers: Sequence[Spans]) -> float:
    """Return the mean, over every two answers, of the characters that both marked to those that one of them marked.

    From 0 to 1. It says nothing about chance: that is alpha's, over many items.
    """
    shares = [_shared(first, second) for first, second in combinations(answers, 2)]
    return sum(shares) / len(shares)


def _shared(first: Spans, second: Spans) -> float:
    both = either = 0
    for start, end, marks in marked_by((first, second)):
        either += end - start
        both += (end - start) * (marks == 2)
    return both / either if either else 1.0


def _pairs(value: object) -> list[list[int]]:
    """Return the pairs of whole numbers in a value; what people type may hold other things."""
    parts = value if isinstance(value, list) else []
    pairs = [part for part in parts if isinstance(part, list) and len(part) == 2]
    return [pair for pair in pairs if all(type(place) is int for place in pair)]


def _offsets(question: Question, part: object, text: str, after: dict[str, int]) -> tuple[int, int]:
    """Return start and end of a pair of offsets or of quoted words; `after` is where each quotation was found last."""
    if isinstance(part, str):
        start = text.find(part, after.get(part, 0)) if part else -1
        if start < 0:
            sentence = f"{question.lead()} {shown(part)} does not stand in the text."
            refuse_answer("not_quoted", sentence, question.code)
        after[part] = start + len(part)
        return start, start + len(part)
    if not isinstance(part, list | tuple) or len(part) != 2 or any(type(place) is not int for place in part):
        refuse_answer("bad_span", f"{question.lead()} A part of the text is [start, end], or its words.", question.code)
    start, end = part
    if not 0 <= start < end <= len(text):
        sentence = f"{question.lead()} {start} to {end} is no part of the text, which has {len(text):,} characters."
        refuse_answer("outside_text", sentence, question.code)
    return start, end


KIND = Span()
