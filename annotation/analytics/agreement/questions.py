"""Agreement of annotators on the further questions, each by the alpha that fits its kind.

The answers are those of the first round of closed items, as submitted: the raw labels of `agreement`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.domain.questions.kinds.kind import Key
from annotation.domain.questions.kinds.registry import kind_of
from annotation.domain.questions.pooling import Pool, PooledQuestion, pooled_questions
from annotation.domain.questions.question import Question
from annotation.domain.statistics.agreement import Alpha


@dataclass(frozen=True)
class PoolAgreement:
    """Agreement on the answers to versions that ask the same."""

    versions: tuple[int, ...]
    alpha: Alpha
    answers: int
    """All answers, those that no second person gave to the same item included."""


@dataclass(frozen=True)
class QuestionAgreement:
    """Agreement on one question: on its newest version and those that ask the same, and on earlier ones."""

    question: Question
    newest: PoolAgreement
    earlier: tuple[PoolAgreement, ...] = ()


@dataclass
class _Counted:
    """The items of one pool by their answers."""

    pool: Pool
    items: Counter[Key] = field(default_factory=Counter)
    answers: int = 0

    def alpha(self) -> Alpha:
        return kind_of(self.pool.question).alpha(self.items, self.pool.question)


class QuestionTally:
    """Counts the answers of items, one item after the other."""

    def __init__(self, versions: Sequence[Question]) -> None:
        self.questions = pooled_questions(versions)
        self._counted = {question.code: [_Counted(pool) for pool in question.pools] for question in self.questions}
        self._place = {
            (question.code, version): number
            for question in self.questions
            for number, pool in enumerate(question.pools)
            for version in pool.versions
        }

    def __bool__(self) -> bool:
        return bool(self.questions)

    def add(self, length: int, answers: Iterable[str | None]) -> None:
        """Count the answers of one item: its text's length in characters, and what its labels store, as JSON."""
        values: dict[tuple[str, int], list[Any]] = {}
        for stored in answers:
            for code, answer in (json.loads(stored) if stored else {}).items():
                number = self._place.get((code, answer["version"]))
                if answer["value"] is not None and number is not None:
                    values.setdefault((code, number), []).append(answer["value"])
        for (code, number), own in values.items():
            counted = self._counted[code][number]
            counted.items[kind_of(counted.pool.question).counted(length, own)] += 1
            counted.answers += len(own)

    def figures(self) -> tuple[QuestionAgreement, ...]:
        """Return the agreement on every question, in the order of the page."""
        return tuple(self._figure(question) for question in self.questions)

    def _figure(self, question: PooledQuestion) -> QuestionAgreement:
        newest, *earlier = (
            PoolAgreement(counted.pool.versions, counted.alpha(), counted.answers)
            for counted in self._counted[question.code]
        )
        return QuestionAgreement(question.newest.question, newest, tuple(pool for pool in earlier if pool.answers))
