"""Appeals: an appeal reopens an item for a reviewer who did not decide it.

The answer is an ordinary decision: the same category upholds the earlier one, any other ruling overturns it.
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
from moderation.models import Appeal, AppealOutcome, Proposal, SetAside


class NotAppealable(Exception):
    """The item is not gold or is under appeal already, or the project takes no appeals; the message says which."""

    code = "not_appealable"


class DecidedBefore(PermissionError):
    """The reviewer took part in the decision under appeal; another reviewer has to answer."""

    code = "decided_before"


def appeal(item: Item, by: Membership, grounds: str, appellant: str = "") -> Appeal:
    """Enter an appeal against the item's final category. The item is disputed until a reviewer answers.

    Reviewers and admins enter the appeals that reached them; `appellant` names the person who objects.

    Raises NotAppealable.
    Raises NotAllowed.
    """
    try:
        return _appeal(item, by, grounds, appellant)
    except IntegrityError:  # another appeal was entered at the same moment
        raise NotAppealable("The item is under appeal already.") from None


@short_transaction
def _appeal(item: Item, by: Membership, grounds: str, appellant: str) -> Appeal:
    locked = lock_item(item)
    if not (by.reviews or by.administers) or not by.active:
        raise NotAllowed
    _close_moot(locked)
    if not rules_of(locked.project).appeals:
        raise NotAppealable("This project takes no appeals.")
    if open_appeal(locked) is not None:
        raise NotAppealable("The item is under appeal already.")
    if locked.stage != Stage.GOLD:
        raise NotAppealable(f"Only what is decided can be appealed against; the item is {locked.stage}.")
    SetAside.objects.filter(item=locked, ended_at__isnull=True).update(ended_at=timezone.now())
    opened = Appeal.objects.create(
        item=locked,
        against=locked.adjudications.filter(ruling=Ruling.DECIDE).order_by("-pk").first()
        if locked.category_source == Source.ADJUDICATED
        else None,
        category=locked.category,
        categories=locked.categories,
        entered_by=by,
        appellant=appellant,
        grounds=grounds,
    )
    record(ModerationVerb.APPEALED, project=locked.project, actor=by, item=locked, row=opened.public_id)
    close.dispute_item(locked, Reason.APPEAL)
    return opened


def answer(item: Item, ruling: Adjudication) -> None:
    """Close the open appeal of the item with this ruling. Call it inside the ruling's transaction."""
    opened = open_appeal(item)
    if opened is None or opened.answer_id is not None:
        return
    decided = (ruling.category_id, ruling.categories) == (opened.category_id, opened.categories)
    same = ruling.ruling == Ruling.DECIDE and decided
    opened.outcome = AppealOutcome.UPHELD if same else AppealOutcome.OVERTURNED
    opened.answer, opened.closed_at = ruling, timezone.now()
    opened.save(update_fields=("outcome", "answer", "closed_at"))
    record(
        ModerationVerb.APPEAL_CLOSED,
        project=item.project,
        actor=ruling.reviewer,
        item=item,
        row=opened.public_id,
        outcome=str(opened.outcome),
    )


def open_appeal(item: Item) -> Appeal | None:
    """Return the appeal that waits for an answer.

    Returns None if there is none.
    """
    return Appeal.objects.filter(item=item, closed_at__isnull=True).select_related("against", "category").first()


def appeals_of(project: Project) -> QuerySet[Appeal]:
    """Return the project's appeals, newest first."""
    return (
        Appeal.objects.filter(item__project=project)
        .select_related("item", "category", "against__reviewer", "answer__category", "answer__reviewer", "entered_by")
        .order_by("-opened_at", "-pk")
    )


def is_own(item: Item, reviewer: Membership) -> bool:
    """Return whether the open appeal is against a decision in which this reviewer took part."""
    return is_against(open_appeal(item), reviewer)


def is_against(opened: Appeal | None, reviewer: Membership) -> bool:
    """Return whether there is this appeal, and it is against a decision in which the reviewer took part."""
    if opened is None or opened.against is None:
        return False
    proposals = Proposal.objects.filter(
        item=opened.item_id, item_version=opened.against.item_version, reviewer=reviewer
    )
    return opened.against.reviewer_id == reviewer.pk or proposals.exists()


def refuse_own(item: Item, reviewer: Membership) -> None:
    """Refuse a reviewer who took part in the decision under appeal.

    Raises DecidedBefore.
    """
    if is_own(item, reviewer):
        raise DecidedBefore


def _close_moot(item: Item) -> None:
    """Close the open appeal of an item that is not disputed for it any more (for example, it was excluded)."""
    disputed = Dispute.objects.filter(item=item, reason=Reason.APPEAL, settled_at__isnull=True)
    if not disputed.exists():
        Appeal.objects.filter(item=item, closed_at__isnull=True).update(closed_at=timezone.now())
