"""Consensus of the answers to one further question about one item.

It needs two answers; those who were not asked, or skipped the question, do not count. A tie is never broken. What each
kind makes of the answers is in its module (`kinds/`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.questions.kinds.registry import KINDS
from annotation.domain.questions.question import QuestionKind

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
    """Of answers that mark the text: see `Kind.overlap`."""


def question_consensus(kind: QuestionKind, answers: Sequence[Any]) -> QuestionConsensus:
    """Return the consensus of the answers, as labels store them, without those that were skipped."""
    if len(answers) < ENOUGH:
        return QuestionConsensus(len(answers))
    return QuestionConsensus(len(answers), KINDS[kind].consensus(answers), KINDS[kind].overlap(answers))
