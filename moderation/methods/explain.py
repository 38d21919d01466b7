"""An explanation in prose that ends in a conclusion; HateXScore scores it later (design section 8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from moderation.domain.baseline import ExplainOptions
from moderation.domain.hatexscore.htc import verdict
from moderation.methods.debate_method import DebateMethod, one_call
from moderation.methods.post_case import Post, post_of
from moderation.methods.post_method import PostMethod
from providers.keyword.arcade import EXPLANATION
from providers.roles import ModelRole
from runs.methods.method import Finish, Limits, SavedTurn, Step
from runs.models import Run
from vocabulary.display_names import pgettext

NAME = "explain"
ROLES = (ModelRole.EXPLAINER,)
TOKENS = 512


@dataclass(frozen=True)
class ExplainCase:
    """A post and the options of its explanation."""

    post: Post
    options: ExplainOptions


class Explain(PostMethod):
    """The explanation: definition, analysis that quotes the text, conclusion; with two worked examples or none."""

    name = NAME
    limits = Limits(calls=6, tokens=100_000, seconds=1800)

    def case(self, run: Run) -> ExplainCase | None:
        """Return the post and the options of this run.

        Returns None if the post is gone.
        """
        post = post_of(run)
        return ExplainCase(post, ExplainOptions.model_validate(run.options)) if post else None

    def next_steps(self, case: ExplainCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        """Return the question, or the outcome; `hateful` is None if the explanation has no conclusion."""
        if (turn := turns.get("explain")) is None:
            return [_question(case)]
        explanation = str(turn.value)
        return Finish({"hateful": verdict(explanation), "category": None, "reason": explanation})


def _question(case: ExplainCase) -> Step:
    return case.post.step(
        "explain",
        ModelRole.EXPLAINER,
        NAME,
        "shots" if case.options.shots else "plain",
        {},
        temperature=case.options.temperature,
        max_tokens=TOKENS,
    )


METHOD = DebateMethod(
    name=NAME,
    label=_("Explanation"),
    protocol=Explain,
    roles=ROLES,
    options=ExplainOptions,
    speaker=ModelRole.EXPLAINER,
    most_calls=one_call,
    keyword_answers=EXPLANATION,
    words={"explainer": pgettext("stored word", "explainer")},
    form_heading=_("For an explanation"),
    writes_prose=True,
)
