"""Teams: people in groups of k, as the paper worked, and items dealt out among them; alike for the same input."""

from collections.abc import Sequence
from typing import TypeVar

Person = TypeVar("Person")


class TooFewPeople(ValueError):
    """Not even one group can be made."""

    code = "too_few_people"


def groups_of(people: Sequence[Person], size: int) -> list[list[Person]]:
    """The people in order, in as many groups of at least `size` as there can be; sizes differ by one at most.

    At least, because a group of fewer could not finish an item. Raises TooFewPeople.
    """
    if size < 1 or len(people) < size:
        raise TooFewPeople
    count = len(people) // size
    small, larger = divmod(len(people), count)
    groups, start = [], 0
    for number in range(count):
        end = start + small + (number < larger)
        groups.append(list(people[start:end]))
        start = end
    return groups


def dealt(count: int, hands: int) -> list[int]:
    """How many of `count` items each of the hands gets when they are dealt one by one: differing by one at most."""
    return [len(range(hand, count, hands)) for hand in range(hands)]
