"""Asking again: a new round of seats, an item reopened by an admin, a closing label taken back."""

from collections.abc import Mapping
from typing import Any

from annotation.cases import complete, first_seats, seats_of
from annotation.consensus import move_held, settle_disputes
from annotation.domain.words import Stage
from annotation.freeing import wake
from annotation.models import Item, Seat

UNDECIDED: Mapping[str, Any] = {
    "level": None,
    "category": None,
    "hateful": None,
    "category_source": None,
    "aligned": None,
    "pattern": None,
    "difficulty": None,
    "excluded_for": None,
    "gold_at": None,
}
"""The fields of an item about which nothing is decided."""


MOST_SEATS = 25
"""How many people at most are asked about an item in one round."""


def next_round(item: Item, message: str = "") -> None:
    """Send a held item to labelling again: what was found is forgotten, the votes of earlier rounds stay.

    A round that is not complete goes on where it stopped. Otherwise the new one has as many seats as the old one
    began with; handing out asks earlier annotators last. The annotators of this round read the message.
    """
    seats = seats_of(item)
    settle_disputes(item)
    wake(item.project)
    if complete(seats):
        _open_round(item, item.round + 1, first_seats(seats), message)
    else:
        _go_on(item, seats, message)


def more_seats(item: Item, count: int) -> None:
    """Ask `count` more people in the held item's round; what was found so far is forgotten, the votes stay.

    Agreement counts such an item by its first k. Raises ValueError where that would be nobody, or too many.
    """
    seats = seats_of(item)
    total = len(seats) + count
    if count < 1 or total > MOST_SEATS or not complete(seats):
        raise ValueError(f"{count} more seats cannot be added to {len(seats)}.")
    settle_disputes(item)
    wake(item.project)
    Seat.objects.bulk_create(_free_seats(item, item.round, range(len(seats) + 1, total + 1), total))
    move_held(item, Stage.LABELLING, **UNDECIDED, seats=total, taken=len(seats))


def take_back(item: Item) -> None:
    """Undo the closing of a held item, because a label it rested on is taken back; the round goes on.

    The caller empties the seat, in the same transaction.
    """
    settle_disputes(item)
    first = {"closed_at": None} if item.round == 1 else {}
    move_held(item, Stage.LABELLING, **UNDECIDED, **first)


def _open_round(item: Item, number: int, seats: int, message: str) -> None:
    Seat.objects.bulk_create(_free_seats(item, number, range(1, seats + 1), seats))
    move_held(item, Stage.LABELLING, **UNDECIDED, round=number, seats=seats, taken=0, message=message)


def _go_on(item: Item, seats: list[Seat], message: str) -> None:
    there = {seat.number for seat in seats}
    missing = [number for number in range(1, item.seats + 1) if number not in there]
    Seat.objects.bulk_create(_free_seats(item, item.round, missing, item.seats))
    filled = sum(seat.label_id is not None for seat in seats)
    move_held(item, Stage.LABELLING, **UNDECIDED, taken=filled, message=message)


def _free_seats(item: Item, round_number: int, numbers: Any, seats: int) -> list[Seat]:
    return [Seat(item=item, round=round_number, number=number, seats=seats) for number in numbers]
