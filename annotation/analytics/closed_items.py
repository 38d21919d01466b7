"""The labels of a project's closed items, streamed from the rows as values.

A rating is an index: of one category in the order of codes, or of a set of them where answers may name several. Sets
get their index when they are first met.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

from django.db.models import F, Q, TextField
from django.db.models.functions import Cast, Length

from annotation.domain.alignment import IntendedCategory, IntendedHateful, Intent
from annotation.domain.choices import Choose
from annotation.domain.votes import Category
from annotation.models import Project, Seat

T = TypeVar("T")

LabelsRead = Callable[[int], None]
"""What a worker wants to be told: how many labels were read so far. It may raise, to stop the reading."""
TOLD_EVERY = 5_000


def no_progress(read: int) -> None:
    """Do nothing with the number of labels read: the figures are computed while somebody waits."""


_SETS = ("label__categories", "label__replacement__categories", "item__intended_categories")


@dataclass(frozen=True, slots=True)
class SeatLabel:
    """The label of a filled seat. Categories are indices in the order of codes; None is missing."""

    annotator: int
    seats: int
    """The number of seats of the item when this seat was created; added seats have a higher number."""
    category: int | None
    replaced: int | None
    low_quality: bool
    first: int | None
    answers: str | None
    """The answers to the further questions, as JSON."""

    @property
    def settled(self) -> int | None:
        return self.category if self.replaced is None else self.replaced


@dataclass(frozen=True, slots=True)
class ClosedItem:
    """A closed item: the seats of round 1 and those of the deciding round, in seat order."""

    pk: int
    stage: str
    source: str | None
    intended: int | None
    intended_hateful: bool | None
    length: int
    """The characters of its text; 0 where nothing needs them."""
    round_one: tuple[SeatLabel, ...]
    deciding: tuple[SeatLabel, ...]


def told_of(rows: Iterable[T], tell: LabelsRead) -> Iterator[T]:
    """Yield the rows, and tell every few thousand how many there were."""
    for number, row in enumerate(rows):
        if number % TOLD_EVERY == 0:
            tell(number)
        yield row


class ClosedItems:
    """The closed items of a project, and the ratings that their labels name."""

    def __init__(self, project: Project, tell: LabelsRead, *, with_answers: bool) -> None:
        """Prepare for a project; with `with_answers`, items have the answers to the further questions."""
        rows = list(project.categories.order_by("code"))
        self.project, self.tell, self.with_answers = project, tell, with_answers
        self.categories = tuple(row.value() for row in rows)
        self.several = project.choose == Choose.SEVERAL
        self.sets_of = [frozenset((index,)) for index in range(len(rows))]
        """The categories of each rating, as indices."""
        self._rating_of = {chosen: index for index, chosen in enumerate(self.sets_of)}
        self._index_of = {row.pk: index for index, row in enumerate(rows)}
        self._index_of_code = {row.code: index for index, row in enumerate(rows)}

    def __iter__(self) -> Iterator[ClosedItem]:
        """Yield the closed items with their seats, streamed in the order of items."""
        seats = (
            Seat.objects.filter(item__project=self.project, item__closed_at__isnull=False, label__isnull=False)
            .filter(Q(round=1) | Q(round=F("item__round")))
            .annotate(
                # As text, each distinct first answer is parsed once.
                first_said=Cast("label__first_answer", TextField()),
                answers_said=Cast("label__answers", TextField()),
                text_length=Length("item__text"),
            )
            .order_by("item_id", "round", "number")
            .values_list(
                *("item_id", "round", "annotator_id", "label__category_id", "label__replacement__category_id"),
                *("label__low_quality", "first_said", "item__stage", "item__category_source"),
                *("item__intended_id", "item__intended_hateful", "item__round", "seats"),
                *(("answers_said", "text_length") if self.with_answers else ()),
                *(_SETS if self.several else ()),
            )
        )
        seat_rows = told_of(seats.iterator(chunk_size=TOLD_EVERY), self.tell)
        for pk, rows in groupby(seat_rows, key=itemgetter(0)):
            yield self._closed(pk, list(rows))

    def intent(self, closed: ClosedItem) -> Intent | None:
        """Return what the author of the item says it means. Returns None if nothing is known."""
        if closed.intended is not None:
            first, *further = self.chosen(closed.intended)
            return IntendedCategory(first, tuple(further))
        return None if closed.intended_hateful is None else IntendedHateful(closed.intended_hateful)

    def _closed(self, pk: int, rows: list[tuple[Any, ...]]) -> ClosedItem:
        stage, source, intended, intended_hateful, deciding = rows[0][7:12]
        round_one = tuple(self._seat_label(row) for row in rows if row[1] == 1)
        last = round_one if deciding == 1 else tuple(self._seat_label(row) for row in rows if row[1] == deciding)
        length = rows[0][14] if self.with_answers else 0
        meant = self._rating(intended, rows[0][-1] if self.several else ())
        return ClosedItem(pk, stage, source, meant, intended_hateful, length, round_one, last)

    def _seat_label(self, row: tuple[Any, ...]) -> SeatLabel:
        first, first_codes = _first_choice(row[6])
        chosen, in_place = (row[-3], row[-2] or ()) if self.several else ((), ())
        return SeatLabel(
            annotator=row[2],
            seats=row[12],
            category=self._rating(row[3], chosen),
            replaced=self._rating(row[4], in_place),
            low_quality=row[5],
            first=self._rating(None, first_codes) if first_codes else self._rating_of_code(first),
            answers=row[13] if self.with_answers else None,
        )

    def _rating(self, lead: int | None, codes: Sequence[int]) -> int | None:
        """Return the rating of a row: the index of its category by primary key, or of its set by codes."""
        if not codes:
            return self._index_of.get(lead) if lead is not None else None
        chosen = frozenset(self._index_of_code[code] for code in codes)
        if chosen not in self._rating_of:
            self._rating_of[chosen] = len(self.sets_of)
            self.sets_of.append(chosen)
        return self._rating_of[chosen]

    def _rating_of_code(self, code: int | None) -> int | None:
        """Return the rating of one category by its code."""
        return None if code is None else self._index_of_code.get(code)

    def chosen(self, rating: int) -> list[Category]:
        """Return the categories of a rating, by code."""
        return [self.categories[index] for index in sorted(self.sets_of[rating])]


@lru_cache(maxsize=1024)
def _first_choice(text: str | None) -> tuple[int | None, Sequence[int]]:
    """Return the code of a first answer, which is stored as JSON, and the codes of all where it names several."""
    answer = (json.loads(text) if text else None) or {}
    return answer.get("category"), answer.get("categories", ())


def first_seats(round_: tuple[SeatLabel, ...]) -> tuple[SeatLabel, ...]:
    """Return the seats that a round began with."""
    return round_[: min((label.seats for label in round_), default=0)]
