"""Agreement of annotators on the further questions, each by the alpha that fits its kind.

Nominal for one of a list, ordinal for a scale, set-valued (MASI) for several of a list, unitizing for passages. Texts
have none. The answers are those of the first round of closed items, as submitted: the raw labels of `agreement`.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.domain.questions.pooling import Pool, PooledQuestion, pooled_questions
from annotation.domain.questions.question import Question, QuestionKind
from annotation.domain.statistics.agreement import Alpha, nominal_alpha, ordinal_alpha, tally_of
from annotation.domain.statistics.figure import Undefined, Why
from annotation.domain.statistics.set_agreement import set_alpha
from annotation.domain.statistics.span_agreement import lengths_of, span_alpha

MEASURES: Mapping[QuestionKind, str] = {
    QuestionKind.ONE: "nominal",
    QuestionKind.MANY: "masi",
    QuestionKind.SCALE: "ordinal",
    QuestionKind.TEXT: "none",
    QuestionKind.SPAN: "unitizing",
}
"""Which alpha fits a kind."""

Key = tuple[Any, ...]
"""The answers to one item in a form that is equal for equal answers."""


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
            counted.items[_KEYS[counted.pool.question.kind](length, own)] += 1
            counted.answers += len(own)

    def figures(self) -> tuple[QuestionAgreement, ...]:
        """Return the agreement on every question, in the order of the page."""
        return tuple(self._figure(question) for question in self.questions)

    def _figure(self, question: PooledQuestion) -> QuestionAgreement:
        newest, *earlier = (
            PoolAgreement(counted.pool.versions, _ALPHAS[counted.pool.question.kind](counted), counted.answers)
            for counted in self._counted[question.code]
        )
        return QuestionAgreement(question.newest.question, newest, tuple(pool for pool in earlier if pool.answers))


def _plain(length: int, values: Sequence[Any]) -> Key:
    return tuple(sorted(values))


def _sets(length: int, values: Sequence[Any]) -> Key:
    return tuple(sorted(tuple(value) for value in values))


_KEYS: Mapping[QuestionKind, Callable[[int, Sequence[Any]], Key]] = {
    QuestionKind.ONE: _plain,
    QuestionKind.MANY: _sets,
    QuestionKind.SCALE: _plain,
    QuestionKind.TEXT: lambda length, values: (len(values),),
    QuestionKind.SPAN: lengths_of,
}


def _one(counted: _Counted) -> Alpha:
    codes = sorted({code for item in counted.items for code in item})
    place = {code: number for number, code in enumerate(codes)}
    items = {tuple(place[code] for code in item): times for item, times in counted.items.items()}
    return nominal_alpha(tally_of(items, len(codes)))


def _scale(counted: _Counted) -> Alpha:
    items = {tuple(point - 1 for point in item): times for item, times in counted.items.items()}
    return ordinal_alpha(tally_of(items, counted.pool.question.points or 0))


def _text(counted: _Counted) -> Alpha:
    several = {item[0]: times for item, times in counted.items.items() if item[0] > 1}
    ratings = sum(answers * times for answers, times in several.items())
    return Alpha(Undefined(Why.FREE_TEXT), sum(several.values()), ratings)


_ALPHAS: Mapping[QuestionKind, Callable[[_Counted], Alpha]] = {
    QuestionKind.ONE: _one,
    QuestionKind.MANY: lambda counted: set_alpha(counted.items),
    QuestionKind.SCALE: _scale,
    QuestionKind.TEXT: _text,
    QuestionKind.SPAN: lambda counted: span_alpha(counted.items),
}
