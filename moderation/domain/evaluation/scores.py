"""The figures of H-VLI's evaluator for a set of answers, and the output of `evaluate --predictions --json`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.choices import Difficulty
from annotation.domain.patterns import PATTERNS, Pattern
from moderation.domain.evaluation.answers import (
    HATEFUL,
    NOT_HATEFUL,
    GivenAnswer,
    Gold,
    MarkedAnswer,
    Question,
    mark_answer,
)
from moderation.domain.evaluation.classification import Averages, ClassFigures, Confusion, averages, class_figures
from moderation.domain.task import Task

LEVELS = ("easy", "normal", "hard", "normal_hard")


@dataclass(frozen=True)
class LevelShare:
    """Counts of some items: answered, right of the answered, refused."""

    total: int
    right: int
    refused: int

    @property
    def accuracy(self) -> float | None:
        """The share of right answers; None if nothing was answered."""
        return self.right / self.total if self.total else None

    @property
    def refusal_rate(self) -> float | None:
        """The share of refusals in refusals and answers; None if there are neither."""
        return self.refused / (self.refused + self.total) if self.refused + self.total else None

    def as_json(self) -> dict[str, Any]:
        return {"total": self.total, "refused": self.refused, "accuracy": self.accuracy}


@dataclass(frozen=True)
class Scores:
    """All figures of one set of answers. `missing` items have no answer and count nowhere else."""

    task: Task
    overall: LevelShare
    missing: int
    unreadable: int
    side_right: int
    """The number of answers that are right about hateful or not, in every task."""
    confusion: Confusion
    by_difficulty: Mapping[str, LevelShare]
    by_pattern: Mapping[str, LevelShare]
    by_subset: Mapping[str, LevelShare]

    @property
    def means(self) -> Averages | None:
        """Macro and weighted figures; None if nothing was answered."""
        return averages(self.confusion)

    @property
    def hateful(self) -> ClassFigures | None:
        """The figures of the hateful class in the binary task; None in the other task, or if nothing was answered."""
        return class_figures(self.confusion).get(HATEFUL) if self.task is Task.BINARY and self.overall.total else None

    def as_json(self) -> dict[str, Any]:
        """Return the value that `evaluate` prints; undefined figures are null."""
        means, hateful = self.means, self.hateful
        binary = self.task is Task.BINARY
        return {
            "total": self.overall.total,
            "refused": self.overall.refused,
            "refusal_rate": self.overall.refusal_rate,
            "accuracy": self.overall.accuracy,
            "macro_f1": means.macro_f1 if means else None,
            "weighted_f1": means.weighted_f1 if means else None,
            "precision": (hateful.precision if hateful else None) if binary else means.precision if means else None,
            "recall": (hateful.recall if hateful else None) if binary else means.recall if means else None,
            "f1": hateful.f1 if hateful else None,
            "by_difficulty": {name: share.as_json() for name, share in self.by_difficulty.items()},
            "by_pattern": {name: share.as_json() for name, share in self.by_pattern.items()},
            "missing": self.missing,
        }


def score_answers(gold: Sequence[Gold], answers: Mapping[str, GivenAnswer], question: Question) -> Scores:
    """Compare the answers (by id) with the known ones. Return the figures.

    Raises ValueError if the task needs a category and a known answer has none.
    """
    rows = [(item, _marked(item, answers[item.id], question)) for item in gold if item.id in answers]
    marked = [answer for _, answer in rows if answer is not None]
    labels = (NOT_HATEFUL, HATEFUL) if question.task is Task.BINARY else ()
    return Scores(
        task=question.task,
        overall=_share(answer for _, answer in rows),
        missing=len(gold) - len(rows),
        unreadable=sum(not answer.readable for answer in marked),
        side_right=sum(answer.side_right for answer in marked),
        confusion=Confusion.of([answer.truth for answer in marked], [answer.predicted for answer in marked], labels),
        by_difficulty={name: _share(answer for item, answer in rows if name in levels_of(item)) for name in LEVELS},
        by_pattern={code: _share(answer for item, answer in rows if item.pattern == code) for code in PATTERNS},
        by_subset={
            name: _share(answer for item, answer in rows if item.subset == name)
            for name in sorted({item.subset for item in gold if item.subset})
        },
    )


def levels_of(gold: Gold) -> tuple[str, ...]:
    """Return the levels of difficulty that an item counts to; none if its pattern is unknown."""
    if not gold.pattern:
        return ()
    text, image, combined = (bit == "1" for bit in gold.pattern)
    difficulty = Pattern(text, image, combined).difficulty
    return (difficulty.value,) if difficulty is Difficulty.EASY else (difficulty.value, "normal_hard")


def _marked(gold: Gold, answer: GivenAnswer, question: Question) -> MarkedAnswer | None:
    return None if answer.refused else mark_answer(gold, answer, question)


def _share(answers: Iterable[MarkedAnswer | None]) -> LevelShare:
    rows = list(answers)
    answered = [answer for answer in rows if answer is not None]
    return LevelShare(len(answered), sum(answer.right for answer in answered), len(rows) - len(answered))
