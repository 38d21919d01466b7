"""Which versions of a question are counted together.

Another wording, help or name asks the same thing in other words: answers count together. Other options or another
number of points make another question under the same code: its answers have figures of their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.domain.questions.kinds.registry import kind_of
from annotation.domain.questions.question import Question


@dataclass(frozen=True)
class Pool:
    """Versions of a question whose answers count together; `question` is the newest of them."""

    question: Question
    versions: tuple[int, ...]
    """In ascending order."""


@dataclass(frozen=True)
class PooledQuestion:
    """A question with all its versions. `newest` holds the newest version, `earlier` the other pools, newest first."""

    newest: Pool
    earlier: tuple[Pool, ...] = ()

    @property
    def code(self) -> str:
        return self.newest.question.code

    @property
    def pools(self) -> tuple[Pool, ...]:
        return (self.newest, *self.earlier)


def comparable(first: Question, second: Question) -> bool:
    """Return whether answers to two versions mean the same: the same kind, points, and options to choose from."""
    return _meaning(first) == _meaning(second)


def pooled_questions(versions: Iterable[Question]) -> tuple[PooledQuestion, ...]:
    """Return every question with its pools: first those that are asked, in the order of the page, then retired ones."""
    by_code: dict[str, list[Question]] = {}
    for question in sorted(versions, key=lambda question: -question.version):
        by_code.setdefault(question.code, []).append(question)
    pooled = [_pooled(own) for own in by_code.values()]
    return tuple(
        sorted(
            pooled,
            key=lambda pooled_question: (
                pooled_question.newest.question.retired,
                pooled_question.newest.question.place,
                pooled_question.code,
            ),
        )
    )


def _pooled(newest_first: Sequence[Question]) -> PooledQuestion:
    pools: dict[object, list[Question]] = {}
    for question in newest_first:
        pools.setdefault(_meaning(question), []).append(question)
    newest, *earlier = (Pool(own[0], tuple(question.version for question in reversed(own))) for own in pools.values())
    return PooledQuestion(newest, tuple(earlier))


def _meaning(question: Question) -> tuple[object, ...]:
    own = (field.meaning(getattr(question, field.name)) for field in kind_of(question).fields)
    return question.kind, *own
