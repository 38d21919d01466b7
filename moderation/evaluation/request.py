"""The request of an evaluation: methods, options and models to compare, and the choice of items."""

from collections.abc import Sequence
from typing import Any

from moderation.domain.evaluation.request import EvaluationChoices, Measuring, Sampling
from moderation.evaluation.arms import ArmGrid
from moderation.evaluation.scoring import ScoringRequest, scoring_request

_ALWAYS_STORED = ("task", "repeats", "sample", "limit", "seed")


class Wish(Sampling, Measuring):
    """What an evaluation compares. Without a task: all categories if all arms and sources allow it, else binary."""

    grid: ArmGrid
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
        return _methods(self.grids)

    def as_json(self) -> dict[str, Any]:
        """Return the request; keys that say nothing are left out, so that the digest of older requests stays."""
        own = self.model_dump(mode="json", exclude={"grid", "more"})
        values = own | {"grid": self.grid.as_json(), "more": [grid.as_json() for grid in self.more]}
        return {name: value for name, value in values.items() if value or name in _ALWAYS_STORED}


def wish_of(asked: EvaluationChoices, *grids: ArmGrid, study: str = "") -> Wish:
    """Return the request for these grids."""
    own = {name: value for name, value in asked if name in Wish.model_fields}
    scores = scoring_request(asked, _methods(grids))
    return Wish(**own, grid=grids[0], more=grids[1:], study=study, scores=scores)


def _methods(grids: Sequence[ArmGrid]) -> list[str]:
    return list(dict.fromkeys(method for grid in grids for method in grid.methods))
