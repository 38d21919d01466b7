"""What is known of an item and what a method answered, in the form that every figure is counted from.

H-VLI's evaluator decides how (notes on its released code; issue "Evaluation"): a missing, non-integer or unknown
label is wrong in both tasks, and where precision, recall and F1 need a class for it, it takes the opposite side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.votes import Category
from moderation.domain.verdicts import Task

HATEFUL, NOT_HATEFUL = 1, 0
"""The classes of the binary task."""


@dataclass(frozen=True)
class Gold:
    """An item's truth. `label` is a category's code; None where only hateful or not is known.

    `pattern` are the three bits, empty where one is unknown; `subset` is the part of the data the item counts to.
    """

    id: str
    hateful: bool
    label: int | None = None
    pattern: str = ""
    subset: str = ""


@dataclass(frozen=True)
class GivenAnswer:
    """What was answered about an item: a label as it came, or only a side; or a refusal."""

    label: Any = None
    hateful: bool | None = None
    refused: bool = False


@dataclass(frozen=True)
class Question:
    """What is asked, and which labels there are: code → whether the category is hateful."""

    task: Task
    sides: Mapping[int, bool]

    @classmethod
    def about(cls, task: Task, categories: Sequence[Category]) -> "Question":
        return cls(task, {each.code: each.hateful for each in categories})

    def opposite(self, hateful: bool) -> int:
        """Return the class that stands for an answer that cannot be read: the first one of the other side."""
        if self.task is Task.BINARY:
            return NOT_HATEFUL if hateful else HATEFUL
        other = sorted(code for code, side in self.sides.items() if side is not hateful)
        return other[0] if other else -1


@dataclass(frozen=True)
class MarkedAnswer:
    """An answer beside its truth, both as classes of the task. `readable` is False where no known label was given."""

    truth: int
    said: int
    readable: bool = True
    side_right: bool = False
    """Whether the answer is on the right side of hateful or not."""

    @property
    def right(self) -> bool:
        return self.truth == self.said


def mark_answer(gold: Gold, answer: GivenAnswer, question: Question) -> MarkedAnswer:
    """Hold an answer that is no refusal to its truth. Raises ValueError for a six-class question without a category."""
    side = _side(answer, question)
    if question.task is Task.BINARY:
        truth = HATEFUL if gold.hateful else NOT_HATEFUL
        if side is None:
            return MarkedAnswer(truth, question.opposite(gold.hateful), readable=False)
        return MarkedAnswer(truth, HATEFUL if side else NOT_HATEFUL, side_right=side is gold.hateful)
    if gold.label is None:
        raise ValueError(f"Only hateful or not is known of {gold.id!r}: choose the binary task.")
    code = known_label(answer.label, question)
    if code is None:
        return MarkedAnswer(gold.label, question.opposite(gold.hateful), readable=False)
    return MarkedAnswer(gold.label, code, side_right=question.sides[code] is gold.hateful)


def known_label(label: Any, question: Question) -> int | None:
    """Return the label if it is a whole number and one of the known codes, else None. `true` and `1.0` are none."""
    if isinstance(label, bool) or not isinstance(label, int) or label not in question.sides:
        return None
    return label


def _side(answer: GivenAnswer, question: Question) -> bool | None:
    if answer.hateful is not None and answer.label is None:
        return answer.hateful
    code = known_label(answer.label, question)
    return None if code is None else question.sides[code]
