"""Known answers of items and answers of methods, in the form from which every figure is computed.

The rules are those of H-VLI's evaluator: a missing, non-integer or unknown label is wrong in both tasks. Where
precision, recall and F1 need a class for it, it gets the opposite one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.votes import Category
from moderation.domain.task import Task

HATEFUL, NOT_HATEFUL = 1, 0
"""The classes of the binary task."""


@dataclass(frozen=True, slots=True)
class Gold:
    """An item's known answer. `label` is a category's code, or None if only hateful or not is known.

    `pattern` has three bits and is empty if one is unknown; `subset` names the item's part of the data.
    """

    id: str
    hateful: bool
    label: int | None = None
    pattern: str = ""
    subset: str = ""
    labels: tuple[int, ...] = ()
    """The codes of all gold categories where there are several: an answer is right if it is one of them."""


@dataclass(frozen=True)
class GivenAnswer:
    """An answer about an item: an unchecked label, or only hateful or not, or a refusal."""

    label: Any = None
    hateful: bool | None = None
    refused: bool = False


@dataclass(frozen=True)
class Question:
    """The task and its labels: code → whether the category is hateful."""

    task: Task
    sides: Mapping[int, bool]

    @classmethod
    def about(cls, task: Task, categories: Sequence[Category]) -> "Question":
        return cls(task, {category.code: category.hateful for category in categories})

    def opposite(self, hateful: bool) -> int:
        """Return the class that stands for an unreadable answer: the first class of the opposite side."""
        if self.task is Task.BINARY:
            return NOT_HATEFUL if hateful else HATEFUL
        codes = sorted(code for code, side in self.sides.items() if side is not hateful)
        return codes[0] if codes else -1


@dataclass(frozen=True)
class MarkedAnswer:
    """An answer and the truth, both as classes of the task. `readable` is False if no known label was given."""

    truth: int
    predicted: int
    readable: bool = True
    side_right: bool = False
    """Whether the answer is right about hateful or not."""

    @property
    def right(self) -> bool:
        return self.truth == self.predicted


def counted_categories(
    offered: Sequence[Category], known: Iterable[Category], gold: Iterable[Gold]
) -> tuple[Category, ...]:
    """Return the categories that figures count: all that are offered, and those of `known` that occur in the gold.

    A category that was retired is no longer offered, but items may still have it as gold.
    """
    codes = {code for item in gold for code in (item.label, *item.labels)} - {category.code for category in offered}
    return (*offered, *(category for category in known if category.code in codes))


def mark_answer(gold: Gold, answer: GivenAnswer, question: Question) -> MarkedAnswer:
    """Return truth and prediction as classes of the task. The answer must not be a refusal.

    Raises ValueError in the six-category task if the known answer has no category.
    """
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
    truth = gold.label if code not in gold.labels else code
    return MarkedAnswer(truth, code, side_right=question.sides[code] is gold.hateful)


def known_label(label: Any, question: Question) -> int | None:
    """Return the label if it is an integer and a known code. `true` and `1.0` are no integers.

    Returns None otherwise.
    """
    if isinstance(label, bool) or not isinstance(label, int) or label not in question.sides:
        return None
    return label


def is_readable(answer: GivenAnswer, question: Question) -> bool:
    """Whether the answer says what the task asks for: a known category, or in the binary task also a side alone."""
    if question.task is Task.BINARY:
        return _side(answer, question) is not None
    return known_label(answer.label, question) is not None


def _side(answer: GivenAnswer, question: Question) -> bool | None:
    if answer.hateful is not None and answer.label is None:
        return answer.hateful
    code = known_label(answer.label, question)
    return None if code is None else question.sides[code]
