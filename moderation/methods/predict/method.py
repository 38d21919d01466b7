"""PREDICT: perspectives label, two sides debate from their reasons, a judge decides (design section 8).

Paper, Algorithms 1 (PRE) and 2 (DICT). Each speaker receives exactly the utterances that the paper gives it. 10 calls,
6 of them one after the other; one more where a picture is described first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connection

from annotation.models import Project
from moderation.domain.predict import protocol
from moderation.domain.predict.perspectives import NEAREST, SEEDED, Neighbourhood, Perspective
from moderation.domain.predict.protocol import History, PredictRun, Stance, Vote
from moderation.domain.verdicts import AnswerShape
from moderation.methods import picture_description
from moderation.methods.post_case import Post, post_of
from moderation.methods.post_method import PostMethod
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
_VIEW, _SPEECH, _JUDGEMENT = 600, 600, 1000  # tokens


@dataclass(frozen=True)
class PredictCase:
    """A post of a project, the perspectives that look at it, and where the labelled examples of each lie."""

    project: UUID
    post: Post
    options: PredictRun
    perspectives: tuple[Perspective, ...]
    stores: Mapping[str, ExampleStore]

    @property
    def is_described(self) -> bool:
        """Whether the picture is put into words first."""
        return self.options.describe and self.post.picture is not None


class Predict(PostMethod):
    """The debate of perspectives."""

    name = NAME
    limits = Limits(calls=90, tokens=900_000, seconds=7200)

    def case(self, run: Run) -> PredictCase | None:
        """Return the post, and the perspectives as they were when the run was started.

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
        """Describe and look up; every perspective at once; the debate, a turn after the other; the judge."""
        values = {key: turn.value for key, turn in turns.items()}
        if opening := _opening(case, values):
            return opening
        case = replace(case, post=case.post.in_words(_described(values)))
        if unheard := [perspective for perspective in case.perspectives if _key(perspective) not in turns]:
            return [_view(case, perspective, values) for perspective in unheard]
        if given_up := _fault(case, turns):
            return given_up
        votes = [protocol.vote(perspective, turns[_key(perspective)].value) for perspective in case.perspectives]
        for key in protocol.order(case.options.rounds):
            if key not in values:
                return [_speech(case, key, votes, values)]
        if (judgment := values.get("judge")) is None:
            return [_judge(case, votes, values)]
        suspect = any(Flag.INJECTION_SUSPECTED in turn.flags for turn in turns.values())
        return Finish(protocol.verdict(judgment, votes, values, suspect=suspect))


def _current(run: Run) -> tuple[Perspective, ...]:
    """Return the perspectives of the run's project, or those that every project starts with where it has none."""
    project = Project.objects.filter(public_id=run.project).first()
    return perspectives.stored_perspectives(project) if project else SEEDED


def _key(perspective: Perspective) -> str:
    return f"perspective.{perspective.code}"


# ── What is known before anybody speaks ───────────────────────────────────────


def _opening(case: PredictCase, values: Mapping[str, Any]) -> list[Step]:
    steps = []
    if case.is_described and picture_description.KEY not in values:
        steps.append(picture_description.describe_step(case.post, temperature=case.options.temperature))
    # What is alike is looked up by the post's own words; a picture alone has to be put into words first.
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
        return None  # the search meets it too, and says so
    cost = embedding_budget.embedding_tokens(embedder, text)
    return (embedder.name, cost) if cost else None


def _search(project: UUID, stores: Mapping[str, ExampleStore], text: str) -> dict[str, Any]:
    """Return the nearest examples of each perspective. A text that the vendor's filter stops is judged without any."""
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
    """Make the vectors that nobody made so far, at the project's expense, beside what the run itself may spend."""
    try:
        for store in stores:
            store.prepare(embedding_budget.charged_to_project(project, embedder))
    finally:
        if stores:
            connection.close()  # this is a thread of the pool, which the budget alone leads to the database


# ── PRE ───────────────────────────────────────────────────────────────────────


def _view(case: PredictCase, perspective: Perspective, values: Mapping[str, Any]) -> Step:
    """Criteria, the nearest examples, the text: nothing that another perspective said."""
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
        case, _key(perspective), ModelRole.PERSPECTIVE, "perspective", fields, protocol.view_shape(perspective), _VIEW
    )
    context = {
        **step.context,
        "perspective": perspective.code,
        "hateful_label": perspective.hateful_label,
        "other_label": perspective.other_label,
    }
    tempted = step.suspect or any(case.post.suspects(example.text) for example in examples)
    return replace(step, optional=True, suspect=tempted, context=context)


def _fault(case: PredictCase, turns: Mapping[str, SavedTurn]) -> GiveUp | None:
    """Give up if a perspective was refused, naming it, or if all failed.

    A perspective that failed otherwise is counted as missing.
    """
    heard = [(perspective, turns[_key(perspective)]) for perspective in case.perspectives]
    for perspective, turn in heard:
        if turn.state == TurnState.REFUSED:
            return GiveUp(Reason(turn.reason), f"{ModelRole.PERSPECTIVE} {perspective.code}: {turn.detail}")
    if heard and all(turn.state != TurnState.OK for _, turn in heard):
        perspective, turn = heard[0]
        return GiveUp(Reason(turn.reason), f"No perspective answered; {perspective.code}: {turn.detail}")
    return None


# ── DICT ──────────────────────────────────────────────────────────────────────

_SPEECHES: Mapping[str, tuple[type[AnswerShape], Callable[[Sequence[Vote], Mapping[str, Any]], dict[str, Any]]]] = {
    "nonhate.1": (protocol.Argument, lambda votes, said: {"reference": protocol.reference(votes, Stance.NON_HATE)}),
    "hate.1": (
        protocol.Argument,
        lambda votes, said: {
            "reference": protocol.reference(votes, Stance.HATE),
            "argument": said["nonhate.1"]["argument"],
        },
    ),
    "nonhate.2": (
        protocol.Response,
        lambda votes, said: {"own": said["nonhate.1"]["argument"], "argument": said["hate.1"]["argument"]},
    ),
    "hate.2": (
        protocol.Response,
        lambda votes, said: {"own": said["hate.1"]["argument"], "argument": protocol.response(said["nonhate.2"])},
    ),
}
"""The form of each speech, and what its speaker hears: these fields of its prompt and no others."""


def _speech(case: PredictCase, key: str, votes: Sequence[Vote], values: Mapping[str, Any]) -> Step:
    shape, hears = _SPEECHES[key]
    fields = {name: case.post.said(_lines(value)) for name, value in hears(votes, values).items()}
    step = _ask(case, key, ModelRole.DEBATER, key.replace(".", "_"), fields, shape, _SPEECH)
    return replace(step, context={**step.context, "speech": key})


def _judge(case: PredictCase, votes: Sequence[Vote], values: Mapping[str, Any]) -> Step:
    keys = protocol.order(case.options.rounds)
    if case.options.history is History.TRANSCRIPTS:
        steps = {key: _speech(case, key, votes, values) for key in keys}
        heard: Any = [
            {"asked": [message.text for message in step.messages], "answered": values[key]}
            for key, step in steps.items()
        ]
    else:
        heard = protocol.history(values, case.options.rounds)
    fields = {"history": case.post.said(heard)}
    return _ask(case, "judge", ModelRole.DEBATE_JUDGE, "judge", fields, protocol.Judgement, _JUDGEMENT)


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
    """One utterance as it is; a reference a reason a line, empty where nobody took the side."""
    return value if isinstance(value, str) else "\n".join(f"- {' '.join(reason.split())}" for reason in value)
