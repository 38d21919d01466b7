"""Objections to what was decided: an appeal reopens the item to a reviewer who did not decide it.

The answer is a decision like any other: the same category upholds what was decided, anything else overturns it.
"""

from django.db import IntegrityError
from django.db.models import QuerySet
from django.utils import timezone

from annotation.consensus import close
from annotation.consensus.close import lock_item
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Reason, Source, Stage
from annotation.models import Adjudication, Dispute, Item, Membership, Project, Ruling, record
from annotation.review.adjudicate import NotAllowed
from moderation.desk.settings import rules_of
from moderation.domain.event_verbs import ModerationVerb
from moderation.models import Appeal, AppealOutcome, Proposal


class NotAppealable(Exception):
    """The item is not gold, is under appeal already, or the project takes no appeals; the sentence says which."""

    code = "not_appealable"


class DecidedBefore(PermissionError):
    """The reviewer took part in the decision that is objected to: somebody else answers."""

    code = "decided_before"


def appeal(item: Item, by: Membership, grounds: str, appellant: str = "") -> Appeal:
    """Enter an objection to the item's final category; it is disputed again until somebody answers.

    Reviewers and admins enter what reached them; `appellant` is whoever objects. Raises NotAppealable, NotAllowed.
    """
    try:
        return _appeal(item, by, grounds, appellant)
    except IntegrityError:  # somebody else's came at the same moment
        raise NotAppealable("The item is under appeal already.") from None


@short_transaction
def _appeal(item: Item, by: Membership, grounds: str, appellant: str) -> Appeal:
    held = lock_item(item)
    if not (by.reviews or by.administers) or not by.active:
        raise NotAllowed
    _close_moot(held)
    if not rules_of(held.project).appeals:
        raise NotAppealable("This project takes no appeals.")
    if open_appeal(held) is not None:
        raise NotAppealable("The item is under appeal already.")
    if held.stage != Stage.GOLD:
        raise NotAppealable(f"Only what is decided can be appealed against; the item is {held.stage}.")
    made = Appeal.objects.create(
        item=held,
        against=held.adjudications.filter(ruling=Ruling.DECIDE).order_by("-pk").first()
        if held.category_source == Source.ADJUDICATED
        else None,
        category=held.category,
        entered_by=by,
        appellant=appellant,
        grounds=grounds,
    )
    record(ModerationVerb.APPEALED, project=held.project, actor=by, item=held, row=made.public_id)
    close.dispute_item(held, Reason.APPEAL)
    return made


def answer(item: Item, ruling: Adjudication) -> None:
    """Close the open appeal of the item with this ruling; called in its transaction."""
    found = open_appeal(item)
    if found is None or found.answer_id is not None:
        return
    same = ruling.ruling == Ruling.DECIDE and ruling.category_id == found.category_id
    found.outcome = AppealOutcome.UPHELD if same else AppealOutcome.OVERTURNED
    found.answer, found.closed_at = ruling, timezone.now()
    found.save(update_fields=("outcome", "answer", "closed_at"))
    record(
        ModerationVerb.APPEAL_CLOSED,
        project=item.project,
        actor=ruling.reviewer,
        item=item,
        row=found.public_id,
        outcome=str(found.outcome),
    )


def open_appeal(item: Item) -> Appeal | None:
    """The appeal that waits for an answer."""
    return Appeal.objects.filter(item=item, closed_at__isnull=True).select_related("against", "category").first()


def appeals_of(project: Project) -> QuerySet[Appeal]:
    """The project's appeals, newest first."""
    return (
        Appeal.objects.filter(item__project=project)
        .select_related("item", "category", "against__reviewer", "answer__category", "answer__reviewer", "entered_by")
        .order_by("-opened_at", "-pk")
    )


def is_own(item: Item, reviewer: Membership) -> bool:
    """Whether the item is under appeal against what this reviewer decided, alone or with another."""
    found = open_appeal(item)
    if found is None or found.against is None:
        return False
    part = Proposal.objects.filter(item=item, item_version=found.against.item_version, reviewer=reviewer)
    return found.against.reviewer_id == reviewer.pk or part.exists()


def refuse_own(item: Item, reviewer: Membership) -> None:
    """Do nothing unless the reviewer took part in what is objected to. Raises DecidedBefore."""
    if is_own(item, reviewer):
        raise DecidedBefore


def _close_moot(item: Item) -> None:
    """End an appeal whose item went another way meanwhile (taken out, labelled anew): nothing is left to answer."""
    disputed = Dispute.objects.filter(item=item, reason=Reason.APPEAL, settled_at__isnull=True)
    if not disputed.exists():
        Appeal.objects.filter(item=item, closed_at__isnull=True).update(closed_at=timezone.now())
