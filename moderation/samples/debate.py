"""A sample debate of perspectives about a complaint that is said to be about food."""

from typing import Any

ITEM = "nb-015"

DESCRIPTION: dict[str, Any] = {
    "words": "",
    "description": "A garden party: four people of different looks stand around a laid table and smile.",
}

VIEWS: dict[str, tuple[bool | None, str]] = {
    "k-haters": (True, "“the same smell, the same trouble” is said of “all” of them: contempt for a group of people."),
    "k-mhas": (True, "Food and smell stand for where people come from, and “trouble” is laid on all of them."),
    "kold": (False, "It is rude, but no group is named; a neighbour may mean the same three salads every year."),
    "kodoli": (True, "“They all” with “trouble” blames people as such; that hurts whoever is meant."),
    "unsmile": (None, "Who “they” are cannot be told, and my rules need a group."),
}
"""By the perspective's code: hateful or not, or None for no answer, and the reason."""

SPEECHES: dict[str, dict[str, str]] = {
    "nonhate.1": {
        "argument": "A table full of the same dish is the oldest joke of every street party. Nobody is named, and the "
        "people in the picture are merely there, smiling."
    },
    "hate.1": {
        "argument": "The joke would need the dish. What the sentence has is “they all”, and it walks from a dish to a "
        "smell to “trouble”: from food to people. In a picture of guests, the guests are what is left to be meant."
    },
    "nonhate.2": {
        "argument": "That the words move from food to “trouble” is true, and I have no other reading for it. Who is "
        "meant stays open; that somebody is meant does not.",
        "position": "agree",
    },
    "hate.2": {
        "argument": "Then we differ only about whom. A smell said of “all” of a group is an old way of saying that "
        "they do not belong.",
        "position": "rebut",
    },
}

JUDGEMENT: dict[str, str] = {
    "reason": "Both sides end at the same place: the sentence leaves the food and turns to people, all of them. That "
    "the group is not named asks for care with the category, not with the question asked here.",
    "label": "Hate",
}
