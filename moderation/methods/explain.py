"""An explanation in prose that ends in a conclusion; HateXScore scores it later (design section 8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from moderation.domain.baseline import ExplainOptions
from moderation.domain.hatexscore.htc import verdict
from moderation.domain.hatexscore.second_reading import SecondReading, read_by
from moderation.methods.debate_method import DebateMethod
from moderation.methods.post_case import Post, post_of
from moderation.methods.post_method import PostMethod
from moderation.methods.second_reader import KEY, is_unsure, second_reading, second_reading_step
from providers.keyword.arcade import EXPLANATION
from providers.roles import ModelRole
from providers.thoughts import without_thoughts
from runs.domain.states import Reason, TurnState
from runs.methods.method import LIMIT_KEY, Finish, GiveUp, Limits, SavedTurn, Step
from runs.models import Run
from vocabulary.display_names import pgettext

NAME = "explain"
ROLES = (ModelRole.EXPLAINER,)
EXPLAIN = "explain"
TOKENS = 512


@dataclass(frozen=True)
class ExplainCase:
    """A post, the options of its explanation, and the model that reads it a second time; empty: none does."""

    post: Post
    options: ExplainOptions
    reader: str = ""


class Explain(PostMethod):
    """The explanation: definition, analysis that quotes the text, conclusion; with two worked examples or none.

    Where a reader is named it reads what the rules read no conclusion in, and what they take for a refusal.
    """

    name = NAME
    limits = Limits(calls=6, tokens=100_000, seconds=1800)

    def case(self, run: Run) -> ExplainCase | None:
        """Return the post and the options of this run.

        Returns None if the post is gone.
        """
        post = post_of(run)
        if post is None:
            return None
        return ExplainCase(post, ExplainOptions.model_validate(run.options), run.model_plan.get(ModelRole.READER, ""))

    def next_steps(self, case: ExplainCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Return the question, or the outcome; `hateful` is None if the explanation has no conclusion."""
        if (turn := turns.get(EXPLAIN)) is None:
            return [_question(case)]
        if step := self.closing_step(case, turns):
            return [step]
        return _end(case, turns, turn)

    def closing_step(self, case: ExplainCase, turns: Mapping[str, SavedTurn]) -> Step | None:
        """Return the second reading where it is what comes next: near a limit the run ends without it.

        Returns None if the rules are sure, nobody reads a second time, or that is done.
        """
        turn = turns.get(EXPLAIN)
        if turn is None or not case.reader or not turns.keys().isdisjoint({KEY, LIMIT_KEY}):
            return None
        explanation = _explanation(turn)
        return second_reading_step(explanation, case.post.nonce) if explanation and is_unsure(explanation) else None


def _explanation(turn: SavedTurn) -> str:
    """Return what was written, also where the rules take it for a refusal; empty if nothing usable was."""
    if turn.state == TurnState.OK:
        return str(turn.value)
    return without_thoughts(turn.reply).strip() if turn.reason == Reason.REFUSED else ""


def _end(case: ExplainCase, turns: Mapping[str, SavedTurn], turn: SavedTurn) -> Finish | GiveUp:
    """Return the outcome; the reader decides what it read where the rules read nothing for sure."""
    explanation, second = _explanation(turn), second_reading(turns.get(KEY), case.reader)
    if second is not None and second.refusal:
        return GiveUp(Reason.REFUSED, f"{ModelRole.READER}: {case.reader} reads a refusal.", EXPLAIN)
    if turn.state != TurnState.OK and second is None:
        return GiveUp(Reason(turn.reason), f"{ModelRole.EXPLAINER}: {turn.detail}", EXPLAIN)
    stated = verdict(explanation)
    hateful = second.conclusion if stated is None and second else stated
    outcome = {"hateful": hateful, "category": None, "reason": explanation}
    return Finish(outcome | _reading(case, stated, second) | _limit(turns.get(LIMIT_KEY)))


def _limit(turn: SavedTurn | None) -> dict[str, Any]:
    """Return the limit that left no room for the second reading; nothing if none did."""
    return {"limit": {"name": str(turn.value["limit"]), "detail": str(turn.value["detail"])}} if turn else {}


def _reading(case: ExplainCase, stated: bool | None, second: SecondReading | None) -> dict[str, Any]:
    """Return who read the explanation, and what the reader read; nothing where nobody reads a second time."""
    if not case.reader:
        return {}
    by: dict[str, Any] = {"by": read_by(stated is not None, False, second)}
    return {"read_by": by | (second.as_json() if second else {})}


def _question(case: ExplainCase) -> Step:
    return case.post.step(
        EXPLAIN,
        ModelRole.EXPLAINER,
        NAME,
        "shots" if case.options.shots else "plain",
        {},
        temperature=case.options.temperature,
        max_tokens=TOKENS,
        optional=bool(case.reader),  # what the rules take for a refusal is read once more
    )


def _most_calls(run: Run) -> int:
    return 1 + (ModelRole.READER in run.model_plan)


METHOD = DebateMethod(
    name=NAME,
    label=_("Explanation"),
    protocol=Explain,
    roles=ROLES,
    optional_roles=(ModelRole.READER,),
    options=ExplainOptions,
    speaker=ModelRole.EXPLAINER,
    most_calls=_most_calls,
    keyword_answers=EXPLANATION,
    words={"explainer": pgettext("stored word", "explainer")},
    form_heading=_("For an explanation"),
    writes_prose=True,
)
