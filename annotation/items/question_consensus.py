"""What people answered together to the further questions about one item, for its page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.questions.kinds.registry import KINDS
from annotation.domain.questions.question import Question
from annotation.domain.questions.released_answers import ReleasedAnswers
from annotation.pages.answers_shown import AnswerShown, answers_shown


@dataclass(frozen=True)
class ConsensusShown:
    """One question with its consensus in words; without parts there is none."""

    shown: AnswerShown
    answers: int
    overlap: float | None = None
    """The mean share of characters that two people marked alike."""


def consensus_shown(
    answers: Sequence[Mapping[str, Any]], questions: Sequence[Question], text: str
) -> list[ConsensusShown]:
    """Return the consensus on every question that somebody answered, but for texts in people's own words.

    `answers` has what each label stores.
    """
    released = ReleasedAnswers(questions)
    consensus = released.of_item([released.of_label(stored) for stored in answers])
    together = {
        code: {"version": row["version"], "value": _plain(row["value"])}
        for code, row in consensus.items()
        if row["answers"] and not KINDS[released.kinds[code]].is_own_words
    }
    shown = answers_shown(together, questions, text)
    return [
        ConsensusShown(answer, consensus[code]["answers"], consensus[code].get("overlap"))
        for code, answer in zip(together, shown, strict=True)
    ]


def _plain(value: Any) -> Any:
    """Return a consensus as an answer has it: a whole median without its fraction, no options as none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value or None
