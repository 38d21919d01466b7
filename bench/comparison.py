"""The rule of `make bench-check`: no ratio may be more than 15 % worse than in bench/baseline.json.

A ratio says how much of a reference's speed the site reaches that was measured in the same run: bare Django, the
database alone, or an ideal. More is better. Absolute times are never compared, since they depend on the machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

LOSS = 0.15
"""The share of a ratio that may be lost before the check fails."""

Ratios = Mapping[str, float]


class Standing(StrEnum):
    """How a ratio compares with the baseline."""

    HOLDS = "holds"
    LOST = "LOST"
    MISSING = "NOT MEASURED"
    """The baseline has it and no run measured it."""
    NEW = "new, not in the baseline"


@dataclass(frozen=True)
class Compared:
    """One ratio before and now."""

    name: str
    before: float | None
    now: float | None

    @property
    def standing(self) -> Standing:
        if self.before is None:
            return Standing.NEW
        if self.now is None:
            return Standing.MISSING
        return Standing.LOST if self.now < self.before * (1 - LOSS) else Standing.HOLDS

    @property
    def fails(self) -> bool:
        return self.standing in (Standing.LOST, Standing.MISSING)


def medians(runs: Sequence[Ratios]) -> dict[str, float]:
    """Return the median of each ratio over the runs that measured it."""
    names = dict.fromkeys(name for ratios in runs for name in ratios)
    return {name: median([ratios[name] for ratios in runs if name in ratios]) for name in names}


def compare(baseline: Ratios, runs: Sequence[Ratios]) -> list[Compared]:
    """Return each ratio of the baseline, then those that are new, with the median of the runs."""
    now = medians(runs)
    names = dict.fromkeys((*baseline, *now))
    return [Compared(name, baseline.get(name), now.get(name)) for name in names]
