"""What holds a written sample back before anybody is asked about it.

A hateful sample leaves `<insult>` where an insult would stand. So a word of the project's lists, a swear word, a threat
or name-calling is wording that the model was told not to write; and what points at a real person is never a sample.
"""

from collections.abc import Collection, Sequence
from enum import StrEnum

from annotation.domain.masking import Mask, mask
from generation.domain.guard import Flag, in_wording
from generation.domain.placeholder import INSULT


class Hold(StrEnum):
    """Why a sample is held back."""

    SLUR = "slur"
    """It holds a word of the project's lists."""
    THREATENS = "threatens"
    CALLS_NAMES = "calls_names"
    SWEARS = "swears"
    NAMES_A_PERSON = "names_a_person"
    """The writer says that somebody real is named."""
    POINTS_AT_A_PERSON = "points_at_a_person"
    """It holds a handle, an address or a telephone number."""


_HOLD_FOR = {
    Flag.REPEATS_INSULT: Hold.SLUR,
    Flag.THREATENS: Hold.THREATENS,
    Flag.CALLS_NAMES: Hold.CALLS_NAMES,
    Flag.SWEARS: Hold.SWEARS,
}


def holds(text: str, words: Collection[str], people: Sequence[str] = ()) -> list[Hold]:
    """The reasons to hold this text back, each once, in their order; `people` are those the writer says it names."""
    bare = text.replace(INSULT, " ")
    raised = {_HOLD_FOR[found.flag] for found in in_wording(bare, words)}
    if any(name.strip() for name in people):
        raised.add(Hold.NAMES_A_PERSON)
    if mask(bare, list(Mask))[1]:
        raised.add(Hold.POINTS_AT_A_PERSON)
    return [hold for hold in Hold if hold in raised]
