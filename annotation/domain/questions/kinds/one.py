"""One of a list: the answer is the code of an option. Together it is what a strict majority chose."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.domain.consensus import strict_majority
from annotation.domain.questions.kinds.kind import Key, StudioResult, only
from annotation.domain.questions.kinds.listed import Listed, choices_control, read_code
from annotation.domain.questions.question import Question
from annotation.domain.refusal import gettext_noop as _
from annotation.domain.statistics.agreement import Alpha, nominal_alpha, tally_of


class One(Listed):
    name = _("one of a list")
    together = "of *one* of a list the option of a strict majority"
    measure = "nominal"

    def read(self, question: Question, value: object, text: str) -> str:
        return read_code(question, value)

    def from_cell(self, value: Any) -> Any:
        return only(value)

    def consensus(self, answers: Sequence[str]) -> str | None:
        return strict_majority(answers)

    def alpha(self, items: Mapping[Key, int], question: Question) -> Alpha:
        codes = sorted({code for item in items for code in item})
        place = {code: number for number, code in enumerate(codes)}
        numbered = {tuple(place[code] for code in item): times for item, times in items.items()}
        return nominal_alpha(tally_of(numbered, len(codes)))

    def studio_control(self, question: Question, attributes: str) -> str:
        return choices_control(question, attributes, "single")

    def studio_results(self, code: str, value: str, text: str) -> Iterable[StudioResult]:
        return [StudioResult("choices", {"choices": [value]})]


KIND = One()
