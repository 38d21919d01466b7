"""The word that stands in a sample where an insult would stand: models leave it, only people's own lists fill it."""

from collections.abc import Sequence
from random import Random

INSULT = "<insult>"


def holds_insult(text: str) -> bool:
    """Whether the text leaves a place for an insult."""
    return INSULT in text


def filled(text: str, words: Sequence[str], seed: int) -> str:
    """The text with each place filled by a word of the list, drawn with this seed; unchanged for an empty list.

    The same text, list and seed give the same words, whatever order the list came in.
    """
    if not words:
        return text
    dice, known = Random(seed), sorted(set(words))
    first, *others = text.split(INSULT)
    return first + "".join(dice.choice(known) + part for part in others)
