"""The strategies of H-VLI's sample injection, and the patterns that each of them makes.

A pattern is three bits: text, picture and both together, as in `annotation.domain.patterns`. Four strategies turn a
hateful part into a post that is not hateful. *plain* says openly what the pattern says. *paraphrase* rewords a trigger
text of the researchers, so that the post is hateful only together with the picture (001).
"""

from collections.abc import Mapping

from vocabulary.display_names import NamedEnum, pgettext

REVERSED = ("010", "100", "110")
"""Patterns of which one part or both are hateful alone, but not both together."""
EASY = ("000", "011", "101", "111")


class Strategy(NamedEnum):
    """A way of making samples."""

    OPPOSITION = "opposition", pgettext("stored word", "opposition")
    CONTEXTUAL_INVERSION = "contextual_inversion", pgettext("stored word", "contextual inversion")
    META_COMMENTARY = "meta_commentary", pgettext("stored word", "meta-commentary")
    VICTIM_PERSPECTIVE = "victim_perspective", pgettext("stored word", "victim perspective")
    PLAIN = "plain", pgettext("stored word", "plain")
    PARAPHRASE = "paraphrase", pgettext("stored word", "paraphrase of a trigger text")


PATTERNS_OF: Mapping[Strategy, tuple[str, ...]] = {
    Strategy.OPPOSITION: REVERSED,
    Strategy.CONTEXTUAL_INVERSION: REVERSED,
    Strategy.META_COMMENTARY: REVERSED,
    Strategy.VICTIM_PERSPECTIVE: REVERSED,
    Strategy.PLAIN: EASY,
    Strategy.PARAPHRASE: ("001",),
}
PATTERNS = tuple(f"{bits:03b}" for bits in range(8))


def strategies_for(pattern: str) -> tuple[Strategy, ...]:
    """Return the strategies that make samples of this pattern."""
    return tuple(strategy for strategy, patterns in PATTERNS_OF.items() if pattern in patterns)
