"""The labels of a project, counted by all that figures of quality ask of them but their time.

Labels come in blocks, and no item is in two of them. So each can be compared with the others on its item at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation.analytics.quality.queries import LabelColumns
from annotation.analytics.quality.rows_by_person import RowsByPerson
from annotation.domain.statistics.agreement import RatedTogether, Together
from annotation.domain.statistics.annotator_quality import CategorySets, others_majority
from annotation.domain.statistics.arrays import Flags, Ints
from annotation.domain.statistics.counted_rows import CountedRows

NONE = -1
_IN_ORDER = [("week", "i4"), ("informativeness", "i2"), ("comparable", "?"), ("agrees", "?"), ("seconds", "f8")]
"""What is asked of each single label of a person, in the order of items."""


@dataclass(frozen=True)
class LabelKinds:
    """Labels of one kind, and how many there are, as parallel columns in the order of annotators.

    Categories are numbers of sets; -1 is none.
    """

    annotator: Ints
    category: Ints
    majority: Ints
    """What the majority of the others on the same item names."""
    final: Ints
    version: Ints
    informativeness: Ints
    not_sure: Flags
    low_quality: Flags
    times: Ints
    sets: Flags
    """Which categories (columns) each number stands for (rows)."""
    in_order: RowsByPerson
    together: Together
    """The raw labels with a category, for pairs of annotators."""

    @property
    def comparable(self) -> Flags:
        """Whether the others have a majority."""
        comparable: Flags = self.majority != NONE
        return comparable

    @property
    def agrees(self) -> Flags:
        return agreeing(self.majority, self.category)


def agreeing(majority: Ints, category: Ints) -> Flags:
    """Return which labels name just what the majority of the others names."""
    agrees: Flags = (majority != NONE) & (majority == category)
    return agrees


def count_labels(blocks: Iterable[LabelColumns], sets: CategorySets) -> LabelKinds:
    """Count the labels; `sets` numbers their sets of categories while they are read."""
    kinds, in_order, together = CountedRows(8), RowsByPerson(np.dtype(_IN_ORDER)), RatedTogether()
    for labels in blocks:
        majority = _majority(labels, sets)
        kinds.add(
            *(labels.annotator, labels.category, majority, labels.final, labels.version, labels.informativeness),
            *(labels.not_sure, labels.low_quality),
        )
        in_order.add(labels.annotator, _ordered(labels, majority))
        together.add(labels.ratings)
    (annotator, category, majorities, final, version, informativeness, not_sure, low_quality), times = kinds.counted()
    return LabelKinds(
        annotator=annotator,
        category=category,
        majority=majorities,
        final=final,
        version=version,
        informativeness=informativeness,
        not_sure=not_sure.astype(bool),
        low_quality=low_quality.astype(bool),
        times=times,
        sets=sets.members,
        in_order=in_order,
        together=together.counted(),
    )


def _majority(labels: LabelColumns, sets: CategorySets) -> Ints:
    """Return for every label the number of what the majority of the others names."""
    flags = others_majority(labels.votes, labels.sets)
    distinct, index = np.unique(flags, axis=0, return_inverse=True)
    numbers = np.array([sets.number(np.flatnonzero(row).tolist()) for row in distinct], dtype=np.int64)
    return numbers[index.reshape(-1)]


def _ordered(labels: LabelColumns, majority: Ints) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    rows = np.zeros(len(majority), dtype=np.dtype(_IN_ORDER))
    rows["week"], rows["informativeness"], rows["seconds"] = labels.week, labels.informativeness, labels.seconds
    rows["comparable"], rows["agrees"] = majority != NONE, agreeing(majority, labels.category)
    return rows
