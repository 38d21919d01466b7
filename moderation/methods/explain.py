"""An explanation in prose that ends in a conclusion; HateXScore scores it later (design section 8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from moderation.domain.baseline import ExplainOptions
from moderation.domain.hatexscore.htc import verdict
from moderation.domain.hatexscore.second_reading import SecondReading
from moderation.methods.debate_method import DebateMethod
from moderation.methods.post_case import Post, post_of
from moderation.methods.post_method import PostMethod
from moderation.methods.second_reader import after_words
from providers.keyword.arcade import EXPLANATION
from providers.roles import ModelRole
from providers.thoughts import without_thoughts
from runs.domain.states import Reason, TurnState
from runs.methods.method import Finish, GiveUp, Limits, SavedTurn, Step
from runs.models import Run
from vocabulary.display_names import pgettext

NAME = "explain"
ROLES = (ModelRole.EXPLAINER,)
EXPLAIN = "explain"
TOKENS = 512


@dataclass(frozen=True)
class ExplainCase:
    """A post and the options of its explanation."""

    post: Post
    options: ExplainOptions


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
        return ExplainCase(post, ExplainOptions.model_validate(run.options))

    def next_steps(self, case: ExplainCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Return the question, or the outcome; `hateful` is None if the explanation has no conclusion."""
        if (turn := turns.get(EXPLAIN)) is None:
            return [_question(case)]
        explanation = _explanation(turn)

        def outcome(second: SecondReading | None) -> dict[str, Any]:
            stated = verdict(explanation)
            hateful = second.conclusion if stated is None and second else stated
            return {"hateful": hateful, "category": None, "reason": explanation}

        return after_words(case.post, turns, EXPLAIN, ModelRole.EXPLAINER, explanation, outcome)


def _explanation(turn: SavedTurn) -> str:
    """Return what was written, also where the rules take it for a refusal; empty if nothing usable was."""
    if turn.state == TurnState.OK:
        return str(turn.value)
    return without_thoughts(turn.reply).strip() if turn.reason == Reason.REFUSED else ""


def _question(case: ExplainCase) -> Step:
    return case.post.step(
        EXPLAIN,
        ModelRole.EXPLAINER,
        NAME,
        "shots" if case.options.shots else "plain",
        {},
        temperature=case.options.temperature,
        max_tokens=TOKENS,
        optional=bool(case.post.reader),  # what the rules take for a refusal is read once more
    )


METHOD = DebateMethod(
    name=NAME,
    label=_("Explanation"),
    protocol=Explain,
    roles=ROLES,
    optional_roles=(ModelRole.READER,),
    options=ExplainOptions,
    speaker=ModelRole.EXPLAINER,
    most_calls=lambda run: 1,
    keyword_answers=EXPLANATION,
    words={"explainer": pgettext("stored word", "explainer")},
    form_heading=_("For an explanation"),
    writes_prose=True,
)
