"""What the runs of an evaluation took: calls, tokens, seconds, and money where prices are known."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db.models import QuerySet, Sum, TextField
from django.db.models.functions import Cast

from moderation.evaluation.arms import Arm
from moderation.methods.registry import METHODS
from moderation.models import EvaluationCase
from runs.domain.prices import Cost, Prices, cost_of
from runs.domain.states import Flag
from runs.models import Run, Turn


def spent(runs: QuerySet[Run], plan: Mapping[str, str], cases: Sequence[EvaluationCase]) -> dict[str, Any]:
    """Return calls, tokens, seconds and money of these runs on one data set. A fork counts only its own calls."""
    dataset_runs = _of_dataset(runs, cases)
    sums = dataset_runs.aggregate(
        calls=Sum("calls"), retries=Sum("retries"), tokens=Sum("tokens"), seconds=Sum("seconds")
    )
    by_role = _usage_by_role(dataset_runs)
    cost, saved, unpriced = _cost(plan, by_role)
    return {name: value or 0 for name, value in sums.items()} | {
        "input_tokens": sum(row["tokens_in"] for row in by_role),
        "output_tokens": sum(row["tokens_out"] for row in by_role),
        "thinking_tokens": sum(row["thought"] for row in by_role),
        "cached_tokens": sum(row["cached"] for row in by_role),
        "cost": cost,
        "saved": saved,
        "unpriced": unpriced,
        "without_temperature": _roles_without_temperature(dataset_runs),
    }


def spent_alone(arm: Arm, arms: Sequence[Arm], runs: QuerySet[Run], cases: Sequence[EvaluationCase]) -> dict[str, Any]:
    """Return calls, tokens and money for one item of this data set, as if the arm had held its own debate.

    An arm that judges another arm's debate is counted with all of that debate but its judge.
    """
    own = runs.filter(method=arm.method, variant=arm.variant)
    usage = [(arm.plan, row) for row in _usage_by_role(_of_dataset(own, cases))]
    debate = next((candidate for candidate in arms if arm.debate and _holds(candidate, arm)), None)
    if debate is not None:
        judge = str(METHODS[arm.method].judge)
        debate_runs = _of_dataset(runs.filter(method=debate.method, variant=debate.variant), cases)
        usage += [(debate.plan, row) for row in _usage_by_role(debate_runs) if row["role"] != judge]
    count = len(set(_of_dataset(own, cases).values_list("subject", "repeat"))) or 1
    costs = [_cost(plan, [row])[0] for plan, row in usage]
    money = None if any(cost is None for cost in costs) else sum(cost or 0.0 for cost in costs)
    return {
        "calls": sum(row["total_calls"] for _plan, row in usage) / count,
        "tokens": sum(row["tokens_in"] + row["tokens_out"] for _plan, row in usage) / count,
        "cost": None if money is None else money / count,
    }


def _holds(debate: Arm, arm: Arm) -> bool:
    return (debate.method, debate.variant) == (arm.method, arm.debate)


def _of_dataset(runs: QuerySet[Run], cases: Sequence[EvaluationCase]) -> QuerySet[Run]:
    subjects = EvaluationCase.objects.filter(evaluation=cases[0].evaluation_id, dataset=cases[0].dataset)
    return runs.filter(subject__in=subjects.values("public_id"))


def _usage_by_role(runs: QuerySet[Run]) -> list[dict[str, Any]]:
    """Return calls and tokens of each role; turns that were taken over from another run have no calls."""
    turns = Turn.objects.filter(run__in=runs.values("pk"), calls__gt=0).values("role")
    sums = turns.annotate(
        total_calls=Sum("calls"),
        tokens_in=Sum("input_tokens"),
        tokens_out=Sum("output_tokens"),
        thought=Sum("thinking_tokens"),
        cached=Sum("cached_tokens"),
    )
    return [dict(row) for row in sums.order_by()]


def _roles_without_temperature(runs: QuerySet[Run]) -> list[str]:
    """Return the roles that were asked without a temperature, because their models take none."""
    turns = Turn.objects.filter(run__in=runs.values("pk")).annotate(noted=Cast("flags", TextField()))
    roles = turns.filter(noted__contains=Flag.WITHOUT_TEMPERATURE).order_by("role").values_list("role", flat=True)
    return list(roles.distinct())


def _cost(
    plan: Mapping[str, str], by_role: Sequence[Mapping[str, Any]]
) -> tuple[float | None, float | None, list[str]]:
    """Return the cost of the calls by the site's prices, what caching saved of it, and the models that have no price.

    Both amounts are None if such a model was called.
    """
    prices: Prices = settings.MODEL_PRICES
    named = [(plan.get(row["role"], ""), row) for row in by_role]
    unpriced = sorted({name for name, _ in named if name and name not in prices and not name.startswith("keyword:")})
    if unpriced:
        return None, None, unpriced
    costs = [
        cost_of(prices.get(name, (0.0, 0.0)), row["tokens_in"], row["tokens_out"], row["cached"]) for name, row in named
    ]
    total = sum(costs, Cost())
    return float(total.amount), float(total.saved), []
