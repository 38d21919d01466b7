"""HateXScore in an evaluation: separate runs score the explanations of each arm, and the report shows the figures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import QuerySet

from annotation.models import Project
from moderation.debates import start as debate_start
from moderation.domain.evaluation.explained import SCORED, ScoredExplanation
from moderation.domain.evaluation.request import NOT_SCORED, Explanations
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimators import SCORING, Estimator
from moderation.domain.hatexscore.group_list_files import BadGroups
from moderation.domain.hatexscore.request import Scoring
from moderation.domain.hatexscore.score import Measure, Scored
from moderation.evaluation.arms import Arm
from moderation.hatexscore import group_lists
from moderation.hatexscore import start as hatexscore_start
from moderation.hatexscore.explanations import spoken_by
from moderation.methods.debate_method import BadChoice
from moderation.methods.registry import METHODS
from moderation.models import Evaluation
from runs.control import start as run_start
from runs.domain.states import ASIDE, OPEN, RunState
from runs.models import Run
from vocabulary.requests import Request

ANSWERED = (RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE)


class ScoringRequest(Request):
    """How to score explanations: estimator of p, group list, rule and threshold of CC (design section 8)."""

    estimator: Estimator = Estimator.MODEL
    group_list: str = ""
    rule: Rule = Rule.PAPER
    threshold: float | None = None
    all_reasons: bool = False
    """Whether to score the reasons of all methods; if not, only of methods that write prose."""

    @property
    def measure(self) -> Measure:
        """Rule and threshold, with equal weights of the four parts."""
        return Measure(self.rule, self.threshold)


def scoring_request(asked: Explanations, methods: Sequence[str]) -> ScoringRequest | None:
    """Return how to score explanations.

    By default, the model that wrote an explanation estimates p, and only methods that write prose are scored.
    Returns None if nothing is to be scored.
    """
    explains = any(METHODS[name].writes_prose for name in methods if name in METHODS)
    named = asked.estimator or (Estimator.MODEL if explains else NOT_SCORED)
    if named == NOT_SCORED:
        return None
    return ScoringRequest(
        estimator=Estimator(named),
        group_list=asked.list,
        rule=asked.rule,
        threshold=asked.threshold,
        all_reasons=bool(asked.estimator),
    )


def scoring_of(evaluation: Evaluation) -> ScoringRequest | None:
    """Return how this evaluation's explanations are scored.

    Returns None if they are not scored.
    """
    stored = evaluation.wish.get("scores")
    return ScoringRequest.model_validate(stored) if stored else None


def add_estimators(project: Project | None, arms: Sequence[Arm], wish: ScoringRequest) -> list[Arm]:
    """Return the arms with the model that estimates p for each of them.

    Raises BadChoice.
    """
    try:
        if wish.group_list:
            group_lists.named(project, wish.group_list)
        return [
            replace(arm, scored_by=_estimator(arm, wish), reader=hatexscore_start.reader_name(project))
            if wish.all_reasons or METHODS[arm.method].writes_prose
            else arm
            for arm in arms
        ]
    except BadGroups as bad:
        raise BadChoice(str(bad)) from None
    except ValueError as bad:
        raise BadChoice(str(bad)) from None


def _estimator(arm: Arm, wish: ScoringRequest) -> str:
    speaker = hatexscore_start.by(spoken_by(arm.method, arm.plan))
    return hatexscore_start.estimator_name(Scoring(estimator=wish.estimator), speaker)


def start_scoring(
    evaluation: Evaluation, arms: Sequence[Arm], runs: QuerySet[Run], *, ring: bool, again: bool = False
) -> int:
    """Enqueue the scoring of every explanation that has none. Return the number of new runs.

    With `again`, score also the explanations whose scoring failed.
    """
    wish, queued = scoring_of(evaluation), 0
    for arm in arms if wish else ():
        if wish is None or not arm.scored_by:
            continue
        scoring = runs.filter(method=SCORING, variant=_variant(arm, wish))
        if again:
            scoring = scoring.filter(state__in=(*OPEN, *ANSWERED))
        scored = set(scoring.values_list("subject", "repeat"))
        explaining_runs = runs.filter(method=arm.method, variant=arm.variant, state=RunState.SUCCEEDED).order_by("id")
        newest = {
            (run.subject, run.repeat): run
            for run in explaining_runs.only("public_id", "subject", "repeat", "started_by")
        }
        missing = [run for key, run in newest.items() if key not in scored and run.repeat < evaluation.repeats]
        queued += run_start.queue_runs((_run_request(evaluation, arm, wish, run) for run in missing), enqueue=ring)
    return queued


def _run_request(evaluation: Evaluation, arm: Arm, wish: ScoringRequest, explaining_run: Run) -> run_start.RunRequest:
    return run_start.RunRequest(
        method=SCORING,
        project=evaluation.account,
        subject=explaining_run.subject,
        model_plan=arm.scoring_plan,
        variant=_variant(arm, wish),
        repeat=explaining_run.repeat,
        options={"explained": str(explaining_run.public_id), "estimator": str(wish.estimator), "list": wish.group_list},
        started_by=explaining_run.started_by,
    )


def _variant(arm: Arm, wish: ScoringRequest) -> str:
    how = {"of": [arm.method, arm.variant], "estimator": str(wish.estimator), "list": wish.group_list}
    return ASIDE + debate_start.variant_of(how, arm.scoring_plan)


def scoring_runs(arm: Arm, wish: ScoringRequest, runs: QuerySet[Run]) -> QuerySet[Run]:
    """Return the runs that score this arm's explanations."""
    return runs.filter(method=SCORING, variant=_variant(arm, wish))


def scored_explanations(
    evaluation: Evaluation, arm: Arm, wish: ScoringRequest, runs: QuerySet[Run]
) -> list[dict[str, ScoredExplanation]]:
    """Return for each repeat: public id of the case → its scored explanation, or the reason why it has no score."""
    explanations: list[dict[str, ScoredExplanation]] = [{} for _ in range(evaluation.repeats)]
    explaining_runs = runs.filter(
        method=arm.method, variant=arm.variant, state__in=ANSWERED, repeat__lt=evaluation.repeats
    )
    for subject, repeat, state in explaining_runs.order_by("id").values_list("subject", "repeat", "state"):
        state_of_score = "failed" if state == RunState.SUCCEEDED else state  # replaced below if it has a score
        explanations[repeat][str(subject)] = ScoredExplanation(state_of_score)
    rows = scoring_runs(arm, wish, runs).filter(repeat__lt=evaluation.repeats).order_by("id")
    for subject, repeat, state, outcome in rows.values_list("subject", "repeat", "state", "outcome"):
        if str(subject) in explanations[repeat]:
            explanations[repeat][str(subject)] = _explained(state, outcome or {})
    return explanations


def _explained(state: str, outcome: Mapping[str, Any]) -> ScoredExplanation:
    if state != RunState.SUCCEEDED:
        return ScoredExplanation(state if state in (RunState.REFUSED, RunState.UNREADABLE) else "failed")
    read_by = str(outcome.get("read_by", ""))
    if why := outcome.get("unscorable"):
        return ScoredExplanation(str(why), read_by=read_by)
    parts = Scored(outcome["htc"], outcome["qf"], outcome["tgi"], outcome["prediction"])
    return ScoredExplanation(SCORED, parts, read_by)
