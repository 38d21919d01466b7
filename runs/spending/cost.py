"""The cost of a project's runs in money, where prices are known (MODEL_PRICES)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db.models import F, Sum

from runs.models import Turn

_MILLION = 1_000_000


@dataclass(frozen=True)
class Bill:
    """`amount` in the site's currency for the answers whose model has a price; `unpriced` names the other models."""

    amount: Decimal
    currency: str
    unpriced: Sequence[str]


def project_bill(project: UUID) -> Bill | None:
    """Return the cost of the project's saved answers.

    Tokens reserved for calls whose answer was lost count like input tokens: they may have been billed.

    Returns None if no price is set or nothing was asked.
    """
    prices: Mapping[str, tuple[float, float]] = settings.MODEL_PRICES
    if not prices:
        return None
    sums = (
        Turn.objects.filter(run__project=project)
        .values("role", "model", plan=F("run__model_plan"))
        .annotate(input_tokens_sum=Sum(F("input_tokens") + F("lost_tokens")), output_tokens_sum=Sum("output_tokens"))
        .order_by()
    )
    amount, unpriced = Decimal(0), set[str]()
    for row in sums:
        tokens = (row["input_tokens_sum"], row["output_tokens_sum"])
        name = row["plan"].get(row["role"], row["model"])
        if name in prices:
            amount += (
                sum(Decimal(str(price)) * used for price, used in zip(prices[name], tokens, strict=True)) / _MILLION
            )
        elif not name.startswith("keyword:") and sum(tokens):
            unpriced.add(name)
    return Bill(amount, settings.MODEL_PRICE_CURRENCY, sorted(unpriced))
