"""The columns of a card of evidence: what a page states of itself, and the place that it has in a release.

Texts are released without what identifies a person; the page's address stays, since it is the citation.
"""

from datetime import UTC

from annotation.domain.claim_checks import Ground, SourceCard
from annotation.domain.columns.column import FLAG, TEXT, WHOLE, Column, Facts
from annotation.domain.masking.mask import Mask, mask

_PERSONAL = frozenset(Mask) - {Mask.URLS}
_STATED = ("title", "publisher", "author", "rated_claim", "rating")
_PASSAGE = {"quote": TEXT, "stance": TEXT}

FACE = (
    Column("publisher", "publisher", meaning="who publishes the page"),
    Column("author", "author", meaning="who wrote it"),
    Column("published", "published", meaning="the day, month or year of its first appearance"),
    Column("changed", "changed", meaning="the same of its last change"),
    Column("language", "language", meaning="the language of its text"),
    Column("paywall", "paywall", kind=FLAG, meaning="whether only subscribers may read all of it"),
    Column("rated_claim", "rated_claim", meaning="the claim that a fact-check rates (ClaimReview)"),
    Column("rating", "rating", meaning="how it rates that claim, in its own words"),
)
"""What a page states of itself; null: the page does not say."""
CARD_COLUMNS = (
    Column("run", "run", meaning="the search that found it"),
    Column("number", "number", kind=WHOLE, meaning="its number in the reasons of that search's judgment"),
    Column("url", "address", meaning="the address of the page; null: a document of the project"),
    Column("title", "title", meaning="its title"),
    *FACE,
    Column("fetched_at", "read_at", meaning="when the page was fetched (UTC)"),
    Column("sha256", "sha256", meaning="SHA-256 of the bytes that were fetched"),
    Column("cited", "cited", kind=FLAG, meaning="whether the newest judgment of that search cites it"),
    Column(
        "before_decision",
        "before_decision",
        kind=FLAG,
        meaning="whether it was there when a reviewer decided the category",
    ),
    Column(
        "passages", "quotes", kind=[_PASSAGE], meaning="its exact passages that bear on the post, and for which side"
    ),
)


def masked(text: str) -> str:
    """Return the text without what identifies a person."""
    return mask(text, _PERSONAL)[0]


def facts_of(card: SourceCard) -> Facts:
    """Return what the columns of a card are made of."""
    return vars(card) | {name: masked(getattr(card, name)) for name in _STATED}


def ground_row(ground: Ground) -> dict[str, object]:
    """Return a ground as a release has it."""
    card = ground.card
    facts = {
        **facts_of(card),
        "run": str(card.run),
        "address": card.url if card.is_link else None,
        "read_at": card.fetched_at.astimezone(UTC).isoformat(timespec="seconds"),
        "cited": ground.cited,
        "before_decision": ground.before_decision,
        "quotes": [{"quote": masked(passage.quote), "stance": passage.stance} for passage in card.passages],
    }
    return {column.name: column.value(facts) for column in CARD_COLUMNS}
