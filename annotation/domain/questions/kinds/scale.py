"""A scale: the answer is a point from 1 to `points`. Together it is the median.

Of an even number of answers that is the mean of the two in the middle, so it may lie half between two points.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.domain.questions.design_fields import WholeNumber, Words
from annotation.domain.questions.kinds.kind import NUMBER, WHOLE, Choice, Key, Kind, StudioResult, only
from annotation.domain.questions.question import Question
from annotation.domain.questions.refusals import refuse_answer
from annotation.domain.refusal import gettext_noop as _
from annotation.domain.statistics.agreement import Alpha, ordinal_alpha, tally_of
from annotation.domain.words import in_language

_POINTS = WholeNumber(
    "points",
    _("Points of the scale"),
    least=3,
    most=9,
    refusal=_("Question %(code)s needs points: a whole number from %(least)s to %(most)s."),
    suggested="5",
)


class Scale(Kind):
    name = _("a scale")
    fields = (
        _POINTS,
        Words("low", _("What its first point means")),
        Words("high", _("What its last point means")),
    )
    answer_type = WHOLE
    consensus_type = NUMBER
    together = "of a *scale* the median (the mean of the two in the middle)"
    measure = "ordinal"
    fits_its_version_alone = True

    def read(self, question: Question, value: object, text: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= (question.points or 0):
            sentence = f"{question.lead()} Choose a point from 1 to {question.points}."
            refuse_answer("bad_point", sentence, question.code)
        return value

    def from_cell(self, value: Any) -> Any:
        value = only(value)
        if isinstance(value, str) and value.isdecimal() and len(value) < 3:
            return int(value)
        return int(value) if isinstance(value, float) and value.is_integer() else value

    def sent(self, values: Sequence[str], quoted: str) -> Any:
        value = values[-1] if values else ""
        if value.isascii() and value.isdigit() and len(value) == 1:
            return int(value)
        return super().sent(values, quoted)

    def consensus(self, answers: Sequence[int]) -> float:
        return median_point(answers)

    def alpha(self, items: Mapping[Key, int], question: Question) -> Alpha:
        numbered = {tuple(point - 1 for point in item): times for item, times in items.items()}
        return ordinal_alpha(tally_of(numbered, question.points or 0))

    def parts(self, question: Question, value: Any, text: str, language: str) -> Sequence[str]:
        end = {1: question.low, question.points: question.high}.get(value, {})
        meaning = in_language(end, language)
        return [f"{value} / {question.points} ({meaning})" if meaning else f"{value} / {question.points}"]

    def choices(self, question: Question, language: str) -> Sequence[Choice]:
        return [Choice(str(point), str(point)) for point in range(1, (question.points or 0) + 1)]

    def studio_control(self, question: Question, attributes: str) -> str:
        return f'<Rating {attributes} maxRating="{question.points}"/>'

    def studio_results(self, code: str, value: int, text: str) -> Iterable[StudioResult]:
        return [StudioResult("rating", {"rating": value})]

    def from_studio(self, value: Mapping[str, Any], before: Any) -> Any:
        return value.get("rating")


def median_point(points: Sequence[int]) -> float:
    """Return the middle point, or the mean of the two in the middle; halves are exact."""
    ranked = sorted(points)
    return (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2


KIND = Scale()
