"""Queues of items: who gets the items of a batch: everybody, the members of a limited batch, or nobody."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from annotation.domain.choices import BatchState

EVERYBODY = 0
"""The queue of items for all annotators of the project."""


@dataclass(frozen=True)
class BatchNow:
    """The properties of a batch that decide about its items."""

    key: int
    name: str
    state: BatchState
    pilot: bool = False
    limited: bool = False


@dataclass(frozen=True)
class Queues:
    """The queue of every batch of a project, by name; `others` is the queue of a batch without a row."""

    named: Mapping[str, int | None]
    others: int | None

    def of(self, name: str) -> int | None:
        """Return who gets the batch's items: `EVERYBODY`, the key of a limited batch, or None for nobody."""
        return self.named.get(name, self.others)


def queues(batches: Iterable[BatchNow]) -> Queues:
    """Return the queues of these batches. Only open batches are assigned; until a pilot is closed, only the pilot.

    A batch without a row counts as open to everybody.
    """
    batches = list(batches)
    pilot_runs = any(batch.pilot and batch.state is not BatchState.CLOSED for batch in batches)
    named = {batch.name: _queue(batch, held_up=pilot_runs) for batch in batches}
    return Queues(named, None if pilot_runs else EVERYBODY)


def _queue(batch: BatchNow, *, held_up: bool) -> int | None:
    if batch.state is not BatchState.OPEN or (held_up and not batch.pilot):
        return None
    return batch.key if batch.limited else EVERYBODY
