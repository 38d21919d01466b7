"""The request of an evaluation: methods, options and models to compare, and the choice of items."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from moderation.domain.evaluation.sampling import SEED, Sample
from moderation.domain.task import Task
from moderation.evaluation.arms import ArmGrid
from moderation.evaluation.scoring import ScoringRequest


@dataclass(frozen=True)
class Wish:
    """What an evaluation compares. Without a task: all categories if all arms and sources allow it, else binary."""

    grid: ArmGrid
    task: Task | None = None
    repeats: int = 1
    sample: Sample = Sample.FIRST
    limit: int | None = None
    seed: int = SEED
    scores: ScoringRequest | None = None
    """How to score explanations (HateXScore); None: they are not scored."""
    study: str = ""
    """The title of a study; its lines share debates wherever they can."""
    more: Sequence[ArmGrid] = ()
    """Further grids of a study; their lines follow those of `grid`."""

    @property
    def grids(self) -> tuple[ArmGrid, ...]:
        return (self.grid, *self.more)

    @property
    def methods(self) -> list[str]:
        """The methods of all grids, without repetition."""
        return list(dict.fromkeys(method for grid in self.grids for method in grid.methods))

    def as_json(self) -> dict[str, Any]:
        """Return the request; keys that say nothing are left out, so that the digest of older requests stays."""
        values = asdict(self) | {"grid": self.grid.as_json(), "more": [grid.as_json() for grid in self.more]}
        unused = {name for name in ("scores", "study", "more") if not values[name]}
        return {name: value for name, value in values.items() if name not in unused}
