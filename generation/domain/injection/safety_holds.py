"""What holds a written sample back before anybody is asked about it.

A hateful sample leaves `<insult>` where an insult would stand. So a word of the project's lists, a swear word, a threat
or name-calling is wording that the model was told not to write; and what points at a real person is never a sample.
"""

from collections.abc import Collection, Sequence

from annotation.domain.imports.redaction import Mask, mask
from generation.domain.counterspeech.safety_flags import Flag, in_wording
from generation.domain.injection.placeholder import INSULT
from vocabulary.display_names import NamedEnum, pgettext


class Hold(NamedEnum):
    """Why a sample is held back."""

    SLUR = "slur", pgettext("stored word", "holds a word of your lists")
    """It holds a word of the project's lists."""
    THREATENS = "threatens", pgettext("stored word", "threatens")
    CALLS_NAMES = "calls_names", pgettext("stored word", "calls names")
    SWEARS = "swears", pgettext("stored word", "swears")
    NAMES_A_PERSON = "names_a_person", pgettext("stored word", "names somebody real")
    """The writer says that somebody real is named."""
    POINTS_AT_A_PERSON = "points_at_a_person", pgettext("stored word", "holds a handle, an address or a number")
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
