"""The calls, tokens and money of a study before it starts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Avg, Count

from annotation.models import Project
from moderation.domain.hatexscore.estimators import SCORING
from moderation.domain.studies.expected_cost import (
    ArmCalls,
    CallSize,
    ExpectedSpending,
    expected_spending,
    total_spending,
)
from moderation.evaluation import start as evaluation_start
from moderation.evaluation.arms import Arm
from moderation.methods.registry import METHODS
from moderation.studies.read import PlannedStudy
from providers.roles import ModelRole
from runs.models import Account, Turn

_RECENT = 1000
"""The number of newest calls of a role whose mean size is taken."""
_FEWEST = 5
"""Fewer calls than this say nothing about the next ones."""
_CALLS_OF_A_SCORE = 2


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
    sizes = {method: _sizes(method) for method in {arm.method for arm in arms}}
    if study.wish.scores:
        sizes[SCORING] = _sizes(SCORING)
    calls = [part for arm in arms for part in _arm_calls(arm, runs, sizes)]
    lines = [ExpectedLine(part.name, part.shared, expected_spending(part, settings.MODEL_PRICES)) for part in calls]
    total = total_spending([line.spending for line in lines])
    calls_left = _calls_left(study.project) if study.project else None
    return StudyEstimate(len(cases), study.wish.repeats, lines, total, settings.MODEL_PRICE_CURRENCY, calls_left)


def _calls_left(project: Project) -> int | None:
    if project.call_budget is None:
        return None
    calls = Account.objects.filter(project=project.public_id).values_list("calls", flat=True).first() or 0
    return max(0, project.call_budget - calls)


def _arm_calls(arm: Arm, runs: int, sizes: Mapping[str, Mapping[str, CallSize]]) -> list[ArmCalls]:
    """Return the calls of the line, and those that score its explanations."""
    parts = [ArmCalls(arm.name, runs, _calls_by_role(arm), arm.plan, sizes[arm.method], shared=bool(arm.debate))]
    if arm.scored_by:
        estimator = str(ModelRole.ESTIMATOR)
        name, calls = f"{arm.name}: HateXScore", {estimator: float(_CALLS_OF_A_SCORE)}
        parts.append(ArmCalls(name, runs, calls, {estimator: arm.scored_by}, sizes[SCORING]))
    return parts


def _calls_by_role(arm: Arm) -> dict[str, float]:
    """Return role → calls of one run at most. The judge is asked once; the other calls are spread over the others."""
    method = METHODS[arm.method]
    judge = str(method.judge) if method.judge else ""
    if arm.debate:
        return {judge: 1.0}
    others = [str(role) for role in method.roles if str(role) in arm.plan and str(role) != judge]
    other_calls = method.calls_at_most(arm.options, arm.plan) - bool(judge)
    return {role: other_calls / len(others) for role in others} | ({judge: 1.0} if judge else {})


def _sizes(method: str) -> dict[str, CallSize]:
    """Return role → mean tokens of the newest calls of the method, where there are enough of them."""
    newest = (
        Turn.objects.filter(run__method=method, calls=1, output_tokens__gt=0).order_by("-id").values("pk")[:_RECENT]
    )
    rows = Turn.objects.filter(pk__in=list(newest.values_list("pk", flat=True))).values("role")
    means = rows.annotate(count=Count("pk"), given=Avg("input_tokens"), taken=Avg("output_tokens")).order_by()
    return {row["role"]: CallSize(row["given"], row["taken"]) for row in means if row["count"] >= _FEWEST}
