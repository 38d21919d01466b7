"""Critics score a text that a person wrote or edited, so that it can be compared with the candidates."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generation.domain.counterspeech.options import ScoreOptions
from generation.domain.counterspeech.states import OPEN
from generation.methods.counterspeech import critics
from generation.methods.counterspeech.hate_case import Hate, exchange_of, hate_of, still_there
from generation.models import Exchange, Reply
from providers.roles import ModelRole
from runs.domain.states import RunState
from runs.methods.method import Finish, Limits, Outcome, SavedTurn, Step
from runs.models import Run

NAME = "counterscore"
ROLES = critics.ROLES


@dataclass(frozen=True)
class ScoredReply:
    """A post and the reply that is scored."""

    hate: Hate
    options: ScoreOptions
    reader: str
    """The model that reads marks which nothing else finds; empty if there is none."""


class Counterscore:
    """The method that scores a text: four calls at once, five where a reader is asked."""

    name = NAME
    limits = Limits(calls=16, tokens=60_000, seconds=600)

    def case(self, run: Run) -> ScoredReply | None:
        """Return the post and the text.

        Returns None if the exchange is gone or its item was excluded.
        """
        exchange = exchange_of(run)
        if exchange is None:
            return None
        reader = run.model_plan.get(ModelRole.READER, "")
        return ScoredReply(hate_of(exchange, run), ScoreOptions.model_validate(run.options), reader)

    def still_wanted(self, run: Run) -> bool:
        """Return whether the post is still to be answered."""
        return still_there(run)

    def next_steps(self, case: ScoredReply, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        """Ask the four critics. A critic that gives no answer leaves its score empty."""
        text = case.options.text
        questions = critics.questions(case.hate, text, "reply", case.hate.description, case.reader)
        if unread := [question for question in questions if question.key not in turns]:
            return unread
        marks = {"read_marks": critics.read_marks(turns, text, "reply", case.reader)}
        return Finish(critics.scores(turns, "reply", case.options.terms.weights()) | marks)

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Store the scores in the replies with this text. Return False if the exchange is gone."""
        exchange = Exchange.objects.filter(public_id=run.subject).first()
        if exchange is None:
            return False
        if outcome.state == RunState.SUCCEEDED:
            keep_scores(exchange, str(run.options["text"]), outcome.value)
        return True


def keep_scores(exchange: Exchange, text: str, scores: Mapping[str, Any]) -> None:
    """Store the critics' scores of a text in every open reply with exactly this text."""
    same = Reply.objects.filter(exchange=exchange, text=text, state__in=OPEN)
    same.update(scored_sha256=digest(text), **{"read_marks": [], **scores})  # older runs had no reader


def digest(text: str) -> str:
    """Return the hash that identifies the text to which scores belong."""
    return hashlib.sha256(text.encode()).hexdigest()
