"""The rules of the training room and of checks: the order of an attempt, its mark, figures about items with a key."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

MOST_CHECKS = 50
"""Per cent of what is handed out that may be items with a known answer: the rest is the work itself."""


@dataclass(frozen=True)
class Mark:
    """What came of an attempt: right answers of those given; `total` counts what was skipped too."""

    correct: int
    answered: int
    total: int

    @property
    def percent(self) -> float:
        """Right answers in per cent of those given; 0 where nothing was answered."""
        return 100 * self.correct / self.answered if self.answered else 0.0

    @property
    def enough(self) -> bool:
        """Whether at least half of the items were answered."""
        return self.answered > 0 and 2 * self.answered >= self.total

    def passed(self, pass_percent: int) -> bool:
        """Whether enough was answered and the mark reaches the pass mark (in whole numbers: 4 of 5 are 80 %)."""
        return self.enough and 100 * self.correct >= pass_percent * self.answered


@dataclass(frozen=True)
class ItemFigure:
    """How an item with a key fares: a key that many miss may be wrong itself."""

    answered: int
    right: int
    often: int | None
    """The wrong category that was given most often; of equals the one with the lower key."""
    often_times: int = 0

    @property
    def doubtful(self) -> bool:
        """Whether, of three answers or more, one and the same other answer is more common than the key's."""
        return self.answered >= 3 and self.often_times > self.right


def attempt_order(attempt: UUID, items: Iterable[UUID]) -> list[UUID]:
    """The items in the order of this attempt: random, and the same whenever it is asked for."""
    return sorted(items, key=lambda item: hashlib.sha256(f"{attempt}:{item}".encode()).digest())


def attempts_left(allowed: int, granted: int, begun: int) -> int | None:
    """How many more attempts may be begun; None: as many as one likes (`allowed` is 0)."""
    return None if allowed == 0 else max(0, allowed + granted - begun)


def item_figures(answers: Iterable[tuple[int, int | None, int]], keys: Mapping[int, int]) -> dict[int, ItemFigure]:
    """Figures by item from (item, category given or None for not sure, how often); `keys` has each item's category."""
    given: dict[int, Counter[int | None]] = {}
    for item, category, times in answers:
        given.setdefault(item, Counter())[category] += times
    return {item: _figure(given.get(item, Counter()), key) for item, key in keys.items()}


def _figure(given: Mapping[int | None, int], key: int) -> ItemFigure:
    wrong: Sequence[tuple[int, int]] = [
        (-times, category) for category, times in given.items() if category is not None and category != key
    ]
    answered, right = sum(given.values()), given.get(key, 0)
    if not wrong:
        return ItemFigure(answered, right, None)
    times, category = min(wrong)
    return ItemFigure(answered, right, category, -times)
