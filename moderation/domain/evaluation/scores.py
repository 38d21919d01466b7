"""What H-VLI's evaluator reports of a set of answers, and the shape of `evaluate --predictions --json`."""

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
from moderation.domain.verdicts import Task

LEVELS = ("easy", "normal", "hard", "normal_hard")


@dataclass(frozen=True)
class LevelShare:
    """Of some items: how many were answered, how many of those right, how many refused."""

    total: int
    right: int
    refused: int

    @property
    def accuracy(self) -> float | None:
        """Right of answered; None where nothing was."""
        return self.right / self.total if self.total else None

    @property
    def refusal_rate(self) -> float | None:
        """Refused of refused and answered."""
        return self.refused / (self.refused + self.total) if self.refused + self.total else None

    def as_json(self) -> dict[str, Any]:
        return {"total": self.total, "refused": self.refused, "accuracy": self.accuracy}


@dataclass(frozen=True)
class Scores:
    """Every figure of one set of answers. `missing` items have no answer at all and count nowhere else."""

    task: Task
    overall: LevelShare
    missing: int
    unreadable: int
    side_right: int
    """Answers on the right side of hateful or not, whatever the task."""
    confusion: Confusion
    by_difficulty: Mapping[str, LevelShare]
    by_pattern: Mapping[str, LevelShare]
    by_subset: Mapping[str, LevelShare]

    @property
    def means(self) -> Averages | None:
        """Macro and weighted figures; None where nothing was answered."""
        return averages(self.confusion)

    @property
    def hateful(self) -> ClassFigures | None:
        """The hateful class of the binary task."""
        return class_figures(self.confusion).get(HATEFUL) if self.task is Task.BINARY and self.overall.total else None

    def as_json(self) -> dict[str, Any]:
        """Return the value that `evaluate` prints; figures that nothing defines are null."""
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
    """Hold answers by id to their truth. Raises ValueError where the task needs a category that gold does not have."""
    rows = [(each, _marked(each, answers[each.id], question)) for each in gold if each.id in answers]
    marked = [found for _, found in rows if found is not None]
    labels = (NOT_HATEFUL, HATEFUL) if question.task is Task.BINARY else ()
    return Scores(
        task=question.task,
        overall=_share(found for _, found in rows),
        missing=len(gold) - len(rows),
        unreadable=sum(not each.readable for each in marked),
        side_right=sum(each.side_right for each in marked),
        confusion=Confusion.of([each.truth for each in marked], [each.said for each in marked], labels),
        by_difficulty={name: _share(found for each, found in rows if name in levels_of(each)) for name in LEVELS},
        by_pattern={code: _share(found for each, found in rows if each.pattern == code) for code in PATTERNS},
        by_subset={
            name: _share(found for each, found in rows if each.subset == name)
            for name in sorted({each.subset for each in gold if each.subset})
        },
    )


def levels_of(gold: Gold) -> tuple[str, ...]:
    """Return the levels of difficulty an item counts to; none where its pattern is not known."""
    if not gold.pattern:
        return ()
    text, image, combined = (bit == "1" for bit in gold.pattern)
    difficulty = Pattern(text, image, combined).difficulty
    return (difficulty.value,) if difficulty is Difficulty.EASY else (difficulty.value, "normal_hard")


def _marked(gold: Gold, answer: GivenAnswer, question: Question) -> MarkedAnswer | None:
    return None if answer.refused else mark_answer(gold, answer, question)


def _share(found: Iterable[MarkedAnswer | None]) -> LevelShare:
    rows = list(found)
    answered = [each for each in rows if each is not None]
    return LevelShare(len(answered), sum(each.right for each in answered), len(rows) - len(answered))
