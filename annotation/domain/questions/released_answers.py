"""The further questions in a release: the columns of labels and items, their types, and how a row gets them.

A label has `answers`, the value by the code of each question, and `answer_versions`, the version that was asked. Null
in both: the question was not asked; a version without a value: it was skipped. An item has `questions`, the consensus
of its labels' answers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.domain.questions.consensus import question_consensus
from annotation.domain.questions.kinds.kind import NUMBER, WHOLE
from annotation.domain.questions.kinds.registry import KINDS
from annotation.domain.questions.pooling import pooled_questions
from annotation.domain.questions.question import Question, QuestionKind

ANSWERS, VERSIONS, QUESTIONS = "answers", "answer_versions", "questions"
ANSWER_COLUMNS = (ANSWERS, VERSIONS)
"""Columns of a label in a release of a project with further questions."""

Kinds = Mapping[str, QuestionKind]
"""The questions of a project by code, in the order of the page."""
Stored = Mapping[str, Mapping[str, Any]]
"""The answers as a label keeps them."""


def answer_types(kinds: Kinds) -> dict[str, Any]:
    """Return the types of a label's columns, as `column_types` describes types."""
    return {
        ANSWERS: {code: KINDS[kind].answer_type for code, kind in kinds.items()},
        VERSIONS: dict.fromkeys(kinds, WHOLE),
    }


def consensus_types(kinds: Kinds) -> dict[str, Any]:
    """Return the type of an item's column `questions`."""
    return {QUESTIONS: {code: _consensus_type(kind) for code, kind in kinds.items()}}


def _consensus_type(kind: QuestionKind) -> dict[str, Any]:
    overlap = {"overlap": NUMBER} if KINDS[kind].marks_text else {}
    value = KINDS[kind].consensus_type or KINDS[kind].answer_type
    return {"value": value, "answers": WHOLE, "version": WHOLE} | overlap


class ReleasedAnswers:
    """Makes the columns of rows from the answers that labels keep."""

    def __init__(self, versions: Sequence[Question]) -> None:
        """Take all versions of a project's questions."""
        questions = pooled_questions(versions)
        self.questions = tuple(question.newest.question for question in questions)
        self.kinds: Kinds = {question.code: question.kind for question in self.questions}
        self._pool = {
            (question.code, version): number
            for question in questions
            for number, pool in enumerate(question.pools)
            for version in pool.versions
        }

    def of_label(self, stored: Stored) -> dict[str, Any]:
        """Return the columns of a label."""
        return {
            ANSWERS: {code: stored[code]["value"] if code in stored else None for code in self.kinds},
            VERSIONS: {code: stored[code]["version"] if code in stored else None for code in self.kinds},
        }

    def of_item(self, labels: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the consensus by question from the columns of an item's labels."""
        return {code: self._consensus(code, kind, labels) for code, kind in self.kinds.items()}

    def _consensus(self, code: str, kind: QuestionKind, labels: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the consensus on the newest version that somebody answered, and those that ask the same."""
        answered = [
            (label[VERSIONS][code], label[ANSWERS][code]) for label in labels if label[ANSWERS][code] is not None
        ]
        newest = max((version for version, _value in answered), default=None)
        pool = self._pool.get((code, newest or 0))
        consensus = question_consensus(
            kind, [value for version, value in answered if self._pool[code, version] == pool]
        )
        value = {"value": _listed(consensus.value), "answers": consensus.answers, "version": newest}
        return value | ({"overlap": consensus.overlap} if KINDS[kind].marks_text else {})


def _listed(value: Any) -> Any:
    """Return a consensus as JSON has it: tuples as lists."""
    return [_listed(part) for part in value] if isinstance(value, tuple) else value


def without_texts(kinds: Kinds, label: Mapping[str, Any]) -> dict[str, Any]:
    """Return a label's columns without answers in people's own words, which may quote the post."""
    return {
        ANSWERS: {code: None if KINDS[kinds[code]].is_own_words else value for code, value in label[ANSWERS].items()}
    }


def flat_columns(kinds: Kinds) -> dict[str, Any]:
    """Return the columns of a table with a row for each label, with their types: two for each question."""
    return {
        name: kind
        for code, answer in kinds.items()
        for name, kind in ((f"answer_{code}", KINDS[answer].answer_type), (f"answer_{code}_version", WHOLE))
    }


def flat_values(label: Mapping[str, Any]) -> dict[str, Any]:
    """Return a label's answers under the names of `flat_columns`."""
    answers = {f"answer_{code}": value for code, value in label[ANSWERS].items()}
    return answers | {f"answer_{code}_version": version for code, version in label[VERSIONS].items()}
