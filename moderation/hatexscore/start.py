"""Scoring explanations of items: who may be scored how, and starting the run that does it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Item, Membership, Project, record
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.htc import conclusion_line
from moderation.domain.hatexscore.qf import UnreadableProbability, probability
from moderation.domain.hatexscore.score import Measure, Weights
from moderation.domain.hatexscore.tokenize import LANGUAGES
from moderation.hatexscore import group_lists, method
from moderation.hatexscore.explanations import Explanation
from moderation.models import Score, ScoreSource, ScoreState
from providers import structured_output, wiring
from providers.keyword.model import KeywordModel
from providers.roles import ModelRole
from runs.control import start as run_start
from runs.execution import budget
from runs.models import Run

LONGEST = 20_000
DETOXIFY = "detoxify:unbiased"


class CannotScore(ValueError):
    """An explanation that cannot be scored, or a choice that is not to be had; the sentence says why."""


@dataclass(frozen=True)
class Choice:
    """How to score; empty fields are the defaults. `p` and `p_masked` belong to the estimator `given`."""

    estimator: Estimator = Estimator.MODEL
    model: str = ""
    language: str = ""
    group_list: str = ""
    rule: Rule = Rule.PAPER
    threshold: float | None = None
    weights: Weights = field(default_factory=Weights)
    p: float | None = None
    p_masked: float | None = None

    @property
    def measure(self) -> Measure:
        """Rule, threshold and weights. Raises ValueError."""
        return Measure(self.rule, self.threshold, self.weights)


def pasted(text: str, prediction: bool | None) -> Explanation:
    """An explanation from anywhere, as a source."""
    return Explanation("pasted", ScoreSource.PASTED, text, prediction, structured=False)


def by(model: str) -> Explanation:
    """An explanation that this model is about to write."""
    return Explanation("", ScoreSource.RUN, "", None, structured=False, said_by=model)


def start(
    item: Item, said: Explanation, choice: Choice, actor: Membership | None = None, *, ring: bool = True
) -> Score:
    """Queue the scoring of an explanation of this item; answers its row, which a worker fills.

    One that was refused or cannot be read gets a row that says so and no run. Raises CannotScore.
    """
    row = _row(item, said, choice, actor)
    with transaction.atomic():
        if row.state == ScoreState.WAITING:
            row.run = _queue(item.project, item, row, actor, ring)
        row.save()
        record(
            ModerationVerb.SCORE_STARTED,
            project=item.project,
            actor=actor,
            item=item,
            row=row.public_id,
            source=row.source,
        )
    return row


def _row(item: Item, said: Explanation, choice: Choice, actor: Membership | None) -> Score:
    try:
        measure = choice.measure
    except ValueError as bad:
        raise CannotScore(str(bad)) from None
    _check(item, said, choice)
    state, why = _ability(said)
    text = said.text.strip()
    if said.structured and said.prediction is not None:
        text = f"{text}\n{conclusion_line(said.prediction)}"
    return Score(
        public_id=uuid4(),
        project=item.project,
        item=item,
        source=said.source,
        about_run=said.about_run,
        about=said.about[:100],
        said_by=said.said_by,
        method=said.method,
        explanation=text,
        appended=said.structured and said.prediction is not None,
        prediction=said.prediction,
        text=item.text,
        language=choice.language,
        group_list=choice.group_list,
        rule=measure.rule,
        threshold=measure.tau,
        weights=list(measure.weights.values),
        estimator=choice.estimator,
        estimated_by="" if state != ScoreState.WAITING else estimator_name(choice, said),
        state=state,
        reason=why,
        p=choice.p,
        p_masked=choice.p_masked,
        created_by=actor,
    )


def _check(item: Item, said: Explanation, choice: Choice) -> None:
    if not item.text.strip():
        raise CannotScore(_("The post has no text: a score masks what an explanation quotes from the text."))
    if len(said.text) > LONGEST:
        raise CannotScore(_("An explanation has %(most)d characters at most.") % {"most": LONGEST})
    if choice.language and choice.language not in LANGUAGES:
        raise CannotScore(_("There is no language %(code)s.") % {"code": choice.language})
    if choice.group_list and choice.group_list not in group_lists.names(item.project):
        raise CannotScore(_("There is no group list %(name)s.") % {"name": choice.group_list})
    if choice.estimator is Estimator.GIVEN:
        try:
            probability(choice.p), probability(choice.p_masked)
        except UnreadableProbability:
            raise CannotScore(_("Give p before and after masking, both from 0 to 1.")) from None


def _ability(said: Explanation) -> tuple[ScoreState, str]:
    """Whether there is something to score; what was refused or is unreadable is reported, never scored 0."""
    if said.unscorable == "refused" or structured_output.is_refusal(said.text):
        return ScoreState.REFUSED, _("The model refused to explain: there is nothing to score.")
    if said.unscorable or not said.text.strip():
        return ScoreState.UNREADABLE, _("There is no explanation that could be read.")
    return ScoreState.WAITING, ""


def estimator_name(choice: Choice, said: Explanation) -> str:
    """The full name of the model that estimates; empty for `given`. Raises CannotScore where it cannot be asked."""
    if choice.estimator is Estimator.GIVEN:
        return ""
    fixed = {Estimator.DETOXIFY: DETOXIFY, Estimator.KEYWORD: KeywordModel().name}.get(choice.estimator, "")
    own = said.said_by if said.said_by and wiring.is_model_allowed(said.said_by) else ""
    try:
        return _bound(fixed or choice.model or own)
    except CannotScore:
        if fixed or choice.model or not own:
            raise
        return _bound("")  # the model that wrote it cannot be asked any more


def _bound(name: str) -> str:
    try:
        binding = wiring.bind_role(ModelRole.ESTIMATOR, {ModelRole.ESTIMATOR: name} if name else None)
    except wiring.NotConfigured as fault:
        raise CannotScore(str(fault)) from None
    if binding.problem:
        raise CannotScore(binding.problem)
    return binding.name


def _queue(project: Project, item: Item, row: Score, actor: Membership | None, ring: bool) -> UUID:
    budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
    wanted = run_start.RunRequest(
        method=method.NAME,
        project=project.public_id,
        subject=item.public_id,
        model_plan={str(ModelRole.ESTIMATOR): row.estimated_by} if row.estimated_by else {},
        variant=row.public_id.hex,
        options={"score": str(row.public_id), "estimator": row.estimator},
        started_by=actor.public_id if actor else None,
    )
    run_start.queue_runs([wanted], enqueue=ring)
    queued: UUID = Run.objects.values_list("public_id", flat=True).get(method=method.NAME, variant=wanted.variant)
    return queued


def scores_of(item: Item) -> Sequence[Score]:
    """The item's scores, newest first."""
    return list(Score.objects.filter(item=item).select_related("created_by")[:100])
