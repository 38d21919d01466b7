"""Items with their known answers in a temporary file, so that memory does not grow with their number."""

import json
import weakref
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile

from moderation.domain.evaluation.answers import Gold

_IN_MEMORY = 1 << 20
"""So many bytes stay in memory; with one more, all go into a file without a name."""
_READ = 1 << 16


@dataclass(frozen=True, slots=True)
class EvaluationItem:
    """One item: its known answer, and its content for models. `item` is the primary key of a project's item."""

    dataset: str
    gold: Gold
    text: str = ""
    picture_path: str = ""
    picture_sha256: str = ""
    item: int | None = None
    votes: tuple[int, int] = (0, 0)
    """The number of people who called it hateful, and not hateful."""

    @property
    def mark(self) -> list[object]:
        """The values that identify the item in the digest of an evaluation's cases."""
        gold = self.gold
        label = list(gold.labels) or gold.label
        return [self.dataset, gold.id, label, gold.hateful, gold.pattern, self.text, self.picture_sha256]


class SpooledItems:
    """Items in the order in which they were added. The file goes with the last reference to this object."""

    def __init__(self, items: Iterable[EvaluationItem] = ()) -> None:
        self._file = SpooledTemporaryFile[bytes](max_size=_IN_MEMORY)  # noqa: SIM115 (the next line closes it with this object)
        weakref.finalize(self, self._file.close)
        self._count = self._end = 0
        self.binary = False
        """Whether only hateful or not is known of some of them."""
        for item in items:
            self.append(item)

    def append(self, item: EvaluationItem) -> None:
        """Add an item behind the others."""
        if self._file.tell() != self._end:  # somebody has read since
            self._file.seek(self._end)
        self._end += self._file.write(_line(item))
        self._count += 1
        self.binary = self.binary or item.gold.label is None

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[EvaluationItem]:
        position = 0
        while position < self._end:
            self._file.seek(position)  # others may read at the same time
            lines = self._file.readlines(_READ)
            position = self._file.tell()
            yield from map(_item, lines)


@dataclass(frozen=True)
class ChosenItems:
    """The chosen items of each source, in their order, with the places of the chosen ones, which ascend."""

    parts: Sequence[tuple[SpooledItems, Collection[int]]]

    def __len__(self) -> int:
        return sum(len(places) for _items, places in self.parts)

    def __iter__(self) -> Iterator[EvaluationItem]:
        for items, places in self.parts:
            left = iter(places)
            wanted = next(left, None)
            for place, item in enumerate(items):
                if place == wanted:
                    yield item
                    wanted = next(left, None)


def _line(item: EvaluationItem) -> bytes:
    """Return the item as a line of ASCII; halves of characters, which a file may hold, are kept."""
    gold = item.gold
    answer = (gold.id, gold.hateful, gold.label, gold.pattern, gold.subset, gold.labels)
    content = (item.text, item.picture_path, item.picture_sha256, item.item, item.votes)
    return json.dumps((item.dataset, answer, *content)).encode() + b"\n"


def _item(line: bytes) -> EvaluationItem:
    dataset, (name, hateful, label, pattern, subset, labels), text, path, sha256, key, votes = json.loads(line)
    gold = Gold(name, hateful, label, pattern, subset, tuple(labels))
    return EvaluationItem(dataset, gold, text, path, sha256, key, tuple(votes))
