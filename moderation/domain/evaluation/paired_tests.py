"""McNemar's test for two methods on the same items."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class McNemar:
    """The test's counts. `first_only`, `second_only`: items that only the first or only the second method got right.

    `exact` is the two-sided binomial p; `chi_square` has the continuity correction, and `approximate` is its p. If the
    methods differ on no item, chi-square is 0 and both p are 1.
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

    Raises ValueError if the sequences differ in length.
    """
    pairs = list(zip(first, second, strict=True))
    return McNemar(
        both=sum(first_right and second_right for first_right, second_right in pairs),
        first_only=sum(first_right and not second_right for first_right, second_right in pairs),
        second_only=sum(second_right and not first_right for first_right, second_right in pairs),
        neither=sum(not first_right and not second_right for first_right, second_right in pairs),
    )


def holm(ps: Sequence[float]) -> list[float]:
    """Return the p values adjusted for their number by Holm's step-down method, in the given order."""
    adjusted, highest = [0.0] * len(ps), 0.0
    for rank, at in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[at]))
        adjusted[at] = highest
    return adjusted
