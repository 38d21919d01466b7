"""HateXScore inside an evaluation: what every arm explains is scored by runs of its own, and told in the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet

from annotation.models import Project
from moderation import debating, group_lists, scoring
from moderation.debating import BadChoice
from moderation.domain.estimating import SCORING, Estimator
from moderation.domain.evaluation.explained import SCORED, Explained
from moderation.domain.hatexscore.consistency import Rule
from moderation.domain.hatexscore.group_files import BadGroups
from moderation.domain.hatexscore.scoring import Measure, Scored
from moderation.evaluation_arms import Arm
from moderation.explanations import spoken_by
from moderation.methods.explain import NAME as EXPLAIN
from moderation.models import Evaluation
from providers.roles import ModelRole
from runs import starting
from runs.domain.states import ASIDE, OPEN, RunState
from runs.models import Run

ANSWERED = (RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE)


NOT_SCORED = "none"


@dataclass(frozen=True)
class ScoreWish:
    """How explanations are scored: whose p, which groups, how CC is taken (design section 8)."""

    estimator: Estimator = Estimator.MODEL
    group_list: str = ""
    rule: Rule = Rule.PAPER
    threshold: float | None = None
    all_reasons: bool = False
    """Whether the reasons of other methods than explain are scored too."""

    @property
    def measure(self) -> Measure:
        """Rule and threshold; the parts weigh the same. Raises ValueError."""
        return Measure(self.rule, self.threshold)


def scores_wished(asked: str, methods: Sequence[str], how: ScoreWish | None = None) -> ScoreWish | None:
    """How they are scored: where nobody is named, those of the method explain alone, by the model that wrote them."""
    named = asked or (Estimator.MODEL if EXPLAIN in methods else NOT_SCORED)
    if named == NOT_SCORED:
        return None
    return replace(how or ScoreWish(), estimator=Estimator(named), all_reasons=bool(asked))


def wish_of(evaluation: Evaluation) -> ScoreWish | None:
    """How this evaluation's explanations are scored; None where they are not."""
    asked = evaluation.wish.get("scores")
    if not asked:
        return None
    return ScoreWish(**{**asked, "estimator": Estimator(asked["estimator"]), "rule": Rule(asked["rule"])})


def with_estimators(project: Project | None, arms: Sequence[Arm], wish: ScoreWish) -> list[Arm]:
    """The arms with who estimates p for each. Raises BadChoice."""
    if wish.estimator is Estimator.GIVEN:
        raise BadChoice("An evaluation asks for p itself: choose another estimator than given.")
    try:
        _ = wish.measure
        if wish.group_list:
            group_lists.named(project, wish.group_list)
        return [
            replace(arm, scored_by=_estimator(arm, wish)) if wish.all_reasons or arm.method == EXPLAIN else arm
            for arm in arms
        ]
    except BadGroups as bad:
        raise BadChoice(str(bad)) from None
    except ValueError as bad:
        raise BadChoice(str(bad)) from None


def _estimator(arm: Arm, wish: ScoreWish) -> str:
    said = scoring.by(spoken_by(arm.plan))
    return scoring.estimator_name(scoring.Choice(estimator=wish.estimator), said)


def start(evaluation: Evaluation, arms: Sequence[Arm], runs: QuerySet[Run], *, ring: bool, again: bool = False) -> int:
    """Queue the scoring of every explanation that has none; how many are new. `again`: of those that failed too."""
    wish, queued = wish_of(evaluation), 0
    for arm in arms if wish else ():
        if wish is None or not arm.scored_by:
            continue
        begun = runs.filter(method=SCORING, variant=_variant(arm, wish))
        if again:
            begun = begun.filter(state__in=(*OPEN, *ANSWERED))
        there = set(begun.values_list("subject", "repeat"))
        said = runs.filter(method=arm.method, variant=arm.variant, state=RunState.SUCCEEDED).order_by("id")
        newest = {(run.subject, run.repeat): run for run in said.only("public_id", "subject", "repeat", "started_by")}
        missing = [run for key, run in newest.items() if key not in there and run.repeat < evaluation.repeats]
        queued += starting.start((_wanted(evaluation, arm, wish, run) for run in missing), ring=ring)
    return queued


def _wanted(evaluation: Evaluation, arm: Arm, wish: ScoreWish, said: Run) -> starting.Wanted:
    return starting.Wanted(
        method=SCORING,
        project=evaluation.account,
        subject=said.subject,
        model_plan={str(ModelRole.ESTIMATOR): arm.scored_by},
        variant=_variant(arm, wish),
        repeat=said.repeat,
        options={"explained": str(said.public_id), "estimator": str(wish.estimator), "list": wish.group_list},
        started_by=said.started_by,
    )


def _variant(arm: Arm, wish: ScoreWish) -> str:
    how = {"of": [arm.method, arm.variant], "estimator": str(wish.estimator), "list": wish.group_list}
    return ASIDE + debating.variant_of(how, {str(ModelRole.ESTIMATOR): arm.scored_by})


def runs_about(arm: Arm, wish: ScoreWish, runs: QuerySet[Run]) -> QuerySet[Run]:
    """The runs that scored what this arm explained."""
    return runs.filter(method=SCORING, variant=_variant(arm, wish))


def explained(evaluation: Evaluation, arm: Arm, wish: ScoreWish, runs: QuerySet[Run]) -> list[dict[str, Explained]]:
    """For each repeat: the case's public id → how its explanation was scored. Refused answers have no explanation."""
    found: list[dict[str, Explained]] = [{} for _ in range(evaluation.repeats)]
    told = runs.filter(method=arm.method, variant=arm.variant, state__in=ANSWERED, repeat__lt=evaluation.repeats)
    for subject, repeat, state in told.order_by("id").values_list("subject", "repeat", "state"):
        why = "failed" if state == RunState.SUCCEEDED else state  # until its score is found
        found[repeat][str(subject)] = Explained(why)
    rows = runs_about(arm, wish, runs).filter(repeat__lt=evaluation.repeats).order_by("id")
    for subject, repeat, state, outcome in rows.values_list("subject", "repeat", "state", "outcome"):
        if str(subject) in found[repeat]:
            found[repeat][str(subject)] = _explained(state, outcome or {})
    return found


def _explained(state: str, outcome: Mapping[str, Any]) -> Explained:
    if state != RunState.SUCCEEDED:
        return Explained(state if state in (RunState.REFUSED, RunState.UNREADABLE) else "failed")
    if why := outcome.get("unscorable"):
        return Explained(str(why))
    return Explained(SCORED, Scored(outcome["htc"], outcome["qf"], outcome["tgi"], outcome["prediction"]))
