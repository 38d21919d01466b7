"""Connected groups, directly or through others (union-find)."""

from array import array
from collections import defaultdict


class Chains:
    """The indices 0 … count - 1; each begins as a group of its own."""

    def __init__(self, count: int) -> None:
        self._parent = array("q", range(count))

    def root(self, place: int) -> int:
        """Return the lowest index of this one's group."""
        parent = self._parent
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    def join(self, left: int, right: int) -> bool:
        """Connect two indices. Return False if they were already connected."""
        first, second = self.root(left), self.root(right)
        self._parent[max(first, second)] = min(first, second)
        return first != second

    def groups(self) -> list[list[int]]:
        """Return all indices by group, in order."""
        groups: dict[int, list[int]] = defaultdict(list)
        for place in range(len(self._parent)):
            groups[self.root(place)].append(place)
        return list(groups.values())
