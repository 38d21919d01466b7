"""What a person decides about a claim, and the list of sources that an author adds to a reply."""

from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.core.extensions import claim_checks
from annotation.core.transactions import short_transaction
from annotation.domain.claim_checks import SourceCard
from annotation.domain.one_line import read_line
from annotation.domain.text_rules import read_text
from annotation.models import Membership, record
from generation.counterspeech import replies
from generation.counterspeech.claims import ALIVE, Claims, StatedClaim, claims_of, claims_of_post, post_id
from generation.counterspeech.replies import CannotDo, SomebodyWasFirst
from generation.domain.counterspeech.claim_states import MOST_REASON, ON_A_CARD, ClaimState, with_sources
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.safety_flags import REASON_LENGTH
from generation.domain.event_verbs import GenerationVerb
from generation.models import Claim, Exchange, Reply


class ClaimGone(SomebodyWasFirst):
    """The text holds no claim with this id: the sentence was changed, or never there."""


@dataclass(frozen=True)
class Decision:
    """What a person says of a claim: its state, the card that it rests on, or why it has no source.

    `seen`: when the claim was decided before, as the person saw it (`stamp_of`); None: whatever it was.
    """

    state: ClaimState
    card: UUID | None = None
    reason: str = ""
    seen: str | None = None


def claim_named(claims: Claims, public_id: UUID) -> StatedClaim | None:
    """Return the claim with this id. Returns None if its sentence is not in the text any more."""
    return next((claim for claim in claims.stated if claim.public_id == public_id), None)


def stamp_of(claim: StatedClaim) -> str:
    """Return what tells this decision about a claim from a later one."""
    row = claim.row
    return f"{row.state} {row.decided_at.isoformat()}" if row is not None and row.decided_at else ""


def cards_for(exchange: Exchange, claim: StatedClaim) -> list[SourceCard]:
    """Return the cards about the post that count: those of searches for this claim first."""
    checks = claim_checks()
    cards = checks.cards_of(exchange.project.public_id, post_id(exchange)) if checks else ()
    return sorted((card for card in cards if card.counts), key=lambda card: card.claim != claim.asked)


@short_transaction
def decide(owner: Reply | Exchange, public_id: UUID, member: Membership, decision: Decision) -> StatedClaim:
    """Store what a person decided about a claim of a reply or of a post. Return the claim as it stands then.

    Raises CannotDo, ClaimGone, SomebodyWasFirst if somebody else decided, and BadText if the reason is not one line.
    """
    exchange, reply = _locked(owner)
    claim = claim_named(_claims(exchange, reply), public_id)
    if claim is None:
        raise ClaimGone(_("The text was changed, and this sentence is not in it any more."))
    if decision.seen is not None and decision.seen != stamp_of(claim):
        raise SomebodyWasFirst(_("Somebody else decided about this claim first. Look at it again."))
    fields = {
        "state": decision.state,
        "card": _checked_card(exchange, claim, decision),
        "reason": _read_reason(decision),
        "run": None,
        "decided_by": member,
        "decided_at": timezone.now(),
    }
    Claim.objects.update_or_create(
        public_id=public_id,
        defaults=fields,
        create_defaults=fields | {"exchange": exchange, "reply": reply, "sentence": claim.sentence},
    )
    about = exchange.public_id if reply is None else reply.public_id
    record(GenerationVerb.CLAIM_DECIDED, project=exchange.project, actor=member, item=exchange.item, row=about,
           state=decision.state.value)  # fmt: skip
    now = claim_named(_claims(exchange, reply), public_id)
    assert now is not None
    return now


@short_transaction
def list_sources(reply: Reply, author: Membership) -> Reply:
    """Add the sources of the supported claims to the end of the reply's text, as a plain list. Return the reply.

    Raises CannotDo if there is none to add, or the author may not write; BadText if the text becomes too long.
    """
    sources = claims_of(reply).sources
    text = with_sources(reply.text, sources)
    if text == reply.text:
        raise CannotDo(
            _("All sources stand in the text already.") if sources else _("No claim has a source yet: choose one.")
        )
    return replies.write(reply, author, text, Intent(reply.intent), reply.version)


def _locked(owner: Reply | Exchange) -> tuple[Exchange, Reply | None]:
    if isinstance(owner, Exchange):
        Exchange.objects.select_for_update().get(pk=owner.pk)
        return owner, None
    now = Reply.objects.select_for_update(of=("self",)).select_related("exchange__project", "exchange__item")
    reply = now.get(pk=owner.pk)
    if reply.state not in ALIVE:
        raise CannotDo(_("The reply is decided: its claims stay as they are."))
    return reply.exchange, reply


def _claims(exchange: Exchange, reply: Reply | None) -> Claims:
    return claims_of_post(exchange) if reply is None else claims_of(reply)


def _checked_card(exchange: Exchange, claim: StatedClaim, decision: Decision) -> UUID | None:
    if decision.state not in ON_A_CARD:
        return None
    if decision.card is None:
        raise CannotDo(_("Choose the source that says so."))
    if decision.card not in {card.public_id for card in cards_for(exchange, claim)}:
        raise CannotDo(_("That source was struck, or is not about this post. Choose another one."))
    return decision.card


def _read_reason(decision: Decision) -> str:
    if decision.state != ClaimState.WITHOUT_SOURCE:
        return ""
    reason = read_line(decision.reason).strip()
    if len(reason) < REASON_LENGTH:
        raise CannotDo(
            _("Say in at least %(least)s characters why the claim needs no source, or why there is none.")
            % {"least": REASON_LENGTH}
        )
    return read_text(reason, MOST_REASON)
