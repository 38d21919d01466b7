"""Consensus of the answers to one further question about one item.

It needs two answers; those who were not asked, or skipped the question, do not count. A tie is never broken.

- one: the option that a strict majority chose.
- many: the options that a strict majority chose, each decided alone; it may be none of them.
- scale: the median. Of an even number of answers it is the mean of the two in the middle, so it may lie half between
  two points.
- text: none. All answers stand with their labels.
- span: the characters that a strict majority marked.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from annotation.domain.consensus import strict_majority
from annotation.domain.questions.question import QuestionKind
from annotation.domain.statistics.span_agreement import Spans, marked_by

ENOUGH = 2
"""The number of answers from which there is a consensus."""


@dataclass(frozen=True)
class QuestionConsensus:
    """What people answered together; `value` is None where there is no consensus."""

    answers: int
    """How many answered."""
    value: Any = None
    """A code, a tuple of codes, a median, or a tuple of (start, end)."""
    overlap: float | None = None
    """Of passages: see `span_overlap`."""


def question_consensus(kind: QuestionKind, answers: Sequence[Any]) -> QuestionConsensus:
    """Return the consensus of the answers, as labels store them, without those that were skipped."""
    if len(answers) < ENOUGH:
        return QuestionConsensus(len(answers))
    overlap = span_overlap(answers) if kind is QuestionKind.SPAN else None
    return QuestionConsensus(len(answers), _RULES[kind](answers), overlap)


def median_point(points: Sequence[int]) -> float:
    """Return the middle point, or the mean of the two in the middle; halves are exact."""
    ranked = sorted(points)
    return (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2


def majority_options(answers: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the options that more than half of the answers have, sorted."""
    chosen = Counter(option for answer in answers for option in set(answer))
    return tuple(sorted(option for option, times in chosen.items() if 2 * times > len(answers)))


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


_RULES: Mapping[QuestionKind, Callable[[Sequence[Any]], Any]] = {
    QuestionKind.ONE: strict_majority,
    QuestionKind.MANY: majority_options,
    QuestionKind.SCALE: median_point,
    QuestionKind.TEXT: lambda answers: None,
    QuestionKind.SPAN: majority_spans,
}
