"""Drawn training data for CoARL's phases: mild posts about trades, seven explanations each, replies good and bad.

Everything is put together from parts by a seed. Half of the replies are poor on purpose, so that there is something to
gain in phase 3. The sizes are those that a model of a few hundred thousand weights learns within a minute.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generation.domain.counterspeech.explanations import COLUMN, Explanation
from generation.domain.counterspeech.intents import Intent

TRADES = (
    "bakers", "barbers", "gardeners", "tailors", "painters", "plumbers", "miners", "drivers", "nurses", "cooks",
)  # fmt: skip
PLACES = (
    "market",
    "harbour",
    "town",
    "valley",
    "station",
    "park",
    "school",
    "bridge",
    "river",
    "hill",
    "square",
    "mill",
)
CLAIMS = (
    "take the best room and leave nothing for us", "make so much noise that nobody sleeps",
    "never wash and bring dirt with them", "only look after their own and cheat the rest",
    "should be sent away before winter", "are lazy and live from our work",
)  # fmt: skip
REASONS = ("because they work here like all of us", "because we need each other", "since it never happened so")


def rows(posts: int = 80, *, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Yield rows in IntentCONANv2's columns: four replies a post."""
    draw = random.Random(seed)
    subjects = [(trade, place) for trade in TRADES for place in PLACES]
    for number, (trade, place) in enumerate(draw.sample(subjects, posts)):
        claim = draw.choice(CLAIMS)
        post = f"The {trade} of the {place} {claim}."
        explained = _explanations(trade, claim)
        for intent in Intent:
            yield {
                "id": f"{number}-{intent}",
                "hatespeech": post,
                "csType": intent.cs_type,
                "counterspeech": _reply(draw, intent, trade),
                **{COLUMN[name]: text for name, text in explained.items()},
            }


def _explanations(trade: str, claim: str) -> dict[Explanation, str]:
    return {
        Explanation.OFFENSIVENESS: f"It says that all {trade} {claim}.",
        Explanation.TARGET_GROUP: f"The {trade}.",
        Explanation.SPEAKER_INTENT: f"To turn others against the {trade}.",
        Explanation.POWER_DYNAMICS: f"Those who were here first speak about the {trade}.",
        Explanation.IMPLICATION: f"The {trade} do not belong here.",
        Explanation.EMOTIONAL_REACTION: f"The {trade} may feel hurt.",
        Explanation.COGNITIVE_REACTION: f"The {trade} may think that they are not wanted.",
    }


def _reply(draw: random.Random, intent: Intent, trade: str) -> str:
    if draw.random() < 0.5:
        return draw.choice((f"Maybe the {trade} are stupid.", f"Well, the {trade}.", "Perhaps."))
    reason = draw.choice(REASONS)
    return {
        Intent.INFORMATIVE: f"That is not true of the {trade}, {reason}.",
        Intent.POSITIVE: f"The {trade} are no burden, {reason}.",
        Intent.QUESTIONING: f"Why is it never asked of the {trade}, {reason}?",
        Intent.DENOUNCING: f"It is wrong to say so of the {trade}, {reason}.",
    }[intent]


def write_table(file: Path, posts: int = 80, *, seed: int = 0) -> Path:
    """Write the rows as JSON lines, in IntentCONANv2's columns."""
    file.write_text("".join(json.dumps(row) + "\n" for row in rows(posts, seed=seed)), encoding="utf-8")
    return file
