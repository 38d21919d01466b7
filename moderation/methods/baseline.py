"""The baseline: one model, asked once, to compare debates with (design section 8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from moderation.domain.baseline import AgentAnswer, BaselineOptions, Variant, read_comment
from moderation.domain.task import Task
from moderation.domain.verdicts import AnswerShape, stated_verdict, verdict, verdict_shape
from moderation.methods.debate_method import DebateMethod
from moderation.methods.post_case import Post, post_of
from moderation.methods.post_method import PostMethod
from moderation.methods.second_reader import after_verdict, verdict_in
from providers.keyword.arcade import ONE_QUESTION
from providers.roles import ModelRole
from providers.structured_output import is_refusal
from runs.domain.states import Reason
from runs.methods.method import Finish, GiveUp, Limits, SavedTurn, Step
from runs.models import Run
from vocabulary.display_names import pgettext

NAME = "baseline"
ROLES = (ModelRole.BASELINE,)
ATTEMPTS = 3
"""The most attempts to get the form of `comment`."""

_TASK = {Variant.CATEGORY: Task.SIX, Variant.BINARY: Task.BINARY}
_TEMPERATURE: Mapping[Variant, float | None] = {
    Variant.CATEGORY: 0.8,
    Variant.BINARY: 0.8,
    Variant.COMMENT: None,  # the provider's default
    Variant.AGENT: 0.0,
}


@dataclass(frozen=True)
class BaselineCase:
    """A post and the question about it."""

    post: Post
    options: BaselineOptions


class Baseline(PostMethod):
    """The four variants of one question; `comment` asks at most three times for its form."""

    name = NAME
    limits = Limits(calls=20, tokens=200_000, seconds=1800)

    def case(self, run: Run) -> BaselineCase | None:
        """Return the post and the options of this run.

        Returns None if the post is gone.
        """
        post = post_of(run)
        return BaselineCase(post, BaselineOptions.model_validate(run.options)) if post else None

    def next_steps(self, case: BaselineCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Return the question, or the outcome of the answer."""
        if case.options.variant is Variant.COMMENT:
            return _comment(case, turns)
        if (turn := turns.get("answer")) is None:
            return [_question(case)]
        value = verdict_in(turn, _shape(case)) or {}
        reason = value.get("reason", "")
        return after_verdict(case.post, turns, "answer", ModelRole.BASELINE, reason, lambda: _stated(case, value))


def _stated(case: BaselineCase, value: dict[str, Any]) -> dict[str, Any]:
    if case.options.variant is Variant.AGENT:
        return stated_verdict(value["label"] == "hateful", value["reason"])
    return verdict(value, case.post.categories)


def _shape(case: BaselineCase) -> type[AnswerShape]:
    task = _TASK.get(case.options.variant)
    return verdict_shape(case.post.categories, task) if task else AgentAnswer


def _question(case: BaselineCase) -> Step:
    context, optional = {"task": _TASK.get(case.options.variant, "")}, bool(case.post.reader)
    return _step(case, "answer", shape=_shape(case), max_tokens=800, context=context, optional=optional)


def _comment(case: BaselineCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
    for number in range(1, ATTEMPTS + 1):
        if (turn := turns.get(f"answer.{number}")) is None:
            return [_step(case, f"answer.{number}", max_tokens=200, declines=declines)]
        if answer := read_comment(str(turn.value)):
            return Finish(stated_verdict(*answer))
    return GiveUp(Reason.INVALID_OUTPUT, f"None of {ATTEMPTS} answers had one of the two forms that were asked for.")


def declines(text: str) -> bool:
    """Return whether an answer in prose is a refusal, or its reason is."""
    answer = read_comment(text)
    return is_refusal(answer[1] if answer else text)


def _step(case: BaselineCase, key: str, *, context: dict[str, Any] | None = None, **more: Any) -> Step:
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


def _most_calls(run: Run) -> int:
    return ATTEMPTS if run.options.get("variant") == Variant.COMMENT else 1


METHOD = DebateMethod(
    name=NAME,
    label=_("Baseline, one question"),
    protocol=Baseline,
    roles=ROLES,
    optional_roles=(ModelRole.READER,),
    options=BaselineOptions,
    speaker=ModelRole.BASELINE,
    most_calls=_most_calls,
    keyword_answers=ONE_QUESTION,
    words={"baseline": pgettext("stored word", "baseline")},
    form_heading=_("For the baseline"),
    task_options=lambda task: {"variant": Variant.CATEGORY if task is Task.SIX else Variant.BINARY},
)
