"""Ask for labels again: a new round, more seats in a round, a round that goes on after its closing label was undone."""

from collections.abc import Mapping
from typing import Any

from annotation.assignment.release_seats import reset_idle_members
from annotation.consensus.case_from_rows import first_seats, is_round_complete, seats_of
from annotation.consensus.close import close_disputes, move_locked_item
from annotation.domain.choices import Stage
from annotation.models import Item, Seat

UNDECIDED: Mapping[str, Any] = {
    "level": None,
    "category": None,
    "categories": [],
    "hateful": None,
    "category_source": None,
    "aligned": None,
    "pattern": None,
    "difficulty": None,
    "excluded_for": None,
    "gold_at": None,
}
"""The fields of an item about which nothing is decided."""


MAX_SEATS = 25
"""How many people at most are asked about an item in one round."""


def open_next_round(item: Item, message: str = "") -> None:
    """Send a locked item to labelling again; its outcome is cleared, the votes of earlier rounds stay.

    A round that is not complete goes on where it stopped. Otherwise the new one has as many seats as the old one began
    with; claims give it to earlier annotators last. The annotators of this round read the message.
    """
    seats = seats_of(item)
    close_disputes(item)
    reset_idle_members(item.project)
    if is_round_complete(seats):
        _open_round(item, item.round + 1, first_seats(seats), message)
    else:
        _go_on(item, seats, message)


def add_seats(item: Item, count: int) -> None:
    """Ask `count` more people in the locked item's round; its outcome is cleared, the votes stay.

    Agreement counts such an item by its first k labels.

    Raises ValueError if that adds no seat or too many.
    """
    seats = seats_of(item)
    total = len(seats) + count
    if count < 1 or total > MAX_SEATS or not is_round_complete(seats):
        raise ValueError(f"{count} more seats cannot be added to {len(seats)}.")
    close_disputes(item)
    reset_idle_members(item.project)
    Seat.objects.bulk_create(_free_seats(item, item.round, range(len(seats) + 1, total + 1), total))
    move_locked_item(item, Stage.LABELLING, **UNDECIDED, seats=total, taken=len(seats))


def reopen_item(item: Item) -> None:
    """Undo the closing of a locked item because a label that it rested on is taken back; the round goes on.

    The caller empties the seat in the same transaction.
    """
    close_disputes(item)
    first = {"closed_at": None} if item.round == 1 else {}
    move_locked_item(item, Stage.LABELLING, **UNDECIDED, **first)


def _open_round(item: Item, number: int, seats: int, message: str) -> None:
    Seat.objects.bulk_create(_free_seats(item, number, range(1, seats + 1), seats))
    move_locked_item(item, Stage.LABELLING, **UNDECIDED, round=number, seats=seats, taken=0, message=message)


def _go_on(item: Item, seats: list[Seat], message: str) -> None:
    there = {seat.number for seat in seats}
    missing = [number for number in range(1, item.seats + 1) if number not in there]
    Seat.objects.bulk_create(_free_seats(item, item.round, missing, item.seats))
    filled = sum(seat.label_id is not None for seat in seats)
    move_locked_item(item, Stage.LABELLING, **UNDECIDED, taken=filled, message=message)


def _free_seats(item: Item, round_number: int, numbers: Any, seats: int) -> list[Seat]:
    return [Seat(item=item, round=round_number, number=number, seats=seats) for number in numbers]
