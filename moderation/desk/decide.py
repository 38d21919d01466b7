"""A reviewer's decision at the desk: check it against leases, appeals and the two-reviewer rule, then carry it out.

The rulings are in `annotation/review/adjudicate.py`. The same client key and decision return the stored result.
Where the project requires two reviewers, decisions are proposals until two reviewers agree; if they disagree, a third
decides. Decisions are never deleted: a new one replaces the old one. A proposal can be replaced or taken back until
another reviewer has answered it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from annotation.consensus.close import lock_item, open_dispute_reasons
from annotation.core.runs_on_items import runs_on_items
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Modality, Reason, Stage
from annotation.domain.patterns import Prior as PriorValue
from annotation.models import Adjudication, Category, Item, Membership, Ruling, record
from annotation.review import adjudicate
from annotation.review.adjudicate import RulingContext, RulingKeyReused
from annotation.review.queue import wants_category_of
from moderation.desk import appeals, leases, set_aside
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
    """The reviewer has already decided about this version of the item; another reviewer has to decide now."""

    code = "already_proposed"


class ProposalAnswered(Exception):
    """The proposal waits no more: another reviewer has decided too, or it was changed or taken back before."""

    code = "proposal_answered"


class NeedsAppeal(PermissionError):
    """Two reviewers made this decision together; one reviewer alone cannot replace it."""

    code = "needs_appeal"


class CategoryWanted(PermissionError):
    """A *not sure* waits for this reviewer's category; they decide after that, or once they have seen the votes."""

    code = "category_wanted"


@dataclass(frozen=True)
class RulingRequest:
    """A reviewer's decision about an item that they saw at `version`. The client sends a new `key` per decision."""

    ruling: Ruling
    version: int
    rationale: str
    key: UUID
    category: Category | None = None
    categories: tuple[int, ...] = ()
    """The codes of all categories where there are several, as rows keep them; `category` is the first."""
    target_group: str = ""
    upheld: Mapping[Modality, PriorValue] = field(default_factory=dict)
    message: str = ""
    count: int = 0
    reason: Reason | None = None
    drafted_from: UUID | None = None
    replaces: UUID | None = None
    """The reviewer's own proposal that this decision replaces, while nobody has answered it."""
    shown: Mapping[str, Any] = field(default_factory=dict)
    """Hints that the page showed the reviewer; they are recorded with the decision (`moderation/desk/triage.py`)."""


@dataclass(frozen=True)
class Decided:
    """The decision was carried out."""

    adjudication: Adjudication


@dataclass(frozen=True)
class Proposed:
    """The decision waits for another reviewer: a second one, or a third one after a disagreement."""

    proposal: Proposal


@short_transaction
def settle(item: Item, reviewer: Membership, request: RulingRequest) -> Decided | Proposed:
    """Decide about the item, or store a proposal if two reviewers have to decide.

    Raises StaleVersion, OwnItem, NotAllowed, RulingKeyReused or BadRuling as the rulings do.
    Raises Leased, KeptForAnother, DecidedBefore, CategoryWanted, AlreadyProposed, ProposalAnswered or NeedsAppeal as
    the desk does.
    """
    locked = lock_item(item)
    if Adjudication.objects.filter(reviewer=reviewer, client_key=request.key).exists():
        return Decided(  # returns the stored ruling, or refuses a different decision
            _carry_out(locked, reviewer, request)
        )
    if (stored := _stored(locked, reviewer, request)) is not None:
        return Proposed(stored)
    adjudicate.check_ruling(locked, reviewer, request.version, ENDS[request.ruling], request.ruling)
    _refuse_foreign_draft(locked, request)
    appeals.refuse_own(locked, reviewer)
    if wants_category_of(locked, reviewer):
        raise CategoryWanted
    anew = locked.stage in (Stage.GOLD, Stage.EXCLUDED)
    by_two = anew and _was_proposed(locked)
    if by_two and locked.stage == Stage.GOLD:
        raise NeedsAppeal
    by_two = by_two or (not anew and wants_second(rules_of(locked.project), open_dispute_reasons(locked)))
    if request.replaces is not None:
        _withdraw(locked, reviewer, request.replaces)
        if by_two:  # whoever has the post for the second decision keeps it
            return _propose(locked, reviewer, request)
    leases.refuse_others(locked, reviewer)
    set_aside.refuse_others(locked, reviewer)
    result = _propose(locked, reviewer, request) if by_two else Decided(_carry_out(locked, reviewer, request))
    leases.give_back(locked, reviewer)
    set_aside.end_all(locked)
    return result


@short_transaction
def take_back(item: Item, reviewer: Membership) -> None:
    """Take back the reviewer's proposal that waits for a second reviewer; the post is theirs to decide again.

    Raises ProposalAnswered.
    """
    locked = lock_item(item)
    mine = waiting(proposals(locked), reviewer)
    if mine is None:
        raise ProposalAnswered
    _withdraw(locked, reviewer, mine.public_id)


def proposals(item: Item) -> list[Proposal]:
    """Return the proposals about the present version of the item, the first reviewer's first."""
    rows = Proposal.objects.filter(item=item, item_version=item.version)
    return list(rows.select_related("category", "reviewer").order_by("place"))


def waiting(proposed: Sequence[Proposal], reviewer: Membership) -> Proposal | None:
    """Return the reviewer's proposal if nobody answered it. Returns None if there is none such."""
    return proposed[0] if len(proposed) == 1 and proposed[0].reviewer_id == reviewer.pk else None


def _refuse_foreign_draft(item: Item, request: RulingRequest) -> None:
    if request.drafted_from is None:
        return
    if not runs_on_items(item.project).filter(public_id=request.drafted_from, subject=item.public_id).exists():
        raise adjudicate.BadRuling("The rationale can start from the reason of a run on this post alone.")


def _carry_out(item: Item, reviewer: Membership, request: RulingRequest) -> Adjudication:
    before = {"before": item.category.code if item.category else None, "difficulty": item.difficulty}
    several = {"before_categories": item.categories} if item.categories else {}
    facts = {**before, **several, **request.shown}
    context = RulingContext(request.key, request.target_group, request.drafted_from, facts)
    common = (item, reviewer, request.version, request.rationale)
    match request.ruling, request.category:
        case Ruling.DECIDE, Category() as category:
            adjudication = adjudicate.decide_item(*common, category, request.upheld, context, request.categories)
        case Ruling.EXCLUDE, _:
            adjudication = adjudicate.exclude_item(*common, request.reason, context)
        case Ruling.NEW_ROUND, _:
            adjudication = adjudicate.request_new_round(*common, request.message, context)
        case Ruling.MORE_SEATS, _:
            adjudication = adjudicate.request_more_labels(*common, request.count, context)
        case _:
            raise adjudicate.BadRuling("A decision for a category names one.")
    appeals.answer(item, adjudication)
    return adjudication


# ── Two reviewers ─────────────────────────────────────────────────────────────


def _propose(item: Item, reviewer: Membership, request: RulingRequest) -> Decided | Proposed:
    proposed = proposals(item)
    if any(proposal.reviewer_id == reviewer.pk for proposal in proposed):
        raise AlreadyProposed
    mine = Proposal.objects.create(
        item=item,
        item_version=item.version,
        round=item.round,
        place=len(proposed) + 1,
        reviewer=reviewer,
        ruling=request.ruling,
        category=request.category,
        categories=list(request.categories),
        rationale=request.rationale,
        client_key=request.key,
        body_sha256=_body(item, request),
    )
    record(
        ModerationVerb.PROPOSED, project=item.project, actor=reviewer, item=item, row=mine.public_id, place=mine.place
    )
    agreed = len(proposed) == 1 and alike(proposed[0], mine)
    if agreed or len(proposed) == 2:
        return Decided(_carry_out(item, reviewer, request))
    return Proposed(mine)


def _withdraw(item: Item, reviewer: Membership, public_id: UUID) -> None:
    """Delete the reviewer's proposal that waits. The log says so, and not what it said: others decide without that.

    Raises ProposalAnswered.
    """
    mine = waiting(proposals(item), reviewer)
    if mine is None or mine.public_id != public_id:
        raise ProposalAnswered
    mine.delete()
    record(ModerationVerb.PROPOSAL_TAKEN_BACK, project=item.project, actor=reviewer, item=item, row=public_id)


def alike(first: Proposal, second: Proposal) -> bool:
    """Return whether both proposals have the same ruling and category, or categories."""
    mine, other = ((proposal.ruling, proposal.category_id, proposal.categories) for proposal in (first, second))
    return mine == other


def _stored(item: Item, reviewer: Membership, request: RulingRequest) -> Proposal | None:
    """Return the proposal that was stored with this key.

    Returns None if there is none.
    Raises RulingKeyReused if the stored decision is different.
    """
    stored = Proposal.objects.filter(reviewer=reviewer, client_key=request.key).first()
    if stored is not None and stored.body_sha256 != _body(item, request):
        raise RulingKeyReused
    return stored


def _body(item: Item, request: RulingRequest) -> str:
    category = request.category.code if request.category else None
    several = {"categories": request.categories} if request.categories else {}
    return adjudicate.ruling_digest(
        several
        | {
            "item": item.public_id,
            "ruling": request.ruling,
            "version": request.version,
            "category": category,
            "rationale": request.rationale,
            "target_group": request.target_group,
            "upheld": sorted(request.upheld),
            "message": request.message,
            "count": request.count,
            "reason": request.reason,
        }
    )


def _was_proposed(item: Item) -> bool:
    """Return whether two reviewers made the decision in force."""
    last = item.adjudications.order_by("-pk").first()
    return last is not None and Proposal.objects.filter(item=item, item_version=last.item_version).exists()


def may_be_replaced(item: Item) -> bool:
    """Return whether one reviewer may replace the decision.

    A decision for a category by two reviewers takes an appeal.
    """
    return adjudicate.may_decide_anew(item) and not (item.stage == Stage.GOLD and _was_proposed(item))
