"""Claims of replies and posts as they stand: each sentence with its state, and the card of evidence that it rests on.

A sentence without a row is a claim too, and open.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from uuid import UUID

from django.db.models import Q, QuerySet

from annotation.core.extensions import claim_checks
from annotation.core.transactions import short_transaction
from annotation.domain.claim_checks import ClaimVerdict, SourceCard
from annotation.models import Membership, Project, record
from generation.domain.counterspeech.claim_states import (
    ClaimState,
    card_of,
    checked_words,
    claim_id,
    claims_in,
    newest_verdicts,
    source_lines,
    state_after,
    state_in_force,
)
from generation.domain.counterspeech.states import OPEN, ReplyState
from generation.domain.event_verbs import GenerationVerb
from generation.models import Claim, Exchange, Reply

LONGEST_CHECKED = 500
"""The longest claim that a check takes, in characters."""
ALIVE = (*OPEN, ReplyState.APPROVED)
"""States of a reply whose claims are still decided about."""


@dataclass(frozen=True)
class StatedClaim:
    """A claim as pages, API and files show it. `state` is the one in force; `row` is None if nothing is stored."""

    public_id: UUID
    sentence: str
    state: ClaimState
    card: SourceCard | None = None
    row: Claim | None = None

    @property
    def lapsed(self) -> bool:
        """Whether it is open again because its card was struck or is gone."""
        return self.row is not None and self.state != self.row.state

    @property
    def asked(self) -> str:
        """Its words as a check takes them."""
        return checked_words(self.sentence, LONGEST_CHECKED)

    @property
    def decided_by(self) -> Membership | None:
        """The person who set its state."""
        return self.row.decided_by if self.row else None

    @property
    def decided_at(self) -> datetime | None:
        """When its state was set; of a check, when that was asked for."""
        return self.row.decided_at if self.row else None

    @property
    def is_checked(self) -> bool:
        """Whether a check set its state."""
        return self.row is not None and self.row.run is not None


@dataclass(frozen=True)
class Claims:
    """The claims of a reply or of a post, in reading order."""

    owner: UUID
    text: str
    rows: Sequence[Claim]
    read_cards: Mapping[UUID, SourceCard] | None = None

    @cached_property
    def cards(self) -> Mapping[UUID, SourceCard]:
        """The cards that count, of those that the rows rest on."""
        named = {row.card for row in self.rows}
        if self.read_cards is not None:
            return {public_id: card for public_id, card in self.read_cards.items() if public_id in named}
        return counting_cards(named)

    @cached_property
    def listed(self) -> list[str]:
        """The lines of the list of sources, in each language in which it may stand."""
        return source_lines(self.cards.values())

    @cached_property
    def sentences(self) -> list[str]:
        """The claims' words."""
        return claims_in(self.text, self.listed)

    @cached_property
    def stated(self) -> list[StatedClaim]:
        """The claims with their states."""
        by_sentence = {row.sentence: row for row in self.rows}
        return [self._stated(sentence, by_sentence.get(sentence)) for sentence in self.sentences]

    @property
    def sources(self) -> list[SourceCard]:
        """The cards that support a claim, each once, in the order of the claims."""
        cards = (claim.card for claim in self.stated if claim.state == ClaimState.SUPPORTED)
        return list({card.public_id: card for card in cards if card is not None}.values())

    def _stated(self, sentence: str, row: Claim | None) -> StatedClaim:
        public_id = claim_id(self.owner, sentence)
        if row is None:
            return StatedClaim(public_id, sentence, ClaimState.OPEN)
        state = state_in_force(ClaimState(row.state), row.card, self.cards)
        return StatedClaim(public_id, sentence, state, self.cards.get(row.card) if row.card else None, row)


def claims_of(reply: Reply, cards: Mapping[UUID, SourceCard] | None = None) -> Claims:
    """Return the claims of a reply's present text. `cards`: those that count, if they were read already."""
    is_read = "claims" in getattr(reply, "_prefetched_objects_cache", ())
    rows = reply.claims.all() if is_read else reply.claims.select_related("decided_by")
    return Claims(reply.public_id, reply.text, list(rows), cards)


def claims_of_post(exchange: Exchange) -> Claims:
    """Return the claims of the post itself."""
    rows = exchange.claims.filter(reply=None).select_related("decided_by")
    return Claims(exchange.public_id, exchange.hate, list(rows))


def post_id(exchange: Exchange) -> UUID:
    """Return the public id under which claims about a post are checked: the item's, or a pasted text's own."""
    return exchange.public_id if exchange.item is None else exchange.item.public_id


def counting_cards(ids: Iterable[UUID | None]) -> dict[UUID, SourceCard]:
    """Return the cards with these ids that exist and that nobody struck."""
    named, checks = {card for card in ids if card is not None}, claim_checks()
    if not named or checks is None:
        return {}
    return {public_id: card for public_id, card in checks.cards(named).items() if card.counts}


@short_transaction
def keep_claims(reply: Reply, like: Reply | None = None) -> None:
    """Keep a row for each claim of the reply's present text. Rows of sentences that left it are deleted.

    A new row is open, or as the checks of these words ended. `like`: a reply whose decisions hold for the same words
    here.
    """
    rows = list(reply.claims.all())
    present = set(Claims(reply.public_id, reply.text, rows).sentences)
    kept = [row for row in rows if row.sentence in present]
    if len(kept) < len(rows):
        Claim.objects.filter(pk__in={row.pk for row in rows} - {row.pk for row in kept}).delete()
    known = {row.sentence for row in kept}
    decided = {row.sentence: row for row in like.claims.all()} if like else {}
    new = [
        _row(reply.exchange, reply, sentence, decided.get(sentence))
        for sentence in Claims(reply.public_id, reply.text, kept).sentences
        if sentence not in known
    ]
    if new:
        Claim.objects.bulk_create(new, ignore_conflicts=True)
        _take(reply.exchange, reply.claims.filter(sentence__in=[row.sentence for row in new]))


def _row(exchange: Exchange, reply: Reply | None, sentence: str, like: Claim | None = None) -> Claim:
    owner = exchange.public_id if reply is None else reply.public_id
    row = Claim(public_id=claim_id(owner, sentence), exchange=exchange, reply=reply, sentence=sentence)
    if like is not None:
        for name in ("state", "card", "run", "reason", "decided_by", "decided_at"):
            setattr(row, name, getattr(like, name))
    return row


@short_transaction
def take_checks(exchange: Exchange) -> None:
    """Set the states of the claims about a post by the checks that ended, where nobody decided after they were asked.

    Claims without a row get one if they were checked.
    """
    verdicts = _verdicts(exchange)
    if not verdicts:
        return
    replies: list[Reply | None] = [None, *exchange.replies.filter(state__in=ALIVE)]
    missing = [
        _row(exchange, reply, claim.sentence)
        for reply in replies
        for claim in (claims_of_post(exchange) if reply is None else claims_of(reply)).stated
        if claim.row is None and claim.asked in verdicts
    ]
    Claim.objects.bulk_create(missing, ignore_conflicts=True)
    _take(exchange, Claim.objects.filter(exchange=exchange).exclude(reply__state__in=_GONE), verdicts)


_GONE = tuple(state for state in ReplyState if state not in ALIVE)


def after_check(project: UUID, post: UUID) -> None:
    """Take over the checks about this post that ended (`extensions.after_claim_check`)."""
    about = Q(item__public_id=post) | Q(item=None, public_id=post)
    exchange = Exchange.objects.filter(about, project__public_id=project).select_related("project", "item").first()
    if exchange is not None:
        take_checks(exchange)


def _take(exchange: Exchange, rows: QuerySet[Claim], verdicts: Mapping[str, ClaimVerdict] | None = None) -> None:
    ended = _verdicts(exchange) if verdicts is None else verdicts
    for row in rows.select_related("reply", "exchange"):
        verdict = ended.get(checked_words(row.sentence, LONGEST_CHECKED))
        if verdict is not None and _taken(row, verdict):
            record(
                GenerationVerb.CLAIM_CHECKED,
                project=exchange.project,
                item=exchange.item,
                row=row.owner,
                state=state_after(verdict).value,
            )


def _taken(row: Claim, verdict: ClaimVerdict) -> bool:
    """Set the state by a verdict, unless somebody decided, or another check was asked for, at that time or later.

    A check that settles nothing changes no person's decision.
    """
    state = state_after(verdict)
    earlier = Claim.objects.filter(Q(decided_at=None) | Q(decided_at__lt=verdict.asked_at), pk=row.pk)
    if state == ClaimState.OPEN:
        earlier = earlier.filter(decided_by=None)
    return bool(
        earlier.update(
            state=state,
            card=card_of(verdict) if state != ClaimState.OPEN else None,
            run=verdict.run,
            reason="",
            decided_by=None,
            decided_at=verdict.asked_at,
        )
    )


def _verdicts(exchange: Exchange) -> dict[str, ClaimVerdict]:
    checks = claim_checks()
    if checks is None:
        return {}
    return newest_verdicts(checks.verdicts(exchange.project.public_id, post_id(exchange)))


def found_false(project: Project, most: int) -> list[Reply]:
    """Return the approved replies of a project with a claim that was found false since, the newest first."""
    rows = Reply.objects.filter(exchange__project=project, state=ReplyState.APPROVED)
    rows = rows.filter(pk__in=Claim.objects.filter(state=ClaimState.CONTRADICTED).values("reply"))
    rows = rows.select_related("author", "exchange__item", "exchange__project").prefetch_related("claims__decided_by")
    replies = list(rows.order_by("-approved_at")[:most])
    cards = counting_cards(row.card for reply in replies for row in reply.claims.all())
    return [
        reply
        for reply in replies
        if any(claim.state == ClaimState.CONTRADICTED for claim in claims_of(reply, cards).stated)
    ]
