"""Counterspeech of the sample campaign: real runs of the engine, answered from replies written by hand (`samples/`).

No model is asked; every page names `sample:hand-written` where a model's name stands.
"""

import json
from collections.abc import Mapping
from typing import Any

from annotation.models import Item, Membership, Project
from generation import approving, requesting, writing
from generation.domain.counter_options import CounterOptions, ExplainOptions, ScoreOptions
from generation.domain.intents import Intent
from generation.methods import counter_explain, counterscore, counterspeech
from generation.models import Candidate, Exchange, Reply
from generation.samples import replies
from generation.samples.replies import Answered, Written
from providers.messages import Reply as Said
from providers.messages import Request
from runs import runner, starting, taking

HAND_WRITTEN = "sample:hand-written"
_ROLES = {each.NAME: each.ROLES for each in (counter_explain, counterscore, counterspeech)}


def bring_in(project: Project) -> None:
    """Give the sample project three answered posts: one reply approved, one that waits, one returned."""
    admin = Membership.objects.filter(project=project, administers=True).order_by("pk").first()
    reviewer = Membership.objects.filter(project=project, reviews=True).order_by("pk").first()
    assert admin is not None and reviewer is not None, "the sample project has people"
    roof, collection, kitchen = (
        _answered(project, sample, reviewer) for sample in (replies.ROOF, replies.COLLECTION, replies.KITCHEN)
    )
    approved = writing.begin(roof, reviewer, Intent.POSITIVE, _best(roof, Intent.POSITIVE))
    writing.write(approved, reviewer, replies.EDITED, Intent.POSITIVE, approved.version)
    _hold(roof, counterscore.NAME, requesting.checked(ScoreOptions, {"text": replies.EDITED}), replies.ROOF, reviewer)
    writing.submit(_read(approved), reviewer)
    approving.approve(_read(approved), admin)
    waiting = writing.begin(collection, admin, Intent.DENOUNCING, _best(collection, Intent.DENOUNCING))
    writing.submit(waiting, admin)
    returned = writing.begin(kitchen, reviewer, Intent.QUESTIONING, _best(kitchen, Intent.QUESTIONING))
    writing.submit(returned, reviewer)
    approving.send_back(_read(returned), admin, replies.RETURNED)


def _answered(project: Project, sample: Answered, reviewer: Membership) -> Exchange:
    """The post with its explanations and candidates."""
    exchange = requesting.open_on_item(Item.objects.get(project=project, external_id=sample.item), reviewer)
    _hold(exchange, counter_explain.NAME, requesting.checked(ExplainOptions, {}), sample, reviewer)
    exchange.refresh_from_db()
    wished = {"intents": list(sample.candidates), "candidates": 2, "shots": 0, "version": 1}
    _hold(exchange, counterspeech.NAME, requesting.checked(CounterOptions, wished), sample, reviewer)
    return exchange


def _hold(exchange: Exchange, method: str, options: Mapping[str, Any], sample: Answered, reviewer: Membership) -> None:
    """Queue a run as any other is and perform it at once with the sample's words."""
    wanted = starting.Wanted(
        method=method,
        project=exchange.project.public_id,
        subject=exchange.public_id,
        model_plan={str(role): HAND_WRITTEN for role in _ROLES[method]},
        variant=HAND_WRITTEN,
        options=options,
        started_by=reviewer.public_id,
    )
    starting.start([wanted], ring=False)
    run = taking.take_next(project=exchange.project.public_id, method=method)
    assert run is not None, "the run was queued just now"
    model = _HandWritten(sample)
    runner.carry_on(run, lambda _role, _name: model)


class _HandWritten:
    """Writers and critics who answer from a sample."""

    name, sees_pictures = HAND_WRITTEN, True

    def __init__(self, sample: Answered) -> None:
        self._sample = sample
        written = [each for several in sample.candidates.values() for each in several]
        self._critics = {each.text: each for each in (*written, replies.EDITED_SCORES)}

    def reply(self, request: Request) -> Said:
        """An explanation, the candidates of an intent, or a critic's number, by what is asked."""
        return Said(json.dumps(self._answer(request.context), ensure_ascii=False), self.name)

    def _answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        match asked.get("task"):
            case "explain":
                return {
                    "explanation": self._sample.explanations[asked["explanation"]],
                    "insults": list(self._sample.insults),
                }
            case "write":
                return {"replies": [each.text for each in self._sample.candidates[Intent(asked["intent"])]]}
            case None:
                return {"description": self._sample.picture}
            case critic:
                return _verdict(str(critic), self._critics[asked["reply"]])


def _verdict(critic: str, about: Written) -> dict[str, Any]:
    said = {"stance": about.pc, "quality": about.aq, "toxicity": about.t, "intent": about.does}
    return {"reason": "Written by hand for the sample campaign.", critic: said[critic]}


def _best(exchange: Exchange, intent: Intent) -> Candidate:
    return Candidate.objects.filter(exchange=exchange, intent=intent).order_by("rank")[0]


def _read(reply: Reply) -> Reply:
    """The reply as it stands now."""
    return Reply.objects.select_related("exchange__project", "exchange__item").get(pk=reply.pk)
