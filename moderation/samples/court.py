"""Two sample trials: one about a metaphor, heard in depth, and one about real weeds, on the fast track."""

from typing import Any

_METAPHOR = "m1"
_DEMAND = "m2"

WEEDS_ITEM, GARDEN_ITEM = "nb-008", "nb-030"

WEEDS: dict[str, Any] = {
    "prosecutor.1": {
        "cues": [
            {
                "id": _METAPHOR,
                "cue_type": "Metaphor",
                "target_group": "newcomers",
                "claim": "Tenor: the guests at the table. Vehicle: “weeds”, what grows where nobody wants it.",
                "hate_type": 1,
                "justification": "The picture shows no weed at all. What stands among the “white roses” is people, and "
                "not all of them look alike; a word for unwanted plants falls on whoever looks different.",
            },
            {
                "id": _DEMAND,
                "cue_type": "Socio-cultural",
                "target_group": "newcomers",
                "claim": "“Somebody should really do something about them” asks for people to be driven out.",
                "hate_type": 1,
                "justification": "Weeds are pulled out. Said of guests, the sentence asks others to act against them.",
            },
        ]
    },
    "defender.1": {
        "rebuttals": [
            {
                "id": _METAPHOR,
                "evidence": "A garden, a laid table, four people who smile.",
                "rebuttal": "A garden party is where one talks about gardens. Roses need weeding, and whoever took the "
                "picture may simply have missed the bed.",
            },
            {
                "id": _DEMAND,
                "evidence": "“really” and “Somebody” are the tone of a tired gardener.",
                "rebuttal": "Nobody is addressed and no group is named; it reads as a sigh about work left undone.",
            },
        ]
    },
    "prosecutor.2": {
        "cues": [
            {
                "id": _METAPHOR,
                "cue_type": "Metaphor",
                "target_group": "newcomers",
                "counter_argument": "If the bed were meant, the picture would show it. The writer says “again”: the "
                "same ones have come back, which is said of visitors and not of a picture without plants.",
                "hate_type": 1,
            }
        ]
    },
    "defender.2": {
        "rebuttals": [
            {
                "id": _METAPHOR,
                "evidence": "The text alone and the picture alone are each harmless.",
                "rebuttal": "Which of the guests would be meant cannot be told from the picture, so the group stays a "
                "guess of the reader's.",
            }
        ]
    },
    "judge": {
        "reason": "The prosecution gave up that a demand is made, and the court follows it there. The metaphor stands: "
        "no weed is to be seen, the people are, “again” fits guests better than plants, and the word is known to be "
        "said so of people (G1). That the group is not named makes the choice of category unsure; newcomers among "
        "long-standing neighbours are the likeliest reading. Conclusion: hateful, for where people come from.",
        "category": 1,
    },
}

GARDEN: dict[str, Any] = {
    "gate": {
        "cues": [
            {
                "id": "g1",
                "cue_type": "Direct",
                "target_group": "newcomers",
                "claim": "“Nobody invited you, and you are taking over our garden.”",
                "hate_type": 1,
                "justification": "Said to people, these words would turn somebody away for having come.",
            }
        ]
    },
    "prosecutor.1": {
        "cues": [
            {
                "id": "p1",
                "cue_type": "Direct",
                "target_group": "newcomers",
                "claim": "“Nobody invited you” is what strangers are told at a door.",
                "hate_type": 1,
                "justification": "“our garden” draws a line between those who belong and those who do not.",
            }
        ]
    },
    "defender.1": {
        "rebuttals": [
            {
                "id": "p1",
                "evidence": "The picture: weeds in a lawn, and a person with nobody before them.",
                "rebuttal": "“you” are the weeds. Read with the picture there is no stranger to be turned away.",
            }
        ]
    },
    "judge": {
        "reason": "The text alone could be said to newcomers. The picture settles it: what takes over the garden is to "
        "be seen, and it is plants. Conclusion: nothing hateful.",
        "category": 0,
    },
}
