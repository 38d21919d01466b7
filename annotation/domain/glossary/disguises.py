"""The ways in which a term occurs in a text, and how sure a hit of each way is."""

from collections.abc import Iterable

from vocabulary.display_names import NamedEnum, pgettext


class How(NamedEnum):
    """The way in which a term occurs in a text."""

    WRITTEN = "as_written", pgettext("stored word", "as written")
    INFLECTED = "inflected", pgettext("stored word", "with an ending")
    VARIANT = "variant", pgettext("stored word", "in another spelling")
    """A listed variant, or traditional for simplified characters."""
    LETTERS = "look_alikes", pgettext("stored word", "with look-alike letters")
    JAMO = "jamo", pgettext("stored word", "spelt in single jamo")
    SEPARATED = "separated", pgettext("stored word", "with signs or blanks inside")
    REPEATED = "repeated", pgettext("stored word", "with repeated letters")
    SPLIT = "split_or_joined", pgettext("stored word", "split or joined")
    MASKED = "masked", pgettext("stored word", "with masked letters")
    SOUND = "same_sound", pgettext("stored word", "with the same sound")
    INITIALS = "initials", pgettext("stored word", "by initial consonants")

    @property
    def sureness(self) -> float:
        """Return how sure a hit of this way is, from 0 to 1."""
        return _SURENESS[self]


_SURENESS = {
    How.WRITTEN: 1.0,
    How.INFLECTED: 0.95,
    How.VARIANT: 0.95,
    How.LETTERS: 0.9,
    How.JAMO: 0.9,
    How.SEPARATED: 0.85,
    How.REPEATED: 0.8,
    How.SPLIT: 0.7,
    How.MASKED: 0.6,
    How.SOUND: 0.6,
    How.INITIALS: 0.5,
}
SWITCHES = tuple(how for how in How if how not in (How.WRITTEN, How.SOUND, How.INITIALS))
"""The ways that an entry may switch off; sounds and initial consonants count only where an entry asks for them."""
EVERYDAY = 0.8
"""The share of its sureness that a hit keeps whose term is an everyday word: it may be meant as everybody means it."""
Ways = frozenset[How]
WRITTEN: Ways = frozenset()
"""No disguise at all."""


def least_sure(ways: Iterable[How]) -> How:
    """Return the least sure of several ways that occur together; none means as written."""
    return min(ways, key=lambda how: _SURENESS[how], default=How.WRITTEN)
