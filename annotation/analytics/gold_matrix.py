"""Gold items by pattern and category, beside what the project wants: rows of the dashboard's matrix."""

from dataclasses import dataclass
from urllib.parse import urlencode

from annotation.analytics.dashboard import Dashboard
from annotation.domain.choices import Stage
from annotation.domain.patterns import PATTERNS, Pattern, pattern_of
from annotation.domain.votes import Category
from annotation.pages.svg import heat


@dataclass(frozen=True)
class GoldCell:
    """The gold items of a category with one pattern; `wanted` 0: no number is wanted."""

    category: Category
    gold: int
    wanted: int
    heat: int | None
    """The step of the heat map; None without gold items."""
    query: str
    """The query that finds them among the items."""


def gold_rows(shown: Dashboard) -> list[tuple[Pattern, list[GoldCell | None]]]:
    """Return the eight patterns, each with a cell for every category.

    None stands where the two do not fit: the third bit of a pattern says whether the category is hateful. The colour is
    the share of what is wanted or, without a wanted number, of the largest cell.
    """
    most = max(shown.counts.gold_patterns.values(), default=0)
    return [
        (pattern, [_cell(shown, pattern, category, most) for category in shown.labels.categories])
        for pattern in map(pattern_of, PATTERNS)
    ]


def _cell(shown: Dashboard, pattern: Pattern, category: Category, most: int) -> GoldCell | None:
    if pattern.combined != category.hateful:
        return None
    square = (pattern.code, category.code)
    gold, target = shown.counts.gold_patterns.get(square, 0), shown.gold_wanted.get(square, 0)
    query = urlencode({"stage": Stage.GOLD, "pattern": pattern.code, "category": category.code})
    return GoldCell(category, gold, target, heat(gold / (target or most)) if gold else None, query)
