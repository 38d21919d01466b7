"""Instructions on which a model is trained (CoARL, appendix C): seven explanations of a post, and a reply by intent.

`TABLE_5` says in our own words what the paper's Table 5 asks. `SHORT` is the wording that `pairs.jsonl` has had from
the start. The statement stands at the end of both, so a model that is trained on one is asked with the same one.
"""

from collections.abc import Mapping
from enum import StrEnum

from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.intents import Intent


class Wording(StrEnum):
    """The wording of an instruction."""

    TABLE_5 = "table_5"
    """What Table 5 of the paper asks, in our own words."""
    SHORT = "short"
    """Our own instruction, in one clause."""


_EXPLAIN: Mapping[Wording, Mapping[Explanation, str]] = {
    Wording.TABLE_5: {
        Explanation.OFFENSIVENESS: "Examine what makes this statement offensive: ",
        Explanation.TARGET_GROUP: "Name the people whom the author of this offensive statement attacks or excludes: ",
        Explanation.SPEAKER_INTENT: "Examine what the author wanted to achieve with this offensive statement: ",
        Explanation.POWER_DYNAMICS: "Explain who holds power over whom, between the author and the people meant, "
        "in this offensive statement: ",
        Explanation.IMPLICATION: "Explain what this offensive statement implies without saying it: ",
        Explanation.EMOTIONAL_REACTION: "Describe what the people meant may feel when they read or hear this "
        "offensive statement: ",
        Explanation.COGNITIVE_REACTION: "Describe what the people meant may think when they read or hear this "
        "offensive statement: ",
    },
    Wording.SHORT: {
        Explanation.OFFENSIVENESS: "Say why this post offends:\n",
        Explanation.TARGET_GROUP: "Say whom this post is about:\n",
        Explanation.SPEAKER_INTENT: "Say what the author of this post wants:\n",
        Explanation.POWER_DYNAMICS: "Say who has power over whom in this post:\n",
        Explanation.IMPLICATION: "Say what this post implies:\n",
        Explanation.EMOTIONAL_REACTION: "Say what the people meant by this post may feel:\n",
        Explanation.COGNITIVE_REACTION: "Say what the people meant by this post may think:\n",
    },
}
_REPLY: Mapping[Wording, str] = {
    Wording.TABLE_5: "Before you answer, consider why the statement offends, which group it targets, its stereotypes, "
    "who holds power over whom, what it implies, and how readers may feel and think. "
    "Then write {an_intent} counterspeech to this offensive statement: ",
    Wording.SHORT: "Write {an_intent} reply that speaks against this post:\n",
}


def explain_instruction(explanation: Explanation, statement: str, wording: Wording = Wording.TABLE_5) -> str:
    """Return the instruction that asks for one explanation of a statement."""
    return f"{_EXPLAIN[wording][explanation]}{_one_line(statement)}"


def reply_instruction(intent: Intent, statement: str, wording: Wording = Wording.TABLE_5) -> str:
    """Return the instruction that asks for a reply of this intent to a statement."""
    return f"{_REPLY[wording].format(an_intent=intent.with_article)}{_one_line(statement)}"


def _one_line(statement: str) -> str:
    """Return the statement with its white space normalised, as the tokenizers of the paper's models leave it."""
    return " ".join(statement.split())
