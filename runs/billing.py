"""What a project's runs cost in money, where prices are known (MODEL_PRICES)."""

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


def bill(project: UUID) -> Bill | None:
    """What the project's saved answers cost; None where no price is set at all or nothing was asked.

    Tokens that were set aside for calls whose answer was lost are counted like prompts: they may have been billed.
    """
    prices: Mapping[str, tuple[float, float]] = settings.MODEL_PRICES
    if not prices:
        return None
    found = (
        Turn.objects.filter(run__project=project)
        .values("role", "model", plan=F("run__model_plan"))
        .annotate(asked=Sum(F("input_tokens") + F("lost_tokens")), answered=Sum("output_tokens"))
        .order_by()
    )
    amount, unpriced = Decimal(0), set[str]()
    for each in found:
        tokens = (each["asked"], each["answered"])
        name = each["plan"].get(each["role"], each["model"])
        if name in prices:
            amount += (
                sum(Decimal(str(price)) * used for price, used in zip(prices[name], tokens, strict=True)) / _MILLION
            )
        elif not name.startswith("keyword:") and sum(tokens):
            unpriced.add(name)
    return Bill(amount, settings.MODEL_PRICE_CURRENCY, sorted(unpriced))
