"""The seven explanations of a hateful post (CoARL, section 4, phase 1, and appendix B) and their columns in files.

The column names are those of the released IntentCONANv2 rows, so that files can be exchanged.
"""

from collections.abc import Mapping
from enum import StrEnum


class Explanation(StrEnum):
    """One of the seven explanations, in the order of the paper's instructions (Table 5)."""

    OFFENSIVENESS = "offensiveness"
    TARGET_GROUP = "target_group"
    SPEAKER_INTENT = "speaker_intent"
    POWER_DYNAMICS = "power_dynamics"
    IMPLICATION = "implication"
    EMOTIONAL_REACTION = "emotional_reaction"
    COGNITIVE_REACTION = "cognitive_reaction"


COLUMN: Mapping[Explanation, str] = {
    Explanation.OFFENSIVENESS: "hatespeechOffensiveness",
    Explanation.TARGET_GROUP: "targetGroup",
    Explanation.SPEAKER_INTENT: "speakerIntent",
    Explanation.POWER_DYNAMICS: "relevantPowerDynamics",
    Explanation.IMPLICATION: "hatespeechImplication",
    Explanation.EMOTIONAL_REACTION: "targetGroupEmotionalReaction",
    Explanation.COGNITIVE_REACTION: "targetGroupCognitiveReaction",
}
"""The column of each explanation in IntentCONANv2."""

MOST_CHARACTERS = 1200
"""The longest explanation that is stored, in characters; models are asked for two or three sentences."""

MOST_INSULTS = 30
"""How many words of the post replies must not repeat, at most."""
MOST_INSULT = 120
"""The longest of these words, in characters."""


def filled(explanations: Mapping[str, str]) -> dict[Explanation, str]:
    """Return the explanations that are not blank, in the order of `Explanation`."""
    return {explanation: text for explanation in Explanation if (text := explanations.get(explanation, "").strip())}
