"""What the kinds have in common whose answers are options of a list."""

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from annotation.domain.questions.design_fields import Options
from annotation.domain.questions.kinds.kind import Choice, Kind
from annotation.domain.questions.question import Question
from annotation.domain.questions.refusals import refuse_answer
from annotation.domain.refusal import gettext_noop as _

OPTIONS = Options(
    "options",
    _("Options"),
    _("One per line: migrants = People who moved here. A line that you remove is retired."),
)


class Listed(Kind):
    """Options of a list."""

    fields = (OPTIONS,)

    def parts(self, question: Question, value: Any, text: str, language: str) -> Sequence[str]:
        names = {option.code: option.title(language) for option in question.options}
        codes: list[str] = value if isinstance(value, list) else [value]
        return [names.get(code, code) for code in codes]

    def choices(self, question: Question, language: str) -> Sequence[Choice]:
        return [Choice(option.code, option.title(language)) for option in question.offered]

    def from_studio(self, value: Mapping[str, Any], before: Any) -> Any:
        return value.get("choices")


def choices_control(question: Question, attributes: str, choice: str) -> str:
    """Return the control of a list; `choice` is how many may be chosen."""
    options = "".join(
        f"\n    <Choice value={quoteattr(option.code)} hint={quoteattr(option.title())}/>"
        for option in question.options
    )
    return f'<Choices {attributes} choice="{choice}">{options}\n  </Choices>'


def read_code(question: Question, value: object) -> str:
    """Return the code of an option that can be chosen. Raises BadAnswer."""
    codes = [option.code for option in question.offered]
    if not isinstance(value, str) or value not in codes:
        refuse_answer("bad_choice", f"{question.lead()} Choose one of {', '.join(codes)}.", question.code)
    return value
