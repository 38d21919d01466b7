"""Which strategy makes what it means to: the yield of each, and how often people read its samples as intended.

A sample is *as meant* when the consensus of the item's own labels is the intended category and the pattern that
follows is the intended one. Its share is taken over the accepted samples that all seats have labelled and whose pattern
is known; an item without one of its priors has no pattern and is counted apart. Intervals are Wilson's, of 95 %.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from annotation.domain.statistics.annotator_quality import Rate
from generation.domain.injection.states import SampleState, Tally
from generation.domain.injection.strategies import Strategy


@dataclass(frozen=True)
class Read:
    """What the labels of one injected item came to; `category` and `pattern` are None where they came to nothing.

    `pattern_known`: both priors are there, so that the labels had a pattern to give.
    """

    intended: int
    intended_pattern: str
    category: int | None
    pattern: str | None
    pattern_known: bool

    @property
    def category_as_meant(self) -> bool:
        """Whether the consensus is the intended category."""
        return self.category == self.intended

    @property
    def as_meant(self) -> bool:
        """Whether it has the intended pattern too."""
        return self.category_as_meant and self.pattern == self.intended_pattern


@dataclass(frozen=True)
class StrategyYield:
    """One strategy's samples."""

    strategy: Strategy
    tally: Tally
    reads: tuple[Read, ...] = field(default=())

    @property
    def labelled(self) -> int:
        """Accepted samples that all seats have labelled."""
        return len(self.reads)

    @property
    def without_pattern(self) -> int:
        """Those that cannot be compared, because a prior is missing."""
        return sum(not read.pattern_known for read in self.reads)

    @property
    def aligned(self) -> Rate | None:
        """How many came out as meant, of those that can be compared."""
        known = [read for read in self.reads if read.pattern_known]
        return Rate(sum(read.as_meant for read in known), len(known)) if known else None

    @property
    def category_aligned(self) -> Rate | None:
        """How many have the intended category, whatever their pattern."""
        return Rate(sum(read.category_as_meant for read in self.reads), len(self.reads)) if self.reads else None

    def as_json(self) -> dict[str, Any]:
        """The figures by the names that programs rely on; shares are from 0 to 1."""
        return {
            "strategy": self.strategy.value,
            **self.tally.as_json(),
            "labelled": self.labelled,
            "without_pattern": self.without_pattern,
            "aligned": _rate(self.aligned),
            "category_aligned": _rate(self.category_aligned),
        }


def in_all(rows: Iterable[StrategyYield]) -> tuple[Tally, Rate | None]:
    """All strategies together."""
    rows = list(rows)
    tally = Tally({state: sum(row.tally.of(state) for row in rows) for state in SampleState})
    rates = [row.aligned for row in rows if row.aligned]
    total = sum(rate.n for rate in rates)
    return tally, Rate(sum(rate.part for rate in rates), total) if total else None


def _rate(found: Rate | None) -> dict[str, Any] | None:
    if found is None:
        return None
    interval = found.interval
    return {"part": found.part, "of": found.n, "share": found.value, "low": interval.low, "high": interval.high}
