"""The placeholder for an insult in a sample.

Models write the placeholder; only the words that people uploaded to the project replace it.
"""

from collections.abc import Sequence
from random import Random

INSULT = "<insult>"


def filled(text: str, words: Sequence[str], seed: int) -> str:
    """Replace each placeholder by a word of the list, drawn with this seed.

    Returns the text unchanged if the list is empty. The same text, list and seed give the same words, whatever the
    order of the list.
    """
    if not words:
        return text
    random, choices = Random(seed), sorted(set(words))
    first, *others = text.split(INSULT)
    return first + "".join(random.choice(choices) + part for part in others)
