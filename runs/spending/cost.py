"""The cost of a project's runs in money, where prices are known (MODEL_PRICES)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db.models import F, Sum

from runs.domain.prices import Cost, Prices, cost_of
from runs.models import Run, Turn


@dataclass(frozen=True)
class Bill:
    """`amount` in the site's currency for the answers whose model has a price; `unpriced` names the other models.

    `saved` is what the providers' caching of prompts made it less.
    """

    amount: Decimal
    currency: str
    unpriced: Sequence[str]
    saved: Decimal = Decimal(0)


def project_bill(project: UUID) -> Bill | None:
    """Return the cost of the project's saved answers.

    Tokens reserved for calls whose answer was lost count like input tokens: they may have been billed.

    Returns None if no price is set or nothing was asked.
    """
    prices: Prices = settings.MODEL_PRICES
    if not prices:
        return None
    sums = (
        Turn.objects.filter(run__project=project)
        .values("role", "model", plan=F("run__model_plan"))
        .annotate(
            tokens_in=Sum(F("input_tokens") + F("lost_tokens")),
            tokens_out=Sum("output_tokens"),
            cached=Sum("cached_tokens"),
        )
        .order_by()
    )
    total, unpriced = Cost(), set[str]()
    for row in sums:
        name = row["plan"].get(row["role"], row["model"])
        if name in prices:
            total += cost_of(prices[name], row["tokens_in"], row["tokens_out"], row["cached"])
        elif not _is_free(name) and row["tokens_in"] + row["tokens_out"]:
            unpriced.add(name)
    return Bill(total.amount, settings.MODEL_PRICE_CURRENCY, sorted(unpriced), total.saved)


def run_cost(run: Run, turns: Iterable[Turn]) -> Decimal | None:
    """Return what these turns of a run cost so far. Turns that were taken over from another run have no tokens.

    Returns None if a model answered whose price is not known: a part of the cost would look like all of it.
    """
    prices: Prices = settings.MODEL_PRICES
    total = Cost()
    for turn in turns:
        name, tokens_in = run.model_plan.get(turn.role, turn.model), turn.input_tokens + turn.lost_tokens
        if name in prices:
            total += cost_of(prices[name], tokens_in, turn.output_tokens, turn.cached_tokens)
        elif not _is_free(name) and tokens_in + turn.output_tokens:
            return None
    return total.amount


def run_saving(run: Run, turns: Iterable[Turn]) -> Decimal | None:
    """Return what caching of prompts saved in these turns of a run.

    Returns None if nothing was cached, or no price of the cached tokens is known.
    """
    prices: Prices = settings.MODEL_PRICES
    named = ((run.model_plan.get(turn.role, turn.model), turn.cached_tokens) for turn in turns)
    saved = [cost_of(prices[name], cached, 0, cached).saved for name, cached in named if cached and name in prices]
    return sum(saved, Decimal(0)) or None


@dataclass(frozen=True)
class RunSpent:
    """What one run used so far. `cost` is None where a model answered whose price is not known."""

    calls: int
    tokens: int
    cost: Decimal | None
    saved: Decimal | None
    currency: str


def spent_by(run: Run) -> RunSpent:
    """Return what a run used so far."""
    turns = list(run.turns.all()) if settings.MODEL_PRICES else []
    cost = run_cost(run, turns) if turns else None
    return RunSpent(run.calls, run.tokens, cost, run_saving(run, turns), settings.MODEL_PRICE_CURRENCY)


def _is_free(name: str) -> bool:
    return name.startswith("keyword:")
