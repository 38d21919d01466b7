"""ARCADE: a gatekeeper, a prosecutor and a defender, a judge (design section 8; H-VLI paper, section 5, Algorithm 1).

Each speaker receives exactly the utterances that the paper gives it; the gatekeeper's cues only choose the way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderation.domain import arcade
from moderation.domain.arcade import CourtOptions, Track, Way
from moderation.domain.verdicts import AnswerShape, Task, not_hateful_verdict, verdict, verdict_shape
from moderation.methods.post_case import Post, post_of
from moderation.methods.post_method import PostMethod
from providers.roles import ModelRole
from runs.methods.method import Finish, Limits, SavedTurn, Step
from runs.models import Run

NAME = "arcade"
ROLES = (ModelRole.GATEKEEPER, ModelRole.PROSECUTOR, ModelRole.DEFENDER, ModelRole.JUDGE)
AUXILIARY = ROLES[:3]
"""Everybody but the judge: judges share one debate."""

_GATE_CUES, _FAST_CUES, _DEEP_CUES = 2, 3, 2
_SPEECH, _VERDICT = 1500, 1200  # tokens
_TASK = {
    Task.SIX: "Choose exactly one category:\n\n{categories}",
    Task.BINARY: "Decide one thing only: is the post hateful or not?",
}
_FORM = {
    Task.SIX: '{"reason": "your reasons, ending with the conclusion", "category": code of the category}',
    Task.BINARY: '{"reason": "your reasons, ending with the conclusion", "hateful": true or false}',
}


@dataclass(frozen=True)
class ArcadeCase:
    """A post before the court."""

    post: Post
    options: CourtOptions


class Arcade(PostMethod):
    """The courtroom. Calls: 4 on the fast track, 2 where the deep dive finds nothing, else 2K + 2."""

    name = NAME
    limits = Limits(calls=90, tokens=1_500_000, seconds=7200)

    def case(self, run: Run) -> ArcadeCase | None:
        """Return the post and what was chosen for this run."""
        post = post_of(run)
        return ArcadeCase(post, CourtOptions.model_validate(run.options)) if post else None

    def next_steps(self, case: ArcadeCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        """Gate, then one of the two ways."""
        values = {key: turn.value for key, turn in turns.items()}
        if case.options.track is Track.AUTO:
            if "gate" not in values:
                return [_gate(case)]
            if values["gate"]["cues"]:
                return _fast(case, values)
        return _deep(case, values)


def _gate(case: ArcadeCase) -> Step:
    shape = arcade.cues_shape(case.post.categories, _GATE_CUES)
    return case.post.step(
        "gate",
        ModelRole.GATEKEEPER,
        NAME,
        "gate",
        {},
        shape=shape,
        temperature=case.options.temperatures.gate,
        max_tokens=_SPEECH,
    )


def _fast(case: ArcadeCase, values: Mapping[str, Any]) -> Sequence[Step] | Finish:
    post = case.post
    if (prosecution := values.get("prosecutor.1")) is None:
        shape = arcade.cues_shape(post.categories, _FAST_CUES)
        return [_argue(case, "prosecutor.1", ModelRole.PROSECUTOR, "prosecutor_fast", {}, shape)]
    fields = {"prosecution": post.said(prosecution["cues"])}
    if (defence := values.get("defender.1")) is None:
        shape = arcade.rebuttals_shape([cue["id"] for cue in prosecution["cues"]])
        return [_argue(case, "defender.1", ModelRole.DEFENDER, "defender_fast", fields, shape)]
    if (judgment := values.get("judge")) is None:
        return [_judge(case, "judge_fast", fields | {"defence": post.said(defence["rebuttals"])}, values)]
    return _finish(case, judgment, Way.FAST, 1)


def _deep(case: ArcadeCase, values: Mapping[str, Any]) -> Sequence[Step] | Finish:
    for number in range(1, case.options.rounds + 1):
        if (prosecution := values.get(f"prosecutor.{number}")) is None:
            return [_prosecutor(case, number, values)]
        if number == 1 and not prosecution["cues"]:
            nothing = "The prosecutor found no cue, open or hidden, so the case was dismissed without a judge."
            return Finish(
                not_hateful_verdict(case.post.categories, case.options.task, nothing) | _heard(Way.DISMISSED, 1)
            )
        if f"defender.{number}" not in values:
            return [_defender(case, number, prosecution["cues"], values)]
    if (judgment := values.get("judge")) is None:
        heard = arcade.transcript(arcade.exchanges(values))
        return [_judge(case, "judge_deep", {"transcript": case.post.said(heard)}, values)]
    return _finish(case, judgment, Way.DEEP, case.options.rounds)


def _prosecutor(case: ArcadeCase, number: int, values: Mapping[str, Any]) -> Step:
    """Round 1: the post alone. Later: its own and the defence's last utterances."""
    key, post = f"prosecutor.{number}", case.post
    if number == 1:
        shape = arcade.cues_shape(post.categories, _DEEP_CUES)
        return _argue(case, key, ModelRole.PROSECUTOR, "prosecutor_first", {}, shape)
    fields = {
        "prosecution": post.said(values[f"prosecutor.{number - 1}"]["cues"]),
        "defence": post.said(values[f"defender.{number - 1}"]["rebuttals"]),
        "round": str(number),
    }
    shape = arcade.cues_shape(post.categories, _DEEP_CUES, maintained=True)
    return _argue(case, key, ModelRole.PROSECUTOR, "prosecutor_next", fields, shape, context={"round": number})


def _defender(case: ArcadeCase, number: int, cues: Sequence[Mapping[str, Any]], values: Mapping[str, Any]) -> Step:
    """Every round: the prosecutor's utterance of this round; later ones: its own last one too."""
    key, shape = f"defender.{number}", arcade.rebuttals_shape([cue["id"] for cue in cues])
    fields = {"prosecution": case.post.said(cues)}
    if number == 1:
        return _argue(case, key, ModelRole.DEFENDER, "defender_first", fields, shape)
    fields |= {"defence": case.post.said(values[f"defender.{number - 1}"]["rebuttals"]), "round": str(number)}
    return _argue(case, key, ModelRole.DEFENDER, "defender_next", fields, shape)


def _judge(case: ArcadeCase, template: str, fields: dict[str, str], values: Mapping[str, Any]) -> Step:
    task = case.options.task
    question = {"task": _TASK[task].format(categories=case.post.listed), "form": _FORM[task]}
    shape = verdict_shape(case.post.categories, task)
    context = {"task": task, "exchanges": arcade.transcript(arcade.exchanges(values))}
    return case.post.step(
        "judge",
        ModelRole.JUDGE,
        NAME,
        template,
        fields | question,
        shape=shape,
        temperature=case.options.temperatures.judge,
        max_tokens=_VERDICT,
        context=context,
    )


def _argue(
    case: ArcadeCase,
    key: str,
    role: ModelRole,
    template: str,
    fields: dict[str, str],
    shape: type[AnswerShape],
    **more: Any,
) -> Step:
    temperature = case.options.temperatures.argue
    return case.post.step(
        key, role, NAME, template, fields, shape=shape, temperature=temperature, max_tokens=_SPEECH, **more
    )


def _finish(case: ArcadeCase, judgment: dict[str, Any], way: Way, rounds: int) -> Finish:
    return Finish(verdict(judgment, case.post.categories) | _heard(way, rounds))


def _heard(way: Way, rounds: int) -> dict[str, Any]:
    return {"way": way, "rounds": rounds}
