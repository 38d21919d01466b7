"""Counterspeech of the sample campaign: three mild posts, what they do, and replies, written by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generation.domain.explanations import Explanation
from generation.domain.intents import Intent


@dataclass(frozen=True)
class Written:
    """A reply, what critics say of it (PC, AQ, T), and what it does to whoever was not told what it should do."""

    text: str
    pc: float
    aq: float
    t: float
    does: str


@dataclass(frozen=True)
class Answered:
    """A post by its id, what its picture shows, the seven explanations, its insults, and candidates by intent."""

    item: str
    picture: str
    explanations: Mapping[Explanation, str]
    insults: Sequence[str]
    candidates: Mapping[Intent, Sequence[Written]]


ROOF = Answered(
    "nb-012",
    "A street with a white domed house of prayer; somebody in a headscarf walks past.",
    {
        Explanation.OFFENSIVENESS: "It says that a street was lovely until a house of prayer stood in it.",
        Explanation.TARGET_GROUP: "Muslims, by way of the dome that the picture shows.",
        Explanation.SPEAKER_INTENT: "To have others agree that the building, and those who use it, spoil the place.",
        Explanation.POWER_DYNAMICS: "Those who always lived there speak; those who came to pray are spoken about.",
        Explanation.IMPLICATION: "That people of this faith do not belong in the street, whatever they do there.",
        Explanation.EMOTIONAL_REACTION: "Hurt, and the feeling of being watched on the way to prayer.",
        Explanation.COGNITIVE_REACTION: "That even a roof is held against them; others may learn that one says so.",
    },
    [],
    {
        Intent.INFORMATIVE: [
            Written(
                "The building was planned with the same rules as every house beside it, and the plans hung in the town "
                "hall for six weeks. It is open on Sundays: whoever wants to see it from inside is shown around.",
                -0.7, 0.82, 0.02, "informative",
            ),
            Written("Domes are an old way of building roofs.", -0.2, 0.41, 0.01, "informative"),
        ],
        Intent.POSITIVE: [
            Written(
                "I like that our street has room for one more place where people meet. Last Friday they brought soup "
                "to everybody who was waiting for the bus; come along next time.",
                -0.8, 0.78, 0.01, "positive",
            ),
            Written("It is a lovely street, with everybody who meets under that roof.", -0.75, 0.6, 0.02, "positive"),
        ],
    },
)  # fmt: skip

COLLECTION = Answered(
    "nb-009",
    "A family carries boxes into a house; a neighbour looks on.",
    {
        Explanation.OFFENSIVENESS: "It speaks of a family that moves in as of rubbish put out for collection.",
        Explanation.TARGET_GROUP: "Newcomers to the street.",
        Explanation.SPEAKER_INTENT: "To let the family feel unwanted without saying a word that could be held against.",
        Explanation.POWER_DYNAMICS: "Somebody with neighbours behind them speaks about people who know nobody yet.",
        Explanation.IMPLICATION: "That people can be put out like things.",
        Explanation.EMOTIONAL_REACTION: "Shame, and fear of the first days in a new home.",
        Explanation.COGNITIVE_REACTION: "That this is how people here speak when they are among themselves.",
    },
    [],
    {
        Intent.DENOUNCING: [
            Written(
                "People are not something that a street puts out. To say so of a family on the day they move in is "
                "wrong, however lightly it is meant.",
                -0.95, 0.8, 0.05, "denouncing",
            ),
            Written("Shut up, you are pathetic.", -0.6, 0.1, 0.82, "denouncing"),
        ],
        Intent.QUESTIONING: [
            Written(
                "What would you have liked to hear on the day you moved in here? Would you say this to them at the "
                "door?",
                -0.7, 0.72, 0.03, "questioning",
            ),
        ],
    },
)  # fmt: skip

KITCHEN = Answered(
    "nb-010",
    "A woman in red stands beside a cooker in a kitchen.",
    {
        Explanation.OFFENSIVENESS: "It counts a woman among the fittings of a kitchen.",
        Explanation.TARGET_GROUP: "Women.",
        Explanation.SPEAKER_INTENT: "To get a laugh out of an old idea of who does the work at home.",
        Explanation.POWER_DYNAMICS: "It speaks as the owner of the kitchen; she is what comes with it.",
        Explanation.IMPLICATION: "That her place is there, and that nobody needs to ask her.",
        Explanation.EMOTIONAL_REACTION: "Tiredness, at having heard it so often.",
        Explanation.COGNITIVE_REACTION: "That what she does elsewhere does not count; boys may take it for a rule.",
    },
    [],
    {
        Intent.QUESTIONING: [
            Written(
                "Who cooks at your place, and did you two ever talk about it?", -0.6, 0.66, 0.02, "questioning"
            ),
            Written("Is it still funny when you picture your daughter there?", -0.65, 0.7, 0.04, "questioning"),
        ],
    },
)  # fmt: skip

EDITED = (
    "I like that our street has room for one more place where people meet. Last Friday they brought soup to everybody "
    "who was waiting for the bus. Come along next time: the door is open."
)
EDITED_SCORES = Written(EDITED, -0.8, 0.81, 0.01, "positive")
"""What became of the best positive reply to ROOF before it was approved."""

RETURNED = "Good. Say in the first sentence what the picture shows, or nobody knows what you answer."
