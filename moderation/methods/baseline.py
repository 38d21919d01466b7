"""One model, asked once: what a debate has to beat (design section 8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderation.domain.baselines import AgentAnswer, BaselineOptions, Variant, read_comment
from moderation.domain.verdicts import Task, verdict, verdict_shape
from moderation.methods import verdict_end
from moderation.methods.post import Post, is_there, post_of
from providers.roles import ModelRole
from runs.domain.states import Reason
from runs.method import Finish, GiveUp, Limits, Outcome, SavedTurn, Step
from runs.models import Run

NAME = "baseline"
ROLES = (ModelRole.BASELINE,)
ATTEMPTS = 3
"""How often the form of `comment` is asked for."""

_TASK = {Variant.CATEGORY: Task.SIX, Variant.BINARY: Task.BINARY}
_TEMPERATURE: Mapping[Variant, float | None] = {
    Variant.CATEGORY: 0.8,
    Variant.BINARY: 0.8,
    Variant.COMMENT: None,  # the provider's own
    Variant.AGENT: 0.0,
}


@dataclass(frozen=True)
class Case:
    """A post and the question about it."""

    post: Post
    options: BaselineOptions


class Baseline:
    """The four variants of one question; `comment` asks up to three times for its form."""

    name = NAME
    limits = Limits(calls=20, tokens=200_000, seconds=1800)

    def case(self, run: Run) -> Case | None:
        """The post and what was chosen for this run."""
        post = post_of(run)
        return Case(post, BaselineOptions.model_validate(run.options)) if post else None

    def still_wanted(self, run: Run) -> bool:
        """Whether the post is still there."""
        return is_there(run)

    def next_steps(self, case: Case, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """The question, or what was answered."""
        if case.options.variant is Variant.COMMENT:
            return _comment(case, turns)
        if (turn := turns.get("answer")) is None:
            return [_question(case)]
        if case.options.variant is Variant.AGENT:
            return Finish(_said(turn.value["label"] == "hateful", turn.value["reason"]))
        return Finish(verdict(turn.value, case.post.categories))

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Compare the verdict with the people's; nothing about the item's labels changes."""
        return verdict_end.settle(run, outcome)


def _question(case: Case) -> Step:
    task = _TASK.get(case.options.variant)
    shape = verdict_shape(case.post.categories, task) if task else AgentAnswer
    return _step(case, "answer", shape=shape, max_tokens=800, context={"task": task or ""})


def _comment(case: Case, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
    for number in range(1, ATTEMPTS + 1):
        if (turn := turns.get(f"answer.{number}")) is None:
            return [_step(case, f"answer.{number}", max_tokens=200)]
        if found := read_comment(str(turn.value)):
            return Finish(_said(*found))
    return GiveUp(Reason.INVALID_OUTPUT, f"None of {ATTEMPTS} answers had one of the two forms that were asked for.")


def _step(case: Case, key: str, *, context: dict[str, Any] | None = None, **more: Any) -> Step:
    options = case.options
    temperature = _TEMPERATURE[options.variant] if options.temperature is None else options.temperature
    return case.post.step(
        key,
        ModelRole.BASELINE,
        NAME,
        options.variant,
        {},
        temperature=temperature,
        context={"variant": options.variant} | (context or {}),
        **more,
    )


def _said(hateful: bool, reason: str) -> dict[str, Any]:
    return {"hateful": hateful, "category": None, "reason": reason}
