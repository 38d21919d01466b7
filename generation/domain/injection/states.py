"""What becomes of a sample, and how many are where.

`asked → waiting | duplicate | held | refused | unreadable | failed`; a failed one may be asked again, and what waits is
accepted or rejected by a person, what is held can only be rejected. Nothing is ever taken away.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from vocabulary.display_names import NamedEnum, pgettext


class SampleState(NamedEnum):
    """Where a sample stands."""

    ASKED = "asked", pgettext("stored word", "asked for")
    """A model is to write it."""
    WAITING = "waiting", pgettext("stored word", "waiting")
    """It is written and waits for a person."""
    DUPLICATE = "duplicate", pgettext("stored word", "duplicate")
    """It says almost what a post or a sample of the project says already."""
    HELD = "held", pgettext("stored word", "held back")
    """A guard rail held it back; nobody can accept it."""
    REFUSED = "refused", pgettext("stored word", "refused")
    """The model declined, or its provider blocked it."""
    UNREADABLE = "unreadable", pgettext("stored word", "unreadable")
    FAILED = "failed", pgettext("stored word", "failed")
    ACCEPTED = "accepted", pgettext("stored word", "accepted")
    """It is an item of the project."""
    REJECTED = "rejected", pgettext("stored word", "rejected")


WRITTEN = (
    *(SampleState.WAITING, SampleState.DUPLICATE, SampleState.HELD),
    *(SampleState.ACCEPTED, SampleState.REJECTED),
)
"""A model wrote a text."""
DECIDABLE = {
    SampleState.ACCEPTED: (SampleState.WAITING,),
    SampleState.REJECTED: (SampleState.WAITING, SampleState.HELD),
}
"""From where a person may bring a sample to a decision."""
AGAIN = (SampleState.ASKED, SampleState.FAILED)
"""What going on with a batch asks for."""


@dataclass(frozen=True)
class Tally:
    """How many samples are where. `made` is all that a model wrote, whatever became of it then."""

    counts: Mapping[SampleState, int]

    def of(self, *states: SampleState) -> int:
        """How many stand in these states together."""
        return sum(self.counts.get(state, 0) for state in states)

    @property
    def total(self) -> int:
        """All samples."""
        return sum(self.counts.values())

    @property
    def made(self) -> int:
        """What models wrote."""
        return self.of(*WRITTEN)

    def as_json(self) -> dict[str, int]:
        """The figures by the names that programs rely on."""
        named = {"asked": self.of(SampleState.ASKED), "made": self.made}
        return named | {state.value: self.of(state) for state in SampleState if state is not SampleState.ASKED}
