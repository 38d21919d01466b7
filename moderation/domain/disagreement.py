"""How far the agents of one debate disagree: figures of a run, from what its turns hold.

The outcome of a run stores them. A figure that is not defined stores its reason, never 0 instead.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log2
from typing import Any

from annotation.domain.statistics.figure import Figure, Measured, Undefined, Why
from moderation.domain.arcade_rounds import Exchange
from vocabulary.display_names import NamedEnum, pgettext

KEY = "disagreement"
"""The key of these figures in an outcome."""


class Inner(NamedEnum):
    """A figure of the disagreement inside one debate."""

    VOTES = "vote_entropy", pgettext("stored word", "entropy of the votes (bits)")
    CONCEDED = "conceded_cues", pgettext("stored word", "conceded cues (share)")
    CHANGES = "stance_changes", pgettext("stored word", "changes of stance")


def side_entropy(hateful: int, other: int) -> Figure:
    """Return the entropy of votes for hateful or not, in bits: the logarithm has base 2 (Shannon 1948, section 6).

    It is 0 if all votes are alike and 1 if both sides have equally many. Who took no side is not counted. Undefined for
    fewer than two votes.
    """
    votes = hateful + other
    if votes < 2:
        return Undefined(Why.TOO_FEW_VOTES)
    return Measured(sum(count / votes * log2(votes / count) for count in (hateful, other) if count))


def panel_disagreement(hateful: int, other: int, changed: int, rounds: int) -> dict[str, Any]:
    """Return the figures of a PREDICT debate as its outcome stores them.

    `hateful` and `other` are the perspectives on each side, `changed` the responses that agreed with the other side.
    """
    changes = Measured(changed) if rounds > 1 else Undefined(Why.ONE_ROUND)
    return _stored({Inner.VOTES: side_entropy(hateful, other), Inner.CHANGES: changes})


def court_disagreement(rounds: Sequence[Exchange]) -> dict[str, Any]:
    """Return the figures of an ARCADE debate as its outcome stores them."""
    return _stored({Inner.CONCEDED: _conceded_share(rounds), Inner.CHANGES: _changes(rounds)})


def _conceded_share(rounds: Sequence[Exchange]) -> Figure:
    """Return the share of the argued cues that the defence conceded, 0 to 1. Undefined without a cue."""
    argued = {cue["id"] for exchange in rounds for cue in exchange.cues}
    conceded = {name for exchange in rounds for name in exchange.conceded}
    return Measured(len(conceded & argued) / len(argued)) if argued else Undefined(Why.NO_CUES)


def _changes(rounds: Sequence[Exchange]) -> Figure:
    """Return how many cues a side gave up later: withdrawn by the prosecutor, or conceded after a rebuttal."""
    if len(rounds) < 2:
        return Undefined(Why.ONE_ROUND)
    changes, rebutted = 0, set[str]()
    for exchange in rounds:
        changes += len(exchange.withdrawn) + len(rebutted.intersection(exchange.conceded))
        rebutted |= {row["id"] for row in exchange.rebuttals or ()}
        rebutted -= set(exchange.conceded)
    return Measured(changes)


# ── In an outcome ─────────────────────────────────────────────────────────────


def _stored(figures: Mapping[Inner, Figure]) -> dict[str, Any]:
    return {KEY: {name.value: _as_json(figure) for name, figure in figures.items()}}


def _as_json(figure: Figure) -> dict[str, Any]:
    return {"value": figure.value} if isinstance(figure, Measured) else {"why": figure.why.value}


def stored_figures(outcome: Mapping[str, Any] | None) -> Iterator[tuple[Inner, Figure]]:
    """Yield the figures that an outcome stores, in their order; none for methods without a debate."""
    stored = (outcome or {}).get(KEY, {})
    for name in Inner:
        if (figure := stored.get(name.value)) is not None:
            yield name, Measured(figure["value"]) if "value" in figure else Undefined(Why(figure["why"]))
