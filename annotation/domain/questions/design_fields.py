"""The fields that only questions of some kinds have in a design: how each is read from a file and written to one.

Each has the name of an attribute of `Question`. Its label and help are English; the design's page says them in the
language of the reader, with a form field by its class (`annotation/projects/question_fields.py`).
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NotRequired, TypedDict

from annotation.domain.questions.question import Option
from annotation.domain.questions.refusals import BadQuestions, shown
from annotation.domain.refusal import gettext_noop as _
from annotation.domain.text_rules import BadText
from annotation.domain.words import BadWords, ShownWords, read_words, shown_words
from vocabulary.answers import sparse_answer

CODE_LIMIT = 40
NAME_LIMIT = 80
"""Characters of the name of an option, and of what an end of a scale means."""
OPTION_COUNT = 40
_OPTION_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")


class QuestionOption(TypedDict):
    """One of a list."""

    code: str
    name: NotRequired[ShownWords]
    retired: NotRequired[bool]


@dataclass(frozen=True)
class DesignField(ABC):
    """A field of a question in a design."""

    type: ClassVar[Any] = str
    """What it is in a row."""
    name: str
    label: str
    help: str = ""

    @abstractmethod
    def read(self, code: str, row: Mapping[str, Any]) -> Any:
        """Return the attribute of the question `code` from its row. Raises BadQuestions."""

    def written(self, value: Any) -> Any:
        """Return the attribute as a row has it."""
        return value

    def meaning(self, value: Any) -> Any:
        """Return what is equal for two versions that ask the same; None where the field makes no difference."""
        return None


class Words(DesignField):
    """A short text, or one text a language."""

    type = ShownWords

    def read(self, code: str, row: Mapping[str, Any]) -> dict[str, str]:
        return read_field(code, row, self.name, NAME_LIMIT)

    def written(self, value: Any) -> Any:
        return shown_words(value)


@dataclass(frozen=True)
class WholeNumber(DesignField):
    """A whole number from `least` to `most`."""

    type = int

    least: int = 1
    most: int = 1
    refusal: str = ""
    """The sentence about another value; `code`, `least` and `most` may stand in it."""
    default: int | None = None
    """What a row without the field means. None: it needs one."""
    suggested: str = ""
    """What the page begins with."""
    parts_versions: bool = False
    """Whether versions with another number ask something else."""

    def read(self, code: str, row: Mapping[str, Any]) -> int:
        value = row.get(self.name, self.default)
        if type(value) is not int or not self.least <= value <= self.most:
            raise BadQuestions(self.refusal, code=code, least=self.least, most=f"{self.most:,}")
        return value

    def meaning(self, value: Any) -> Any:
        return value if self.parts_versions else None


class Options(DesignField):
    """The options of a list."""

    type = list[QuestionOption]

    def read(self, code: str, row: Mapping[str, Any]) -> tuple[Option, ...]:
        rows = row.get(self.name, [])
        if not isinstance(rows, list):
            raise BadQuestions(_("Question %(code)s: options are a list of {code, name}."), code=code)
        options = tuple(_option(code, one) for one in rows)
        offered = sum(not option.retired for option in options)
        if not 2 <= offered <= OPTION_COUNT:
            raise BadQuestions(
                _("Question %(code)s needs 2 to %(most)s options; this list has %(count)s."),
                code=code,
                most=OPTION_COUNT,
                count=offered,
            )
        _refuse_shared_codes(code, options)
        return options

    def written(self, value: Any) -> Any:
        return [sparse_answer(QuestionOption, option, name=shown_words(option.name)) for option in value]

    def meaning(self, value: Any) -> Any:
        return frozenset(option.code for option in value if not option.retired)


def read_field(code: str, row: Mapping[str, Any], field: str, limit: int) -> dict[str, str]:
    """Return the words of a field by language. Raises BadQuestions."""
    try:
        return read_words(row.get(field, ""), limit, lines=field == "help")
    except BadWords as bad:
        raise BadQuestions(
            _("Question %(code)s: %(field)s must be a text, or one text per language code."), code=code, field=field
        ) from bad
    except BadText as bad:
        raise BadQuestions(_("Question %(code)s, %(field)s: %(reason)s"), code=code, field=field, reason=bad) from bad


def read_flag(code: str, row: Mapping[str, Any], field: str) -> bool:
    """Return a field that is true or false. Raises BadQuestions."""
    value = row.get(field, False)
    if not isinstance(value, bool):
        raise BadQuestions(_("Question %(code)s: %(field)s is true or false."), code=code, field=field)
    return value


def _option(code: str, row: object) -> Option:
    if not isinstance(row, Mapping) or set(row) - {"code", "name", "retired"}:
        raise BadQuestions(_("Question %(code)s: an option is {code, name}, and may be retired."), code=code)
    own = row.get("code")
    if not isinstance(own, str) or not _OPTION_CODE.fullmatch(own):
        raise BadQuestions(
            _("Question %(code)s: an option's code has at most %(most)s letters, digits and _ . -: %(value)s."),
            code=code,
            most=CODE_LIMIT,
            value=shown(own),
        )
    name = read_field(f"{code}, option {own}", row, "name", NAME_LIMIT)
    return Option(own, name, read_flag(code, row, "retired"))


def _refuse_shared_codes(code: str, options: tuple[Option, ...]) -> None:
    earlier_codes: set[str] = set()
    for option in options:
        if option.code.casefold() in earlier_codes:
            raise BadQuestions(
                _("Question %(code)s: two options share the code %(option)s."), code=code, option=repr(option.code)
            )
        earlier_codes.add(option.code.casefold())
