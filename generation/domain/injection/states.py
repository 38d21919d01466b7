"""The states of a sample, and the counts of samples by state.

`asked → waiting | duplicate | held | misfit | refused | unreadable | failed`. A failed sample may be asked for again. A
waiting one is accepted or rejected by a person; a held one can only be rejected. No sample is ever deleted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from vocabulary.answers import answer
from vocabulary.display_names import NamedEnum, pgettext


class SampleState(NamedEnum):
    """The state of a sample."""

    ASKED = "asked", pgettext("stored word", "asked for")
    """A model has still to write it."""
    WAITING = "waiting", pgettext("stored word", "waiting")
    """It is written and waits for a person's decision."""
    DUPLICATE = "duplicate", pgettext("stored word", "duplicate")
    """It says almost the same as a post or another sample of the project."""
    HELD = "held", pgettext("stored word", "held back")
    """A safety check held it back; nobody can accept it."""
    MISFIT = "misfit", pgettext("stored word", "does not fit its picture")
    """A model looked at the picture and saw something else than the plan needs; no text was asked for."""
    REFUSED = "refused", pgettext("stored word", "refused")
    """The model declined, or its provider blocked it."""
    UNREADABLE = "unreadable", pgettext("stored word", "unusable answer")
    FAILED = "failed", pgettext("stored word", "failed")
    ACCEPTED = "accepted", pgettext("stored word", "accepted")
    """It is an item of the project."""
    REJECTED = "rejected", pgettext("stored word", "rejected")


WRITTEN = (
    *(SampleState.WAITING, SampleState.DUPLICATE, SampleState.HELD),
    *(SampleState.ACCEPTED, SampleState.REJECTED),
)
"""States of samples for which a model wrote a text."""
DECIDABLE = {
    SampleState.ACCEPTED: (SampleState.WAITING,),
    SampleState.REJECTED: (SampleState.WAITING, SampleState.HELD),
}
"""For each decision, the states in which a person may make it."""
AGAIN = (SampleState.ASKED, SampleState.FAILED)
"""States of samples that are asked for when a batch is continued."""


class SampleCounts(TypedDict):
    """Samples by what became of them; `made` are those that a model wrote."""

    asked: int
    made: int
    waiting: int
    duplicate: int
    held: int
    misfit: int
    refused: int
    unreadable: int
    failed: int
    accepted: int
    rejected: int


@dataclass(frozen=True)
class Tally:
    """The number of samples in each state. `made` counts all that a model wrote, whatever their state is now."""

    counts: Mapping[SampleState, int]

    def of(self, *states: SampleState) -> int:
        """Return the number of samples in these states together."""
        return sum(self.counts.get(state, 0) for state in states)

    @property
    def total(self) -> int:
        """The number of all samples."""
        return sum(self.counts.values())

    @property
    def made(self) -> int:
        """The number of samples that a model wrote."""
        return self.of(*WRITTEN)

    def as_json(self) -> SampleCounts:
        """Return the figures under the names that API clients use."""
        return answer(SampleCounts, self, **{state.value: self.of(state) for state in SampleState})
