"""A reviewer's decision at the desk: checked against leases, appeals and the second look, then carried out.

The rulings themselves are `annotation.adjudicating`'s. The same client key and decision answer with what was stored.
Where the project wants two reviewers for a reason, decisions are proposals until two agree; a third one ends a
disagreement. Nothing here is ever erased: a decision is undone by a new one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from annotation.consensus.close import lock_item, open_dispute_reasons
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Modality, Reason, Stage
from annotation.domain.patterns import Prior as PriorValue
from annotation.models import Adjudication, Category, Item, Membership, Ruling, record
from annotation.review import adjudicate
from annotation.review.adjudicate import RulingContext, RulingKeyReused
from moderation.desk import appeals, leases
from moderation.desk.settings import rules_of, wants_second
from moderation.domain.event_verbs import ModerationVerb
from moderation.models import Proposal

ENDS: Mapping[Ruling, Stage] = {
    Ruling.DECIDE: Stage.GOLD,
    Ruling.EXCLUDE: Stage.EXCLUDED,
    Ruling.NEW_ROUND: Stage.LABELLING,
    Ruling.MORE_SEATS: Stage.LABELLING,
}


class AlreadyProposed(Exception):
    """The reviewer has decided about this state of the item; somebody else has to look at it now."""

    code = "already_proposed"


class NeedsAppeal(PermissionError):
    """Two reviewers decided this together: one alone does not replace it."""

    code = "needs_appeal"


@dataclass(frozen=True)
class Wanted:
    """What a reviewer decides about an item they saw at `version`; `key` is the client's, one a decision."""

    ruling: Ruling
    version: int
    rationale: str
    key: UUID
    category: Category | None = None
    target_group: str = ""
    upheld: Mapping[Modality, PriorValue] = field(default_factory=dict)
    message: str = ""
    count: int = 0
    reason: Reason | None = None
    drafted_from: UUID | None = None
    shown: Mapping[str, Any] = field(default_factory=dict)
    """What the reviewer was pointed to, for the record (`moderation.pointing`)."""


@dataclass(frozen=True)
class Decided:
    """The decision was carried out."""

    adjudication: Adjudication


@dataclass(frozen=True)
class Proposed:
    """The decision waits for another reviewer: a second one, or a third where two disagree."""

    proposal: Proposal


@short_transaction
def settle(item: Item, reviewer: Membership, wanted: Wanted) -> Decided | Proposed:
    """Decide about the item, or propose to.

    Raises what the rulings raise (Stale, OwnItem, NotAllowed, KeyReused, BadRuling), and Leased, DecidedBefore,
    AlreadyProposed, NeedsAppeal.
    """
    held = lock_item(item)
    if Adjudication.objects.filter(reviewer=reviewer, client_key=wanted.key).exists():
        return Decided(_carry_out(held, reviewer, wanted))  # answers what is stored, or refuses another body
    if (stored := _stored(held, reviewer, wanted)) is not None:
        return Proposed(stored)
    adjudicate.check_ruling(held, reviewer, wanted.version, ENDS[wanted.ruling], wanted.ruling)
    leases.refuse_others(held, reviewer)
    appeals.refuse_own(held, reviewer)
    anew = held.stage in (Stage.GOLD, Stage.EXCLUDED)
    by_two = anew and _was_proposed(held)
    if by_two and held.stage == Stage.GOLD:
        raise NeedsAppeal
    if by_two or (not anew and wants_second(rules_of(held.project), open_dispute_reasons(held))):
        done = _propose(held, reviewer, wanted)
    else:
        done = Decided(_carry_out(held, reviewer, wanted))
    leases.give_back(held, reviewer)
    return done


def proposals(item: Item) -> list[Proposal]:
    """What reviewers proposed about the item as it stands, first one first."""
    rows = Proposal.objects.filter(item=item, item_version=item.version)
    return list(rows.select_related("category", "reviewer").order_by("place"))


def _carry_out(item: Item, reviewer: Membership, wanted: Wanted) -> Adjudication:
    before = {"before": item.category.code if item.category else None, "difficulty": item.difficulty}
    beside = RulingContext(wanted.key, wanted.target_group, wanted.drafted_from, {**before, **wanted.shown})
    seen = (item, reviewer, wanted.version, wanted.rationale)
    match wanted.ruling, wanted.category:
        case Ruling.DECIDE, Category() as category:
            made = adjudicate.decide_item(*seen, category, wanted.upheld, beside)
        case Ruling.EXCLUDE, _:
            made = adjudicate.exclude_item(*seen, wanted.reason, beside)
        case Ruling.NEW_ROUND, _:
            made = adjudicate.request_new_round(*seen, wanted.message, beside)
        case Ruling.MORE_SEATS, _:
            made = adjudicate.request_more_labels(*seen, wanted.count, beside)
        case _:
            raise adjudicate.BadRuling("A decision for a category names one.")
    appeals.answer(item, made)
    return made


# ── Two reviewers ─────────────────────────────────────────────────────────────


def _propose(item: Item, reviewer: Membership, wanted: Wanted) -> Decided | Proposed:
    earlier = proposals(item)
    if any(each.reviewer_id == reviewer.pk for each in earlier):
        raise AlreadyProposed
    mine = Proposal.objects.create(
        item=item,
        item_version=item.version,
        round=item.round,
        place=len(earlier) + 1,
        reviewer=reviewer,
        ruling=wanted.ruling,
        category=wanted.category,
        rationale=wanted.rationale,
        client_key=wanted.key,
        body_sha256=_body(item, wanted),
    )
    record(
        ModerationVerb.PROPOSED, project=item.project, actor=reviewer, item=item, row=mine.public_id, place=mine.place
    )
    agreed = len(earlier) == 1 and alike(earlier[0], mine)
    if agreed or len(earlier) == 2:
        return Decided(_carry_out(item, reviewer, wanted))
    return Proposed(mine)


def alike(one: Proposal, other: Proposal) -> bool:
    """Whether two reviewers want the same: the same ruling, for the same category."""
    return (one.ruling, one.category_id) == (other.ruling, other.category_id)


def _stored(item: Item, reviewer: Membership, wanted: Wanted) -> Proposal | None:
    """The proposal that came with this key before. Raises KeyReused."""
    stored = Proposal.objects.filter(reviewer=reviewer, client_key=wanted.key).first()
    if stored is not None and stored.body_sha256 != _body(item, wanted):
        raise RulingKeyReused
    return stored


def _body(item: Item, wanted: Wanted) -> str:
    category = wanted.category.code if wanted.category else None
    return adjudicate.ruling_digest(
        {
            "item": item.public_id,
            "ruling": wanted.ruling,
            "version": wanted.version,
            "category": category,
            "rationale": wanted.rationale,
            "target_group": wanted.target_group,
            "upheld": sorted(wanted.upheld),
            "message": wanted.message,
            "count": wanted.count,
            "reason": wanted.reason,
        }
    )


def _was_proposed(item: Item) -> bool:
    """Whether the decision in force was two reviewers'."""
    last = item.adjudications.order_by("-pk").first()
    return last is not None and Proposal.objects.filter(item=item, item_version=last.item_version).exists()


def may_be_replaced(item: Item) -> bool:
    """Whether one reviewer may decide anew what was decided; what two made gold together takes an appeal."""
    return adjudicate.may_decide_anew(item) and not (item.stage == Stage.GOLD and _was_proposed(item))


def may_answer(item: Item, reviewer: Membership) -> bool:
    """Whether nothing but the reviewer's own earlier part keeps them from deciding about the item."""
    mine = Q(reviewer=reviewer, item=item, item_version=F("item__version"))
    return not Proposal.objects.filter(mine).exists() and not appeals.is_own(item, reviewer)
