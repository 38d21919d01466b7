"""Reasons to hold a written sample back before any person is asked about it.

In a hateful sample the model writes `<insult>` in place of an insult. So a word of the project's lists, a swear word, a
threat or name-calling is wording that the model was told not to write. A text that points at a real person is never a
sample.
"""

from collections.abc import Collection, Sequence

from annotation.domain.masking.mask import Mask, mask
from generation.domain.counterspeech.safety_flags import Flag, in_wording
from generation.domain.injection.placeholder import INSULT
from vocabulary.display_names import NamedEnum, pgettext


class Hold(NamedEnum):
    """A reason for which a sample is held back."""

    SLUR = "slur", pgettext("stored word", "holds a word of your lists")
    """It contains a word of the project's lists."""
    THREATENS = "threatens", pgettext("stored word", "threatens")
    CALLS_NAMES = "calls_names", pgettext("stored word", "calls names")
    SWEARS = "swears", pgettext("stored word", "swears")
    NAMES_A_PERSON = "names_a_person", pgettext("stored word", "names somebody real")
    """The writing model says that the text names a real person."""
    POINTS_AT_A_PERSON = "points_at_a_person", pgettext("stored word", "holds a handle, an address or a number")
    """It contains a handle, an address or a telephone number."""


_HOLD_FOR = {
    Flag.REPEATS_INSULT: Hold.SLUR,
    Flag.THREATENS: Hold.THREATENS,
    Flag.CALLS_NAMES: Hold.CALLS_NAMES,
    Flag.SWEARS: Hold.SWEARS,
    Flag.HUNTS: Hold.THREATENS,
    Flag.POINTS_AT_A_PERSON: Hold.POINTS_AT_A_PERSON,
    Flag.UNOPENED_LINK: Hold.POINTS_AT_A_PERSON,
}


def holds(text: str, words: Collection[str], people: Sequence[str] = ()) -> list[Hold]:
    """Return the reasons to hold this text back, each once, in the order of `Hold`.

    `people` are the persons whom the writing model says it names.
    """
    bare = text.replace(INSULT, " ")
    raised = {_HOLD_FOR[finding.flag] for finding in in_wording(bare, words)}
    if any(name.strip() for name in people):
        raised.add(Hold.NAMES_A_PERSON)
    if mask(bare, list(Mask))[1]:
        raised.add(Hold.POINTS_AT_A_PERSON)
    return [hold for hold in Hold if hold in raised]
