"""ARCADE: a gatekeeper, a prosecutor and a defender, a judge (design section 8; H-VLI paper, section 5, Algorithm 1).

Each speaker receives exactly the utterances that the paper gives it; the gatekeeper's cues only choose the way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderation.domain import court
from moderation.domain.court import CourtOptions, Track, Way
from moderation.domain.verdicts import Shape, Task, unhateful, verdict, verdict_shape
from moderation.methods import verdict_end
from moderation.methods.post import Post, is_there, post_of
from providers.roles import ModelRole
from runs.method import Finish, Limits, Outcome, SavedTurn, Step
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
class Case:
    """A post before the court."""

    post: Post
    options: CourtOptions


class Arcade:
    """The courtroom. Calls: 4 on the fast track, 2 where the deep dive finds nothing, else 2K + 2."""

    name = NAME
    limits = Limits(calls=90, tokens=1_500_000, seconds=7200)

    def case(self, run: Run) -> Case | None:
        """The post and what was chosen for this run."""
        post = post_of(run)
        return Case(post, CourtOptions.model_validate(run.options)) if post else None

    def still_wanted(self, run: Run) -> bool:
        """Whether the post is still there."""
        return is_there(run)

    def next_steps(self, case: Case, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        """Gate, then one of the two ways."""
        values = {key: turn.value for key, turn in turns.items()}
        if case.options.track is Track.AUTO:
            if "gate" not in values:
                return [_gate(case)]
            if values["gate"]["cues"]:
                return _fast(case, values)
        return _deep(case, values)

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Compare the verdict with the people's; nothing about the item's labels changes."""
        return verdict_end.settle(run, outcome)


def _gate(case: Case) -> Step:
    shape = court.cues_shape(case.post.categories, _GATE_CUES)
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


def _fast(case: Case, values: Mapping[str, Any]) -> Sequence[Step] | Finish:
    post = case.post
    if (said := values.get("prosecutor.1")) is None:
        shape = court.cues_shape(post.categories, _FAST_CUES)
        return [_argue(case, "prosecutor.1", ModelRole.PROSECUTOR, "prosecutor_fast", {}, shape)]
    fields = {"prosecution": post.said(said["cues"])}
    if (answered := values.get("defender.1")) is None:
        shape = court.rebuttals_shape([cue["id"] for cue in said["cues"]])
        return [_argue(case, "defender.1", ModelRole.DEFENDER, "defender_fast", fields, shape)]
    if (found := values.get("judge")) is None:
        return [_judge(case, "judge_fast", fields | {"defence": post.said(answered["rebuttals"])}, values)]
    return _finish(case, found, Way.FAST, 1)


def _deep(case: Case, values: Mapping[str, Any]) -> Sequence[Step] | Finish:
    for number in range(1, case.options.rounds + 1):
        if (said := values.get(f"prosecutor.{number}")) is None:
            return [_prosecutor(case, number, values)]
        if number == 1 and not said["cues"]:
            nothing = "The prosecutor found no cue, open or hidden, so the case was dismissed without a judge."
            return Finish(unhateful(case.post.categories, case.options.task, nothing) | _heard(Way.DISMISSED, 1))
        if f"defender.{number}" not in values:
            return [_defender(case, number, said["cues"], values)]
    if (found := values.get("judge")) is None:
        heard = court.transcript(court.exchanges(values))
        return [_judge(case, "judge_deep", {"transcript": case.post.said(heard)}, values)]
    return _finish(case, found, Way.DEEP, case.options.rounds)


def _prosecutor(case: Case, number: int, values: Mapping[str, Any]) -> Step:
    """Round 1: the post alone. Later: its own and the defence's last utterances."""
    key, post = f"prosecutor.{number}", case.post
    if number == 1:
        shape = court.cues_shape(post.categories, _DEEP_CUES)
        return _argue(case, key, ModelRole.PROSECUTOR, "prosecutor_first", {}, shape)
    fields = {
        "prosecution": post.said(values[f"prosecutor.{number - 1}"]["cues"]),
        "defence": post.said(values[f"defender.{number - 1}"]["rebuttals"]),
        "round": str(number),
    }
    shape = court.cues_shape(post.categories, _DEEP_CUES, maintained=True)
    return _argue(case, key, ModelRole.PROSECUTOR, "prosecutor_next", fields, shape, context={"round": number})


def _defender(case: Case, number: int, cues: Sequence[Mapping[str, Any]], values: Mapping[str, Any]) -> Step:
    """Every round: the prosecutor's utterance of this round; later ones: its own last one too."""
    key, shape = f"defender.{number}", court.rebuttals_shape([cue["id"] for cue in cues])
    fields = {"prosecution": case.post.said(cues)}
    if number == 1:
        return _argue(case, key, ModelRole.DEFENDER, "defender_first", fields, shape)
    fields |= {"defence": case.post.said(values[f"defender.{number - 1}"]["rebuttals"]), "round": str(number)}
    return _argue(case, key, ModelRole.DEFENDER, "defender_next", fields, shape)


def _judge(case: Case, template: str, fields: dict[str, str], values: Mapping[str, Any]) -> Step:
    task = case.options.task
    asked = {"task": _TASK[task].format(categories=case.post.listed), "form": _FORM[task]}
    shape = verdict_shape(case.post.categories, task)
    context = {"task": task, "exchanges": court.transcript(court.exchanges(values))}
    return case.post.step(
        "judge",
        ModelRole.JUDGE,
        NAME,
        template,
        fields | asked,
        shape=shape,
        temperature=case.options.temperatures.judge,
        max_tokens=_VERDICT,
        context=context,
    )


def _argue(
    case: Case, key: str, role: ModelRole, template: str, fields: dict[str, str], shape: type[Shape], **more: Any
) -> Step:
    temperature = case.options.temperatures.argue
    return case.post.step(
        key, role, NAME, template, fields, shape=shape, temperature=temperature, max_tokens=_SPEECH, **more
    )


def _finish(case: Case, found: dict[str, Any], way: Way, rounds: int) -> Finish:
    return Finish(verdict(found, case.post.categories) | _heard(way, rounds))


def _heard(way: Way, rounds: int) -> dict[str, Any]:
    return {"way": way, "rounds": rounds}
