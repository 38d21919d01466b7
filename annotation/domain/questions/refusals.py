"""What is refused of further questions, and of answers to them."""

from typing import NoReturn

from annotation.domain.answer import BadAnswer
from annotation.domain.refusal import Refusal


class BadQuestions(Refusal):
    """Questions that a project cannot ask; `sentence` says what to change."""

    code = "bad_questions"


def refuse_answer(code: str, sentence: str, question: str) -> NoReturn:
    """Raise BadAnswer about the answer to a question; `question` is its code."""
    raise BadAnswer(code, sentence, f"answers.{question}")


def shown(value: object) -> str:
    """Return a value as a sentence quotes it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
