"""Queries for the figures of quality, read as columns of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
from django.db.models import Case, F, Q, When
from django.utils import timezone

from annotation.analytics.closed_items import TOLD_EVERY, LabelsRead, told_of
from annotation.domain.category_sets import codes_of
from annotation.domain.choices import Stage
from annotation.domain.statistics.agreement import Ratings
from annotation.domain.statistics.annotator_quality import UNDATED, CategorySets, Votes, week_of
from annotation.domain.statistics.arrays import Flags, Floats, Ints
from annotation.models import Project, Seat

_ROW = (
    *(("case", "i4"), ("annotator", "i8"), ("category", "i4"), ("final", "i4"), ("version", "i4"), ("week", "i4")),
    *(("informativeness", "i2"), ("not_sure", "?"), ("low_quality", "?"), ("seconds", "f8"), ("first_round", "?")),
)
"""What is held of a label of a block, by the names of `LabelColumns`: 41 bytes."""
BLOCK = 1 << 13
"""So many labels are held at a time, and those of one item more."""


@dataclass(frozen=True)
class LabelColumns:
    """A block of valid labels as parallel columns, in the order of items; -1 if there is no value."""

    case: Ints
    """The number of the item in a complete round, from 0; -1: the round is not complete."""
    annotator: Ints
    category: Ints
    """The number of its categories among `sets`; a category alone has its index in the order of codes."""
    final: Ints
    """The number of the final categories of a gold item."""
    version: Ints
    """The version of the guidelines; 0: none."""
    week: Ints
    """The week by `week_of`; UNDATED if the label has no time of its own."""
    informativeness: Ints
    """That of the item."""
    not_sure: Flags
    low_quality: Flags
    seconds: Floats
    """NaN if unknown; such values are removed before figures are computed."""
    first_round: Flags
    """Whether the label is one of the raw ones: round 1 of a closed item."""
    sets: Flags
    """Which categories (columns) each number stands for (rows)."""

    @property
    def votes(self) -> Votes:
        return Votes(self.case, self.annotator, self.category)

    @property
    def ratings(self) -> Ratings:
        """The raw labels with a category, for pairs of annotators; `item` is the case."""
        raw = self.first_round & (self.category >= 0)
        return Ratings.of_columns(self.case[raw], self.annotator[raw], self.category[raw])


def read_labels(
    project: Project, codes: Mapping[int, int], sets: CategorySets, tell: LabelsRead
) -> Iterator[LabelColumns]:
    """Yield a project's valid labels except those of control items, in blocks; no item is in two of them.

    `codes` has the codes of the categories by their keys, in order. `sets` numbers the sets that labels name.
    """
    dated = Q(label__imported=False) | Q(label__created_at__lt=F("item__created_at"))
    seats = (
        Seat.objects.filter(item__project=project, label__isnull=False)
        .exclude(item__stage=Stage.KNOWN)
        .order_by("item_id", "round", "number")
        .values_list(
            *("item_id", "round", "annotator_id", "label__category_id", "label__categories"),
            *("label__not_sure", "label__low_quality"),
            *("label__seconds", "label__guideline__number", "item__stage", "item__round", "item__category_id"),
            *("item__categories", "item__informativeness"),
            Case(When(item__closed_at__isnull=False, then=True), default=False),
            Case(When(dated, then=F("label__created_at"))),
        )
    )
    index_of = {code: index for index, code in enumerate(codes.values())}

    def number_of(key: int | None, stored: list[int]) -> int:
        return sets.number(index_of[code] for code in codes_of(None if key is None else codes[key], stored))

    for table in _blocks(_rows(told_of(seats.iterator(chunk_size=TOLD_EVERY), tell), number_of)):
        yield LabelColumns(sets=sets.members, **{name: table[name] for name, _kind in _ROW})


def _blocks(rows: Iterator[tuple[float, ...]]) -> Iterator[np.ndarray[Any, np.dtype[Any]]]:
    """Yield the rows in tables; the rows of a case are in one, and each table counts its cases from 0."""
    kind = np.dtype(list(_ROW))
    kept = np.zeros(0, dtype=kind)
    while len(table := np.fromiter(islice(rows, BLOCK), dtype=kind)):
        table = np.concatenate((kept, table))
        last = table["case"][-1]  # more rows of this case may come
        end = len(table) if last < 0 else int(np.argmax(table["case"] == last))
        kept = table[end:]
        if end:
            yield _counted_from_0(table[:end])
    if len(kept):
        yield _counted_from_0(kept)


def _counted_from_0(table: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[Any]]:
    complete = table["case"] >= 0
    if complete.any():
        table["case"][complete] -= table["case"][complete].min()
    return table


@dataclass(frozen=True)
class RawColumns:
    """The raw labels that have a category, as parallel columns of keys and indices."""

    item: Ints
    annotator: Ints
    category: Ints


def read_raw(project: Project, index_of: Mapping[int, int]) -> RawColumns:
    """Return the labels of round 1 of closed items as submitted, without known answers.

    `index_of` maps category keys to indices.
    """
    labels = (
        Seat.objects.filter(item__project=project, item__closed_at__isnull=False, round=1)
        .filter(label__category__isnull=False)
        .exclude(item__stage=Stage.KNOWN)
        .exclude(item__stage=Stage.LABELLING, item__round=1)
        .order_by("item_id", "number")
        .values_list("item_id", "annotator_id", "label__category_id")
    )
    rows = ((item, annotator, index_of[category]) for item, annotator, category in labels.iterator(chunk_size=5000))
    table = np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, 3)
    return RawColumns(*table.T)


def _rows(
    seats: Iterable[tuple[Any, ...]], number_of: Callable[[int | None, list[int]], int]
) -> Iterator[tuple[float, ...]]:
    """Yield the rows of numbers for `LabelColumns`; each complete round of an item is one case."""
    before, case, zone = (0, 0), -1, timezone.get_current_timezone()
    for (
        item,
        number,
        annotator,
        category,
        categories,
        not_sure,
        low,
        seconds,
        version,
        stage,
        now,
        final,
        finals,
        hard,
        closed,
        at,
    ) in seats:
        complete = closed and not (stage == Stage.LABELLING and number == now)
        if complete and (item, number) != before:
            before, case = (item, number), case + 1
        yield (
            case if complete else -1,
            annotator,
            number_of(category, categories),
            number_of(final, finals) if stage == Stage.GOLD else -1,
            version or 0,
            UNDATED if at is None else week_of(at.astimezone(zone).date()),
            hard,
            not_sure,
            low,
            np.nan if seconds is None else seconds,
            complete and number == 1,
        )
