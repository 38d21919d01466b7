"""How many items a project has, wants and lacks, by pattern and category.

Only half of the cells are possible: a pattern that ends in 1 needs a hateful category, one that ends in 0 needs a
category that is not hateful.
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
    """One cell of the table of patterns and categories.

    `in_work` counts samples that are asked for, that wait for review, or that are accepted and not fully labelled yet.
    """

    pattern: str
    category: Category
    wanted: int
    gold: int
    in_work: int

    @property
    def missing(self) -> int:
        """How many more are wanted than are gold or in work."""
        return max(0, self.wanted - self.gold - self.in_work)

    @property
    def name(self) -> str:
        """The name of the cell's form field, for example `010-0`."""
        return f"{self.pattern}-{self.category.code}"


def fits(pattern: str, category: Category) -> bool:
    """Return whether an item of this category can have this pattern."""
    return category.hateful == (pattern[2] == "1")


def coverage(
    categories: Sequence[Category],
    wanted: Mapping[Square, int],
    gold: Mapping[Square, int],
    in_work: Mapping[Square, int],
) -> dict[str, list[Cell | None]]:
    """Return for each pattern one cell per category, in the order given; None where the two cannot go together."""

    def cell(pattern: str, category: Category) -> Cell | None:
        if not fits(pattern, category):
            return None
        square = (pattern, category.code)
        return Cell(pattern, category, wanted.get(square, 0), gold.get(square, 0), in_work.get(square, 0))

    return {pattern: [cell(pattern, category) for category in categories] for pattern in PATTERNS}
