"""An explanation in prose that ends in a conclusion: what HateXScore later scores (design section 8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moderation.domain.baselines import ExplainOptions, read_conclusion
from moderation.methods import verdict_end
from moderation.methods.post import Post, is_there, post_of
from providers.roles import ModelRole
from runs.method import Finish, Limits, Outcome, SavedTurn, Step
from runs.models import Run

NAME = "explain"
ROLES = (ModelRole.EXPLAINER,)
TOKENS = 512


@dataclass(frozen=True)
class Case:
    """A post and how it is to be explained."""

    post: Post
    options: ExplainOptions


class Explain:
    """Definition, analysis that quotes the text, conclusion; with two worked examples or none."""

    name = NAME
    limits = Limits(calls=6, tokens=100_000, seconds=1800)

    def case(self, run: Run) -> Case | None:
        """The post and what was chosen for this run."""
        post = post_of(run)
        return Case(post, ExplainOptions.model_validate(run.options)) if post else None

    def still_wanted(self, run: Run) -> bool:
        """Whether the post is still there."""
        return is_there(run)

    def next_steps(self, case: Case, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        """The question, or the explanation; `hateful` is None where it comes to no conclusion."""
        if (turn := turns.get("explain")) is None:
            return [_question(case)]
        explanation = str(turn.value)
        return Finish({"hateful": read_conclusion(explanation), "category": None, "reason": explanation})

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Compare the conclusion with the people's; nothing about the item's labels changes."""
        return verdict_end.settle(run, outcome)


def _question(case: Case) -> Step:
    return case.post.step(
        "explain",
        ModelRole.EXPLAINER,
        NAME,
        "shots" if case.options.shots else "plain",
        {},
        temperature=case.options.temperature,
        max_tokens=TOKENS,
    )
