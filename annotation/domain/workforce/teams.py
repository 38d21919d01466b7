"""Teams: people in groups of k, as in the paper, and items distributed among them. Equal input gives equal teams."""

from collections.abc import Sequence
from typing import TypeVar

Person = TypeVar("Person")


class TooFewPeople(ValueError):
    """There are too few people for one group."""

    code = "too_few_people"


def groups_of(people: Sequence[Person], size: int) -> list[list[Person]]:
    """Return the people in order, in as many groups of at least `size` as possible; sizes differ by one at most.

    A smaller group could not finish an item.
    Raises TooFewPeople.
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
    """Return how many of `count` items each of `hands` teams gets; the numbers differ by one at most."""
    return [len(range(hand, count, hands)) for hand in range(hands)]
