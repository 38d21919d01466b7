"""Hints where a model's verdict and the votes differ: which side may be right (HateXScore, section 5.3, Table 2).

A hint is never a vote. If the explanation of the verdict scores at least 0.5, the model may be right; below that, it
is likely wrong.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

THRESHOLD = 0.5
ENOUGH = 30
"""With at least this many decisions, a project sees its own hit rate instead of the paper's."""
PAPER_MODEL, PAPER_LABEL = 0.748, 0.773
"""The shares of people's choices in the paper: for the model at or above the threshold, for the label below it."""


class Side(StrEnum):
    """The side that a score supports."""

    MODEL = "model"
    PEOPLE = "people"


@dataclass(frozen=True)
class Said:
    """An opinion about a post: category codes if it names any, and hateful or not if that is known."""

    category: int | None
    hateful: bool | None
    further: tuple[int, ...] = ()

    @classmethod
    def of(cls, codes: Sequence[int], hateful: bool | None) -> "Said":
        """Return an opinion that names these categories, or none."""
        return cls(codes[0] if codes else None, hateful, tuple(codes[1:]))

    @property
    def codes(self) -> frozenset[int]:
        """The codes of all its categories."""
        return frozenset(() if self.category is None else (self.category, *self.further))


@dataclass(frozen=True)
class HitRate:
    """How often decisions agreed with the supported side."""

    hits: int
    of: int

    @property
    def share(self) -> float | None:
        """The share of hits, 0 to 1; None if nothing was counted."""
        return self.hits / self.of if self.of else None


def differ(first: Said, second: Said) -> bool:
    """Return whether two opinions contradict each other.

    Categories are compared if both name some: they contradict each other if they have none in common. Otherwise
    hateful or not is compared.
    """
    if first.codes and second.codes:
        return first.codes.isdisjoint(second.codes)
    return first.hateful is not None and second.hateful is not None and first.hateful != second.hateful


def side(verdict: Said, people: Said, score: float | None) -> Side | None:
    """Return the side that the score supports.

    Returns None if the opinions agree or there is no score.
    """
    if score is None or not differ(verdict, people):
        return None
    return Side.MODEL if score >= THRESHOLD else Side.PEOPLE


def was_right(pointed: Side, verdict: Said, people: Said, decided: Said) -> bool | None:
    """Return whether the decision agreed with the supported side.

    Returns None if it agreed with neither side, or with both.
    """
    with_model, with_people = not differ(verdict, decided), not differ(people, decided)
    if with_model == with_people:
        return None
    return with_model if pointed is Side.MODEL else with_people


def hit_rates(decided: Iterable[tuple[Side, bool | None]]) -> dict[Side, HitRate]:
    """Return for each side how often it was right; decisions that fit neither side count as not right."""
    counted = {pointed: [0, 0] for pointed in Side}
    for pointed, right in decided:
        counted[pointed][0] += right is True
        counted[pointed][1] += 1
    return {pointed: HitRate(*counts) for pointed, counts in counted.items()}
