"""What hangs together, directly or over others (union-find)."""

from collections import defaultdict


class Chains:
    """Places 0 … count - 1, each alone at first."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def root(self, place: int) -> int:
        """The least place that hangs together with this one."""
        parent = self._parent
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    def join(self, one: int, two: int) -> bool:
        """Let two hang together; False where they did."""
        first, second = self.root(one), self.root(two)
        self._parent[max(first, second)] = min(first, second)
        return first != second

    def groups(self) -> list[list[int]]:
        """All places by what hangs together, in order."""
        found: dict[int, list[int]] = defaultdict(list)
        for place in range(len(self._parent)):
            found[self.root(place)].append(place)
        return list(found.values())
