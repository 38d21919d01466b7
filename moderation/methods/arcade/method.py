"""ARCADE: a gatekeeper, a prosecutor and a defender, a judge (design section 8; H-VLI paper, section 5, Algorithm 1).

Each speaker receives exactly the answers that the paper gives it; the gatekeeper's cues only choose the way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderation.domain import arcade_statements as statements
from moderation.domain.arcade import CourtOptions, Track, Way
from moderation.domain.arcade_rounds import Hearing, hearing_of, transcript
from moderation.domain.disagreement import court_disagreement
from moderation.domain.task import Task
from moderation.domain.verdicts import AnswerShape, not_hateful_verdict, verdict, verdict_shape
from moderation.methods.post_case import Post, post_of
from moderation.methods.post_method import PostMethod
from moderation.methods.second_reader import after_verdict, verdict_in
from providers.roles import ModelRole
from runs.methods.method import Finish, GiveUp, Limits, SavedTurn, Step
from runs.models import Run

NAME = "arcade"
ROLES = (ModelRole.GATEKEEPER, ModelRole.PROSECUTOR, ModelRole.DEFENDER, ModelRole.JUDGE)

_GATE_CUES, _FAST_CUES, _DEEP_CUES = 2, 3, 2
_SPEECH, _VERDICT = 1500, 1200  # tokens
_GATE_PASSED = "A first look at the post saw no open attack in it. "
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
    """A post and the options of its debate."""

    post: Post
    options: CourtOptions


class Arcade(PostMethod):
    """The ARCADE debate. Calls: 4 on the fast track, 2 if the deep dive finds no cue, else at most 2K + 2."""

    name = NAME
    limits = Limits(calls=90, tokens=1_500_000, seconds=7200)

    def case(self, run: Run) -> ArcadeCase | None:
        """Return the post and the options of this run.

        Returns None if the post is gone.
        """
        post = post_of(run)
        return ArcadeCase(post, CourtOptions.model_validate(run.options)) if post else None

    def next_steps(self, case: ArcadeCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Return the gatekeeper's step, then the steps of the fast or the deep way."""
        values = {key: turn.value for key, turn in turns.items()}
        if "judge" in turns:
            return _judged(case, turns, values)
        if case.options.track is Track.AUTO:
            if "gate" not in values:
                return [_gate(case)]
            if values["gate"]["cues"]:
                return _fast(case, values)
        return _deep(case, values)


def _gate(case: ArcadeCase) -> Step:
    return _ask(
        case,
        "gate",
        ModelRole.GATEKEEPER,
        "gate",
        {},
        shape=statements.gate_shape(case.post.categories, _GATE_CUES),
        temperature=case.options.temperatures.gate,
        max_tokens=_SPEECH,
    )


def _fast(case: ArcadeCase, values: Mapping[str, Any]) -> Sequence[Step]:
    post = case.post
    if (prosecution := values.get("prosecutor.1")) is None:
        shape = statements.cues_shape(post.categories, _FAST_CUES)
        return [_argue(case, "prosecutor.1", ModelRole.PROSECUTOR, "prosecutor_fast", {}, shape)]
    fields = {"prosecution": post.fenced_answer(prosecution["cues"])}
    if (defence := values.get("defender.1")) is None:
        shape = statements.rebuttals_shape([cue["id"] for cue in prosecution["cues"]])
        return [_argue(case, "defender.1", ModelRole.DEFENDER, "defender_fast", fields, shape)]
    return [_judge(case, "judge_fast", fields | {"defence": post.fenced_answer(defence["rebuttals"])}, values)]


def _deep(case: ArcadeCase, values: Mapping[str, Any]) -> Sequence[Step] | Finish:
    hearing = hearing_of(values)
    round_count = len(hearing.rounds)
    if round_count == 1 and not hearing.cues:
        nothing = "The prosecutor found no cue, open or hidden, so the case was dismissed without a judge."
        dismissal = not_hateful_verdict(case.post.categories, case.options.task, nothing)
        return Finish(dismissal | _heard(Way.DISMISSED, hearing))
    if hearing.awaits_defence:
        return [_defender(case, round_count, hearing)]
    if round_count < case.options.rounds and not hearing.is_closed:
        return [_prosecutor(case, round_count + 1, hearing)]
    return [_judge(case, "judge_deep", {"transcript": case.post.fenced_answer(transcript(hearing.rounds))}, values)]


def _prosecutor(case: ArcadeCase, number: int, hearing: Hearing) -> Step:
    """Return the prosecutor's step. From round 2 on it contains the last answers of both sides, with the claims."""
    key, post = f"prosecutor.{number}", case.post
    if number == 1:
        shape = statements.cues_shape(post.categories, _DEEP_CUES)
        return _argue(case, key, ModelRole.PROSECUTOR, "prosecutor_first", {}, shape)
    fields = _last_words(case, hearing) | {"round": str(number)}
    shape = statements.reply_shape(post.categories, _DEEP_CUES, _ids(hearing), hearing.past)
    return _argue(case, key, ModelRole.PROSECUTOR, "prosecutor_next", fields, shape, context={"round": number})


def _defender(case: ArcadeCase, number: int, hearing: Hearing) -> Step:
    """Return the defender's step: the cues that stand, and from round 2 on its own last answers."""
    key = f"defender.{number}"
    shape = statements.rebuttals_shape(_ids(hearing), hearing.past, later=number > 1)
    if number == 1:
        fields = {"prosecution": case.post.fenced_answer(hearing.cues)}
        return _argue(case, key, ModelRole.DEFENDER, "defender_first", fields, shape)
    fields = _last_words(case, hearing) | {"round": str(number)}
    return _argue(case, key, ModelRole.DEFENDER, "defender_next", fields, shape)


def _last_words(case: ArcadeCase, hearing: Hearing) -> dict[str, str]:
    return {"prosecution": case.post.fenced_answer(hearing.cues), "defence": case.post.fenced_answer(hearing.rebuttals)}


def _ids(hearing: Hearing) -> list[str]:
    return [cue["id"] for cue in hearing.cues]


def _judge(case: ArcadeCase, template: str, fields: dict[str, str], values: Mapping[str, Any]) -> Step:
    task = case.options.task
    question = {"task": _TASK[task].format(categories=case.post.listed), "form": _FORM[task]}
    return _ask(
        case,
        "judge",
        ModelRole.JUDGE,
        template,
        fields | question,
        shape=verdict_shape(case.post.categories, task),
        temperature=case.options.temperatures.judge,
        max_tokens=_VERDICT,
        optional=bool(case.post.reader),
        context={"task": task, "exchanges": transcript(hearing_of(values).rounds)},
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
    return _ask(case, key, role, template, fields, shape=shape, temperature=temperature, max_tokens=_SPEECH, **more)


def _ask(case: ArcadeCase, key: str, role: ModelRole, template: str, fields: dict[str, str], **more: Any) -> Step:
    """Return a step. Every prompt may say in which language to write, and what a first look found."""
    language = case.options.language.spoken_about(case.post.text)
    common = {
        "language": f"Write in {language.english_name}.",
        "gate": _GATE_PASSED if case.options.track is Track.AUTO else "",
    }
    return case.post.step(key, role, NAME, template, common | fields, **more)


def _judged(
    case: ArcadeCase, turns: Mapping[str, SavedTurn], values: Mapping[str, Any]
) -> Sequence[Step] | Finish | GiveUp:
    post, hearing = case.post, hearing_of(values)
    way = Way.FAST if (values.get("gate") or {}).get("cues") else Way.DEEP
    judgment = verdict_in(turns["judge"], verdict_shape(post.categories, case.options.task)) or {}
    reason = judgment.get("reason", "")
    return after_verdict(
        post,
        turns,
        "judge",
        ModelRole.JUDGE,
        reason,
        lambda: verdict(judgment, post.categories) | _heard(way, hearing),
    )


def _heard(way: Way, hearing: Hearing) -> dict[str, Any]:
    return {"way": way, "rounds": len(hearing.rounds), **court_disagreement(hearing.rounds)}
