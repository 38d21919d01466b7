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
from moderation import perspectives
from moderation.domain.predict import debate
from moderation.domain.predict.debate import History, PredictRun, Stance, Vote
from moderation.domain.predict.perspectives import NEAREST, SEEDED, Neighbourhood, Perspective
from moderation.domain.verdicts import Shape
from moderation.example_store import Store
from moderation.methods import describing, verdict_end
from moderation.methods.post import Post, is_there, post_of
from providers import wiring
from providers.embedding import Embedder
from providers.messages import ProviderError, Refused
from providers.roles import ModelRole
from runs import embedding
from runs.domain.states import Flag, Reason, TurnState
from runs.method import Finish, GiveUp, Limits, Outcome, SavedTurn, Step, StepKind
from runs.models import Run

NAME = "predict"
ROLES = (ModelRole.PERSPECTIVE, ModelRole.DEBATER, ModelRole.DEBATE_JUDGE, ModelRole.DESCRIBER)

_NO_CRITERIA = (
    "Your rules are not written down here. Go by what the two labels plainly mean, and by how your community has "
    "labelled the examples that you are given."
)
_NO_EXAMPLES = "There are no examples."
_VIEW, _SPEECH, _JUDGEMENT = 600, 600, 1000  # tokens


@dataclass(frozen=True)
class Case:
    """A post of a project, the perspectives that look at it, and where the labelled examples of each lie."""

    project: UUID
    post: Post
    options: PredictRun
    perspectives: tuple[Perspective, ...]
    stores: Mapping[str, Store]

    @property
    def is_described(self) -> bool:
        """Whether the picture is put into words first."""
        return self.options.describe and self.post.picture is not None


class Predict:
    """The debate of perspectives."""

    name = NAME
    limits = Limits(calls=90, tokens=900_000, seconds=7200)

    def case(self, run: Run) -> Case | None:
        """The post, and the perspectives as they were when the run was started."""
        post = post_of(run)
        if post is None:
            return None
        options = PredictRun.model_validate(run.options)
        chosen = options.perspectives or _current(run)
        taking_part = tuple(each for each in chosen if each.code != options.without)
        found = {each.code: perspectives.laid_out(each.id, each.store) for each in taking_part if options.examples}
        return Case(run.project, post, options, taking_part, {code: store for code, store in found.items() if store})

    def still_wanted(self, run: Run) -> bool:
        """Whether the post is still there."""
        return is_there(run)

    def next_steps(self, case: Case, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Describe and look up; every perspective at once; the debate, a turn after the other; the judge."""
        values = {key: turn.value for key, turn in turns.items()}
        if opening := _opening(case, values):
            return opening
        case = replace(case, post=case.post.in_words(_described(values)))
        if unheard := [each for each in case.perspectives if _key(each) not in turns]:
            return [_view(case, each, values) for each in unheard]
        if given_up := _fault(case, turns):
            return given_up
        votes = [debate.vote(each, turns[_key(each)].value) for each in case.perspectives]
        for key in debate.order(case.options.rounds):
            if key not in values:
                return [_speech(case, key, votes, values)]
        if (found := values.get("judge")) is None:
            return [_judge(case, votes, values)]
        suspect = any(Flag.INJECTION_SUSPECTED in turn.flags for turn in turns.values())
        return Finish(debate.verdict(found, votes, values, suspect=suspect))

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Compare the verdict with the people's; nothing about the item's labels changes."""
        return verdict_end.settle(run, outcome)


def _current(run: Run) -> tuple[Perspective, ...]:
    """The perspectives of the run's project, or those that every project starts with where it has none."""
    project = Project.objects.filter(public_id=run.project).first()
    return perspectives.values_of(project) if project else SEEDED


def _key(perspective: Perspective) -> str:
    return f"perspective.{perspective.code}"


# ── What is known before anybody speaks ───────────────────────────────────────


def _opening(case: Case, values: Mapping[str, Any]) -> list[Step]:
    steps = []
    if case.is_described and describing.KEY not in values:
        steps.append(describing.describe(case.post, temperature=case.options.temperature))
    # What is alike is looked up by the post's own words; a picture alone has to be put into words first.
    if case.stores and "examples" not in values and (case.post.text or not steps):
        steps.append(_look_up(case, values))
    return steps


def _described(values: Mapping[str, Any]) -> str:
    return describing.in_words(values.get(describing.KEY))


def _look_up(case: Case, values: Mapping[str, Any]) -> Step:
    text = case.post.text or _described(values)
    search = partial(_search, case.project, case.stores, text)
    return Step("examples", "examples", kind=StepKind.SEARCH, work=search, spends=_spends(text))


def _spends(text: str) -> tuple[str, int] | None:
    try:
        embedder = wiring.embedder()
    except ProviderError:
        return None  # the search meets it too, and says so
    cost = embedding.cost(embedder, text)
    return (embedder.name, cost) if cost else None


def _search(project: UUID, stores: Mapping[str, Store], text: str) -> dict[str, Any]:
    """The nearest examples of each perspective. A text that the vendor's filter stops is judged without any."""
    embedder = wiring.embedder()
    _prepare(project, [store for store in stores.values() if not store.has_vectors(embedder)], embedder)
    found = {}
    try:
        [wanted] = embedder.embed([text])
        for code, store in stores.items():
            found[code] = store.search(embedder, text, NEAREST, wanted).model_dump(mode="json")
    except Refused:
        return {"embedding": embedder.name, "refused": True, "perspectives": {}}
    return {"embedding": embedder.name, "refused": False, "perspectives": found}


def _prepare(project: UUID, stores: Sequence[Store], embedder: Embedder) -> None:
    """Make the vectors that nobody made so far, at the project's expense, beside what the run itself may spend."""
    try:
        for store in stores:
            store.prepare(embedding.paid_by(project, embedder))
    finally:
        if stores:
            connection.close()  # this is a thread of the pool, which the budget alone leads to the database


# ── PRE ───────────────────────────────────────────────────────────────────────


def _view(case: Case, perspective: Perspective, values: Mapping[str, Any]) -> Step:
    """Criteria, the nearest examples, the text: nothing that another perspective said."""
    near = ((values.get("examples") or {}).get("perspectives") or {}).get(perspective.code) or {}
    examples = Neighbourhood.model_validate(near).nearest
    labels = {True: perspective.hateful_label, False: perspective.other_label}
    shown = [f"{case.post.fenced_as('text', each.text)}\nLabel: {labels[each.hateful]}" for each in examples]
    fields = {
        "name": perspective.name,
        "hateful_label": perspective.hateful_label,
        "other_label": perspective.other_label,
        "criteria": f"Your rules\n\n{perspective.criteria}" if case.options.criteria else _NO_CRITERIA,
        "examples": "\n\n".join(["Examples from your community:", *shown]) if shown else _NO_EXAMPLES,
    }
    step = _ask(
        case, _key(perspective), ModelRole.PERSPECTIVE, "perspective", fields, debate.view_shape(perspective), _VIEW
    )
    context = {
        **step.context,
        "perspective": perspective.code,
        "hateful_label": perspective.hateful_label,
        "other_label": perspective.other_label,
    }
    tempted = step.suspect or any(case.post.suspects(each.text) for each in examples)
    return replace(step, optional=True, suspect=tempted, context=context)


def _fault(case: Case, turns: Mapping[str, SavedTurn]) -> GiveUp | None:
    """A refusal ends the run, naming who refused; a perspective that brought nothing is missing, unless all are."""
    heard = [(each, turns[_key(each)]) for each in case.perspectives]
    for each, turn in heard:
        if turn.state == TurnState.REFUSED:
            return GiveUp(Reason(turn.reason), f"{ModelRole.PERSPECTIVE} {each.code}: {turn.detail}")
    if heard and all(turn.state != TurnState.OK for _, turn in heard):
        each, turn = heard[0]
        return GiveUp(Reason(turn.reason), f"No perspective answered; {each.code}: {turn.detail}")
    return None


# ── DICT ──────────────────────────────────────────────────────────────────────

_SPEECHES: Mapping[str, tuple[type[Shape], Callable[[Sequence[Vote], Mapping[str, Any]], dict[str, Any]]]] = {
    "nonhate.1": (debate.Argument, lambda votes, said: {"reference": debate.reference(votes, Stance.NON_HATE)}),
    "hate.1": (
        debate.Argument,
        lambda votes, said: {
            "reference": debate.reference(votes, Stance.HATE),
            "argument": said["nonhate.1"]["argument"],
        },
    ),
    "nonhate.2": (
        debate.Response,
        lambda votes, said: {"own": said["nonhate.1"]["argument"], "argument": said["hate.1"]["argument"]},
    ),
    "hate.2": (
        debate.Response,
        lambda votes, said: {"own": said["hate.1"]["argument"], "argument": debate.response(said["nonhate.2"])},
    ),
}
"""The form of each speech, and what its speaker hears: these fields of its prompt and no others."""


def _speech(case: Case, key: str, votes: Sequence[Vote], values: Mapping[str, Any]) -> Step:
    shape, hears = _SPEECHES[key]
    fields = {name: case.post.said(_lines(value)) for name, value in hears(votes, values).items()}
    step = _ask(case, key, ModelRole.DEBATER, key.replace(".", "_"), fields, shape, _SPEECH)
    return replace(step, context={**step.context, "speech": key})


def _judge(case: Case, votes: Sequence[Vote], values: Mapping[str, Any]) -> Step:
    keys = debate.order(case.options.rounds)
    if case.options.history is History.TRANSCRIPTS:
        asked = {key: _speech(case, key, votes, values) for key in keys}
        heard: Any = [
            {"asked": [message.text for message in step.messages], "answered": values[key]}
            for key, step in asked.items()
        ]
    else:
        heard = debate.history(values, case.options.rounds)
    fields = {"history": case.post.said(heard)}
    return _ask(case, "judge", ModelRole.DEBATE_JUDGE, "judge", fields, debate.Judgement, _JUDGEMENT)


def _ask(
    case: Case, key: str, role: ModelRole, template: str, fields: dict[str, str], shape: type[Shape], max_tokens: int
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
    return value if isinstance(value, str) else "\n".join(f"- {' '.join(each.split())}" for each in value)
