"""A short text in people's own words. There is no consensus, and no agreement: all answers stand with their labels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.domain.questions.design_fields import WholeNumber
from annotation.domain.questions.kinds.kind import Key, Kind, StudioResult
from annotation.domain.questions.question import Question
from annotation.domain.questions.refusals import refuse_answer
from annotation.domain.refusal import gettext_noop as _
from annotation.domain.statistics.agreement import Alpha
from annotation.domain.statistics.figure import Undefined, Why
from annotation.domain.text_rules import BadText, is_blank, read_optional_text

TEXT_ANSWER_LIMIT = 500
"""Characters of a text answer where the question names no limit."""

_LIMIT = WholeNumber(
    "limit",
    _("Most characters of the text"),
    most=4_000,
    refusal=_("Question %(code)s: its limit is a whole number from 1 to %(most)s characters."),
    default=TEXT_ANSWER_LIMIT,
)


class Text(Kind):
    name = _("a short text")
    fields = (_LIMIT,)
    measure = "none"
    is_own_words = True

    def read(self, question: Question, value: object, text: str) -> str | None:
        if not isinstance(value, str):
            refuse_answer("not_text", f"{question.lead()} The answer is a text.", question.code)
        try:
            read_optional_text(value, question.limit or TEXT_ANSWER_LIMIT)
        except BadText as bad:
            refuse_answer(bad.code, f"{question.lead()} {bad.sentence}", question.code)
        return None if is_blank(value) else value

    def consensus(self, answers: Sequence[str]) -> None:
        return None

    def counted(self, length: int, answers: Sequence[str]) -> Key:
        return (len(answers),)

    def alpha(self, items: Mapping[Key, int], question: Question) -> Alpha:
        several = {item[0]: times for item, times in items.items() if item[0] > 1}
        ratings = sum(answers * times for answers, times in several.items())
        return Alpha(Undefined(Why.FREE_TEXT), sum(several.values()), ratings)

    def parts(self, question: Question, value: Any, text: str, language: str) -> Sequence[str]:
        return [value]

    def studio_control(self, question: Question, attributes: str) -> str:
        return f'<TextArea {attributes} maxSubmissions="1"/>'

    def studio_results(self, code: str, value: str, text: str) -> Iterable[StudioResult]:
        return [StudioResult("textarea", {"text": [value]})]

    def from_studio(self, value: Mapping[str, Any], before: Any) -> Any:
        words = value.get("text")
        return "\n".join(map(str, words)) if isinstance(words, list) else words


KIND = Text()
