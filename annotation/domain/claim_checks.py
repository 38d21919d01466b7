"""What the app that checks claims tells the others: the cards of evidence, and how each check ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID


@dataclass(frozen=True)
class SourceCard:
    """A card of evidence: a page that was read. What the page does not state of itself is empty.

    `counts` is False after a person struck it. `claim`: what the search was about; empty: what the post means.
    """

    public_id: UUID
    number: int
    url: str
    domain: str
    title: str
    publisher: str
    published: str
    fetched_at: datetime
    passages: Sequence["CardPassage"]
    claim: str
    run: UUID
    counts: bool
    is_link: bool
    author: str = ""
    changed: str = ""
    language: str = ""
    paywall: bool | None = None
    rated_claim: str = ""
    rating: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class CardPassage:
    """A passage of a card, and whether it supports or refutes what was searched for."""

    quote: str
    stance: Literal["supports", "refutes"]


@dataclass(frozen=True)
class ClaimVerdict:
    """How a check of a claim ended. `holds` is None if the evidence settles nothing.

    `supporting` and `refuting`: the cards that were judged, those that the judgment cites first. One that was struck
    after it is still named.
    """

    claim: str
    run: UUID
    asked_at: datetime
    holds: bool | None
    supporting: Sequence[UUID] = ()
    refuting: Sequence[UUID] = ()


@dataclass(frozen=True)
class Ground:
    """A card that counts, and on which a verdict or a decision about a post rests.

    `cited`: the newest judgment of its search names it. `before_decision`: it was there when a reviewer decided.
    """

    card: SourceCard
    cited: bool
    before_decision: bool


def rests_on(card: SourceCard, cited: bool, decided_at: datetime | None) -> Ground | None:
    """Return the card as a ground of a verdict or of a decision at this moment. Returns None if neither rests on it."""
    before = decided_at is not None and card.fetched_at <= decided_at
    return Ground(card, cited, before) if card.counts and (cited or before) else None
