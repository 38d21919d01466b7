"""What is known of a claim, which evidence that rests on, and which sentences of a text are its list of sources.

A claim is one sentence. Its state belongs to these words: with other words it is another claim, and open.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from uuid import UUID, uuid5

from annotation.domain.claim_checks import ClaimVerdict, SourceCard
from annotation.domain.written_in import written_in
from generation.domain.counterspeech.claims import claims, links_in
from vocabulary.display_names import NamedEnum, pgettext

MOST_REASON = 1000
"""The maximum length of the reason why a claim has no source, in characters."""
_SOURCE_SIGN = "– "
_HEADINGS = {"ko": "출처:", "zh": "来源："}
_HEADING = "Sources:"
_READ = {"ko": "{} 확인", "zh": "{} 查阅"}
_READ_ON = "read {}"
_SPACES = re.compile(r"\s+")
_SCHEME = re.compile(r"(?:https?://)?(?:www\.)?", re.IGNORECASE)


class ClaimState(NamedEnum):
    """What is known of a claim."""

    OPEN = "open", pgettext("stored word", "open")
    """Nobody has checked it, or the evidence settles nothing."""
    SUPPORTED = "supported", pgettext("stored word", "supported")
    CONTRADICTED = "contradicted", pgettext("stored word", "contradicted")
    WITHOUT_SOURCE = "without_source", pgettext("stored word", "without source")
    """A person says why it needs none, or why there is none."""


ON_A_CARD = (ClaimState.SUPPORTED, ClaimState.CONTRADICTED)
"""States that rest on a card of evidence."""


def card_of(verdict: ClaimVerdict) -> UUID | None:
    """Return the card on which a verdict rests. Returns None if no card says so."""
    cards = () if verdict.holds is None else verdict.supporting if verdict.holds else verdict.refuting
    return next(iter(cards), None)


def state_after(verdict: ClaimVerdict) -> ClaimState:
    """Return the state of a claim after a check. A claim that no card supports stays open, whatever a model holds."""
    if verdict.holds is False:
        return ClaimState.CONTRADICTED
    return ClaimState.SUPPORTED if verdict.holds and card_of(verdict) else ClaimState.OPEN


def state_in_force(state: ClaimState, card: UUID | None, counting: Collection[UUID]) -> ClaimState:
    """Return the state that counts: open again if the card was struck or is gone."""
    return ClaimState.OPEN if card is not None and card not in counting else state


def newest_verdicts(verdicts: Iterable[ClaimVerdict]) -> dict[str, ClaimVerdict]:
    """Return the verdict of the newest check by the words that were checked."""
    return {verdict.claim: verdict for verdict in sorted(verdicts, key=lambda verdict: verdict.asked_at)}


def checked_words(sentence: str, most: int) -> str:
    """Return the words of a claim as a check takes them: the first `most` characters."""
    return sentence[:most].strip()


def claim_id(owner: UUID, sentence: str) -> UUID:
    """Return the id of a sentence as a claim of this reply or post; the same words have the same id."""
    return uuid5(owner, sentence)


def claims_in(text: str, listed: Collection[str] = ()) -> list[str]:
    """Return the claims of a text, each once, in reading order. The lines of its list of sources are none."""
    return list(dict.fromkeys(claims(own_words(text, listed))))


def own_words(text: str, listed: Collection[str]) -> str:
    """Return the text without the lines that are exactly lines of its list of sources."""
    known = set(listed)
    return "\n".join(line for line in text.split("\n") if _plain(line) not in known) if known else text


def source_line(card: SourceCard, script: str) -> str:
    """Return the line of a source in plain text: title, publisher, dates and address, as far as they are known.

    `script`: what the text is written in (`annotation.domain.written_in`).
    """
    name = _plain(card.title) or card.domain
    read_on = _READ.get(script, _READ_ON).format(card.fetched_at.date().isoformat())
    said = (name, card.publisher if card.publisher != name else "", card.published[:10], read_on)
    address = card.url if card.is_link else ""
    return _plain(f"{_SOURCE_SIGN}{', '.join(part for part in said if part)} {address}")


def source_lines(cards: Iterable[SourceCard]) -> list[str]:
    """Return the lines of these sources in every language in which the site writes them."""
    return [source_line(card, script) for card in cards for script in ("", *_READ)]


def with_sources(text: str, cards: Sequence[SourceCard]) -> str:
    """Return the text with these sources listed at its end; one that is listed already is not listed again."""
    script = written_in(text)
    lines, present = text.split("\n"), {_plain(line) for line in text.split("\n")}
    new = [card for card in cards if present.isdisjoint(source_lines([card]))]
    if not new:
        return text
    heading = _HEADINGS.get(script, _HEADING)
    begun = [] if heading in lines else ["", heading]
    return "\n".join([text.rstrip(), *begun, *dict.fromkeys(source_line(card, script) for card in new)])


def unopened_links(text: str, opened: Collection[str]) -> list[str]:
    """Return the links of a text that are none of the addresses that were opened."""
    known = set(map(_bare, opened))
    return [link for link in links_in(text) if _bare(link) not in known]


def _bare(address: str) -> str:
    """Return an address as people write it: without scheme, "www." and the slash at its end."""
    return _SCHEME.sub("", address, count=1).rstrip("/")


def _plain(line: str) -> str:
    return _SPACES.sub(" ", line).strip()
