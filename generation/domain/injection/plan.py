"""A plan: which samples are wanted.

A plan is read as a whole. The first entry that cannot be carried out is named, with what to change.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.domain.categories import UnknownCategory, read_category
from annotation.domain.one_line import read_line
from annotation.domain.text_rules import BadText
from annotation.domain.votes import Category
from generation.domain.injection.strategies import PATTERNS, PATTERNS_OF, Strategy, strategies_for

FIELDS = ("pattern", "category", "strategy", "target_group", "pool", "count")
MOST_ENTRIES = 200
MOST_OF_AN_ENTRY = 1_000
MOST_SAMPLES = 5_000
LONGEST_GROUP = 200


class BadPlan(ValueError):
    """A plan that cannot be carried out; `sentence` names the entry (from 1) and says what to change."""

    def __init__(self, sentence: str, entry: int | None = None) -> None:
        super().__init__(sentence)
        self.sentence, self.entry = sentence, entry


@dataclass(frozen=True)
class Entry:
    """One entry of a plan: a number of samples of a pattern, made by a strategy, on pictures of a pool.

    `category` is the code of what text and picture are to mean together.
    """

    pattern: str
    category: int
    strategy: Strategy
    target_group: str
    pool: str
    count: int

    @property
    def text_hateful(self) -> bool:
        """The first bit of the pattern: whether the text alone is hateful."""
        return self.pattern[0] == "1"

    @property
    def image_hateful(self) -> bool:
        """The second bit of the pattern: whether the picture's own prior has to be hateful."""
        return self.pattern[1] == "1"

    @property
    def image_category(self) -> int | None:
        """The category that the picture's own prior has to be; None if any of the right side will do.

        Where a hateful picture stays hateful with its text, the picture has to show that kind of hate.
        """
        return self.category if self.pattern[1:] == "11" else None

    def as_json(self) -> dict[str, Any]:
        """Return the entry in the form that a plan has in JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Stock:
    """The material of a project from which samples can be made.

    `pools`: name → (its target group or "", number of pictures that are hateful alone, number of those that are not).
    `triggers`: case-folded target group → number of trigger texts. `alone`: name of a pool → the categories that its
    pictures have alone.
    """

    categories: Sequence[Category]
    pools: Mapping[str, tuple[str, int, int]]
    triggers: Mapping[str, int]
    alone: Mapping[str, Collection[int]]


def read_plan(value: Any, stock: Stock) -> list[Entry]:
    """Check a plan and return its entries. Raises BadPlan if it cannot be carried out."""
    if not isinstance(value, list):
        raise BadPlan(f"A plan is a list of entries, each an object with {', '.join(FIELDS)}.")
    if not value:
        raise BadPlan("The plan is empty: give it at least one entry.")
    if len(value) > MOST_ENTRIES:
        raise BadPlan(f"The plan has {len(value):,} entries; split it into plans of at most {MOST_ENTRIES}.")
    entries = [_entry(number, item, stock) for number, item in enumerate(value, start=1)]
    samples = sum(entry.count for entry in entries)
    if samples > MOST_SAMPLES:
        raise BadPlan(f"The plan asks for {samples:,} samples; split it into plans of at most {MOST_SAMPLES:,}.")
    return entries


def _entry(number: int, value: Any, stock: Stock) -> Entry:
    try:
        entry = _read(value, stock.categories)
        _check(entry, stock)
    except BadPlan as bad:
        raise BadPlan(f"Entry {number}: {bad.sentence}", number) from None
    return entry


def _read(value: Any, categories: Sequence[Category]) -> Entry:
    if not isinstance(value, dict):
        raise BadPlan(f"write an object with {', '.join(FIELDS)}.")
    if unknown := [name for name in value if name not in FIELDS]:
        raise BadPlan(f"there is no {_shown(unknown[0])}; the fields are {', '.join(FIELDS)}.")
    if missing := [name for name in FIELDS if name not in value]:
        raise BadPlan(f"{missing[0]} is missing; the fields are {', '.join(FIELDS)}.")
    pattern, count = value["pattern"], value["count"]
    if pattern not in PATTERNS:
        raise BadPlan(f'{_shown(pattern)} is no pattern; write one of "{", ".join(PATTERNS)}", in quotation marks.')
    if value["strategy"] not in list(Strategy):
        raise BadPlan(f"{_shown(value['strategy'])} is no strategy; choose one of {', '.join(Strategy)}.")
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_OF_AN_ENTRY:
        raise BadPlan(f"count is a whole number from 1 to {MOST_OF_AN_ENTRY:,}, not {_shown(count)}.")
    try:
        category = read_category(value["category"], categories)
    except UnknownCategory as fault:
        raise BadPlan(f"category: {fault.sentence}") from None
    group, pool = _text(value["target_group"], "target_group"), _text(value["pool"], "pool")
    return Entry(pattern, category.code, Strategy(value["strategy"]), group, pool, count)


def _check(entry: Entry, stock: Stock) -> None:
    category = next(row for row in stock.categories if row.code == entry.category)
    if entry.pattern not in PATTERNS_OF[entry.strategy]:
        fitting = ", ".join(strategies_for(entry.pattern))
        raise BadPlan(f"{entry.strategy} does not make {entry.pattern}; for that pattern choose one of {fitting}.")
    if category.hateful != (entry.pattern[2] == "1"):
        side = "hateful" if entry.pattern[2] == "1" else "not hateful"
        raise BadPlan(
            f"{entry.pattern} means {side} together, and {category.name} does not; choose a category that is {side}."
        )
    if not entry.target_group and entry.pattern != "000":
        raise BadPlan(f"{entry.pattern} has a hateful part, so target_group names whom it is about.")
    if entry.strategy is Strategy.PARAPHRASE and not stock.triggers.get(entry.target_group.casefold()):
        raise BadPlan(f"there is no trigger text about {_shown(entry.target_group)}; upload some first.")
    _check_pool(entry, stock)
    if entry.image_category is not None and entry.image_category not in stock.alone.get(entry.pool, ()):
        raise BadPlan(
            f"{entry.pattern} as {category.name} needs pictures that are {category.name} alone, and the pool "
            f"{_shown(entry.pool)} has none whose image-only prior says so; choose another pool or category."
        )


def _check_pool(entry: Entry, stock: Stock) -> None:
    if entry.pool not in stock.pools:
        names = ", ".join(sorted(stock.pools)[:10]) or "none yet"
        raise BadPlan(f"there is no picture pool {_shown(entry.pool)}; make it first, or choose one of: {names}.")
    group, hateful, harmless = stock.pools[entry.pool]
    if entry.strategy is Strategy.PARAPHRASE and group.casefold() != entry.target_group.casefold():
        raise BadPlan(
            f"paraphrase pairs trigger texts with pictures of the same group, and the pool {_shown(entry.pool)} is "
            f"about {_shown(group) if group else 'nobody in particular'}; choose a pool about "
            f"{_shown(entry.target_group)}."
        )
    if not (hateful if entry.image_hateful else harmless):
        side = "hateful" if entry.image_hateful else "not hateful"
        raise BadPlan(
            f"{entry.pattern} needs pictures that are {side} alone, and the pool {_shown(entry.pool)} has none whose "
            "image-only prior says so; add some, or ask for the priors of the pool."
        )


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise BadPlan(f"{name} is a text, not {_shown(value)}.")
    if not value.strip():
        return ""
    try:
        return read_line(value, LONGEST_GROUP)
    except BadText as bad:
        raise BadPlan(f"{name}: {bad.sentence}") from None


def _shown(value: object) -> str:
    """Return the value in a form that is safe to print, cut to 60 characters."""
    written = repr(value)
    return written if len(written) <= 60 else written[:60] + "…"
