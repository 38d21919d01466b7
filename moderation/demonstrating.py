"""Debates of the sample campaign: real runs of the engine, answered from scripts written by hand (`samples/`).

No model is asked, so they use no tokens; every page names `sample:hand-written` where a model's name stands.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation import glossing
from annotation.domain.glossary.entries import EntryValues
from annotation.models import Item, Membership, Project
from moderation import debating, documents, explanations, perspectives, scoring
from moderation.domain.estimating import Estimator
from moderation.methods import arcade, explain, predict
from moderation.samples import court, debate, explanation
from providers.messages import Reply, Request
from providers.roles import ModelRole
from runs import runner, starting, taking
from runs.models import Run
from runs.working import planned

HAND_WRITTEN = "sample:hand-written"

Script = Mapping[ModelRole, Sequence[Any] | Mapping[str, Any]]
"""What a role says: in order, or by what the step is about (a perspective's code, a speech's key)."""


def bring_in(project: Project) -> None:
    """Give the sample project two trials, a debate of perspectives, an explanation with its score, and a term."""
    items = {item.external_id: item for item in Item.objects.filter(project=project)}
    admin = Membership.objects.filter(project=project, administers=True).order_by("pk").first()
    reviewer = Membership.objects.filter(project=project, reviews=True).order_by("pk").first()
    assert admin is not None and reviewer is not None, "the sample project has people"
    documents.add(project, explanation.DOCUMENT, explanation.DOCUMENT_TEXT.encode(), admin)
    term = EntryValues(
        explanation.TERM,
        explanation.MEANING,
        target_group="newcomers",
        languages=("en",),
        examples=explanation.EXAMPLE,
    )
    glossing.propose(admin, term, approved=True)
    deep = debating.Wish(arcade.NAME, {"track": "deep", "rounds": 2, "glossary": True})
    _hold(project, items[court.WEEDS_ITEM], deep, _trial(court.WEEDS), reviewer)
    _hold(project, items[court.GARDEN_ITEM], debating.Wish(arcade.NAME), _trial(court.GARDEN), reviewer)
    _hold(project, items[debate.ITEM], debating.Wish(predict.NAME), _debate(project), reviewer)
    script: Script = {ModelRole.EXPLAINER: [explanation.EXPLANATION]}
    explained = _hold(project, items[explanation.ITEM], debating.Wish(explain.NAME), script, reviewer)
    said = explanations.of_run(explained)
    assert said is not None, "the explanation was read"
    choice = scoring.Choice(estimator=Estimator.KEYWORD, language="en")
    if (run := scoring.start(items[explanation.ITEM], said, choice, reviewer, ring=False).run) is not None:
        runner.perform(Run.objects.get(public_id=run).pk, planned)


class _HandWritten:
    """A model that answers from a script."""

    name, sees_pictures = HAND_WRITTEN, True

    def __init__(self, script: Script) -> None:
        self._script: dict[ModelRole, Iterator[Any] | Mapping[str, Any]] = {
            role: said if isinstance(said, Mapping) else iter(said) for role, said in script.items()
        }

    def reply(self, request: Request) -> Reply:
        """The next line of the asking role, or that of the perspective or speech that is asked for."""
        said = self._script[ModelRole(request.role)]
        about = request.context.get("perspective") or request.context.get("speech")
        line = said[str(about)] if isinstance(said, Mapping) else next(said)
        return Reply(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False), self.name)


def _trial(said: Mapping[str, Any]) -> Script:
    """What each speaker of a trial says, round after round, from the answers by step key."""
    speakers = {"gate": ModelRole.GATEKEEPER, "judge": ModelRole.JUDGE}
    speakers |= {"prosecutor": ModelRole.PROSECUTOR, "defender": ModelRole.DEFENDER}
    script: dict[ModelRole, list[Any]] = {}
    for key in sorted(said):
        script.setdefault(speakers[key.partition(".")[0]], []).append(said[key])
    return script


def _debate(project: Project) -> Script:
    views = {}
    for each in perspectives.values_of(project):
        hateful, reason = debate.VIEWS[each.code]
        label = {True: each.hateful_label, False: each.other_label, None: "I don't know"}[hateful]
        views[each.code] = {"reason": reason, "label": label}
    return {
        ModelRole.DESCRIBER: [debate.DESCRIPTION],
        ModelRole.PERSPECTIVE: views,
        ModelRole.DEBATER: debate.SPEECHES,
        ModelRole.DEBATE_JUDGE: [debate.JUDGEMENT],
    }


def _hold(project: Project, item: Item, wish: debating.Wish, script: Script, reviewer: Membership) -> Run:
    """Queue the run as any other is and perform it at once with the script's words."""
    options = debating.options_for(project, wish)
    plan = {str(role): HAND_WRITTEN for role in debating.METHODS[wish.method].roles}
    wanted = starting.Wanted(
        method=wish.method,
        project=project.public_id,
        subject=item.public_id,
        model_plan=plan,
        variant=debating.variant_of(options, plan),
        options=options,
        started_by=reviewer.public_id,
    )
    starting.start([wanted], ring=False)
    run = taking.take_next(project=project.public_id, method=wish.method)
    assert run is not None, "the run was queued just now"
    model = _HandWritten(script)
    runner.carry_on(run, lambda _role, _name: model)
    run.refresh_from_db()
    return run
