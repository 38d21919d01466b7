"""Debates of the sample campaign: real runs, answered from scripts written by hand (`data/`).

They call no model, so they use no tokens. Every page names `sample:hand-written` as the model. The built-in
baseline answers an evaluation, and one slow debate that is left to the workers of the site.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.demo.sample_files import StrictShape, read_json
from annotation.domain.glossary.entry import EntryValues
from annotation.glossary import entries
from annotation.models import Item, Membership, Project
from moderation.debates import start
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.request import Scoring
from moderation.evaluation import start as evaluation_start
from moderation.evaluation.arms import ArmGrid
from moderation.evaluation.collect_answers import gold_items
from moderation.evaluation.continuation import carry_on
from moderation.evaluation.request import Wish
from moderation.hatexscore import explanations
from moderation.hatexscore import start as hatexscore_start
from moderation.methods import explain, local_documents
from moderation.methods.arcade.method import NAME as ARCADE
from moderation.methods.baseline import NAME as BASELINE
from moderation.methods.predict.method import NAME as PREDICT
from moderation.methods.registry import METHODS
from moderation.perspectives import edit
from providers.keyword.model import SlowKeywordModel
from providers.messages import Reply, Request
from providers.roles import ModelRole
from runs.control import start as run_start
from runs.execution import runner
from runs.execution.worker import planned_model
from runs.models import Run
from runs.queue import claim

HAND_WRITTEN = "sample:hand-written"
DATA = Path(__file__).with_name("data")
_COMPARED = (BASELINE, ARCADE)
"""The methods of the sample evaluation; the built-in baseline answers."""
_COMPARED_ITEMS = 16
DOCUMENT = "words-of-the-street.md"


class Trial(StrictShape):
    """An ARCADE debate on a post: the options of the run, and each speaker's answer by step key."""

    post: str
    options: dict[str, Any]
    turns: dict[str, Any]


class View(StrictShape):
    """A perspective's answer: hateful or not (None: it abstains), and the reason."""

    hateful: bool | None
    reason: str


class PerspectiveDebate(StrictShape):
    """A PREDICT debate on a post: answers by perspective code, speeches by step key, the judgement."""

    post: str
    description: dict[str, Any]
    views: dict[str, View]
    speeches: dict[str, dict[str, str]]
    judgement: dict[str, str]


class SampleExplanation(StrictShape):
    """An explanation of a post, which is then scored."""

    post: str
    text: str


class SampleTerm(StrictShape):
    """An entry of the glossary."""

    term: str
    meaning: str
    target_group: str
    languages: tuple[str, ...]
    example: str


class SampleDebates(StrictShape):
    """All samples that the sample project gets from this app."""

    trials: tuple[Trial, ...]
    perspectives: PerspectiveDebate
    explanation: SampleExplanation
    term: SampleTerm


Script = Mapping[ModelRole, Sequence[Any] | Mapping[str, Any]]
"""The answers of a role: in their order, or by the step's subject (a perspective's code, a speech's key)."""


def bring_in(project: Project) -> None:
    """Add two ARCADE debates, a PREDICT debate, a scored explanation, and a glossary term to the sample project."""
    items = {item.external_id: item for item in Item.objects.filter(project=project)}
    admin = Membership.objects.filter(project=project, administers=True).order_by("pk").first()
    reviewer = Membership.objects.filter(project=project, reviews=True).order_by("pk").first()
    assert admin is not None and reviewer is not None, "the sample project has people"
    samples = read_json(DATA / "debates.json", SampleDebates)
    local_documents.add_document(project, DOCUMENT, (DATA / DOCUMENT).read_bytes(), admin)
    term = samples.term
    values = EntryValues(
        term.term,
        term.meaning,
        target_group=term.target_group,
        languages=term.languages,
        examples=term.example,
    )
    entries.propose(admin, values, approved=True)
    for trial in samples.trials:
        _hold(project, items[trial.post], start.DebateRequest(ARCADE, trial.options), _trial_script(trial), reviewer)
    debate = samples.perspectives
    _hold(project, items[debate.post], start.DebateRequest(PREDICT), _debate_script(project, debate), reviewer)
    explained = items[samples.explanation.post]
    script: Script = {ModelRole.EXPLAINER: [samples.explanation.text]}
    run = _hold(project, explained, start.DebateRequest(explain.NAME), script, reviewer)
    explanation = explanations.of_run(run)
    assert explanation is not None, "the explanation was read"
    choice = Scoring(estimator=Estimator.KEYWORD, language="en")
    score_run = hatexscore_start.start(explained, explanation, choice, reviewer, ring=False).run
    if score_run is not None:
        runner.claim_and_perform(Run.objects.get(public_id=score_run).pk, planned_model)
    _evaluate(project, admin)
    _begin_slow_debate(project, items[samples.trials[0].post], reviewer)


def _evaluate(project: Project, admin: Membership) -> None:
    """Compare two methods of the built-in baseline on some of the project's gold items."""
    wish = Wish(grid=ArmGrid(_COMPARED), limit=_COMPARED_ITEMS)
    evaluation, _new = evaluation_start.begin(project, [gold_items(project)], wish, admin, ring=False)
    for run_id in evaluation.runs().order_by("pk").values_list("pk", flat=True):
        runner.claim_and_perform(run_id, planned_model)
    carry_on(evaluation, ring=False)


def _begin_slow_debate(project: Project, item: Item, reviewer: Membership) -> None:
    """Queue a debate by the baseline that takes its time: a worker holds it once the site has started."""
    options = {"track": "deep", "rounds": 4, "glossary": True}
    models = dict.fromkeys(map(str, METHODS[ARCADE].roles), SlowKeywordModel.name)
    wish = start.DebateRequest(ARCADE, options, models, again=True)
    start.start_runs(project, Item.objects.filter(pk=item.pk), wish, reviewer)


class _HandWritten:
    """A model that answers from a script."""

    name, sees_pictures = HAND_WRITTEN, True

    def __init__(self, script: Script) -> None:
        self._script: dict[ModelRole, Iterator[Any] | Mapping[str, Any]] = {
            role: lines if isinstance(lines, Mapping) else iter(lines) for role, lines in script.items()
        }

    def reply(self, request: Request) -> Reply:
        """Return the next line of the role, or the line of the requested perspective or speech."""
        lines = self._script[ModelRole(request.role)]
        about = request.context.get("perspective") or request.context.get("speech")
        line = lines[str(about)] if isinstance(lines, Mapping) else next(lines)
        return Reply(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False), self.name)


def _trial_script(trial: Trial) -> Script:
    """Return the answers of each speaker, in the order of the rounds."""
    speakers = {"gate": ModelRole.GATEKEEPER, "judge": ModelRole.JUDGE}
    speakers |= {"prosecutor": ModelRole.PROSECUTOR, "defender": ModelRole.DEFENDER}
    script: dict[ModelRole, list[Any]] = {}
    for key in sorted(trial.turns):
        script.setdefault(speakers[key.partition(".")[0]], []).append(trial.turns[key])
    return script


def _debate_script(project: Project, debate: PerspectiveDebate) -> Script:
    views = {}
    for perspective in edit.stored_perspectives(project):
        view = debate.views[perspective.code]
        label = {True: perspective.hateful_label, False: perspective.other_label, None: "I don't know"}[view.hateful]
        views[perspective.code] = {"reason": view.reason, "label": label}
    return {
        ModelRole.DESCRIBER: [debate.description],
        ModelRole.PERSPECTIVE: views,
        ModelRole.DEBATER: debate.speeches,
        ModelRole.DEBATE_JUDGE: [debate.judgement],
    }


def _hold(project: Project, item: Item, wish: start.DebateRequest, script: Script, reviewer: Membership) -> Run:
    """Enqueue the run in the ordinary way and perform it at once with the script's answers."""
    options = start.options_for(project, wish)
    plan = {str(role): HAND_WRITTEN for role in METHODS[wish.method].roles}
    request = run_start.RunRequest(
        method=wish.method,
        project=project.public_id,
        subject=item.public_id,
        model_plan=plan,
        variant=start.variant_of(options, plan),
        options=options,
        started_by=reviewer.public_id,
    )
    run_start.queue_runs([request], enqueue=False)
    run = claim.claim_next_run(project=project.public_id, method=wish.method)
    assert run is not None, "the run was queued just now"
    model = _HandWritten(script)
    runner.perform_claimed(run, lambda _role, _name: model)
    run.refresh_from_db()
    return run
