"""Who may be handed the items of a batch: everybody, the members of a limited batch, or nobody."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from annotation.domain.choices import BatchState

EVERYBODY = 0
"""The queue of items that are for all annotators of the project."""


@dataclass(frozen=True)
class BatchNow:
    """What of a batch decides about its items."""

    key: int
    name: str
    state: BatchState
    pilot: bool = False
    limited: bool = False


@dataclass(frozen=True)
class Queues:
    """The queue of every batch of a project, by name; that of a batch without a row under `others`."""

    named: Mapping[str, int | None]
    others: int | None

    def of(self, name: str) -> int | None:
        """Who may get the batch's items: `EVERYBODY`, the key of a limited batch, or None for nobody."""
        return self.named.get(name, self.others)


def queues(batches: Iterable[BatchNow]) -> Queues:
    """The queues that follow from the batches: only open ones are handed out, and while a pilot is not closed only it.

    A batch without a row counts as open to everybody.
    """
    batches = list(batches)
    held_up = any(batch.pilot and batch.state is not BatchState.CLOSED for batch in batches)
    named = {batch.name: _queue(batch, held_up=held_up) for batch in batches}
    return Queues(named, None if held_up else EVERYBODY)


def _queue(batch: BatchNow, *, held_up: bool) -> int | None:
    if batch.state is not BatchState.OPEN or (held_up and not batch.pilot):
        return None
    return batch.key if batch.limited else EVERYBODY
