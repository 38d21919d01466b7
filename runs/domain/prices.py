"""What calls cost by the prices of their models, and what a provider's caching of prompts saved."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

Price = tuple[float, ...]
"""For a million tokens: in, out and, if a third is given, in again for what the provider read shortly before."""
Prices = Mapping[str, Price]
"""By `provider:model`."""

_MILLION = 1_000_000


@dataclass(frozen=True)
class Cost:
    """What calls cost; `saved` is what the tokens that were read before would have cost more in full."""

    amount: Decimal = Decimal(0)
    saved: Decimal = Decimal(0)

    def __add__(self, other: "Cost") -> "Cost":
        """Return the cost of both."""
        return Cost(self.amount + other.amount, self.saved + other.saved)


def cost_of(price: Price, tokens_in: int, tokens_out: int, cached: int) -> Cost:
    """Return the cost of `tokens_in`, of which `cached` were read before, and `tokens_out`.

    Without a price of their own, cached tokens cost as much as all others.
    """
    full, out, *rest = (Decimal(str(number)) for number in price)
    reread = rest[0] if rest else full
    amount = full * (tokens_in - cached) + reread * cached + out * tokens_out
    return Cost(amount / _MILLION, (full - reread) * cached / _MILLION)
