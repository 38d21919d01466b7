"""Answers to further questions that come with a file's labels: read as the annotator's page would store them.

What the file gives for a label was asked there, whatever the label's category; what it does not name was not asked. A
version that the project does not have counts as the one that it asks now.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from annotation.domain.answer import BadAnswer
from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue
from annotation.domain.questions.answers import NO_ANSWER, Stored, read_value
from annotation.domain.questions.kinds.registry import kind_of
from annotation.domain.questions.question import Question


class AnswerReader:
    """A reader of the answers of one project's questions."""

    def __init__(self, versions: Sequence[Question]) -> None:
        """Take all versions of the project's questions."""
        self._versions = {(question.code, question.version): question for question in versions}
        self._newest = {question.code: question for question in sorted(versions, key=lambda question: question.version)}

    def read(self, answers: Mapping[str, Any], text: str, masked: bool) -> Stored:
        """Return the answers of one label as a label stores them.

        `answers` holds by code a value, or `{"version", "value"}`. Raises BadValue with the field `answers.CODE`.
        """
        parts = {code: _parts(entry, code) for code, entry in answers.items()}
        answered = {code: part for code, part in parts.items() if part is not None}
        return {
            code: self._stored(code, version, value, text, masked)
            for code, (version, value) in answered.items()
            if value not in NO_ANSWER or self._could_ask(code, text)
        }

    def offered(self, answers: Mapping[str, Any], text: str, masked: bool) -> Stored:
        """Return those of a data set's own answers that the project asks for and that fit its questions."""
        fitting: Stored = {}
        for code, value in answers.items():
            with suppress(BadValue):
                if code in self._newest and value:
                    fitting[code] = self._stored(code, None, value, text, masked)
        return fitting

    def _could_ask(self, code: str, text: str) -> bool:
        """Whether nobody is said to have skipped a question about parts of a text that is not there."""
        return code not in self._newest or kind_of(self._newest[code]).has_subject(text)

    def _stored(self, code: str, version: int | None, value: Any, text: str, masked: bool) -> dict[str, Any]:
        newest = self._newest.get(code)
        if newest is None:
            codes = ", ".join(self._newest) or "none"
            reason = (
                f"This project asks no question {code[:60]!r}; it asks: {codes}. Add it to the design, or leave out"
            )
            raise BadValue("unknown_question", f"{reason} the column answers.", f"answers.{code[:60]}")
        question = self._versions.get((code, version or 0), newest)
        if masked and kind_of(question).marks_text and value:
            reason = (
                "The text is masked on import, so marked places no longer fit. Import it unmasked, or without them."
            )
            raise BadValue("masked_places", reason, f"answers.{code}")
        try:
            read = read_value(_every_option(question), _plain(question, value), text)
        except BadAnswer as bad:
            raise BadValue(bad.code, bad.sentence, bad.field) from bad
        return {"version": question.version, "value": read}


def _parts(entry: Any, code: str) -> tuple[int | None, Any] | None:
    """Return the version and the value of an entry. Returns None if it says that the question was not asked."""
    if not isinstance(entry, Mapping):
        return None, entry
    if set(entry) - {"version", "value"} or not isinstance(entry.get("version"), int | None):
        raise BadValue(
            "bad_answers", "An answer is a value, or an object of version and value.", f"answers.{code[:60]}"
        )
    version, value = entry.get("version"), entry.get("value")
    return None if version is None and value is None else (version, value)


def _every_option(question: Question) -> Question:
    """Return the question with its retired options on offer: answers from before name them."""
    return replace(question, options=tuple(replace(option, retired=False) for option in question.options))


def _plain(question: Question, value: Any) -> Any:
    """Return a value as JSON has it, from one that a cell of a table or another program's list holds.

    Raises BadValue for a cell that begins like JSON and is none.
    """
    kind = kind_of(question)
    if isinstance(value, str) and isinstance(kind.answer_type, list) and value.startswith("["):
        return strict_json.parse(value)
    return kind.from_cell(value)
