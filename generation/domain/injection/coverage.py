"""What the project has of each pattern and category, what is wanted, and what is missing.

Only half of the squares can hold anything: a pattern that ends on 1 is of a hateful category, one that ends on 0 not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.domain.votes import Category
from generation.domain.injection.strategies import PATTERNS

MOST_WANTED = 1_000_000
Square = tuple[str, int]
"""A pattern and a category's code."""


@dataclass(frozen=True)
class Cell:
    """One square. `in_work`: samples that are asked for, wait, or are accepted and not labelled to the end."""

    pattern: str
    category: Category
    wanted: int
    gold: int
    in_work: int

    @property
    def missing(self) -> int:
        """What is wanted beyond what is there or on its way."""
        return max(0, self.wanted - self.gold - self.in_work)

    @property
    def name(self) -> str:
        """The square as forms name it."""
        return f"{self.pattern}-{self.category.code}"


def fits(pattern: str, category: Category) -> bool:
    """Whether an item of this category can have this pattern."""
    return category.hateful == (pattern[2] == "1")


def coverage(
    categories: Sequence[Category],
    wanted: Mapping[Square, int],
    gold: Mapping[Square, int],
    in_work: Mapping[Square, int],
) -> dict[str, list[Cell | None]]:
    """By pattern a cell for each category, in the order given; None where nothing can be."""

    def cell(pattern: str, category: Category) -> Cell | None:
        if not fits(pattern, category):
            return None
        square = (pattern, category.code)
        return Cell(pattern, category, wanted.get(square, 0), gold.get(square, 0), in_work.get(square, 0))

    return {pattern: [cell(pattern, category) for category in categories] for pattern in PATTERNS}
