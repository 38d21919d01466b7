"""The yield of each strategy, and how often people read its samples as intended.

A sample is *as meant* when the consensus of its item's labels is the intended category and gives the intended pattern.
The share is taken over the accepted samples that all seats have labelled and whose pattern is known; an item that lacks
one of its priors has no pattern and is counted apart. Intervals are 95 % Wilson intervals.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypedDict

from annotation.domain.statistics.annotator_quality import Rate
from generation.domain.injection.states import SampleCounts, SampleState, Tally
from generation.domain.injection.strategies import Strategy
from vocabulary.answers import answer


class RateJson(TypedDict):
    """A share with its Wilson interval."""

    part: int
    of: int
    share: float
    low: float
    high: float


class AllYields(SampleCounts):
    """The yield of all strategies together."""

    aligned: RateJson | None


class StrategyYieldJson(AllYields):
    """The yield of one strategy."""

    strategy: Strategy
    labelled: int
    without_pattern: int
    category_aligned: RateJson | None


@dataclass(frozen=True)
class Read:
    """What the labels of one injected item say; `category` and `pattern` are None if they give none.

    `pattern_known`: both priors are there, so that the labels can give a pattern.
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
    def matches_intent(self) -> bool:
        """Whether category and pattern are both the intended ones."""
        return self.category_as_meant and self.pattern == self.intended_pattern


@dataclass(frozen=True)
class StrategyYield:
    """The samples of one strategy and what became of them."""

    strategy: Strategy
    tally: Tally
    reads: tuple[Read, ...] = field(default=())

    @property
    def labelled(self) -> int:
        """The number of accepted samples that all seats have labelled."""
        return len(self.reads)

    @property
    def without_pattern(self) -> int:
        """The number of labelled samples that cannot be compared, because a prior is missing."""
        return sum(not read.pattern_known for read in self.reads)

    @property
    def aligned(self) -> Rate | None:
        """The share that came out as meant, of those that can be compared; None if there are none."""
        comparable = [read for read in self.reads if read.pattern_known]
        return Rate(sum(read.matches_intent for read in comparable), len(comparable)) if comparable else None

    @property
    def category_aligned(self) -> Rate | None:
        """The share with the intended category, whatever their pattern; None if none is labelled."""
        return Rate(sum(read.category_as_meant for read in self.reads), len(self.reads)) if self.reads else None

    def as_json(self) -> StrategyYieldJson:
        """Return the figures under the names that API clients use; shares are from 0 to 1."""
        return {
            "strategy": self.strategy,
            **self.tally.as_json(),
            "labelled": self.labelled,
            "without_pattern": self.without_pattern,
            "aligned": rate_json(self.aligned),
            "category_aligned": rate_json(self.category_aligned),
        }


def in_all(rows: Iterable[StrategyYield]) -> tuple[Tally, Rate | None]:
    """Return the counts and the aligned share of all strategies together.

    The share is None if no sample can be compared.
    """
    rows = list(rows)
    tally = Tally({state: sum(row.tally.of(state) for row in rows) for state in SampleState})
    rates = [row.aligned for row in rows if row.aligned]
    total = sum(rate.n for rate in rates)
    return tally, Rate(sum(rate.part for rate in rates), total) if total else None


def rate_json(rate: Rate | None) -> RateJson | None:
    """Return a share with its interval as JSON. Returns None if there is none."""
    return None if rate is None else answer(RateJson, rate.interval, part=rate.part, of=rate.n, share=rate.value)
