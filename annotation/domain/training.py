"""Rules of training and of checks: the order of an attempt, its mark, figures about items with a known answer."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

MOST_CHECKS = 50
"""The maximum percentage of items with a known answer among the items that annotators get."""


@dataclass(frozen=True)
class Mark:
    """The result of an attempt: right answers of those given; `total` also counts skipped items."""

    correct: int
    answered: int
    total: int

    @property
    def percent(self) -> float:
        """The percentage of right answers among those given; 0 if nothing was answered."""
        return 100 * self.correct / self.answered if self.answered else 0.0

    @property
    def enough(self) -> bool:
        """Whether at least half of the items were answered."""
        return self.answered > 0 and 2 * self.answered >= self.total

    def passed(self, pass_percent: int) -> bool:
        """Return whether enough was answered and the mark reaches `pass_percent` (in integers: 4 of 5 are 80 %)."""
        return self.enough and 100 * self.correct >= pass_percent * self.answered


@dataclass(frozen=True)
class ItemFigure:
    """Figures of an item with a known answer: if many people miss it, the known answer may be wrong."""

    answered: int
    right: int
    often: tuple[int, ...] | None
    """The codes of the wrong answer that was given most often; of equal ones the first by code."""
    often_times: int = 0

    @property
    def doubtful(self) -> bool:
        """Whether, of three answers or more, one wrong category is more frequent than the known one."""
        return self.answered >= 3 and self.often_times > self.right


def attempt_order(attempt: UUID, items: Iterable[UUID]) -> list[UUID]:
    """Return the items in the order of this attempt: random, but always the same for the attempt."""
    return sorted(items, key=lambda item: hashlib.sha256(f"{attempt}:{item}".encode()).digest())


def attempts_left(allowed: int, granted: int, begun: int) -> int | None:
    """Return how many more attempts may begin. Returns None if there is no limit (`allowed` is 0)."""
    return None if allowed == 0 else max(0, allowed + granted - begun)


def item_figures(
    answers: Iterable[tuple[int, tuple[int, ...], int]], keys: Mapping[int, tuple[int, ...]]
) -> dict[int, ItemFigure]:
    """Return figures by item from (item, codes, count); `keys` has each item's codes.

    An answer names a category, or several; one without a category was *not sure*.
    """
    counts: dict[int, Counter[tuple[int, ...]]] = {}
    for item, codes, times in answers:
        counts.setdefault(item, Counter())[codes] += times
    return {item: _figure(counts.get(item, Counter()), key) for item, key in keys.items()}


def _figure(counts: Mapping[tuple[int, ...], int], key: tuple[int, ...]) -> ItemFigure:
    wrong = [(-times, codes) for codes, times in counts.items() if codes and codes != key]
    answered, right = sum(counts.values()), counts.get(key, 0)
    if not wrong:
        return ItemFigure(answered, right, None)
    times, codes = min(wrong)
    return ItemFigure(answered, right, codes, -times)
