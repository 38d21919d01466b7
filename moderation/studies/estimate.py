"""The calls, tokens and money of a study before it starts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from moderation.domain.hatexscore.estimators import SCORING
from moderation.evaluation import start as evaluation_start
from moderation.evaluation.arms import Arm
from moderation.methods.registry import METHODS
from moderation.studies.read import PlannedStudy
from providers.roles import ModelRole
from runs.domain.expected_cost import (
    ArmCalls,
    CallSize,
    ExpectedSpending,
    expected_spending,
    total_spending,
)
from runs.spending.expected import call_sizes, calls_left

_CALLS_OF_A_SCORE = {ModelRole.ESTIMATOR: 2.0, ModelRole.READER: 1.0}


@dataclass(frozen=True)
class ExpectedLine:
    """One line of the study and what it takes at most. `shared`: it judges the debate of another line."""

    name: str
    shared: bool
    spending: ExpectedSpending


@dataclass(frozen=True)
class StudyEstimate:
    """What the whole study takes at most, without retries."""

    items: int
    repeats: int
    lines: Sequence[ExpectedLine]
    total: ExpectedSpending
    currency: str
    calls_left: int | None
    """The calls that the project's budget leaves; None if there is no limit."""

    @property
    def goes_beyond_budget(self) -> bool:
        return self.calls_left is not None and self.total.calls > self.calls_left


def study_estimate(study: PlannedStudy) -> StudyEstimate:
    """Return what the study takes, by the options of its lines and the size of earlier calls.

    Raises BadChoice.
    Raises BadSource.
    """
    _task, arms, cases = evaluation_start.planned(study.project, study.sources, study.wish)
    runs = len(cases) * study.wish.repeats
    sizes = {method: call_sizes(method) for method in {arm.method for arm in arms}}
    if study.wish.scores:
        sizes[SCORING] = call_sizes(SCORING)
    calls = [part for arm in arms for part in _arm_calls(arm, runs, sizes)]
    lines = [ExpectedLine(part.name, part.shared, expected_spending(part, settings.MODEL_PRICES)) for part in calls]
    total = total_spending([line.spending for line in lines])
    left = calls_left(study.project.public_id, study.project.call_budget) if study.project else None
    return StudyEstimate(len(cases), study.wish.repeats, lines, total, settings.MODEL_PRICE_CURRENCY, left)


def _arm_calls(arm: Arm, runs: int, sizes: Mapping[str, Mapping[str, CallSize]]) -> list[ArmCalls]:
    """Return the calls of the line, and those that score its explanations."""
    parts = [ArmCalls(arm.name, runs, _calls_by_role(arm), arm.plan, sizes[arm.method], shared=bool(arm.debate))]
    if arm.scored_by:
        calls = {str(role): _CALLS_OF_A_SCORE[ModelRole(role)] for role in arm.scoring_plan}
        parts.append(ArmCalls(f"{arm.name}: HateXScore", runs, calls, arm.scoring_plan, sizes[SCORING]))
    return parts


def _calls_by_role(arm: Arm) -> dict[str, float]:
    """Return role → calls of one run at most. The other calls than those of judge and optional roles are spread."""
    method = METHODS[arm.method]
    judge = str(method.judge) if method.judge else ""
    if arm.debate:
        return {judge: 1.0}
    others = [str(role) for role in method.roles if str(role) in arm.plan and str(role) != judge]
    once = [role for role in (judge, *map(str, method.optional_roles)) if role and role in arm.plan]
    other_calls = method.calls_at_most(arm.options, arm.plan) - len(once)
    return {role: other_calls / len(others) for role in others} | dict.fromkeys(once, 1.0)
