"""PREDICT: perspectives label, two sides debate from their reasons, a judge decides (design section 8).

Paper, Algorithms 1 (PRE) and 2 (DICT). Each speaker receives exactly the answers that the paper gives it. A run takes
10 calls, 6 of them in sequence; one more if a picture is described first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connection

from annotation.models import Project
from moderation.domain.predict import answers, protocol
from moderation.domain.predict.perspectives import NEAREST, SEEDED, Neighbourhood, Perspective
from moderation.domain.predict.protocol import History, Memory, PredictRun, Stance, Vote, perspective_key
from moderation.domain.verdicts import AnswerShape
from moderation.methods import picture_description
from moderation.methods.post_case import Post, post_of
from moderation.methods.post_method import PostMethod
from moderation.methods.second_reader import after_verdict, verdict_in
from moderation.perspectives import edit as perspectives
from moderation.perspectives.example_store import ExampleStore
from providers import wiring
from providers.messages import ProviderError, Refused
from providers.roles import ModelRole
from providers.vendors.embeddings import Embedder
from runs.domain.states import Flag, Reason, TurnState
from runs.methods.method import Finish, GiveUp, Limits, SavedTurn, Step, StepKind
from runs.models import Run
from runs.spending import embedding_budget

NAME = "predict"
ROLES = (ModelRole.PERSPECTIVE, ModelRole.DEBATER, ModelRole.DEBATE_JUDGE, ModelRole.DESCRIBER)

_NO_CRITERIA = (
    "Your rules are not written down here. Go by what the two labels plainly mean, and by how your community has "
    "labelled the examples that you are given."
)
_NO_EXAMPLES = "There are no examples."
_NO_DEFINITION = (
    "What counts as hateful is not defined here: communities draw the line at different places, and the debate is "
    "about where this text lies. Put no narrower or wider rule of your own in its place."
)
_HELD = "Your reference, with reasons that others gave for this side:\n\n{}\n\n"
_VIEW, _SPEECH, _JUDGEMENT = 600, 600, 1000  # tokens


@dataclass(frozen=True)
class PredictCase:
    """A post of a project, its perspectives, and the stores of their examples."""

    project: UUID
    post: Post
    options: PredictRun
    perspectives: tuple[Perspective, ...]
    stores: Mapping[str, ExampleStore]

    @property
    def is_described(self) -> bool:
        """Whether a model describes the picture first."""
        return self.options.describe and self.post.picture is not None


class Predict(PostMethod):
    """The debate of perspectives."""

    name = NAME
    limits = Limits(calls=90, tokens=900_000, seconds=7200)

    def case(self, run: Run) -> PredictCase | None:
        """Return the post, and the perspectives at the time of the start.

        Returns None if the post is gone.
        """
        post = post_of(run)
        if post is None:
            return None
        options = PredictRun.model_validate(run.options)
        chosen = options.perspectives or _current(run)
        taking_part = tuple(perspective for perspective in chosen if perspective.code != options.without)
        stores = {
            perspective.code: perspectives.example_store_of(perspective.id, perspective.store)
            for perspective in taking_part
            if options.examples
        }
        return PredictCase(
            run.project, post, options, taking_part, {code: store for code, store in stores.items() if store}
        )

    def next_steps(self, case: PredictCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Return the next steps: describe and look up, all perspectives at once, the debate in order, the judge."""
        values = {key: turn.value for key, turn in turns.items()}
        if opening := _opening(case, values):
            return opening
        case = replace(case, post=case.post.in_words(_described(values)))
        if waiting := [perspective for perspective in case.perspectives if perspective_key(perspective) not in turns]:
            return [_view(case, perspective, values) for perspective in waiting]
        votes = [_vote(perspective, turns[perspective_key(perspective)]) for perspective in case.perspectives]
        if reason := protocol.most_common_loss(votes):
            return _nobody_answered(case, turns, votes, reason)
        for key in protocol.order(case.options.rounds):
            if key not in values:
                return [_speech(case, key, votes, values)]
        if "judge" not in turns:
            return [_judge(case, votes, values)]
        suspect = any(Flag.INJECTION_SUSPECTED in turn.flags for turn in turns.values())
        judgment = verdict_in(turns["judge"], answers.Judgement) or {}
        reason, role = judgment.get("reason", ""), ModelRole.DEBATE_JUDGE
        outcome = partial(protocol.verdict, judgment, votes, values, suspect=suspect)
        return after_verdict(case.post, turns, "judge", role, reason, outcome)


def _current(run: Run) -> tuple[Perspective, ...]:
    """Return the perspectives of the run's project; without a project, those of a new project."""
    project = Project.objects.filter(public_id=run.project).first()
    return perspectives.stored_perspectives(project) if project else SEEDED


# ── Before the perspectives answer ────────────────────────────────────────────


def _opening(case: PredictCase, values: Mapping[str, Any]) -> list[Step]:
    steps = []
    if case.is_described and picture_description.KEY not in values:
        steps.append(picture_description.describe_step(case.post, temperature=case.options.temperature))
    # Similar examples are found by the post's text; a post with only a picture needs its description first.
    if case.stores and "examples" not in values and (case.post.text or not steps):
        steps.append(_look_up(case, values))
    return steps


def _described(values: Mapping[str, Any]) -> str:
    return picture_description.description_text(values.get(picture_description.KEY))


def _look_up(case: PredictCase, values: Mapping[str, Any]) -> Step:
    text = case.post.text or _described(values)
    search = partial(_search, case.project, case.stores, text)
    return Step("examples", "examples", kind=StepKind.SEARCH, work=search, spends=_spends(text))


def _spends(text: str) -> tuple[str, int] | None:
    try:
        embedder = wiring.embedder()
    except ProviderError:
        return None  # the search itself fails in the same way and reports it
    cost = embedding_budget.embedding_tokens(embedder, text)
    return (embedder.name, cost) if cost else None


def _search(project: UUID, stores: Mapping[str, ExampleStore], text: str) -> dict[str, Any]:
    """Return the nearest examples of each perspective; none if the vendor's filter refuses the text."""
    embedder = wiring.embedder()
    _prepare(project, [store for store in stores.values() if not store.has_vectors(embedder)], embedder)
    examples = {}
    try:
        [vector] = embedder.embed([text])
        for code, store in stores.items():
            examples[code] = store.search(embedder, text, NEAREST, vector).model_dump(mode="json")
    except Refused:
        return {"embedding": embedder.name, "refused": True, "perspectives": {}}
    return {"embedding": embedder.name, "refused": False, "perspectives": examples}


def _prepare(project: UUID, stores: Sequence[ExampleStore], embedder: Embedder) -> None:
    """Compute the missing vectors of the stores. The project pays for them, apart from the run's own limits."""
    try:
        for store in stores:
            store.prepare(embedding_budget.charged_to_project(project, embedder))
    finally:
        if stores:
            connection.close()  # a pool thread, which uses the database for the budget only


# ── PRE ───────────────────────────────────────────────────────────────────────


def _view(case: PredictCase, perspective: Perspective, values: Mapping[str, Any]) -> Step:
    """Return a perspective's step: criteria, nearest examples and text; no other perspective's answer."""
    near = ((values.get("examples") or {}).get("perspectives") or {}).get(perspective.code) or {}
    examples = Neighbourhood.model_validate(near).nearest
    labels = {True: perspective.hateful_label, False: perspective.other_label}
    shown = [f"{case.post.fenced_as('text', example.text)}\nLabel: {labels[example.hateful]}" for example in examples]
    fields = {
        "name": perspective.name,
        "hateful_label": perspective.hateful_label,
        "other_label": perspective.other_label,
        "criteria": f"Your rules\n\n{perspective.criteria}" if case.options.criteria else _NO_CRITERIA,
        "examples": "\n\n".join(["Examples from your community:", *shown]) if shown else _NO_EXAMPLES,
    }
    step = _ask(
        case,
        perspective_key(perspective),
        ModelRole.PERSPECTIVE,
        "perspective",
        fields,
        answers.view_shape(perspective),
        _VIEW,
    )
    context = {
        **step.context,
        "perspective": perspective.code,
        "hateful_label": perspective.hateful_label,
        "other_label": perspective.other_label,
    }
    tempted = step.suspect or any(case.post.suspects(example.text) for example in examples)
    return replace(step, optional=True, suspect=tempted, context=context)


def _vote(perspective: Perspective, turn: SavedTurn) -> Vote:
    """Return the vote in a turn; a turn without a usable answer is a missing perspective, whatever the reason."""
    return protocol.vote(perspective, turn.value if turn.state == TurnState.OK else None, turn.reason)


def _nobody_answered(case: PredictCase, turns: Mapping[str, SavedTurn], votes: Sequence[Vote], reason: str) -> GiveUp:
    """Return the end of a run without any vote: the reason that most perspectives share, and the reason of each."""
    losses = ", ".join(f"{row.perspective} {row.missing_because}" for row in votes)
    first = next(
        turn for perspective in case.perspectives if (turn := turns[perspective_key(perspective)]).reason == reason
    )
    return GiveUp(Reason(reason), f"{ModelRole.PERSPECTIVE}: no perspective answered ({losses}). {first.detail}")


# ── DICT ──────────────────────────────────────────────────────────────────────

_SPEECHES: Mapping[str, tuple[type[AnswerShape], Callable[[Sequence[Vote], Mapping[str, Any]], dict[str, Any]]]] = {
    "nonhate.1": (answers.Argument, lambda votes, values: {"reference": protocol.reference(votes, Stance.NON_HATE)}),
    "hate.1": (
        answers.Argument,
        lambda votes, values: {
            "reference": protocol.reference(votes, Stance.HATE),
            "argument": values["nonhate.1"]["argument"],
        },
    ),
    "nonhate.2": (
        answers.Response,
        lambda votes, values: {
            "reference": protocol.reference(votes, Stance.NON_HATE),
            "own": values["nonhate.1"]["argument"],
            "argument": values["hate.1"]["argument"],
        },
    ),
    "hate.2": (
        answers.Response,
        lambda votes, values: {
            "reference": protocol.reference(votes, Stance.HATE),
            "own": values["hate.1"]["argument"],
            "argument": protocol.response(values["nonhate.2"]),
        },
    ),
}
"""The form of each speech, and the only fields that its prompt contains."""


def _speech(case: PredictCase, key: str, votes: Sequence[Vote], values: Mapping[str, Any]) -> Step:
    shape, fields_of = _SPEECHES[key]
    fields = {name: case.post.fenced_answer(_lines(value)) for name, value in fields_of(votes, values).items()}
    fields["held"] = _HELD.format(fields["reference"]) if case.options.memory is Memory.REFERENCE else ""
    fields["definition"] = _definition(case)
    step = _ask(case, key, ModelRole.DEBATER, key.replace(".", "_"), fields, shape, _SPEECH)
    return replace(step, context={**step.context, "speech": key})


def _definition(case: PredictCase) -> str:
    """Return what debaters and judge are told about the meaning of hateful."""
    text = case.options.definition_text
    return f"What hateful means here: {text}" if text else _NO_DEFINITION


def _judge(case: PredictCase, votes: Sequence[Vote], values: Mapping[str, Any]) -> Step:
    keys = protocol.order(case.options.rounds)
    if case.options.history is History.TRANSCRIPTS:
        steps = {key: _speech(case, key, votes, values) for key in keys}
        material: Any = [
            {"asked": [message.text for message in step.messages], "answered": values[key]}
            for key, step in steps.items()
        ]
    else:
        material = protocol.history(values, case.options.rounds)
    fields = {"history": case.post.fenced_answer(material), "definition": _definition(case)}
    step = _ask(case, "judge", ModelRole.DEBATE_JUDGE, "judge", fields, answers.Judgement, _JUDGEMENT)
    return replace(step, optional=bool(case.post.reader))


def _ask(
    case: PredictCase,
    key: str,
    role: ModelRole,
    template: str,
    fields: dict[str, str],
    shape: type[AnswerShape],
    max_tokens: int,
) -> Step:
    return case.post.step(
        key,
        role,
        NAME,
        template,
        fields,
        shape=shape,
        temperature=case.options.temperature,
        max_tokens=max_tokens,
    )


def _lines(value: str | list[str]) -> str:
    """Return an answer unchanged, or a reference with one reason per line; empty if nobody took the side."""
    return value if isinstance(value, str) else "\n".join(f"- {' '.join(reason.split())}" for reason in value)
