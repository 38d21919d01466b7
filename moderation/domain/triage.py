"""Which side of a disagreement between a model and people deserves the closer look (HateXScore, section 5.3, Table 2).

A signpost, never a vote: where the explanation of a differing verdict scores at least 0.5 the model may be right,
below it is likely wrong.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

THRESHOLD = 0.5
ENOUGH = 30
"""From so many decisions on, a project is told its own hit rate instead of the paper's."""
PAPER_MODEL, PAPER_LABEL = 0.748, 0.773
"""Shares of other people's choices on other data: for the model above the threshold, for the label below."""


class Side(StrEnum):
    """Whom the score speaks for."""

    MODEL = "model"
    PEOPLE = "people"


@dataclass(frozen=True)
class Said:
    """A view of a post: a category code where there is one, and hateful or not where that is known."""

    category: int | None
    hateful: bool | None


@dataclass(frozen=True)
class HitRate:
    """How often decisions went the way a side was pointed to."""

    hits: int
    of: int

    @property
    def share(self) -> float | None:
        """Nothing, rather than a number, where nothing was counted."""
        return self.hits / self.of if self.of else None


def differ(one: Said, other: Said) -> bool:
    """Whether two views contradict each other: on the category where both name one, else on hateful or not."""
    if one.category is not None and other.category is not None:
        return one.category != other.category
    return one.hateful is not None and other.hateful is not None and one.hateful != other.hateful


def side(verdict: Said, people: Said, score: float | None) -> Side | None:
    """Whom the score speaks for; None where both say the same, or without a score."""
    if score is None or not differ(verdict, people):
        return None
    return Side.MODEL if score >= THRESHOLD else Side.PEOPLE


def was_right(pointed: Side, verdict: Said, people: Said, decided: Said) -> bool | None:
    """Whether the decision went where the score pointed; None where it went a third way."""
    with_model, with_people = not differ(verdict, decided), not differ(people, decided)
    if with_model == with_people:
        return None
    return with_model if pointed is Side.MODEL else with_people


def hit_rates(decided: Iterable[tuple[Side, bool | None]]) -> dict[Side, HitRate]:
    """For each side how often it was right; decisions that went a third way count as not right."""
    counted = {each: [0, 0] for each in Side}
    for pointed, right in decided:
        counted[pointed][0] += right is True
        counted[pointed][1] += 1
    return {each: HitRate(*counts) for each, counts in counted.items()}
