"""Counterspeech of the sample campaign: real runs, answered from replies that were written by hand (`data/`).

No model is asked. Every page names `sample:hand-written` as the model.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.demo.sample_files import StrictShape, read_json
from annotation.models import Item, Membership, Project
from generation.counterspeech import approve
from generation.counterspeech import replies as counterspeech_replies
from generation.counterspeech import request as counterspeech_request
from generation.counterspeech.claims import claims_of
from generation.domain.counterspeech.claim_states import ClaimState
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import CounterOptions, ExplainOptions, ScoreOptions
from generation.methods.counterspeech import candidates, explain, score
from generation.models import Candidate, Exchange, Reply
from generation.practice.claims import Decision, decide
from providers.messages import Reply as Said
from providers.messages import Request
from providers.roles import ModelRole
from runs.control import start
from runs.execution import runner
from runs.queue.claim import claim_next_run

HAND_WRITTEN = "sample:hand-written"
DATA = Path(__file__).with_name("data")
_ROLES = {method.NAME: {*method.ROLES} - {ModelRole.READER} for method in (explain, score, candidates)}


class Written(StrictShape):
    """A reply, the critics' numbers (PC, AQ, T), and the intent that a critic reads in it."""

    text: str
    pc: float
    aq: float
    t: float
    does: str


class Answered(StrictShape):
    """A post, what its picture shows, the seven explanations, its insults, and candidates by intent."""

    post: str
    picture: str
    explanations: dict[Explanation, str]
    insults: tuple[str, ...]
    candidates: dict[Intent, tuple[Written, ...]]


class SampleReplies(StrictShape):
    """Three answered posts: one reply is edited and approved, one waits, one is returned."""

    approved: Answered
    waiting: Answered
    returned: Answered
    edited: Written
    no_source_because: str
    returned_because: str


def bring_in(project: Project) -> None:
    """Give the sample project three answered posts: one reply approved, one that waits, one returned."""
    admin = Membership.objects.filter(project=project, administers=True).order_by("pk").first()
    reviewer = Membership.objects.filter(project=project, reviews=True).order_by("pk").first()
    assert admin is not None and reviewer is not None, "the sample project has people"
    samples = read_json(DATA / "replies.json", SampleReplies)
    posts = (samples.approved, samples.waiting, samples.returned)
    roof, collection, kitchen = (_answered(project, post, reviewer, samples.edited) for post in posts)
    edited = samples.edited.text
    approved = counterspeech_replies.begin(roof, reviewer, Intent.POSITIVE, _best(roof, Intent.POSITIVE))
    counterspeech_replies.write(approved, reviewer, edited, Intent.POSITIVE, approved.version)
    options = counterspeech_request.checked(ScoreOptions, {"text": edited})
    _hold(roof, score.NAME, options, _HandWritten(samples.approved, samples.edited), reviewer)
    counterspeech_replies.submit(_read(approved), reviewer)
    for claim in claims_of(_read(approved)).stated:
        decision = Decision(ClaimState.WITHOUT_SOURCE, reason=samples.no_source_because)
        decide(_read(approved), claim.public_id, admin, decision)
    approve.approve(_read(approved), admin)
    waiting = counterspeech_replies.begin(collection, admin, Intent.DENOUNCING, _best(collection, Intent.DENOUNCING))
    counterspeech_replies.submit(waiting, admin)
    returned = counterspeech_replies.begin(kitchen, reviewer, Intent.QUESTIONING, _best(kitchen, Intent.QUESTIONING))
    counterspeech_replies.submit(returned, reviewer)
    approve.send_back(_read(returned), admin, samples.returned_because)


def _answered(project: Project, post: Answered, reviewer: Membership, edited: Written) -> Exchange:
    """Create the exchange on the post, with its explanations and candidates."""
    model = _HandWritten(post, edited)
    exchange = counterspeech_request.open_on_item(Item.objects.get(project=project, external_id=post.post), reviewer)
    _hold(exchange, explain.NAME, counterspeech_request.checked(ExplainOptions, {}), model, reviewer)
    exchange.refresh_from_db()
    wished = {"intents": list(post.candidates), "candidates": 2, "shots": 0, "version": 1}
    _hold(exchange, candidates.NAME, counterspeech_request.checked(CounterOptions, wished), model, reviewer)
    return exchange


class _HandWritten:
    """Writers and critics who answer from a sample."""

    name, sees_pictures = HAND_WRITTEN, True

    def __init__(self, post: Answered, edited: Written) -> None:
        self._post = post
        written = [reply for replies in post.candidates.values() for reply in replies]
        self._scores = {reply.text: reply for reply in (*written, edited)}

    def reply(self, request: Request) -> Said:
        """Return an explanation, the candidates of an intent, or a critic's number, as the task says."""
        return Said(json.dumps(self._answer(request.context), ensure_ascii=False), self.name)

    def _answer(self, context: Mapping[str, Any]) -> dict[str, Any]:
        match context.get("task"):
            case "explain":
                explanation = self._post.explanations[Explanation(context["explanation"])]
                return {"explanation": explanation, "insults": list(self._post.insults)}
            case "write":
                return {"replies": [reply.text for reply in self._post.candidates[Intent(context["intent"])]]}
            case None:
                return {"description": self._post.picture}
            case critic:
                return _verdict(str(critic), self._scores[context["reply"]])


def _hold(
    exchange: Exchange, method: str, options: Mapping[str, Any], model: _HandWritten, reviewer: Membership
) -> None:
    """Queue a run in the ordinary way and perform it at once with the sample's words."""
    request = start.RunRequest(
        method=method,
        project=exchange.project.public_id,
        subject=exchange.public_id,
        model_plan={str(role): HAND_WRITTEN for role in _ROLES[method]},
        variant=HAND_WRITTEN,
        options=options,
        started_by=reviewer.public_id,
    )
    start.queue_runs([request], enqueue=False)
    run = claim_next_run(project=exchange.project.public_id, method=method)
    assert run is not None, "the run was queued just now"
    runner.perform_claimed(run, lambda _role, _name: model)


def _verdict(critic: str, reply: Written) -> dict[str, Any]:
    scores = {"stance": reply.pc, "quality": reply.aq, "toxicity": reply.t, "intent": reply.does}
    return {"reason": "Written by hand for the sample campaign.", critic: scores[critic]}


def _best(exchange: Exchange, intent: Intent) -> Candidate:
    return Candidate.objects.filter(exchange=exchange, intent=intent).order_by("rank")[0]


def _read(reply: Reply) -> Reply:
    """Return the reply as it is stored now."""
    return Reply.objects.select_related("exchange__project", "exchange__item").get(pk=reply.pk)
