"""What cells of a file name: categories of the project, and answers to its further questions.

Categories stand there by name, code, short form, or only as hateful or not. Answers are read as the annotator's page
would store them: what the file gives for a label was asked there, whatever the label's category; what it does not name
was not asked. A version that the project does not have counts as the one that it asks now.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from annotation.domain.answer import BadAnswer
from annotation.domain.categories import DEFAULT_CATEGORIES, UnknownCategory, names, read_category
from annotation.domain.category_sets import BadSet, check_together, parts_of
from annotation.domain.choices import Choose
from annotation.domain.formats import strict_json
from annotation.domain.formats.base import PASSAGES, BadValue
from annotation.domain.formats.labels.of_row import NO_LABEL
from annotation.domain.questions.answers import NO_ANSWER, Stored, read_value
from annotation.domain.questions.kinds.registry import kind_of
from annotation.domain.questions.question import Question
from annotation.domain.text_rules import composed_places
from annotation.domain.votes import Category

_BINARY_WORDS = {"hateful": True, "not_hateful": False}
_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Named:
    """What a cell names: categories of the project, or only whether it is hateful."""

    written: str
    hateful: bool
    categories: tuple[Category, ...]
    """By code; none where the cell names only the side."""
    of_side: tuple[Category, ...] = ()
    """The project's categories of the side that is named alone."""

    @cached_property
    def code(self) -> int | None:
        """The code of the category that rows keep as theirs."""
        return self.categories[0].code if self.categories else None

    @cached_property
    def codes(self) -> tuple[int, ...]:
        """All codes as rows keep them: none for fewer than two categories."""
        return tuple(category.code for category in self.categories) if len(self.categories) > 1 else ()

    @cached_property
    def side(self) -> bool | None:
        """Whether it is hateful, as rows keep it: only where no category says so."""
        return None if self.categories else self.hateful

    def __str__(self) -> str:
        return ", ".join(map(str, self.codes)) or ", ".join(f"{one.code} {one.name}" for one in self.categories)

    def exact(self, field: str) -> Self:
        """Return it with its categories. A side counts only if the project has one category on it. Raises BadValue."""
        if self.categories:
            return self
        if len(self.of_side) != 1:
            reason = (
                f"The file only says {self.written}, but the project has {len(self.of_side)} such categories. Import "
                "the label as intended, where hateful or not is enough."
            )
            raise BadValue("binary_label", reason, field)
        return replace(self, categories=self.of_side)


_MEANS_NOTHING = frozenset(
    {"nan", "na", "n/a", "none", "null", "-1", "-99", "ignore", "missing", "unlabeled", "unlabelled", "?", "-"}
)
"""Words by which tables say that there is no label."""


class CategoryReader:
    """A reader of cells as categories of one project. It remembers what it has read."""

    def __init__(self, categories: Sequence[Category], choose: Choose) -> None:
        self._categories = categories
        self._choose = choose
        self._by_word: dict[str, Category] = {}
        self._by_cell: dict[str, Named] = {}

    def _category(self, written: str, field: str) -> Category:
        category = self._by_word.get(written)
        if category is None:
            try:
                category = read_category(written, self._categories)
            except UnknownCategory as fault:
                category = self._by_usual_name(written) or self._by_decimal_code(written)
                if category is None:
                    hint = f" If {written!r} means that there is no label, map it so: {written}={NO_LABEL}."
                    hint += f" In a command write --map={written}={NO_LABEL}." if written.startswith("-") else ""
                    nothing = written.strip().casefold() in _MEANS_NOTHING
                    raise BadValue("unknown_label", fault.sentence + (hint if nothing else ""), field) from fault
            self._by_word[written] = category
        return category

    def _by_usual_name(self, written: str) -> Category | None:
        """Return the project's category for another name of a default category (Homophobe, Homophobic).

        Returns None if there is none.
        """
        with suppress(UnknownCategory):
            for name in names(read_category(written, DEFAULT_CATEGORIES)):
                with suppress(UnknownCategory):
                    return None if written.isdecimal() else read_category(name, self._categories)
        return None

    def _by_decimal_code(self, written: str) -> Category | None:
        """Return the category of a code that a program wrote as `1.0`. Returns None if it is none."""
        whole, point, rest = written.partition(".")
        if not point or not whole.isdecimal() or rest.strip("0"):
            return None
        return next((category for category in self._categories if category.code == int(whole)), None)

    def read(self, written: str, field: str) -> Named:
        """Return what a cell names: several categories only where the project takes several. Raises BadValue."""
        named = self._by_cell.get(written)
        if named is None:
            named = self._by_cell[written] = self._named(written, field)
        return named

    def _named(self, written: str, field: str) -> Named:
        try:
            categories = self._categories_of(written, field)
        except BadValue:
            if written not in _BINARY_WORDS:
                raise
            hateful = _BINARY_WORDS[written]
            of_side = tuple(category for category in self._categories if category.hateful == hateful)
            return Named(written, hateful, (), of_side)
        return Named(written, categories[0].hateful, categories)

    def _categories_of(self, written: str, field: str) -> tuple[Category, ...]:
        try:
            return (self._category(written, field),)
        except BadValue:
            parts = parts_of(written)
            if len(parts) < 2 or (self._choose is Choose.ONE and not all(map(self._is_category, parts))):
                raise
        by_code = {category.code: category for category in (self._category(part, field) for part in parts)}
        read = tuple(by_code[code] for code in sorted(by_code))
        try:
            check_together(read, self._choose)
        except BadSet as bad:
            raise BadValue(bad.code, bad.sentence, field) from bad
        return read

    def _is_category(self, written: str) -> bool:
        try:
            return bool(self._category(written, ""))
        except BadValue:
            return False

    def knows(self, written: str) -> bool:
        """Return whether a label is a category's name, or names a side."""
        try:
            self.read(written, "")
        except BadValue:
            return False
        return True


class AnswerReader:
    """A reader of the answers of one project's questions."""

    def __init__(self, versions: Sequence[Question]) -> None:
        """Take all versions of the project's questions."""
        self._versions = {(question.code, question.version): question for question in versions}
        self._newest = {question.code: question for question in sorted(versions, key=lambda question: question.version)}

    def read(
        self, answers: Mapping[str, Any], text: str, masked: bool, offered: Mapping[str, Any] = _NOTHING
    ) -> Stored:
        """Return the answers of one label as a label stores them.

        `answers` holds by code a value, or `{"version", "value"}`. Of what a known data set has `offered`, the answers
        count that the project asks for and that fit its questions.
        Raises BadValue with the field `answers.CODE`.
        """
        parts = {code: _parts(entry, code) for code, entry in answers.items()}
        answered = {code: part for code, part in parts.items() if part is not None}
        return self._fitting(offered, text, masked) | {
            code: self._stored(code, version, value, text, masked)
            for code, (version, value) in answered.items()
            if value not in NO_ANSWER or self._could_ask(code, text)
        }

    @cached_property
    def of_passages(self) -> str:
        """The one question that asks for passages; "" if there is none, or several."""
        codes = [code for code, question in self._newest.items() if kind_of(question).marks_text]
        return codes[0] if len(codes) == 1 else ""

    def _fitting(self, answers: Mapping[str, Any], text: str, masked: bool) -> Stored:
        fitting: Stored = {}
        for name, value in answers.items():
            code = self.of_passages if name == PASSAGES else name
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
        if kind_of(question).marks_text and value:
            read = composed_places(read, text)
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
