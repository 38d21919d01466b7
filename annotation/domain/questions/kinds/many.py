"""Several of a list: the answer is the codes of any number of options, sorted.

Together it is the options that a strict majority chose, each decided alone; it may be none of them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.domain.category_sets import SEPARATOR
from annotation.domain.questions.kinds.kind import TEXT, Key, StudioResult
from annotation.domain.questions.kinds.listed import Listed, choices_control, read_code
from annotation.domain.questions.question import Question
from annotation.domain.questions.refusals import refuse_answer
from annotation.domain.refusal import gettext_noop as _
from annotation.domain.statistics.agreement import Alpha
from annotation.domain.statistics.set_agreement import set_alpha


class Many(Listed):
    name = _("several of a list")
    answer_type = [TEXT]
    together = "of *many* the options that a strict majority chose"
    measure = "masi"

    def read(self, question: Question, value: object, text: str) -> list[str]:
        if not isinstance(value, list | tuple):
            refuse_answer("bad_choice", f"{question.lead()} The answer is a list of options.", question.code)
        return sorted({read_code(question, code) for code in value})

    def from_cell(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return [part.strip() for part in value.split(SEPARATOR) if part.strip()]

    def sent(self, values: Sequence[str], quoted: str) -> list[str]:
        return list(values)

    def consensus(self, answers: Sequence[Sequence[str]]) -> tuple[str, ...]:
        return majority_options(answers)

    def counted(self, length: int, answers: Sequence[Sequence[str]]) -> Key:
        return tuple(sorted(tuple(answer) for answer in answers))

    def alpha(self, items: Mapping[Key, int], question: Question) -> Alpha:
        return set_alpha(items)

    def studio_control(self, question: Question, attributes: str) -> str:
        return choices_control(question, attributes, "multiple")

    def studio_results(self, code: str, value: Sequence[str], text: str) -> Iterable[StudioResult]:
        return [StudioResult("choices", {"choices": list(value)})]


def majority_options(answers: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the options that more than half of the answers have, sorted."""
    chosen = Counter(option for answer in answers for option in set(answer))
    return tuple(sorted(option for option, times in chosen.items() if 2 * times > len(answers)))


KIND = Many()
