"""Scoring explanations of items: who may be scored how, and starting the run that does it."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Item, Membership, Project, record
from moderation.debates.start import usable_model
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.htc import conclusion_line
from moderation.domain.hatexscore.request import Scoring
from moderation.domain.hatexscore.words.tokenize import LANGUAGES
from moderation.hatexscore import group_lists, method
from moderation.hatexscore.explanations import Explanation
from moderation.methods.debate_method import BadChoice
from moderation.methods.second_reader import is_unsure
from moderation.models import Score, ScoreSource, ScoreState
from providers import bindings, structured_output
from providers.keyword.model import KeywordModel
from providers.roles import ModelRole
from runs.control import start as run_start
from runs.execution import budget
from runs.models import Run

LONGEST = 20_000
DETOXIFY = "detoxify:unbiased"


class CannotScore(ValueError):
    """An explanation that cannot be scored, or a choice that is not to be had; the sentence says why."""


def pasted(text: str, prediction: bool | None) -> Explanation:
    """Return an explanation from anywhere as a source."""
    return Explanation("pasted", ScoreSource.PASTED, text, prediction, structured=False)


def by(model: str) -> Explanation:
    """Return an explanation that this model is about to write."""
    return Explanation("", ScoreSource.RUN, "", None, structured=False, said_by=model)


def start(
    item: Item, explanation: Explanation, choice: Scoring, actor: Membership | None = None, *, ring: bool = True
) -> Score:
    """Queue the scoring of an explanation of this item; return its row, which a worker fills.

    One that was refused or cannot be read gets a row that says so and no run.
    Raises CannotScore if the choice is not to be had.
    """
    row = _row(item, explanation, choice, actor)
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


def _row(item: Item, explanation: Explanation, choice: Scoring, actor: Membership | None) -> Score:
    _check(item, explanation, choice)
    state, why = _ability(explanation, reader_name(item.project))
    text = explanation.text.strip()
    if explanation.structured and explanation.prediction is not None:
        text = f"{text}\n{conclusion_line(explanation.prediction)}"
    return Score(
        public_id=uuid4(),
        project=item.project,
        item=item,
        source=explanation.source,
        about_run=explanation.about_run,
        about=explanation.about[:100],
        said_by=explanation.said_by,
        method=explanation.method,
        explanation=text,
        appended=explanation.structured and explanation.prediction is not None,
        prediction=explanation.prediction,
        text=item.text,
        language=choice.language,
        group_list=choice.group_list,
        rule=choice.rule,
        threshold=choice.measure.tau,
        weights=list(choice.weights.values),
        estimator=choice.estimator,
        estimated_by="" if state != ScoreState.WAITING else estimator_name(choice, explanation),
        state=state,
        reason=why,
        p=choice.p,
        p_masked=choice.p_masked,
        created_by=actor,
    )


def _check(item: Item, explanation: Explanation, choice: Scoring) -> None:
    if not item.text.strip():
        raise CannotScore(_("The post has no text: a score masks what an explanation quotes from the text."))
    if len(explanation.text) > LONGEST:
        raise CannotScore(_("An explanation has %(most)d characters at most.") % {"most": LONGEST})
    if choice.language and choice.language not in LANGUAGES:
        raise CannotScore(_("There is no language %(code)s.") % {"code": choice.language})
    if choice.group_list and choice.group_list not in group_lists.names(item.project):
        raise CannotScore(_("There is no group list %(name)s.") % {"name": choice.group_list})
    if choice.estimator is Estimator.GIVEN and None in (choice.p, choice.p_masked):
        raise CannotScore(_("Give p before and after masking, both from 0 to 1."))


def _ability(explanation: Explanation, reader: str) -> tuple[ScoreState, str]:
    """Return whether there is something to score, and why not; what was refused is reported, never scored 0.

    Where somebody reads a second time, what only the rules take for a refusal is read first.
    """
    is_refused = not reader and structured_output.is_refusal(explanation.text)
    if explanation.unscorable == "refused" or is_refused:
        return ScoreState.REFUSED, _("The model refused to explain: there is nothing to score.")
    if explanation.unscorable or not explanation.text.strip():
        return ScoreState.UNREADABLE, _("There is no explanation that could be read.")
    return ScoreState.WAITING, ""


def reader_name(project: Project | None) -> str:
    """Return the model that reads what the rules do not read for sure; empty if none does. Raises CannotScore."""
    try:
        return usable_model(ModelRole.READER, project.model_plan.get(ModelRole.READER, "") if project else "")
    except BadChoice as fault:
        raise CannotScore(str(fault)) from None


def _plan(project: Project, row: Score) -> dict[str, str]:
    """Return who estimates, and who reads if the rules are not sure."""
    reader = reader_name(project) if is_unsure(row.explanation) else ""
    plan = {ModelRole.ESTIMATOR: row.estimated_by, ModelRole.READER: reader}
    return {str(role): name for role, name in plan.items() if name}


def estimator_name(choice: Scoring, explanation: Explanation) -> str:
    """Return the full name of the model that estimates; empty for `given`.

    Raises CannotScore if it cannot be asked, or nobody named one.
    """
    if choice.estimator is Estimator.GIVEN:
        return ""
    fixed = {Estimator.DETOXIFY: DETOXIFY, Estimator.KEYWORD: KeywordModel().name}.get(choice.estimator, "")
    own = explanation.said_by if explanation.said_by and bindings.is_model_allowed(explanation.said_by) else ""
    try:
        return _bound(fixed or choice.model or own)
    except CannotScore:
        if fixed or choice.model or not own:
            raise
        return _bound("")  # the model that wrote it cannot be asked any more


def _bound(name: str) -> str:
    """Return the full name of the estimator.

    Raises CannotScore if it cannot be asked, or nobody named one.
    """
    try:
        binding = bindings.bind_role(ModelRole.ESTIMATOR, {ModelRole.ESTIMATOR: name} if name else None)
    except bindings.NotConfigured as fault:
        raise CannotScore(str(fault)) from None
    if binding.problem:
        raise CannotScore(binding.problem)
    if not name and not binding.is_language_model and not _is_named_by_settings(binding):
        raise CannotScore(
            _(
                "No model is set that could estimate. Set %(setting)s, name a model, give p yourself, "
                "or choose the estimator keyword, whose four numbers come from no language model."
            )
            % {"setting": ModelRole.ESTIMATOR.setting}
        )
    return binding.name


def _is_named_by_settings(binding: bindings.Binding) -> bool:
    return binding.name in settings.MODEL_BINDINGS.values()


def _queue(project: Project, item: Item, row: Score, actor: Membership | None, ring: bool) -> UUID:
    budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
    request = run_start.RunRequest(
        method=method.NAME,
        project=project.public_id,
        subject=item.public_id,
        model_plan=_plan(project, row),
        variant=row.public_id.hex,
        options={"score": str(row.public_id), "estimator": row.estimator},
        started_by=actor.public_id if actor else None,
    )
    run_start.queue_runs([request], enqueue=ring)
    queued: UUID = Run.objects.values_list("public_id", flat=True).get(method=method.NAME, variant=request.variant)
    return queued


def scores_of(item: Item) -> Sequence[Score]:
    """Return the item's scores, newest first."""
    return list(Score.objects.filter(item=item).select_related("created_by")[:100])
