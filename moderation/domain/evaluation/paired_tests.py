"""Two methods on the same items: McNemar's test on where only one of them is right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class McNemar:
    """`first_only` and `second_only`: items that only the one or only the other got right.

    `exact` is the two-sided binomial p; `chi_square` has the continuity correction and `approximate` is its p. Where
    the two differ on no item nothing can be said: chi-square 0, both p 1.
    """

    both: int
    first_only: int
    second_only: int
    neither: int

    @property
    def items(self) -> int:
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def exact(self) -> float:
        least, differing = min(self.first_only, self.second_only), self.first_only + self.second_only
        if differing == 0:
            return 1.0
        ways = sum(math.comb(differing, count) for count in range(least + 1))
        return min(1.0, float(2 * ways / 2**differing))

    @property
    def chi_square(self) -> float:
        differing = self.first_only + self.second_only
        if differing == 0:
            return 0.0
        return max(0, abs(self.first_only - self.second_only) - 1) ** 2 / differing

    @property
    def approximate(self) -> float:
        """The p of chi-square with one degree of freedom."""
        return math.erfc(math.sqrt(self.chi_square / 2))

    def as_json(self) -> dict[str, Any]:
        return {
            "items": self.items,
            "both": self.both,
            "first_only": self.first_only,
            "second_only": self.second_only,
            "neither": self.neither,
            "exact_p": self.exact,
            "chi_square": self.chi_square,
            "chi_square_p": self.approximate,
        }


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """Compare two methods by whether each was right, item by item.

    Raises ValueError if the two have not the same length.
    """
    pairs = list(zip(first, second, strict=True))
    return McNemar(
        both=sum(one and other for one, other in pairs),
        first_only=sum(one and not other for one, other in pairs),
        second_only=sum(other and not one for one, other in pairs),
        neither=sum(not one and not other for one, other in pairs),
    )
